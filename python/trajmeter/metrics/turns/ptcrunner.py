"""Profile ``ptcrunner``: turn analysis as PtcRunner 0.10.1 computes it.

It differs from the default where something is missing: no turns have rates of 0 and an invalid
first turn, absent tokens are 0, and turns that were only counted are no turns. A stored program
makes the first turn valid even where it could not be read, any recorded call is the first one, and
total tokens are never added up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.metrics.turns.analysis import analyse, number_of
from trajmeter.metrics.turns.result import TokenFigures
from trajmeter.records import Turn, Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.metrics.turns.result import TurnsResult
    from trajmeter.records import Trajectory

__all__ = ["analyse_as_ptcrunner"]


def analyse_as_ptcrunner(trajectory: Trajectory) -> TurnsResult:
    """Compute every figure of one run as PtcRunner does; others than its own by the default.

    Example:
        >>> from trajmeter.records import Trajectory
        >>> analyse_as_ptcrunner(Trajectory(task_id="t", turns=())).parse_failure_rate
        0.0
    """
    turns: Sequence[Turn] = trajectory.turns or ()
    if trajectory.turns is None:
        trajectory = trajectory.model_copy(update={"turns": ()})
    default = analyse(trajectory)
    usage = trajectory.usage or Usage()
    return default.model_copy(
        update={
            "first_turn_valid": bool(turns) and turns[0].program is not None,
            "parse_failure_rate": default.parse_failure_rate or 0.0,
            "no_code_rate": default.no_code_rate or 0.0,
            "multi_code_block_rate": default.multi_code_block_rate or 0.0,
            "turns_to_first_tool_call": _first_call(turns),
            "tokens": TokenFigures(
                input_tokens=usage.input_tokens or 0,
                output_tokens=usage.output_tokens or 0,
                total_tokens=usage.total_tokens or 0,
            ),
        }
    )


def _first_call(turns: Sequence[Turn]) -> int | None:
    for position, turn in enumerate(turns, start=1):
        if turn.tool_calls:
            return number_of(turn, position)
    return None
