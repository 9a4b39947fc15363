"""Turn analysis of one run: every figure from one walk over its turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.metrics.tools.arguments import Malformed, arguments_key
from trajmeter.metrics.turns.result import RunFigures, TokenFigures, TurnsResult
from trajmeter.records import Cause, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.metrics.tools.arguments import JsonKey
    from trajmeter.records import Failure, ToolCall, Trajectory, Turn, Usage

__all__ = [
    "BUDGET_REASONS",
    "MULTIPLE_CODE_BLOCKS",
    "NO_CODE_FOUND",
    "PARSE_ERROR",
    "UNREADABLE_REASONS",
    "analyse",
    "call_succeeded",
]

PARSE_ERROR = "parse_error"
NO_CODE_FOUND = "no_code_found"
MULTIPLE_CODE_BLOCKS = "multiple_code_blocks"
UNREADABLE_REASONS = frozenset((PARSE_ERROR, NO_CODE_FOUND, MULTIPLE_CODE_BLOCKS))
"""Reasons of a turn from which no program could be read."""

BUDGET_REASONS = frozenset(("max_turns_exceeded", "turn_budget_exhausted", "budget_exhausted"))
"""Reasons of a run that was ended by its turn budget."""


def analyse(trajectory: Trajectory) -> TurnsResult:
    """Compute every figure of one run.

    Turns that were only counted give no figures; neither turns nor a count are no turns. Unknown
    success is neither success nor failure.

    Example:
        >>> from trajmeter.records import Failure, Trajectory, Turn
        >>> failed = Turn(success=False, error=Failure(reason="no_code_found"))
        >>> done = Turn(success=True, program="(+ 1 2)")
        >>> result = analyse(Trajectory(task_id="t", turns=(failed, done)))
        >>> result.first_turn_valid, result.no_code_rate, result.recovered_errors
        (False, 0.5, 1.0)
    """
    turns = trajectory.turns
    failure = trajectory.failure
    run = RunFigures(
        turn_count=(trajectory.turn_count or 0) if turns is None else len(turns),
        budget_exhausted=failure is not None and failure.reason in BUDGET_REASONS,
        passed=trajectory.passed,
    )
    tokens = _tokens(trajectory.usage)
    if turns is None and trajectory.turn_count:
        return TurnsResult(
            outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_TURNS, run=run, tokens=tokens
        )
    return _analyse(turns or (), run, tokens)


def call_succeeded(call: ToolCall) -> bool | None:
    """Whether a call succeeded; one with an error and unknown success did not."""
    if call.success is None and call.error is not None:
        return False
    return call.success


def _analyse(turns: Sequence[Turn], run: RunFigures, tokens: TokenFigures) -> TurnsResult:
    carried: dict[str, int] = {}
    breakdown: dict[str, int] = {}
    writes_programs = False
    failed = recovered = repeated_failures = 0
    first_call: int | None = None
    calls = _Calls()
    previous: Turn | None = None
    for position, turn in enumerate(turns, start=1):
        writes_programs = writes_programs or turn.program is not None
        reason = turn.error.reason if turn.error is not None else None
        if reason is not None:
            carried[reason] = carried.get(reason, 0) + 1
        if turn.success is False:
            failed += 1
            if reason is not None:
                breakdown[reason] = breakdown.get(reason, 0) + 1
        if previous is not None and previous.success is False:
            if turn.success:
                recovered += 1
            elif turn.success is False and _same(turn.error, previous.error):
                repeated_failures += 1
        if turn.tool_calls and calls.add(turn.tool_calls) and first_call is None:
            first_call = position if turn.number is None else turn.number
        previous = turn
    count = len(turns)
    followed = failed - (previous is not None and previous.success is False)
    speaks_of_programs = writes_programs or not UNREADABLE_REASONS.isdisjoint(carried)
    return TurnsResult(
        recorded_turns=count,
        first_turn_valid=_is_valid(turns[0]) if speaks_of_programs else None,
        parse_failures=carried.get(PARSE_ERROR, 0),
        parse_failure_rate=_ratio(carried.get(PARSE_ERROR, 0), count),
        no_code_turns=carried.get(NO_CODE_FOUND, 0),
        no_code_rate=_ratio(carried.get(NO_CODE_FOUND, 0), count),
        multi_code_block_turns=carried.get(MULTIPLE_CODE_BLOCKS, 0),
        multi_code_block_rate=_ratio(carried.get(MULTIPLE_CODE_BLOCKS, 0), count),
        error_turns=carried,
        error_breakdown=breakdown,
        dominant_error=_dominant(breakdown),
        has_failed_turn=failed > 0,
        turns_to_first_tool_call=first_call,
        followed_failures=followed,
        recovered_failures=recovered,
        recovered_errors=_ratio(recovered, followed),
        repeated_failures=repeated_failures,
        recorded_calls=calls.count,
        repeated_calls=calls.repeated,
        repeated_tool_calls=_ratio(calls.repeated, calls.count),
        successful_calls=calls.successful,
        known_calls=calls.known,
        tool_call_success_rate=_ratio(calls.successful, calls.known),
        run=run,
        tokens=tokens,
    )


class _Calls:
    """Running counts over the calls of a run."""

    __slots__ = ("_seen", "count", "known", "repeated", "successful")

    def __init__(self) -> None:
        self._seen: set[tuple[str, JsonKey]] = set()
        self.count = self.known = self.successful = self.repeated = 0

    def add(self, calls: Sequence[ToolCall]) -> bool:
        """Count the calls of a turn, and tell whether one of them did not fail."""
        is_any_good = False
        for call in calls:
            success = call_succeeded(call)
            if success is not None:
                self.known += 1
                self.successful += success
            is_any_good = is_any_good or success is not False
            arguments = arguments_key(call.arguments)
            if not isinstance(arguments, Malformed):
                key = (call.name, arguments[1])
                self.repeated += key in self._seen
                self._seen.add(key)
        self.count += len(calls)
        return is_any_good


def _is_valid(turn: Turn) -> bool:
    if turn.program is None:
        return False
    is_unreadable = turn.error is not None and turn.error.reason in UNREADABLE_REASONS
    return not (turn.success is False and is_unreadable)


def _same(error: Failure | None, before: Failure | None) -> bool:
    """Whether two errors are the same; one that says nothing is like no other."""
    if error is None or before is None or (error.reason is None and error.message is None):
        return False
    return error.reason == before.reason and error.message == before.message


def _dominant(breakdown: Mapping[str, int]) -> str | None:
    if not breakdown:
        return None
    return min(breakdown, key=lambda reason: (-breakdown[reason], reason))


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _tokens(usage: Usage | None) -> TokenFigures:
    if usage is None:
        return TokenFigures(outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_USAGE)
    total = usage.total_tokens
    if total is None and usage.input_tokens is not None and usage.output_tokens is not None:
        total = usage.input_tokens + usage.output_tokens
    if total is None and usage.input_tokens is None and usage.output_tokens is None:
        return TokenFigures(outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_USAGE)
    return TokenFigures(
        input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, total_tokens=total
    )
