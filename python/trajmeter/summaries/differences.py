"""The difference of two systems in a figure."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from trajmeter.records import Record
from trajmeter.statistics.intervals import Method
from trajmeter.statistics.paired import PMethod

__all__ = ["Difference", "Missing", "TaskDifference"]

Missing: TypeAlias = Literal["drop", "worst", "best"]
"""How to treat attempts that could not be scored, and tasks that only one system has."""


class TaskDifference(Record):
    """One task on which two systems were compared."""

    task_id: str
    """Id of the task."""
    a: float
    """Mean of the first system's attempts."""
    b: float
    """Mean of the second's."""
    difference: float
    """The second minus the first."""
    n_a: int
    """Attempts of the first system that have the figure."""
    n_b: int
    """Attempts of the second."""


class Difference(Record):
    """One figure of two systems on the same tasks; *a* is the first of them, *b* the second."""

    figure: str
    """Column of the figure."""
    n_tasks: int
    """Tasks on which both have the figure."""
    n_clusters: int
    """Clusters of these tasks."""
    left_out: dict[str, int] = Field(default_factory=dict)
    """Other tasks of either system by reason: ``only_a``, ``only_b``, ``unmeasured_both``,
    ``unmeasured_a``, ``unmeasured_b``, ``abstained``."""
    mean_a: float | None = None
    """Mean of the first system over these tasks."""
    mean_b: float | None = None
    """Mean of the second."""
    difference: float | None = None
    """Mean of the tasks' differences, the second minus the first."""
    n_better: int = 0
    """Tasks on which the second is better."""
    n_worse: int = 0
    """Tasks on which the second is worse."""
    n_equal: int = 0
    """Tasks on which they are equal."""
    std_error: float | None = None
    """Standard error of the difference, robust to clusters."""
    df: int | None = None
    """Degrees of freedom: one less than there are clusters."""
    interval: Method | None = None
    """How the interval was computed."""
    level: float
    """Confidence level of the interval."""
    low: float | None = None
    """Lower limit of the difference."""
    high: float | None = None
    """Upper limit of the difference."""
    p_value: float | None = None
    """Two-sided p-value: the probability of a difference at least as large if the systems are
    alike."""
    p_method: PMethod | None = None
    """How it was computed."""
    p_holm: float | None = None
    """The p-value, adjusted for all tests of the comparison."""
    p_t: float | None = None
    """Two-sided p-value of a paired t test."""
    mde: float | None = None
    """The true difference that these tasks would detect with probability 0.8."""
    one_sided_low: float | None = None
    """Limit that the true difference exceeds with the level's probability."""
    one_sided_high: float | None = None
    """Limit that the true difference stays below with the level's probability."""
    margin: float | None = None
    """Largest difference that does not matter."""
    equivalence_p: float | None = None
    """The larger p-value of the two one-sided tests against the margin."""
    equivalent: bool | None = None
    """Whether the difference lies within the margin."""
    non_inferior: bool | None = None
    """Whether the second is not worse by more than the margin; ``None`` if that cannot be
    decided."""
    ratio: float | None = None
    """Factor by which the second exceeds the first, for figures that are factors."""
    ratio_low: float | None = None
    """Lower limit of the factor."""
    ratio_high: float | None = None
    """Upper limit of the factor."""
    bound_low: float | None = None
    """The difference if values that the first lacks were as large, and values that the second lacks
    as small, as possible."""
    bound_high: float | None = None
    """The reverse."""
    notes: tuple[str, ...] = ()
    """Caveats: ``no_pair``, ``one_task``, ``few_tasks``, ``no_variation``, ``too_large``, ``zero``,
    ``missing_stats``."""
    higher_is_better: bool | None = None
    """Direction; higher is better if none is declared."""
    unit: str | None = None
    """Unit, if the name does not say it."""
