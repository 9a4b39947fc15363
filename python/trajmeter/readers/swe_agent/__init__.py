"""Runs of SWE-agent: its trajectories, and the files that ContextBench adds to them."""

from __future__ import annotations

from trajmeter.readers.swe_agent.contextbench import CHECKPOINTS, CONTEXT
from trajmeter.readers.swe_agent.declared import PATCH_CONTEXT
from trajmeter.readers.swe_agent.run import TRAJECTORY

__all__ = ["CHECKPOINTS", "CONTEXT", "PATCH_CONTEXT", "TRAJECTORY"]
