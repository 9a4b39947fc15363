"""Totals of speedup over a group of attempts, and the figures computed from them."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.metrics._result import Mean
from trajmeter.metrics.speedup.summary import SpeedupSummary
from trajmeter.records.record import frozen
from trajmeter.statistics.repeats import mean_pass_at_k

if TYPE_CHECKING:
    from collections import Counter

__all__ = ["GroupTotals", "summarized"]

_MEANS = {
    "mean_speedup": "task_speedup",
    "mean_success_rate": "success",
    "agent_advantage": "agent_advantage",
    "agent_advantage_level1": "agent_advantage_level1",
    "agent_advantage_level2": "agent_advantage_level2",
    "agent_advantage_level3": "agent_advantage_level3",
    "agent_advantage_level4": "agent_advantage_level4",
    "mean_cost_per_task": "task_cost_usd",
    "mean_trajectory_length": "trajectory_length",
}
"""Means of the summary, and the figure that each is the mean of."""
_SUMS = ("num_benchmarks", "num_valid_benchmarks")


class GroupTotals(NamedTuple):
    """Totals of one group of attempts, or of all.

    Several attempts of an agent at a task are folded into their mean, unless each counts by itself.
    """

    tasks: int
    """Maximum number of tasks attempted by an agent of the group."""
    folds: int
    """Number of agent-task pairs, or of attempts if each counts by itself."""
    scored: dict[str, int]
    """Number of them with each figure."""
    sums: dict[str, float]
    """Sums of their figures."""
    successes: Counter[tuple[int, int]]
    """Number of tasks by (attempts known to have succeeded or not, successes)."""
    counts: dict[str, int]
    """Counts of attempts and of their benchmarks."""
    costs: dict[str, float]
    """Costs by ``agent:model``."""
    worst: tuple[float, str] | None
    """The lowest ratio of any benchmark, with its task and benchmark."""
    warnings: dict[str, int]
    """Warnings, with their numbers of attempts."""


def summarized(totals: GroupTotals, *, each: bool) -> SpeedupSummary:
    """Compute the figures of a group.

    Args:
        totals: Its totals.
        each: Whether each attempt counts by itself.
    """
    scored, sums, counts, costs = totals.scored, totals.sums, totals.counts, totals.costs
    means: dict[str, Any] = {
        name: _mean(
            sums[figure] / scored[figure] if scored[figure] else None, scored[figure], totals.folds
        )
        for name, figure in _MEANS.items()
    }
    trials = sum(judged * number for (judged, _), number in totals.successes.items())
    resolved = sum(passed * number for (_, passed), number in totals.successes.items())
    total_cost = fsum(costs.values())
    # fc-eval divides by the number of all trials, and returns 0 without any.
    nothing = 0.0 if each else None
    attempts, priced = (trials, trials) if each else (counts["attempts"], counts["priced"])
    regressions, valid = counts["regressions"], counts["valid"]
    worst_speedup, worst_workload = totals.worst or (None, None)
    figures = {
        "tasks": totals.tasks,
        **means,
        **{name: _integer(sums[name]) for name in _SUMS},
        "cost_weighted_advantage": _quotient(means["agent_advantage"], means["mean_cost_per_task"]),
        "trials": trials,
        "n_resolved": resolved,
        "accuracy": _mean(resolved / trials if trials else nothing, trials, attempts),
        "pass_at_k": _pass_at_k(totals.successes, each=each),
        "total_cost": total_cost if costs else nothing,
        "mean_cost_per_trial": _mean(total_cost / priced if priced else None, priced, attempts),
        "cost_by_agent_model": costs,
        "regression_share": regressions / valid if valid else None,
        "worst_speedup": worst_speedup,
        "worst_workload": worst_workload,
        "reverted": counts["reverted"],
        "unpriced": counts["unpriced"],
        "warnings": totals.warnings,
    }
    return frozen(SpeedupSummary, {name: figures[name] for name in SpeedupSummary.model_fields})


def _pass_at_k(successes: Counter[tuple[int, int]], *, each: bool) -> dict[str, Mean]:
    judged = sum(number for (attempts, _), number in successes.items() if attempts)
    return {
        str(k): _mean(chance, judged, successes.total())
        for k, chance in mean_pass_at_k(successes, with_one=not each).items()
    }


def _mean(value: float | None, scored: int, total: int) -> Mean:
    return frozen(Mean, {"value": value, "scored": scored, "total": total})


def _integer(total: float) -> int | float:
    return int(total) if total.is_integer() else total


def _quotient(advantage: Mean, cost: Mean) -> float | None:
    if advantage.value is None or cost.value is None:
        return None
    return advantage.value / cost.value if cost.value else 0.0
