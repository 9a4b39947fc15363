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
    """Tokens and cost, of a call or of a whole run; ``None`` is not recorded, never 0."""

    input_tokens: Count | None = None
    """Prompt tokens, cached ones included."""
    output_tokens: Count | None = None
    """Completion tokens, reasoning included."""
    cached_input_tokens: Count | None = None
    """The part of the prompt tokens that was read from a cache."""
    cache_write_tokens: Count | None = None
    """The part of the prompt tokens that was written to a cache."""
    reasoning_tokens: Count | None = None
    """The part of the completion tokens that was spent on reasoning."""
    total_tokens: Count | None = None
    """Total as reported; not computed here."""
    cost_usd: float | None = None
    """Cost in US dollars."""
    credits: float | None = None
    """Cost in the credits of the platform that ran the agent."""


class ToolCall(Record):
    """One call of a tool."""

    name: str
    """Name of the tool, as recorded."""
    arguments: JsonValue = None
    """Arguments: an object, JSON text as some logs keep it, or ``None``."""
    id: str | None = None
    """Id of the call, as recorded; some programs use one again in a later turn."""
    result: JsonValue = None
    """What the tool gave back: text, or a list of parts, in which an image or a file is only its
    type; ``""`` is an empty result, ``None`` none recorded."""
    duration_seconds: float | None = None
    """Wall-clock time of the call."""
    success: bool | None = None
    """Whether the call succeeded; ``None`` where the log does not say."""
    error: str | None = None
    """The error in words; with ``success`` unknown it means the call failed."""
    turn: Count | None = None
    """Number of the turn that made it, where calls are recorded apart from turns."""


class Extent(str, Enum):
    """How much of a file a view covers, and what its numbers mean."""

    LINES = "lines"
    """Lines ``start`` to ``end``, 1-based, both included."""
    BYTES = "bytes"
    """Bytes ``start`` to ``end``, 0-based, half-open."""
    WHOLE = "whole"
    """The whole file."""
    UNKNOWN = "unknown"
    """The file was named, its range not recorded: counts for files, never for spans."""


class View(Record):
    """A path the agent looked at, as the log wrote it, with an extent.

    Numbers are kept as recorded, reversed and negative ones too: a metric decides what they mean.
    """

    path: str
    """Path as written in the log; it is resolved against the snapshot when it is scored."""
    extent: Extent = Extent.UNKNOWN
    """What ``start`` and ``end`` count, or that no range was recorded."""
    start: int | None = None
    """First line (1-based) or first byte (0-based) for ``lines`` and ``bytes``, else ``None``."""
    end: int | None = None
    """Last line, included, or the byte after the last, else ``None``."""
    symbols: tuple[str, ...] = ()
    """Names of definitions the agent asked for in this file, if any."""
    listed: bool = True
    """Whether the log lists the file as seen; ContextBench also keeps ranges of unlisted files."""
    searched: bool = False
    """Whether a search showed these lines, as hits or around them; else they were read."""


class Turn(Record):
    """One interaction: what the agent wrote, called and saw."""

    number: Count | None = None
    """The turn's own number where the log has one; else its position from 1 counts."""
    program: str | None = None
    """Program or command the agent wrote; ``""`` if empty, ``None`` if absent."""
    text: str | None = None
    """What the agent said, without its reasoning."""
    success: bool | None = None
    """Whether the turn succeeded; ``None`` where the log does not say."""
    error: Failure | None = None
    """What went wrong."""
    agent: str | None = None
    """Which agent acted, in runs of several."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls, in order."""
    views: tuple[View, ...] | None = None
    """What the agent looked at; ``()`` for a step that saw nothing, ``None`` if not a step."""
    usage: Usage | None = None
    """Tokens and cost of this turn."""
    duration_seconds: float | None = None
    """Wall-clock time of the turn."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Keys of the file that no reader knows."""


LEAK_KINDS = ("gold_patch", "test_patch", "future")
"""Kinds of leaks that are counted one by one."""


class Leak(Record):
    """Something an agent read that gives the solution away."""

    kind: str
    """``gold_patch``, ``test_patch``, or ``future``: commits after the one to work on."""
    evidence: str
    """The command, or the path, that shows it."""
    turn: Count | None = None
    """Number of the turn."""


class Verdict(Record):
    """A judge's verdict on one assertion."""

    name: str
    """Name of the assertion, or the type of a nameless one."""
    result: str
    """``pass`` or ``fail``; anything else, such as ``needs_review``, decides nothing."""
    reason: str | None = None
    """The judge's evidence or reasons."""


class Trajectory(Record):
    """One attempt, identified by task, agent, model and attempt, and by its source."""

    task_id: str
    """The task's id, as the record wrote it; may be one of the task's aliases."""
    agent: str | None = None
    """Name of the agent."""
    model: str | None = None
    """Name of the model."""
    attempt: str | None = None
    """Tells repeated attempts of one agent and model apart."""
    source: Source | None = None
    """Where the record was read from."""
    turns: tuple[Turn, ...] | None = None
    """Turns in order; ``None`` where only figures about them were recorded."""
    turn_count: Count | None = None
    """Number of turns, if they were counted but not recorded."""
    tool_calls: tuple[ToolCall, ...] | None = None
    """Calls of the whole run, where they are recorded apart from turns; else those of its turns."""
    dropped_calls: Count = 0
    """Calls without a name, which the reader dropped."""
    transcript: str | None = None
    """The whole conversation as text."""
    final_views: tuple[View, ...] | None = None
    """The context that the agent declares at the end; ``None`` = the union of its turns' views."""
    final_output: str | None = None
    """The final answer."""
    final_patch: str | None = None
    """The final patch, as recorded; may hold an error message instead."""
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
    """What the agent read that gives the solution away; ``None`` where nobody looked."""
    unusable: dict[str, str] = Field(default_factory=dict)
    """Fields, by their dotted path, whose recorded value could not be used, each with the reason;
    the field itself is empty."""
    trial: str | None = None
    """Trial of the attempt: agents that ran side by side share one, and its oracle."""
    instance: str | None = None
    """Tells apart agents that ran side by side under one name and model."""
    measurements: Measurements | None = None
    """Benchmarks; ``None`` where none were recorded."""
    pytest_summary: PytestSummary | None = None
    """Results of the tests; ``None`` if not recorded."""
    snapshot_summary: SnapshotSummary | None = None
    """Result of the comparison of outputs; ``None`` if not recorded."""
    run_log: RunLog | None = None
    """Length, tokens and cost, from the files of the run."""
    metadata: dict[str, Any] = Field(default_factory=dict)
    """Free data of the attempt, meant for metrics."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Keys of the file that no reader knows."""

    @property
    def calls(self) -> tuple[ToolCall, ...] | None:
        """Tool calls of the run, in order; ``None`` where neither they nor turns were recorded."""
        if self.tool_calls is not None or self.turns is None:
            return self.tool_calls
        return tuple([call for turn in self.turns for call in turn.tool_calls])
