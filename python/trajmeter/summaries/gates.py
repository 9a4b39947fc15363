"""Gates decide whether a change may be merged, from exactly the numbers that are printed."""

from __future__ import annotations

from math import isclose, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from trajmeter.errors import ConfigurationError
from trajmeter.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trajmeter.summaries.differences import Difference
    from trajmeter.summaries.estimates import Estimate

__all__ = [
    "DEFAULT_MIN_TASKS",
    "Gate",
    "GateCheck",
    "GateKind",
    "GateOutcome",
    "check_directions",
    "check_estimate",
    "check_regression",
    "gated_figures",
    "need_intervals",
    "without_attempts",
]

GateKind: TypeAlias = Literal[
    "fail_under",
    "fail_over",
    "fail_under_lower",
    "fail_over_upper",
    "max_not_scored",
    "no_regression",
]
"""What a gate checks."""

GateOutcome: TypeAlias = Literal["passed", "failed", "inconclusive"]
"""What a gate found; *inconclusive* is not enough evidence."""

DEFAULT_MIN_TASKS = 10
"""Minimum number of clusters for a gate on an interval."""


class Gate(Record):
    """A threshold that a figure must meet in every group."""

    kind: GateKind
    """``fail_under`` and ``fail_over`` check the mean, ``fail_under_lower`` and ``fail_over_upper``
    its interval, ``max_not_scored`` the share of attempts that could not be scored, and
    ``no_regression`` the difference from a baseline."""
    threshold: float
    """The figure's threshold, the largest share, or the margin of the difference."""
    figure: str | None = None
    """Name or pattern of the figure. For ``max_not_scored`` and ``no_regression``, ``None`` means
    the figures that other gates check, or else all requested ones."""
    baseline: str | Path | None = None
    """Results table that ``no_regression`` compares with."""


class GateCheck(Record):
    """What a gate found for one figure of one group."""

    gate: GateKind
    """The gate."""
    figure: str
    """Column of the figure."""
    group: dict[str, str | None]
    """The group."""
    value: float | None
    """What was compared with the threshold."""
    threshold: float
    """The threshold."""
    outcome: GateOutcome
    """Passed, failed, or not enough evidence."""
    reason: str
    """The numbers behind it, in words."""


_ROUNDING, _LEAST = 1e-12, 1e-15
"""Numbers closer to each other than this share of them, or than this, differ by rounding only."""

_OF_MEAN = ("fail_under", "fail_over")
_NEED_LOWER = ("fail_under", "fail_under_lower")
_NAMED: tuple[GateKind, ...] = ("fail_under", "fail_over", "fail_under_lower", "fail_over_upper")


def check_directions(gate: Gate, directions: Mapping[str, bool | None]) -> None:
    """Reject a gate on the wrong side of a figure.

    Args:
        gate: The gate.
        directions: For each figure it checks, whether higher is better.

    Raises:
        ConfigurationError: The gate fails under where lower is better, or the reverse, or a figure,
            margin or baseline is missing, or a threshold or share is out of range.
    """
    option = f"--{gate.kind.replace('_', '-')}"
    if gate.kind in _NAMED and gate.figure is None:
        raise ConfigurationError(f"{option} needs a figure, such as {option} FIGURE=0.8")
    if gate.kind == "no_regression" and gate.baseline is None:
        raise ConfigurationError(f"{option} needs a baseline")
    if not isfinite(gate.threshold):
        raise ConfigurationError(f"{option}: {gate.threshold}, expected a number")
    if gate.kind in ("max_not_scored", "no_regression") and gate.threshold < 0.0:
        raise ConfigurationError(f"{option}: {gate.threshold} is below 0")
    if gate.kind == "max_not_scored" and gate.threshold > 1.0:
        raise ConfigurationError(
            f"{option}: {gate.threshold} is above 1; write a share as 5% or 0.05"
        )
    if gate.kind not in _NAMED:
        return
    for figure, higher_is_better in directions.items():
        if higher_is_better is (gate.kind not in _NEED_LOWER):
            other = option.replace("under", "OVER").replace("over", "under").replace("OVER", "over")
            other = (
                other.replace("lower", "upper")
                if "lower" in option
                else other.replace("upper", "lower")
            )
            better = "higher" if higher_is_better else "lower"
            raise ConfigurationError(
                f"{option}: {better} is better in {figure}; did you mean {other}?"
            )


