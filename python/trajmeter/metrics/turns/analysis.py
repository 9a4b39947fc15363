"""Turn analysis of one run, in one pass over its turns.

Batches of runs use a kernel instead. For a single run, filling the kernel's columns would take
longer than this pass: 95 instead of 26 µs for 30 turns with one call each.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.kernels import NO_NUMBER
from trajmeter.metrics.tools.calls import calls_of, read_calls
from trajmeter.metrics.turns.result import (
    BUDGET_REASONS,
    MULTIPLE_CODE_BLOCKS,
    NO_CODE_FOUND,
    PARSE_ERROR,
    UNREADABLE_REASONS,
    RunFigures,
    TurnsResult,
)
from trajmeter.metrics.turns.spending import cost_figures, token_figures
from trajmeter.records import Cause, Outcome, Trajectory
from trajmeter.records.record import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from trajmeter.metrics.tools.calls import Calls
    from trajmeter.metrics.turns.profile import TurnsProfile
    from trajmeter.records import Failure, ToolCall, Turn

__all__ = ["analyse_run"]


def analyse_run(
    trajectory: Trajectory, profile: TurnsProfile, *, has_turns: bool = True
) -> TurnsResult:
    """Compute every figure of one run; those of its turns only if ``has_turns``."""
    turns = trajectory.turns
    if turns is None and profile.unrecorded_turns_are_none:
        turns = ()
    failure = trajectory.failure
    turn_count = trajectory.turn_count if turns is None else len(turns)
    run = frozen(
        RunFigures,
        {
            "outcome": Outcome.NOT_SCORED if turn_count is None else Outcome.SCORED,
            "cause": Cause.MISSING_TURNS if turn_count is None else None,
            "turn_count": turn_count,
            "budget_exhausted": failure is not None and failure.reason in BUDGET_REASONS,
            "passed": trajectory.passed,
        },
    )
    tokens, cost = token_figures(trajectory, profile), cost_figures(trajectory)
    if turns is None or not has_turns:
        return TurnsResult(
            outcome=Outcome.NOT_SCORED,
            cause=Cause.MISSING_TURNS if has_turns else None,
            dropped_calls=trajectory.dropped_calls,
            run=run,
            tokens=tokens,
            cost=cost,
        )
    figures = _analyse(trajectory, turns, profile)
    return frozen(TurnsResult, {**figures, "run": run, "tokens": tokens, "cost": cost})


def _read_calls(trajectory: Trajectory) -> Calls:
    """Read the calls of the turns."""
    if trajectory.tool_calls is None:
        return calls_of(trajectory) or read_calls(())
    return read_calls([call for turn in trajectory.turns or () for call in turn.tool_calls])


def _analyse(
    trajectory: Trajectory,
    turns: Sequence[Turn],
    profile: TurnsProfile,
) -> dict[str, Any]:
    """Compute the figures that depend on turns."""
    calls = _read_calls(trajectory)
    count, recorded_calls = len(turns), len(calls)
    failures = _failures(turns)
    carried = failures.carried
    parse_failures = carried.get(PARSE_ERROR, 0)
    no_code_turns = carried.get(NO_CODE_FOUND, 0)
    multi_code_block_turns = carried.get(MULTIPLE_CODE_BLOCKS, 0)
    repeated_calls = _repeated(calls)
    successful, known = _count_outcomes(calls.records)
    empty = profile.empty_rate
    return {
        "outcome": Outcome.SCORED,
        "cause": None,
        "recorded_turns": count,
        "first_turn_valid": _first_turn_valid(turns, carried, profile),
        "parse_failures": parse_failures,
        "parse_failure_rate": _ratio(parse_failures, count, empty),
        "no_code_turns": no_code_turns,
        "no_code_rate": _ratio(no_code_turns, count, empty),
        "multi_code_block_turns": multi_code_block_turns,
        "multi_code_block_rate": _ratio(multi_code_block_turns, count, empty),
        "error_turns": dict(sorted(carried.items())),
        "error_breakdown": dict(sorted(failures.breakdown.items())),
        "dominant_error": _dominant(failures.breakdown),
        "has_failed_turn": failures.are_any,
        "turns_to_first_tool_call": _first_call(turns, profile),
        "followed_failures": failures.followed,
        "recovered_failures": failures.recovered,
        "recovered_errors": _ratio(failures.recovered, failures.followed),
        "repeated_failures": failures.repeated,
        "recorded_calls": recorded_calls,
        "dropped_calls": trajectory.dropped_calls,
        "repeated_calls": repeated_calls,
        "repeated_tool_calls": _ratio(repeated_calls, recorded_calls),
        "successful_calls": successful,
        "known_calls": known,
        "tool_call_success_rate": _ratio(successful, known),
    }


class _Failures(NamedTuple):
    carried: dict[str, int]
    """Number of turns by reason."""
    breakdown: dict[str, int]
    """Number of failed turns by reason."""
    are_any: bool
    """Whether any turn failed."""
    followed: int
    """Failed turns that were not the last."""
    recovered: int
    """Those followed by a successful turn."""
    repeated: int
    """Those followed by a failed turn with the same error."""


_success_and_error = attrgetter("success", "error")


def _failures(turns: Sequence[Turn]) -> _Failures:
    carried: dict[str, int] = {}
    breakdown: dict[str, int] = {}
    followed = recovered = repeated = 0
    failed_before, error_before = False, None
    success: bool | None
    error: Failure | None
    for success, error in map(_success_and_error, turns):
        failed = success is False
        if error is not None and (reason := error.reason) is not None:
            carried[reason] = carried.get(reason, 0) + 1
            if failed:
                breakdown[reason] = breakdown.get(reason, 0) + 1
        if failed_before:
            followed += 1
            if success:
                recovered += 1
            elif failed and _is_same(error_before, error):
                repeated += 1
        failed_before, error_before = failed, error
    are_any = failed_before or followed > 0
    return _Failures(carried, breakdown, are_any, followed, recovered, repeated)


def _count_outcomes(calls: Sequence[ToolCall]) -> tuple[int, int]:
    """Number of calls that succeeded, and of calls known to have succeeded or failed."""
    successes = [call.success for call in calls]
    known = len(successes)
    if None in successes:  # a call with an error and unknown success failed
        known -= sum([call.success is None and call.error is None for call in calls])
    return successes.count(True), known


def _first_turn_valid(
    turns: Sequence[Turn], carried: Mapping[str, int], profile: TurnsProfile
) -> bool | None:
    """Whether the first turn is valid; ``None`` if nothing shows that the agent writes programs."""
    if profile.stored_program_is_valid:
        return bool(turns) and turns[0].program is not None
    unreadable = UNREADABLE_REASONS.intersection(carried)
    if not unreadable and all(turn.program is None for turn in turns):
        return None
    first = turns[0]
    failed = first.success is False and first.error is not None and first.error.reason in unreadable
    return first.program is not None and not failed


def _first_call(turns: Sequence[Turn], profile: TurnsProfile) -> int | None:
    """Number of the first turn with a call that counts; by default, failed calls do not."""
    any_counts = profile.failed_call_is_first
    for position, turn in enumerate(turns, start=1):
        for call in turn.tool_calls:
            if any_counts or call.success or (call.success is None and call.error is None):
                return _number_of(turn, position)
    return None


def _number_of(turn: Turn, position: int) -> int:
    """A turn's recorded number, or its position if it has none or ``NO_NUMBER``."""
    return position if turn.number is None or turn.number == NO_NUMBER else turn.number


def _repeated(calls: Calls) -> int:
    """Number of calls equal in name and arguments to an earlier one; malformed calls never are."""
    different = set(zip(calls.names, calls.keys, strict=True))
    if not calls.malformed:
        return len(calls) - len(different)
    well_formed = len(calls) - len(calls.malformed)
    return well_formed - sum([key is not None for _, key in different])


def _is_same(before: Failure | None, error: Failure | None) -> bool:
    """Whether two errors have the same reason and message; an empty error never does."""
    if error is None or before is None or (error.reason is None and error.message is None):
        return False
    return error.reason == before.reason and error.message == before.message


def _dominant(breakdown: Mapping[str, int]) -> str | None:
    if not breakdown:
        return None
    return min(breakdown, key=lambda reason: (-breakdown[reason], reason))


def _ratio(part: int, whole: int, empty: float | None = None) -> float | None:
    return part / whole if whole else empty
