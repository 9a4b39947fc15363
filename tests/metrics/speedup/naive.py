"""Figures of a run in the simplest way: an object per task, and lists of values."""

from __future__ import annotations

from collections import Counter
from math import fsum
from typing import TYPE_CHECKING, Any

from trajmeter.metrics import Mean
from trajmeter.metrics.speedup import SpeedupResult, SpeedupSummary
from trajmeter.records import Outcome
from trajmeter.records.measurements import agent_key
from trajmeter.statistics.repeats import mean_pass_at_k

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.metrics import Result
    from trajmeter.metrics.speedup import SpeedupProfile
    from trajmeter.records import Task, Trajectory

__all__ = ["NaiveAggregator"]

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
_SUMS = ("num_benchmarks", "num_valid_benchmarks")


class _TaskFigures:
    """Figures of the attempts of one agent at one task."""

    def __init__(self) -> None:
        self.judged = self.succeeded = 0
        self._values: dict[str, list[float]] = {name: [] for name in (*_MEANS.values(), *_SUMS)}

    def add(self, result: SpeedupResult) -> None:
        if result.success is not None:
            self.judged += 1
            self.succeeded += result.success
        for name, values in self._values.items():
            value = getattr(result, name)
            if value is not None:
                values.append(value)

    def mean(self, name: str) -> float | None:
        return _mean(self._values[name])


class NaiveAggregator:
    """Counts attempts one by one.

    Args:
        profile: Whether each attempt counts by itself.
    """

    def __init__(self, profile: SpeedupProfile) -> None:
        self._counts_each = profile.counts_each_attempt
        self._attempts = self._priced = 0
        self._tasks: dict[tuple[str, ...], _TaskFigures] = {}
        self._trials: dict[tuple[str, str | None], bool] = {}
        self._costs: dict[str, list[float]] = {}
        self._warnings: Counter[str] = Counter()
        self._valid = self._regressions = self._reverted = self._unpriced = 0
        self._worst: tuple[float, str] | None = None

    def add(self, task: Task | None, trajectory: Trajectory, result: Result) -> None:
        """Count one scored attempt."""
        if not isinstance(result, SpeedupResult):
            return
        self._attempts += 1
        task_id = task.id if task else trajectory.task_id
        for warning in result.warnings:
            self._warnings[warning] += 1
        for key, cost in result.costs_by_agent_model.items():
            self._costs.setdefault(key, []).append(cost)
        identity: tuple[str, ...] = (result.key, result.instance or "", task_id)
        if self._counts_each:
            trial = result.trial or trajectory.attempt
            self._trials[task_id, trial] = bool(result.trial_resolved)
            if result.outcome is Outcome.NOT_SCORED:
                return  # replaced by another agent's record; only its cost counts
            identity = (*identity, str(len(self._tasks)))
        self._tasks.setdefault(identity, _TaskFigures()).add(result)
        self._priced += bool(result.costs_by_agent_model)
        self._reverted += result.fallback_to_baseline
        self._unpriced += result.priced is False
        if result.worst_speedup is not None:
            self._valid += result.num_valid_benchmarks
            self._regressions += result.num_regressions or 0
            worst = (result.worst_speedup, f"{task_id}: {result.worst_benchmark}")
            self._worst = min(self._worst or worst, worst)

    def add_error(self, task: Task | None, trajectory: Trajectory) -> None:
        """Count one attempt that has no figures."""
        self._attempts += 1
        identity: tuple[str, ...] = (
            agent_key(trajectory.agent, trajectory.model),
            trajectory.instance or "",
            task.id if task else trajectory.task_id,
        )
        if self._counts_each:
            identity = (*identity, str(len(self._tasks)))
        self._tasks.setdefault(identity, _TaskFigures())

    def figures(self) -> SpeedupSummary:
        """Figures of all attempts so far."""
        tasks = list(self._tasks.values())
        means: dict[str, Any] = {name: _mean_of(tasks, key) for name, key in _MEANS.items()}
        sums: dict[str, Any] = {name: _sum_of(tasks, name) for name in _SUMS}
        advantage, cost = means["agent_advantage"], means["mean_cost_per_task"]
        counts = self._successes()
        trials, resolved = sum(judged for judged, _ in counts), sum(passed for _, passed in counts)
        costs = {key: fsum(values) for key, values in self._costs.items()}
        total_cost = fsum(costs.values())
        # fc-eval divides by all trials, and has 0 of nothing.
        nothing = 0.0 if self._counts_each else None
        attempts, priced = (trials, trials) if self._counts_each else (self._attempts, self._priced)
        return SpeedupSummary(
            tasks=max(Counter(identity[:2] for identity in self._tasks).values(), default=0),
            **means,
            **sums,
            cost_weighted_advantage=_quotient(advantage, cost),
            trials=trials,
            n_resolved=resolved,
            accuracy=Mean(
                value=resolved / trials if trials else nothing, scored=trials, total=attempts
            ),
            pass_at_k=self._pass_at_k(counts),
            total_cost=total_cost if costs else nothing,
            mean_cost_per_trial=Mean(
                value=total_cost / priced if priced else None, scored=priced, total=attempts
            ),
            cost_by_agent_model=costs,
            regression_share=self._regressions / self._valid if self._valid else None,
            worst_speedup=self._worst[0] if self._worst else None,
            worst_workload=self._worst[1] if self._worst else None,
            reverted=self._reverted,
            unpriced=self._unpriced,
            warnings=dict(self._warnings),
        )

    def _successes(self) -> list[tuple[int, int]]:
        """Attempts at each task that are known to have succeeded or not, and those that did."""
        if not self._counts_each:
            return [(task.judged, task.succeeded) for task in self._tasks.values()]
        attempts = Counter(task for task, _ in self._trials)
        resolved = Counter(task for (task, _), passed in self._trials.items() if passed)
        return [(attempts[task], resolved[task]) for task in attempts]

    def _pass_at_k(self, counts: Sequence[tuple[int, int]]) -> dict[str, Mean]:
        judged = sum(attempts > 0 for attempts, _ in counts)
        return {
            str(k): Mean(value=chance, scored=judged, total=len(counts))
            for k, chance in mean_pass_at_k(counts, with_one=not self._counts_each).items()
        }


def _mean(values: Sequence[float]) -> float | None:
    return fsum(values) / len(values) if values else None


def _mean_of(tasks: Sequence[_TaskFigures], name: str) -> Mean:
    found = [mean for mean in (task.mean(name) for task in tasks) if mean is not None]
    return Mean(value=_mean(found), scored=len(found), total=len(tasks))


def _sum_of(tasks: Sequence[_TaskFigures], name: str) -> int | float:
    total = fsum(task.mean(name) or 0.0 for task in tasks)
    return int(total) if total.is_integer() else total


def _quotient(advantage: Mean, cost: Mean) -> float | None:
    if advantage.value is None or cost.value is None:
        return None
    return advantage.value / cost.value if cost.value else 0.0
