"""Measurements of an attempt: its benchmarks, its tests, and figures from the run's logs.

Tables of several agents name each by a key ``agent:model``, in fc-eval's spelling.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import Any, Literal

from pydantic import Field, model_validator

from trajmeter.records.record import Count, Record

__all__ = [
    "UNKNOWN_MODEL",
    "InvalidReason",
    "Measurement",
    "Measurements",
    "PytestSummary",
    "RunLog",
    "SnapshotSummary",
    "agent_key",
    "finite",
    "is_same_agent",
    "measured",
    "normalise_model",
    "split_key",
]

UNKNOWN_MODEL = "unknown"
"""Model of an agent that was configured without one."""

_UNKNOWN_AGENT = "unknown"


class InvalidReason(str, Enum):
    """Why a benchmark has no usable value."""

    MISSING = "missing"
    """Absent or null."""
    FAILED = "failed"
    """The benchmark failed."""
    SKIPPED = "skipped"
    """The benchmark's own suite skipped it."""
    NOT_A_NUMBER = "not_a_number"
    """Not a number, but text, a list or a boolean."""
    NON_FINITE = "non_finite"
    """NaN, or infinite."""
    NOT_POSITIVE = "not_positive"
    """Zero or negative."""


def finite(raw: object) -> float | None:
    """Read a finite number; ``None`` for anything else, including booleans."""
    if isinstance(raw, bool) or not isinstance(raw, (int, float)):
        return None
    try:
        number = float(raw)
    except OverflowError:  # an integer beyond the greatest float
        return None
    return number if math.isfinite(number) else None


def measured(raw: object) -> float | InvalidReason:
    """Read a time or a ratio: the number, or why it is unusable."""
    if raw is None:
        return InvalidReason.MISSING
    if isinstance(raw, bool) or not isinstance(raw, (int, float)):
        return InvalidReason.NOT_A_NUMBER
    number = finite(raw)
    if number is None:
        return InvalidReason.NON_FINITE
    return number if number > 0 else InvalidReason.NOT_POSITIVE


class Measurement(Record):
    """One benchmark's value for one agent: a positive number, or why it is missing.

    It can be created from the raw value in a file: 1.5 is a value, ``None`` is missing.
    """

    value: float | None = None
    """The number, finite and above 0; ``None`` if there is a reason."""
    reason: InvalidReason | None = None
    """Why the number is unusable; ``None`` if it is usable."""

    @model_validator(mode="before")
    @classmethod
    def _one_of_both(cls, given: object) -> object:
        if isinstance(given, Measurement):
            return given
        if isinstance(given, dict) and given.keys() <= cls.model_fields.keys():
            if given.get("reason") is not None:
                return {"reason": given["reason"]}
            given = given.get("value")
        found = measured(given)
        return {"reason": found} if isinstance(found, InvalidReason) else {"value": found}


class Measurements(Record):
    """An attempt's benchmarks: as times, or as ratios to the baseline in fc-eval's format.

    Ratios are kept as written, including errors. An entry is ``{"agent/nop": 1.2, "oracle/nop":
    1.5, "significant": true}``: how many times faster than the baseline the agent and the oracle
    made the benchmark.
    """

    seconds: dict[str, Measurement] | None = None
    """Time of each benchmark, by its full name with parameters."""
    ratios: dict[str, Any] | None = None
    """Entries by benchmark, from a table that names no agent."""
    ratios_by_agent: dict[str, Any] | None = None
    """Tables of entries by ``agent:model``; a file may hold other agents' tables too."""
    advantages_by_agent: dict[str, Any] | None = None
    """Figures by ``agent:model`` that fc-eval's parser computed, as written."""
    last_agent: str | None = None
    """The ``agent:model`` that ``ratios`` belongs to."""
    discards: tuple[Literal["ratios", "ratios_by_agent", "advantages_by_agent"], ...] = ()
    """Which of these the file has as null, or as another value that is not an object. In fc-eval's
    merge, such a value discards what the files before it have; an absent one does not."""
    payload: dict[str, Any] | None = None
    """Figures that fc-eval computed, if their inputs are not recorded; and whether their trial is
    resolved."""


class PytestSummary(Record):
    """Results of the tests."""

    passed: Count = 0
    """Tests that passed."""
    failed: Count = 0
    """Tests that failed."""
    error: Count = 0
    """Tests that ended in an error."""
    skipped: Count = 0
    """Tests that were skipped."""
    total: Count = 0
    """Total number of tests, as recorded."""
    status: str | None = None
    """Status in the file, such as ``passed``."""
    problem: Literal["not_run", "unreadable"] | None = None
    """Why the counts are missing: tests were not run, or their block is absent or unreadable."""
    captured: bool = False
    """Whether the counts come from captured output of the tests, not from a result file."""


class SnapshotSummary(Record):
    """Result of comparing the benchmarks' outputs with recorded ones."""

    passed: Count = 0
    """Outputs that agree."""
    failed: Count = 0
    """Outputs that differ or could not be produced, whether or not they did before the change."""
    skipped: Count = 0
    """Outputs that were not compared."""
    total: Count = 0
    """Total number of outputs, as recorded."""
    pass_to_fail: Count = 0
    """Outputs that agreed before the change and no longer do."""
    status: str = "failed"
    """Status in the file; only ``passed`` is a pass."""


class RunLog(Record):
    """Length, tokens and cost of a run, as recorded in its files."""

    trajectory_length: Count | None = None
    """Number of interactions, if the run states it."""
    entries: Count | None = None
    """Entries of the agent's JSON log; ``None`` without a log, or if it is not a list."""
    input_tokens: Count | None = None
    """Prompt tokens accumulated by the last entry of the JSON log that has any."""
    output_tokens: Count | None = None
    """Completion tokens of the same entry."""
    tokens_before_bad_entry: bool = False
    """Whether that entry, or one that follows it, has a value of the wrong type, such as null."""
    events: dict[str, Count] | None = None
    """Events of the terminal recording by code (``i`` is input); ``None`` without a recording."""
    events_after_first_line: Count = 0
    """Events of the recording without its first line, which some treat as a header."""
    recording_is_utf8: bool = True
    """Whether the recording's bytes are UTF-8."""
    task_cost_usd: float | None = None
    """Cost in US dollars that the run states for this agent."""
    total_cost_usd: float | None = None
    """Cost in US dollars that the run states for the trial."""
    costs_by_agent_model: dict[str, Any] | None = None
    """Costs by ``agent:model``, as written."""
    model_name: str | None = None
    """The model as configured, under which price lists know it."""
    started_at: str | None = None
    """When the run began, ISO 8601."""
    problems: tuple[str, ...] = Field(default=())
    """Parts of the logs that could not be read, each with its location."""


def agent_key(agent: str | None, model: str | None) -> str:
    """The key of an agent with its model; empty if neither is known."""
    if agent is None and model is None:
        return ""
    return f"{agent or _UNKNOWN_AGENT}:{model or UNKNOWN_MODEL}"


def split_key(key: str) -> tuple[str, str]:
    """Split a key into agent and model; a model may contain further colons."""
    agent, _, model = key.partition(":")
    return agent, model


def normalise_model(model: str) -> str:
    """Spell a model as in reports: the slash after its provider becomes a dash."""
    return model.replace("/", "-")


def is_same_agent(key: str, other: str) -> bool:
    """Whether two keys differ at most in the spelling of the model."""
    (agent, model), (other_agent, other_model) = split_key(key), split_key(other)
    return agent == other_agent and normalise_model(model) == normalise_model(other_model)