def without_attempts(gate: Gate, figure: str) -> GateCheck:
    """The check of a gate that found no attempt, which decides nothing."""
    return GateCheck(
        gate=gate.kind,
        figure=figure,
        group={},
        value=None,
        threshold=gate.threshold,
        outcome="inconclusive",
        reason="there are no attempts",
    )


def check_estimate(
    gate: Gate, estimate: Estimate, group: dict[str, str | None], *, min_tasks: int
) -> GateCheck:
    """Check one figure of one group.

    Args:
        gate: Any gate except ``no_regression``.
        estimate: The figure.
        group: The group.
        min_tasks: Minimum number of clusters for a gate on an interval.
    """
    if gate.kind == "max_not_scored":
        return _share_not_scored(gate, estimate, group)
    if gate.kind in _OF_MEAN:
        return _of_mean(gate, estimate, group)
    return _of_interval(gate, estimate, group, min_tasks)


def check_regression(
    gate: Gate,
    difference: Difference | None,
    figure: str,
    group: dict[str, str | None],
    *,
    min_tasks: int,
) -> GateCheck:
    """Check that a figure of a group is not worse than the baseline's by more than the margin.

    Args:
        gate: The gate.
        difference: The group's difference from the baseline; ``None`` if the baseline lacks the
            group.
        figure: Column of the figure.
        group: The group.
        min_tasks: Minimum number of clusters for the difference.
    """
    outcome: GateOutcome = "inconclusive"
    limit = None
    if difference is None:
        reason = "the baseline has no such group"
    elif not difference.n_tasks:
        reason = "no task in both"
    elif difference.one_sided_low is None or difference.one_sided_high is None:
        reason = f"no limit from {_tasks(difference.n_clusters)}"
    else:
        is_lower = difference.higher_is_better is False
        low, high = difference.one_sided_low, difference.one_sided_high
        limit, most = (-high, -low) if is_lower else (low, high)
        if difference.n_clusters < min_tasks:
            reason = f"{_tasks(difference.n_clusters)}, fewer than {min_tasks}"
        else:
            kept = difference.non_inferior
            outcome = "inconclusive" if kept is None else "passed" if kept else "failed"
            shown = _apart(limit, most, -gate.threshold)
            reason = {
                True: f"improvement at least {shown[0]} ≥ {shown[2]}",
                False: f"improvement at most {shown[1]} < {shown[2]}",
                None: f"the improvement's limits {shown[0]} and {shown[1]} enclose {shown[2]}",
            }[kept]
            reason += f"  ({_tasks(difference.n_tasks)})"
    return GateCheck(
        gate=gate.kind,
        figure=figure,
        group=group,
        value=limit,
        threshold=-gate.threshold,
        outcome=outcome,
        reason=reason,
    )


def _of_mean(gate: Gate, estimate: Estimate, group: dict[str, str | None]) -> GateCheck:
    mean = estimate.mean
    if mean is None:
        return _check(gate, estimate, group, None, "inconclusive", "nothing was scored")
    is_under = gate.kind == "fail_under"
    kept = _reaches(mean, gate.threshold) if is_under else _reaches(gate.threshold, mean)
    reason = f"mean {_compared(mean, gate.threshold)}  ({_scored(estimate)})"
    return _check(gate, estimate, group, mean, "passed" if kept else "failed", reason)


