"""Results of turn analysis for one run."""

from __future__ import annotations

from typing import Annotated

from trajmeter.metrics._result import Figure, Group, Result
from trajmeter.metrics.usage import UsageSource  # noqa: TC001 - the model's fields need it

__all__ = [
    "BUDGET_REASONS",
    "MULTIPLE_CODE_BLOCKS",
    "NO_CODE_FOUND",
    "PARSE_ERROR",
    "UNREADABLE_REASONS",
    "CostFigures",
    "RunFigures",
    "TokenFigures",
    "TurnsResult",
]

PARSE_ERROR = "parse_error"
NO_CODE_FOUND = "no_code_found"
MULTIPLE_CODE_BLOCKS = "multiple_code_blocks"
UNREADABLE_REASONS = frozenset((PARSE_ERROR, NO_CODE_FOUND, MULTIPLE_CODE_BLOCKS))
"""Reasons of a turn from which no program could be read."""

BUDGET_REASONS = frozenset(("max_turns_exceeded", "turn_budget_exhausted", "budget_exhausted"))
"""Reasons of a run that was ended by its turn budget."""


class RunFigures(Group):
    """Figures of the run as a whole.

    The outcome is that of the turn count, which is scored even if turns were only counted.
    """

    turn_count: int | None = None
    """Number of turns, recorded or only counted; not scored if neither."""
    budget_exhausted: Annotated[bool | None, Figure(higher_is_better=False, stands=True)] = None
    """Whether the run's failure reason is one of the three that mean an exhausted turn budget."""
    passed: Annotated[bool | None, Figure(higher_is_better=True, stands=True)] = None
    """Whether the run passed, as recorded; ``None`` if not recorded."""


class TokenFigures(Group):
    """Tokens of the run; not scored if no usable counts were recorded."""

    input_tokens: Annotated[int | None, Figure(low=0, higher_is_better=False)] = None
    """Prompt tokens."""
    output_tokens: Annotated[int | None, Figure(low=0, higher_is_better=False)] = None
    """Completion tokens."""
    total_tokens: Annotated[int | None, Figure(low=0, higher_is_better=False)] = None
    """Total as reported, otherwise the sum of prompt and completion tokens if both are known."""
    source: UsageSource | None = None
    """Source of the counts: ``run`` (recorded for the run), ``turns`` (summed over its turns, which
    must all have recorded them), or ``both``."""
    reason: str | None = None
    """Which recorded count was unusable, and why."""


class CostFigures(Group):
    """Cost of the run; not scored if no usable cost was recorded."""

    cost_usd: Annotated[float | None, Figure(low=0, higher_is_better=False)] = None
    """Cost in US dollars, as recorded; tokens are not priced."""
    source: UsageSource | None = None
    """Source of the cost: ``run`` (recorded for the run) or ``turns`` (summed over its turns, which
    must all have recorded it)."""
    reason: str | None = None
    """Which recorded cost was unusable, and why."""


def _rate(numerator: str, denominator: str, *, higher_is_better: bool = False) -> Figure:
    return Figure(
        low=0.0,
        high=1.0,
        higher_is_better=higher_is_better,
        numerator=(numerator,),
        denominator=(denominator,),
    )


class TurnsResult(Group, Result):
    """How well an agent interacted, turn by turn.

    The figures of this group are computed from turns; if those were not recorded, the group is not
    scored. A ratio is ``None`` if its denominator is 0.
    """

    recorded_turns: int | None = None
    """Number of turns that were recorded."""
    first_turn_valid: Annotated[bool | None, Figure(higher_is_better=True)] = None
    """Whether the first turn has a program and did not fail because it could not be parsed.

    ``None`` without turns, and for agents that do not write programs.
    """
    parse_failures: int | None = None
    """Turns with the reason ``parse_error``."""
    parse_failure_rate: Annotated[float | None, _rate("parse_failures", "recorded_turns")] = None
    """Turns with the reason ``parse_error`` / turns."""
    no_code_turns: int | None = None
    """Turns with the reason ``no_code_found``."""
    no_code_rate: Annotated[float | None, _rate("no_code_turns", "recorded_turns")] = None
    """Turns with the reason ``no_code_found`` / turns."""
    multi_code_block_turns: int | None = None
    """Turns with the reason ``multiple_code_blocks``."""
    multi_code_block_rate: Annotated[
        float | None, _rate("multi_code_block_turns", "recorded_turns")
    ] = None
    """Turns with the reason ``multiple_code_blocks`` / turns."""
    error_turns: dict[str, int] | None = None
    """Turns by reason, including successful turns."""
    error_breakdown: dict[str, int] | None = None
    """Failed turns by reason; turns without a structured reason are omitted."""
    dominant_error: str | None = None
    """Most frequent reason of failed turns; ties are resolved by code point order."""
    has_failed_turn: Annotated[bool | None, Figure(higher_is_better=False)] = None
    """Whether any turn failed; unknown success does not count as failure."""
    turns_to_first_tool_call: Annotated[int | None, Figure(higher_is_better=False)] = None
    """Number of the first turn with a tool call that did not fail; unknown success counts."""
    followed_failures: int | None = None
    """Failed turns that were not the last."""
    recovered_failures: int | None = None
    """Failed turns immediately followed by a successful turn."""
    recovered_errors: Annotated[
        float | None, _rate("recovered_failures", "followed_failures", higher_is_better=True)
    ] = None
    """Failed turns immediately followed by a successful turn / failed turns that were not last."""
    repeated_failures: Annotated[int | None, Figure(low=0, higher_is_better=False)] = None
    """Failed turns with the same reason and message as the failed turn immediately before."""
    recorded_calls: int | None = None
    """Tool calls of the turns."""
    dropped_calls: int = 0
    """Calls that the reader skipped because they have no name."""
    repeated_calls: int | None = None
    """Calls equal in name and arguments to an earlier one."""
    repeated_tool_calls: Annotated[float | None, _rate("repeated_calls", "recorded_calls")] = None
    """Calls equal in name and arguments to an earlier one / calls."""
    successful_calls: int | None = None
    """Calls known to have succeeded."""
    known_calls: int | None = None
    """Calls known to have succeeded or failed."""
    tool_call_success_rate: Annotated[
        float | None, _rate("successful_calls", "known_calls", higher_is_better=True)
    ] = None
    """Calls that succeeded / calls known to have succeeded or failed."""
    run: RunFigures
    """Figures of the run as a whole."""
    tokens: TokenFigures
    """Tokens of the run."""
    cost: CostFigures
    """Cost of the run."""

    def error_rate(self, reason: str) -> float | None:
        """Turns with a reason / turns, including successful ones.

        Without turns, it is ``None``, or 0.0 with the ``ptcrunner`` profile, like the other rates.

        Example:
            >>> from trajmeter.metrics.turns import score
            >>> from trajmeter.records import Failure, Trajectory, Turn
            >>> failed = Turn(success=False, error=Failure(reason="parse_error", message="bad"))
            >>> done = Turn(success=True, program="(+ 1 2)")
            >>> score(Trajectory(task_id="t", turns=(failed, done))).error_rate("parse_error")
            0.5
        """
        if not self.recorded_turns or self.error_turns is None:
            return self.parse_failure_rate
        return self.error_turns.get(reason, 0) / self.recorded_turns
