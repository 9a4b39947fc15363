"""The agents of an fc-eval run, from its lock file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.content import open_content
from trajmeter.readers._files.problems import problem_with
from trajmeter.readers._logs.values import as_object, as_text
from trajmeter.records import ReadProblem
from trajmeter.records.measurements import UNKNOWN_MODEL, normalise_model, split_key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

__all__ = ["RUN_FILES", "Agent", "agents_of_run", "is_run", "read_object"]

_LOCKS = ("fc.lock", "tb.lock")
_METADATA = "run_metadata.json"
_NUMBER = re.compile(r"agent-(\d+)$")

# A trial's folder is two levels below its run's, and so is an agent's.
_LEVELS = 3


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent with its model."""

    name: str
    """Name as written in reports."""
    model: str
    """Model as written in reports."""
    model_name: str | None = None
    """Model as configured."""

    @classmethod
    def of_key(cls, key: str) -> Agent:
        """The agent named ``agent:model``."""
        name, model = split_key(key)
        return cls(name, model or UNKNOWN_MODEL)


RUN_FILES = frozenset((*_LOCKS, _METADATA))
"""File names, at least one of which is in a run's folder."""


def is_run(folder: Path) -> bool:
    """Whether a folder is a run: it contains a lock file or a description of the run."""
    return any((folder / name).is_file() for name in RUN_FILES)


def agents_of_run(folder: Path, report: Callable[[ReadProblem], None]) -> dict[int, Agent]:
    """Find the agents with which a run was configured, by number from 1.

    Args:
        folder: Folder of the run, or of one of its trials.
        report: Called with each lock file that cannot be read.

    Returns:
        The agents; empty if neither a lock file nor a description of the run names one.
    """
    for run in (folder, *folder.resolve().parents[: _LEVELS - 1]):
        for name in _LOCKS:
            if (run / name).is_file():
                spec = as_object((read_object(run / name, report) or {}).get("run_spec")) or {}
                agents = _agents(spec)
                if agents:
                    return agents
        if (run / _METADATA).is_file():
            agent = _agent(read_object(run / _METADATA, report) or {})
            is_one = agent is not None and agent.name != "multi-agent"
            return {1: agent} if agent is not None and is_one else {}
    return {}


def read_object(path: Path, report: Callable[[ReadProblem], None]) -> dict[str, object] | None:
    """Read a JSON file that contains an object; ``None``, with a report, if it does not."""
    try:
        with open_content(path) as file:
            json_input.refuse_archive(file)
            value = json_input.parse(file.read())
    except (OSError, ReadError) as error:
        report(problem_with(path, error))
    else:
        if isinstance(value, dict):
            return dict(value)
        message = f"expected an object, got {json_input.type_name(value)}"
        report(ReadProblem(file=str(path), message=message))
    return None


def _agents(spec: Mapping[str, object]) -> dict[int, Agent]:
    listed = spec.get("agents")
    if not isinstance(listed, list):
        agent = _agent(spec)
        return {1: agent} if agent is not None else {}
    agents = {}
    for position, entry in enumerate(listed, start=1):
        described = as_object(entry) or {}
        match = _NUMBER.match(str(described.get("agent_id")))
        agent = _agent(described)
        if agent is not None:
            agents[int(match[1]) if match else position] = agent
    return agents


def _agent(described: Mapping[str, object]) -> Agent | None:
    """An agent as described in a lock file; a user-defined agent is named by its import path."""
    imported = as_text(described.get("agent_import_path"))
    name = imported.replace(":", ".") if imported else as_text(described.get("agent_name"))
    if name is None:
        return None
    model = as_text(described.get("model_name"))
    return Agent(name, normalise_model(model) if model else UNKNOWN_MODEL, model)
