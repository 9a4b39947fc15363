"""Speedup over many tasks: fc-eval's figures of a run, each with how many tasks it is made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from trajmeter.metrics._result import Headline, Listing, Mean
from trajmeter.records.record import LazyModel

__all__ = ["SpeedupSummary"]


class SpeedupSummary(LazyModel):
    """Figures of a run. Means are over tasks; of several attempts at a task, their mean counts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tasks: int
    """Tasks that were attempted."""
    mean_speedup: Annotated[Mean, Headline("speedup")]
    """Mean of the tasks' speedups."""
    mean_success_rate: Annotated[Mean, Headline("success")]
    """Mean of the tasks' success."""
    num_benchmarks: int | float
    """Benchmarks of all tasks."""
    num_valid_benchmarks: int | float
    """Benchmarks of all tasks that count."""
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
    """Mean cost of a task in US dollars."""
    cost_weighted_advantage: Annotated[float | None, Headline("advantage per USD")]
    """Mean advantage / mean cost; 0 where the cost is 0, ``None`` where one of both is unknown.

    A ratio of means: a negative advantage looks better the dearer it was.
    """
    mean_trajectory_length: Annotated[Mean, Headline("length")]
    """Mean number of interactions."""
    trials: int
    """Attempts known to have succeeded or not."""
    n_resolved: int
    """Attempts that succeeded."""
    accuracy: Mean
    """Share of attempts that succeeded, of those known to have succeeded or not."""
    pass_at_k: dict[str, Mean] = Field(default_factory=dict)
    """Mean over tasks of how likely one of k attempts succeeds, by k."""
    total_cost: float | None
    """Cost of all attempts in US dollars, as far as it is known; ``None`` where none is."""
    mean_cost_per_trial: Mean
    """Mean cost of an attempt in US dollars, of those whose cost is known."""
    regression_share: float | None
    """Share of the benchmarks that count which became slower; ``None`` without any."""
    worst_speedup: float | None
    """Least ratio of any benchmark that counts."""
    worst_workload: str | None
    """The task and benchmark that have it."""
    reverted: Annotated[int, Headline("reverted")]
    """Attempts that count as if they had changed nothing, because they failed."""
    unpriced: Annotated[int, Headline("unpriced")]
    """Attempts whose cost counts as 0, because their model has no known price."""
    cost_by_agent_model: Annotated[
        dict[str, float], Field(default_factory=dict), Listing("agent:model", "USD")
    ]
    """``total_cost`` by ``agent:model``."""
    warnings: Annotated[dict[str, int], Field(default_factory=dict), Listing("warning", "attempts")]
    """Doubts about the figures, with the number of attempts; of many, some."""
