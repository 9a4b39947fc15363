"""Runs of SWE-agent."""

from __future__ import annotations

import json
from typing import Any

from trajmeter.records import Source

__all__ = ["CALLS", "LAST", "NUMBERED", "SOURCE", "run", "step"]

SOURCE = Source(file="runs/acme__widget-12/acme__widget-12.traj")
NUMBERED = (
    "Here's the result of running `cat -n` on /acme/a.py:\n    10\tdef f():\n    11\t    pass\n"
)
LAST = {"action": "submit", "observation": "diff", "response": "Done.", "state": {}}


def step(action: str, observation: str = "", **more: object) -> dict[str, Any]:
    return {"action": action, "observation": observation, "response": "Look.", **more}


def run(*steps: dict[str, Any], **more: object) -> dict[str, Any]:
    config = {
        "agent": {"model": {"name": "openai/toy", "api_key": "hidden"}},
        "env": {"repo": {"repo_name": "acme"}},
        "problem_statement": {"id": "acme__widget-12"},
    }
    return {
        "environment": "main",
        "trajectory": [*steps, LAST],
        "history": [],
        "replay_config": json.dumps(config),
        "info": {"exit_status": "submitted", "submission": "diff"},
        **more,
    }


CALLS = (
    {
        "tool": "view",
        "step": 1,
        **step("str_replace_editor view /testbed/a.py --view_range 10 11", NUMBERED),
    },
    {"tool": "bash", "step": 2, **step("cat b.py", "x\n")},
    {"type": "patch_context", "patch_context": "File: a.py\nLines: 10-11", "step": 3},
)