def _of_interval(
    gate: Gate, estimate: Estimate, group: dict[str, str | None], min_tasks: int
) -> GateCheck:
    low, high = estimate.low, estimate.high
    if low is None or high is None:
        reason = f"no interval ({', '.join(estimate.notes) or 'none'})"
        return _check(gate, estimate, group, None, "inconclusive", reason)
    is_lower = gate.kind == "fail_under_lower"
    value, other = (low, high) if is_lower else (high, low)
    side, opposite = ("lower", "upper") if is_lower else ("upper", "lower")
    threshold = gate.threshold
    if estimate.n_clusters < min_tasks:
        reason = f"{_tasks(estimate.n_clusters)}, fewer than {min_tasks}"
        return _check(gate, estimate, group, value, "inconclusive", reason)
    about = f"  ({_scored(estimate)}, {_tasks(estimate.n_clusters)})"
    if _reaches(value, threshold) if is_lower else _reaches(threshold, value):
        reason = f"{side} limit {_compared(value, threshold)}{about}"
        return _check(gate, estimate, group, value, "passed", reason)
    if not (_reaches(other, threshold) if is_lower else _reaches(threshold, other)):
        reason = f"{opposite} limit {_compared(other, threshold)}{about}"
        return _check(gate, estimate, group, value, "failed", reason)
    shown = _apart(low, high, threshold)
    reason = f"the interval {shown[0]}–{shown[1]} holds {shown[2]}{about}"
    return _check(gate, estimate, group, value, "inconclusive", reason)


def _share_not_scored(gate: Gate, estimate: Estimate, group: dict[str, str | None]) -> GateCheck:
    if not estimate.n_total:
        return _check(gate, estimate, group, None, "inconclusive", "no attempts")
    share = estimate.n_not_scored / estimate.n_total
    causes = ", ".join(f"{cause} {count}" for cause, count in estimate.not_scored.items())
    reason = f"not scored {_compared(share, gate.threshold)}"
    reason += f"  ({estimate.n_not_scored} of {estimate.n_total}{causes and ': '}{causes})"
    outcome: GateOutcome = "passed" if _reaches(gate.threshold, share) else "inconclusive"
    return _check(gate, estimate, group, share, outcome, reason)


def _check(
    gate: Gate,
    estimate: Estimate,
    group: dict[str, str | None],
    value: float | None,
    outcome: GateOutcome,
    reason: str,
) -> GateCheck:
    return GateCheck(
        gate=gate.kind,
        figure=estimate.figure,
        group=group,
        value=value,
        threshold=gate.threshold,
        outcome=outcome,
        reason=reason,
    )


def _compared(value: float, threshold: float) -> str:
    """A value and its threshold, with enough digits to distinguish them.

    Example:
        >>> _compared(0.5996, 0.6), _compared(0.75, 0.6)
        ('0.5996 < 0.6', '0.75 > 0.6')
    """
    sign = "=" if _are_equal(value, threshold) else "<" if value < threshold else ">"
    shown = _apart(value, threshold)
    return f"{shown[0]} {sign} {shown[1]}"


def _reaches(value: float, least: float) -> bool:
    """Whether a number is at least another, up to rounding: 0.1 + 0.2 reaches 0.3 either way."""
    return value >= least or _are_equal(value, least)


def _are_equal(value: float, other: float) -> bool:
    return isclose(value, other, rel_tol=_ROUNDING, abs_tol=_LEAST)


def _apart(*numbers: float) -> list[str]:
    """Numbers with three decimals, or more if needed to distinguish them from the last."""
    threshold = numbers[-1]
    numbers = tuple(threshold if _are_equal(each, threshold) else each for each in numbers)
    different = len(set(numbers))
    for digits in range(3, 17):
        shown = [f"{round(number, digits):.{digits}f}" for number in numbers]
        if len(set(shown)) == different and all(map(_is_told, numbers, shown)):
            return [_without_zeros(text) for text in shown]
    return [repr(number) for number in numbers]


def _is_told(number: float, shown: str) -> bool:
    """Whether a number that is displayed as 0 is really 0."""
    return number == 0.0 or float(shown) != 0.0


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _scored(estimate: Estimate) -> str:
    return f"{estimate.n_scored} of {estimate.n_total} scored"


def _tasks(count: int) -> str:
    return f"{count} task{'' if count == 1 else 's'}"


def need_intervals(gates: Iterable[Gate]) -> bool:
    """Whether any gate uses more than means and counts."""
    return any(gate.kind not in (*_OF_MEAN, "max_not_scored") for gate in gates)


def gated_figures(gates: Iterable[Gate]) -> Sequence[str]:
    """Names of the figures that gates name."""
    return tuple(dict.fromkeys(gate.figure for gate in gates if gate.figure is not None))
