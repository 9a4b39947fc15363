"""Decides gates, from exactly the numbers that are printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.summaries.gates import Gate, GateCheck, GateOutcome
from trajmeter.summaries.thresholds import distinguished, reaches, with_threshold

if TYPE_CHECKING:
    from trajmeter.summaries.differences import Difference
    from trajmeter.summaries.estimates import Estimate

__all__ = ["check_estimate", "check_regression", "without_attempts"]

_OF_MEAN = ("fail_under", "fail_over")


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
            shown = distinguished(limit, most, -gate.threshold)
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
    kept = reaches(mean, gate.threshold) if is_under else reaches(gate.threshold, mean)
    reason = f"mean {with_threshold(mean, gate.threshold)}  ({_scored(estimate)})"
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
    counts = f"  ({_scored(estimate)}, {_tasks(estimate.n_clusters)})"
    if reaches(value, threshold) if is_lower else reaches(threshold, value):
        reason = f"{side} limit {with_threshold(value, threshold)}{counts}"
        return _check(gate, estimate, group, value, "passed", reason)
    if not (reaches(other, threshold) if is_lower else reaches(threshold, other)):
        reason = f"{opposite} limit {with_threshold(other, threshold)}{counts}"
        return _check(gate, estimate, group, value, "failed", reason)
    shown = distinguished(low, high, threshold)
    reason = f"the interval {shown[0]}–{shown[1]} holds {shown[2]}{counts}"
    return _check(gate, estimate, group, value, "inconclusive", reason)


def _share_not_scored(gate: Gate, estimate: Estimate, group: dict[str, str | None]) -> GateCheck:
    if not estimate.n_total:
        return _check(gate, estimate, group, None, "inconclusive", "no attempts")
    share = estimate.n_not_scored / estimate.n_total
    causes = ", ".join(f"{cause} {count}" for cause, count in estimate.not_scored.items())
    reason = f"not scored {with_threshold(share, gate.threshold)}"
    reason += f"  ({estimate.n_not_scored} of {estimate.n_total}{causes and ': '}{causes})"
    outcome: GateOutcome = "passed" if reaches(gate.threshold, share) else "inconclusive"
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


def _scored(estimate: Estimate) -> str:
    return f"{estimate.n_scored} of {estimate.n_total} scored"


def _tasks(count: int) -> str:
    return f"{count} task{'' if count == 1 else 's'}"
