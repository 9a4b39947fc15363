"""One attempt of one agent and model at one task, turn by turn."""

from __future__ import annotations

from enum import Enum
from typing import Any

from pydantic import Field, JsonValue

from trajmeter.records.measurements import Measurements, PytestSummary, RunLog, SnapshotSummary
from trajmeter.records.record import Count, Record
from trajmeter.records.source import Source

__all__ = [
    "LEAK_KINDS",
    "Extent",
    "Failure",
    "Leak",
    "ToolCall",
    "Trajectory",
    "Turn",
    "Usage",
    "Verdict",
    "View",
]


class Failure(Record):
    """Why a turn or a whole run failed."""

    reason: str | None = None
    """Structured reason, such as ``parse_error`` or ``max_turns_exceeded``."""
    message: str | None = None
    """The error in words."""


class Usage(Record):
    """Tokens and cost of a call or a whole run; what was not recorded is ``None``, never 0."""

    input_tokens: Count | None = None
    """Prompt tokens, including cached ones."""
    output_tokens: Count | None = None
    """Completion tokens, including reasoning."""
    cached_input_tokens: Count | None = None
    """Prompt tokens that were read from a cache."""
    cache_write_tokens: Count | None = None
    """Prompt tokens that were written to a cache."""
    reasoning_tokens: Count | None = None
    """Completion tokens that were spent on reasoning."""
    total_tokens: Count | None = None
    """Total as recorded; never computed."""
    cost_usd: float | None = None
    """Cost in US dollars."""
    credits: float | None = None
    """Cost in the credits of the platform that ran the agent."""


class ToolCall(Record):
    """One call of a tool."""

    name: str
    """Name of the tool, as recorded."""
    arguments: JsonValue = None
    """Arguments: an object, JSON text (as in some logs), or ``None``."""
    id: str | None = None
    """Id of the call, as recorded; some programs reuse ids in later turns."""
    result: JsonValue = None
    """What the tool returned: text, or a list of parts, in which images and files are reduced to
    their type; ``""`` is an empty result, ``None`` means that none was recorded."""
    duration_seconds: float | None = None
    """Wall-clock time of the call."""
    success: bool | None = None
    """Whether the call succeeded; ``None`` if the log does not say."""
    error: str | None = None
    """The error in words; with ``success`` unknown it means the call failed."""
    turn: Count | None = None
    """Number of the turn that made it, if calls are recorded separately from turns."""


class Extent(str, Enum):
    """How much of a file a view covers, and what its numbers mean."""

    LINES = "lines"
    """Lines ``start`` to ``end``, 1-based, both included."""
    BYTES = "bytes"
    """Bytes ``start`` to ``end``, 0-based, half-open."""
    WHOLE = "whole"
    """The whole file."""
    UNKNOWN = "unknown"
    """The file was named, but no range was recorded: counts for files, never for spans."""


class View(Record):
    """A path the agent looked at, as written in the log, with an extent.

    Numbers are kept as recorded, even reversed or negative ones: a metric decides what they mean.
    """

    path: str
    """Path as written in the log; scoring resolves it against the snapshot."""
    extent: Extent = Extent.UNKNOWN
    """What ``start`` and ``end`` count, or that no range was recorded."""
    start: int | None = None
    """First line (1-based) or first byte (0-based) for ``lines`` and ``bytes``, else ``None``."""
    end: int | None = None
    """Last line, included, or the byte after the last, else ``None``."""
    symbols: tuple[str, ...] = ()
    """Names of definitions that the agent requested in this file, if any."""
    listed: bool = True
    """Whether the log lists the file as seen; ContextBench also keeps ranges of unlisted files."""
    searched: bool = False
    """Whether a search showed these lines, as hits or their context; otherwise they were read."""


class Turn(Record):
    """One interaction: what the agent wrote, called and saw."""

    number: Count | None = None
    """The turn's own number if the log has one; otherwise its position, from 1, is used."""
    program: str | None = None
    """Program or command the agent wrote; ``""`` if empty, ``None`` if absent."""
    text: str | None = None
    """What the agent said, without its reasoning."""
    success: bool | None = None
    """Whether the turn succeeded; ``None`` if the log does not say."""
    error: Failure | None = None
    """What went wrong."""
    agent: str | None = None
    """Which agent acted, in runs with several agents."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls, in order."""
    views: tuple[View, ...] | None = None
    """What the agent looked at; ``()`` for a step that saw nothing, ``None`` if not a step."""
    usage: Usage | None = None
    """Tokens and cost of this turn."""
    duration_seconds: float | None = None
    """Wall-clock time of the turn."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Keys in the file that no reader knows."""


