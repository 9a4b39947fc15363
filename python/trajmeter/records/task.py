"""One problem, with any references it has."""

from __future__ import annotations

from enum import Enum
from typing import Any

from pydantic import Field, JsonValue

from trajmeter.records.measurements import Measurement
from trajmeter.records.record import Count, Record
from trajmeter.records.source import Source
from trajmeter.records.trajectory import ToolCall

__all__ = ["Assertion", "GoldRange", "GoldRole", "Task"]


class GoldRole(str, Enum):
    """Where a gold range comes from."""

    INITIAL = "initial"
    """Chosen by the annotator at first."""
    ADDITIONAL = "additional"
    """Added in a later round."""


class GoldRange(Record):
    """Lines of a file that the task's reference names, as written."""

    path: str
    """Path as written in the reference."""
    first_line: int
    """First line, 1-based."""
    last_line: int
    """Last line, included."""
    role: GoldRole = GoldRole.INITIAL
    """Initial or additional."""


class Assertion(Record):
    """One thing that must hold for an attempt, graded by a rule or by a judge."""

    name: str | None = None
    """Name that a judge's verdict refers to."""
    type: str = ""
    """Kind of check, such as ``transcript_contains`` or ``llm_judge``."""
    check: JsonValue = None
    """What to look for, or the question to a judge, as written; rules only use text."""
    tool: JsonValue = None
    """Tool that must be called, as written; rules only use text."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Keys in the file that no reader knows."""

    @property
    def label(self) -> str:
        """The name, or the type if it has no name."""
        return self.name or self.type


class Task(Record):
    """One problem: what was asked, and the references to score an attempt against."""

    id: str
    """Id of the task."""
    aliases: tuple[str, ...] = ()
    """Other ids of the same task, such as its name in the dataset it came from."""
    question: str | None = None
    """The question or issue text."""
    repo: str | None = None
    """Repository, as named in the dataset."""
    commit: str | None = None
    """Commit of the repository that the attempt starts from."""
    language: str | None = None
    """Programming language, as named in the dataset."""
    gold_ranges: tuple[GoldRange, ...] | None = None
    """Gold context as written; ``()`` if empty, ``None`` if not recorded."""
    gold_patch: str | None = None
    """Patch that solves the task."""
    expected_tool_calls: tuple[ToolCall, ...] | None = None
    """Reference tool calls, in order."""
    expected_answer: str | None = None
    """Reference answer."""
    expected_sources: tuple[str, ...] | None = None
    """Documents that contain the answer."""
    max_turns: Count | None = None
    """Turn budget."""
    timeout_seconds: float | None = None
    """Time budget."""
    assertions: tuple[Assertion, ...] = ()
    """What must hold for an attempt."""
    name: str | None = None
    """Short name for people."""
    description: str | None = None
    """What the task is about."""
    complexity: str | None = None
    """Difficulty, in the words of the dataset."""
    tags: tuple[str, ...] = ()
    """Labels to group tasks by."""
    simulated_human_guidance: str | None = None
    """Instructions to the simulated user who talks with the agent."""
    baseline_seconds: dict[str, Measurement] | None = None
    """Time of each benchmark before any change, by its full name with parameters."""
    oracle_seconds: dict[str, Measurement] | None = None
    """Time of each benchmark with the reference solution."""
    source: Source | None = None
    """Where the record was read from."""
    metadata: dict[str, Any] = Field(default_factory=dict)
    """Arbitrary data that configures metrics, such as ``expected_tools``."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Keys in the file that no reader knows."""
