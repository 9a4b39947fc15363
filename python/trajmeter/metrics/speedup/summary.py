"""Speedup over many tasks: fc-eval's figures of a run, each with the number of tasks behind it."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from trajmeter.metrics._result import Headline, Listing, Mean
from trajmeter.records.record import LazyModel

__all__ = ["SpeedupSummary"]


class SpeedupSummary(LazyModel):
    """Figures of a run. Means are over tasks; several attempts at a task count as their mean."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tasks: int
    """Number of attempted tasks."""
    mean_speedup: Annotated[Mean, Headline("speedup")]
    """Mean of the tasks' speedups."""
    mean_success_rate: Annotated[Mean, Headline("success")]
    """Mean of the tasks' success."""
    num_benchmarks: int | float
    """Number of benchmarks in all tasks."""
    num_valid_benchmarks: int | float
    """Number of benchmarks in all tasks that count."""
    agent_advantage: Annotated[Mean, Headline("advantage")]
    """Mean advantage over all benchmarks of a task."""
    agent_advantage_level1: Annotated[Mean, Headline("by module")]
    """Mean advantage by module."""
    agent_advantage_level2: Annotated[Mean, Headline("by class")]
    """Mean advantage by class."""
    agent_advantage_level3: Annotated[Mean, Headline("by function")]
    """Mean advantage by function."""
    agent_advantage_level4: Mean
    """The same as ``agent_advantage``."""
    mean_cost_per_task: Annotated[Mean, Headline("cost USD")]
    """Mean cost per task in US dollars."""
    cost_weighted_advantage: Annotated[float | None, Headline("advantage per USD")]
    """Mean advantage / mean cost; 0 if the cost is 0, ``None`` if either is unknown.

    As a ratio of means, a negative advantage looks better the more it cost.
    """
    mean_trajectory_length: Annotated[Mean, Headline("length")]
    """Mean number of interactions."""
    trials: int
    """Number of attempts known to have succeeded or not."""
    n_resolved: int
    """Number of attempts that succeeded."""
    accuracy: Mean
    """Share of attempts that succeeded, among those known to have succeeded or not."""
    pass_at_k: dict[str, Mean] = Field(default_factory=dict)
    """Mean over tasks of the probability that at least one of k attempts succeeds, by k."""
    total_cost: float | None
    """Sum of all known costs of attempts in US dollars; ``None`` if none is known."""
    mean_cost_per_trial: Mean
    """Mean cost per attempt in US dollars, over attempts with a known cost."""
    regression_share: float | None
    """Share of benchmarks that became slower, among those that count; ``None`` without any."""
    worst_speedup: float | None
    """Lowest ratio of any benchmark that counts."""
    worst_workload: str | None
    """Task and benchmark with that ratio."""
    reverted: Annotated[int, Headline("reverted")]
    """Number of attempts that count as if they had changed nothing, because they failed."""
    unpriced: Annotated[int, Headline("unpriced")]
    """Number of attempts whose cost counts as 0, because their model has no known price."""
    cost_by_agent_model: Annotated[
        dict[str, float], Field(default_factory=dict), Listing("agent:model", "USD")
    ]
    """``total_cost`` by ``agent:model``."""
    warnings: Annotated[dict[str, int], Field(default_factory=dict), Listing("warning", "attempts")]
    """Warnings about the data, with the number of attempts; only some if there are many."""