LEAK_KINDS = ("gold_patch", "test_patch", "future")
"""Kinds of leaks that are counted separately."""


class Leak(Record):
    """Something an agent read that reveals the solution."""

    kind: str
    """``gold_patch``, ``test_patch``, or ``future``: commits after the one to work on."""
    evidence: str
    """The command, or the path, that shows it."""
    turn: Count | None = None
    """Number of the turn."""


class Verdict(Record):
    """A judge's verdict on one assertion."""

    name: str
    """Name of the assertion; its type if it has no name."""
    result: str
    """``pass`` or ``fail``; anything else, such as ``needs_review``, is undecided."""
    reason: str | None = None
    """The judge's evidence or reasons."""


class Trajectory(Record):
    """One attempt, identified by task, agent, model and attempt, and by its source."""

    task_id: str
    """The task's id, as written in the record; may be one of the task's aliases."""
    agent: str | None = None
    """Name of the agent."""
    model: str | None = None
    """Name of the model."""
    attempt: str | None = None
    """Distinguishes repeated attempts of one agent and model."""
    source: Source | None = None
    """Where the record was read from."""
    turns: tuple[Turn, ...] | None = None
    """Turns in order; ``None`` if only figures about them were recorded."""
    turn_count: Count | None = None
    """Number of turns, if they were counted but not recorded."""
    tool_calls: tuple[ToolCall, ...] | None = None
    """Calls of the whole run, if recorded separately from turns; otherwise those of its turns."""
    dropped_calls: Count = 0
    """Number of calls without a name, which the reader dropped."""
    transcript: str | None = None
    """The whole conversation as text."""
    final_views: tuple[View, ...] | None = None
    """The context that the agent declares at the end; if ``None``, the union of its turns'
    views."""
    final_output: str | None = None
    """The final answer."""
    final_patch: str | None = None
    """The final patch, as recorded; may contain an error message instead."""
    sources: tuple[str, ...] | None = None
    """Documents that the answer draws on."""
    usage: Usage | None = None
    """Tokens and cost of the whole run."""
    duration_seconds: float | None = None
    """Wall-clock time of the whole run."""
    failure: Failure | None = None
    """Why the run failed."""
    passed: bool | None = None
    """Whether the run passed its tests, as its record says."""
    verdicts: tuple[Verdict, ...] | None = None
    """A judge's verdicts on the task's assertions; ``None`` if no judge was asked."""
    leaks: tuple[Leak, ...] | None = None
    """What the agent read that reveals the solution; ``None`` if this was not checked."""
    unusable: dict[str, str] = Field(default_factory=dict)
    """Reason for each field, by dotted path, whose recorded value could not be used; the field
    itself is empty."""
    trial: str | None = None
    """Trial of the attempt: agents that ran side by side share a trial and its oracle."""
    instance: str | None = None
    """Distinguishes agents that ran side by side with the same name and model."""
    measurements: Measurements | None = None
    """Benchmarks; ``None`` if none were recorded."""
    pytest_summary: PytestSummary | None = None
    """Results of the tests; ``None`` if not recorded."""
    snapshot_summary: SnapshotSummary | None = None
    """Result of the comparison of outputs; ``None`` if not recorded."""
    run_log: RunLog | None = None
    """Length, tokens and cost, from the files of the run."""
    metadata: dict[str, Any] = Field(default_factory=dict)
    """Arbitrary data about the attempt, for metrics."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Keys in the file that no reader knows."""

    @property
    def calls(self) -> tuple[ToolCall, ...] | None:
        """Tool calls of the run, in order; ``None`` if neither they nor turns were recorded."""
        if self.tool_calls is not None or self.turns is None:
            return self.tool_calls
        return tuple([call for turn in self.turns for call in turn.tool_calls])
