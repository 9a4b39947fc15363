"""Outcome of a score: measured, assigned by a rule, abstained, or not scored, and why."""

from __future__ import annotations

from enum import Enum
from typing import Any

from pydantic import Field

from trajmeter.records.record import Record

__all__ = ["Cause", "Outcome", "Score"]


class Outcome(str, Enum):
    """Whether a score was measured, and whether it may enter a mean."""

    SCORED = "scored"
    """Measured from the records; inside every mean."""
    ASSIGNED = "assigned"
    """Set by a rule that the cause names; inside the mean, and counted."""
    ABSTAINED = "abstained"
    """Nothing to score; outside every mean, and counted."""
    NOT_SCORED = "not_scored"
    """Could not be computed, for the named cause; outside every mean, and counted."""


class Cause(str, Enum):
    """Why a score was assigned, or not computed at all."""

    FAILED = "failed"
    """The attempt failed, and the rule for failures set the value."""
    TIMED_OUT = "timed_out"
    """The attempt ran out of time, and the rule for time-outs set the value."""
    REVERTED_TO_BASELINE = "reverted_to_baseline"
    """A failed agent counts as if it had changed nothing."""
    UNPRICED = "unpriced"
    """The model has no known price, so its cost counts as 0."""
    NOT_A_DIFF = "not_a_diff"
    """The final patch is text that is not a diff, so it predicts nothing."""

    MISSING_TASK = "missing_task"
    """No task with the attempt's task id is known."""
    MISSING_GOLD = "missing_gold"
    """The task is unknown, or has no gold context."""
    MISSING_PATCH = "missing_patch"
    """The trajectory records no final patch, not even an empty one."""
    MISSING_SNAPSHOT = "missing_snapshot"
    """The metric needs a snapshot of the repository, and none was found."""
    MISSING_DEFINITIONS = "missing_definitions"
    """The snapshot lacks the definitions of a file with gold."""
    NO_CONTEXT_EXTRACTED = "no_context_extracted"
    """The final context contains neither files nor spans once its paths are resolved."""
    NO_STEPS = "no_steps"
    """The trajectory lists no steps."""
    MISSING_MEASUREMENTS = "missing_measurements"
    """The agent has no benchmark measurements of its own."""
    REPLACED = "replaced"
    """The profile keeps one record per key, and this attempt's record is not the one it kept."""
    MISSING_ORACLE = "missing_oracle"
    """There is no oracle to compare with."""
    NO_VALID_BENCHMARK = "no_valid_benchmark"
    """No benchmark has a usable value for both sides."""
    MISSING_USAGE = "missing_usage"
    """A figure that the score is computed from was not recorded."""
    MISSING_ANSWER = "missing_answer"
    """The answer, its sources or its trace were not recorded."""
    MISSING_TURNS = "missing_turns"
    """Turns were counted, but not recorded."""
    MISSING_CALLS = "missing_calls"
    """Neither turns nor tool calls were recorded."""
    MISSING_TRANSCRIPT = "missing_transcript"
    """The conversation was not recorded as text."""
    MISSING_OUTPUT = "missing_output"
    """The final output was not recorded, not even an empty one."""
    MISSING_VERDICTS = "missing_verdicts"
    """Some assertions need a judge, but there is neither a judge nor a recorded verdict."""
    INVALID_INPUT = "invalid_input"
    """The record contains a value that the metric cannot use; the reason says where."""
    NON_FINITE = "non_finite"
    """The figure is NaN or infinite, which no mean may include."""
    METRIC_ERROR = "metric_error"
    """The metric raised an exception, which the reason describes."""
    JUDGE_UNDECIDED = "judge_undecided"
    """The judge left every assertion undecided, or unanswered."""
    JUDGE_REFUSED = "judge_refused"
    """The judge declined to answer."""
    JUDGE_UNPARSEABLE = "judge_unparseable"
    """The judge's reply could not be read."""
    JUDGE_ERROR = "judge_error"
    """The judge could not be reached, or answered with an error."""
    JUDGE_TIMEOUT = "judge_timeout"
    """The judge did not answer in time."""


class Score(Record):
    """One named scalar of a result, with its outcome."""

    value: float | None
    """The figure, in the metric's unit; ``None`` without a value."""
    outcome: Outcome = Outcome.SCORED
    """Measured, assigned, abstained or not scored."""
    cause: Cause | None = None
    """Why the value was assigned or is missing; ``None`` for a measured one."""
    passed: bool | None = None
    """Whether the score reaches its threshold; ``None`` for metrics without one."""
    reason: str | None = None
    """The cause as a sentence."""
    details: dict[str, Any] = Field(default_factory=dict)
    """The parts of the score, such as each check with its result."""

    @property
    def counts(self) -> bool:
        """Whether the value may enter a mean: it was measured, or assigned by a rule."""
        return self.outcome in (Outcome.SCORED, Outcome.ASSIGNED)
