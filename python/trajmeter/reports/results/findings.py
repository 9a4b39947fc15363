"""The basis of a report on results tables: estimates, differences and attempts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.metrics.figure_names import principal_figures
from trajmeter.statistics.multiple import holm
from trajmeter.summaries.attempt_keys import FILE
from trajmeter.summaries.systems import UNNAMED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.kernels import BoolArray, Float64Array
    from trajmeter.summaries.attempt_rows import AttemptRows
    from trajmeter.summaries.comparing import ComparedScores
    from trajmeter.summaries.estimates import Estimate
    from trajmeter.summaries.table_estimates import Estimates, GroupEstimates

__all__ = ["CHARTED", "FEW", "LISTED", "Findings", "System", "attempts_of", "system_labels"]

FEW = 2
"""Maximum number of systems for which each pair has its own tables; more share one."""

CHARTED = 8
"""Maximum number of systems in a chart: more colours cannot be distinguished."""
LISTED = 30
"""Maximum number of systems in tables."""


@dataclass(frozen=True, slots=True, eq=False)  # compared by identity, for fast lookup among many
class System:
    """Attempts that are counted together, such as those of an agent and model."""

    number: int
    """Index among the systems."""
    label: str
    """Its shortest name that is unique."""
    estimates: GroupEstimates
    """Its figures."""

    def estimate(self, figure: str) -> Estimate | None:
        """A figure of the system; ``None`` if its tables lack it."""
        return next((each for each in self.estimates.figures if each.figure == figure), None)

    def mean(self, figure: str) -> float | None:
        """Mean of a figure; ``None`` without one."""
        found = self.estimate(figure)
        return None if found is None else found.mean


@dataclass(frozen=True)
class Findings:
    """Everything that a report of results tables presents."""

    estimates: Estimates
    """Means with their intervals."""
    compared: ComparedScores | None
    """Differences; ``None`` for one system, or for systems without a common task."""
    rows: AttemptRows
    """The attempts."""
    systems: tuple[System, ...]
    """The systems, the baseline first."""

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """Figures that any system has, in column order."""
        return tuple(
            dict.fromkeys(each.figure for s in self.systems for each in s.estimates.figures)
        )

    @cached_property
    def measured(self) -> tuple[str, ...]:
        """Figures with a value."""
        return tuple(
            name for name in self.figures if any(s.mean(name) is not None for s in self.systems)
        )

    @cached_property
    def principal(self) -> tuple[str, ...]:
        """The principal figure of each family, requested ones first."""
        asked = self.estimates.options.figures
        if asked is not None and len(self.measured) <= len(asked):
            return self.measured
        return tuple(principal_figures(self.measured))

    @cached_property
    def charted(self) -> tuple[System, ...]:
        """Systems in charts: the baseline, and the best by the first figure."""
        return self.charted_by(self.principal[0]) if self.principal else self.systems[:CHARTED]

    def colour(self, system: System) -> int:
        """Number of a system's colour in charts; those of :attr:`charted` differ."""
        places = self._colours
        return places.get(system.number, system.number)

    @cached_property
    def _colours(self) -> dict[int, int]:
        return {system.number: place for place, system in enumerate(self.charted)}

    def charted_by(self, figure: str) -> tuple[System, ...]:
        """Systems in charts of a family; of many, the baseline and the best by a figure."""
        if len(self.systems) <= CHARTED:
            return self.systems
        ranked = self.ranked(figure)
        baseline = [system for system in ranked if system.number == 0]
        chosen = {system.number for system in (*baseline, *ranked)[:CHARTED]}
        return tuple(system for system in self.systems if system.number in chosen)

    @cached_property
    def adjusted(self) -> dict[tuple[str, str, str], float]:
        """p-values of the families' principal figures, adjusted only for these.

        Keys are the names of both systems and the figure. Other figures are described, not tested:
        adjusted for fifty figures, nothing would be significant.
        """
        pairs = self.compared.pairs if self.compared is not None else ()
        p_values = {
            (pair.a, pair.b, each.figure): each.p_value
            for pair in pairs
            for each in pair.figures
            if each.figure in self.principal and each.p_value is not None
        }
        return dict(zip(p_values, holm([*p_values.values()]), strict=True))

    def ranked(self, figure: str) -> list[System]:
        """Systems with a figure, the best first."""
        held = [(mean, s) for s in self.systems if (mean := s.mean(figure)) is not None]
        is_higher = self.is_higher_better(figure)
        held.sort(key=lambda each: -each[0] if is_higher is not False else each[0])
        return [system for _, system in held]

    def best(self, figure: str, systems: Sequence[System]) -> list[System]:
        """The best of the given systems; none if all are equal, or the figure has no direction."""
        if self.is_higher_better(figure) is None:
            return []
        wanted = frozenset(systems)
        ranked = [system for system in self.ranked(figure) if system in wanted]
        if not ranked or ranked[-1].mean(figure) == ranked[0].mean(figure):
            return []
        top = ranked[0].mean(figure)
        return [system for system in ranked if system.mean(figure) == top]

    def is_higher_better(self, figure: str) -> bool | None:
        """Direction of a figure."""
        estimates = (s.estimate(figure) for s in self.systems)
        return next((each.higher_is_better for each in estimates if each is not None), None)

    def of(self, system: System) -> BoolArray:
        """Mask of the attempts of a system."""
        return attempts_of(self.rows, system)

    def task_means(self, figure: str, system: System) -> tuple[Float64Array, list[str]]:
        """Mean of a figure for each task of a system, and the tasks."""
        values = self.rows.numbers[figure]
        kept = self.of(system) & np.isfinite(values)
        tasks = self.rows.task[kept]
        sums = np.bincount(tasks, values[kept], minlength=len(self.rows.tasks))
        counts = np.bincount(tasks, minlength=len(self.rows.tasks))
        held = np.flatnonzero(counts)
        return sums[held] / counts[held], [self.rows.tasks[task] or "-" for task in held]


def attempts_of(rows: AttemptRows, system: System) -> BoolArray:
    """Mask of the attempts of a system, none of which may be readable as a whole."""
    key = tuple(system.estimates.group.values())
    is_own: BoolArray = rows.group == (rows.groups.index(key) if key in rows.groups else -1)
    return is_own


def system_labels(
    groups: Sequence[dict[str, str | None]], tables: Mapping[str, str] | None = None
) -> list[str]:
    """Names of groups, without the parts that all have in common.

    Args:
        groups: Values that the attempts of each group share.
        tables: Short names of tables.

    Example:
        >>> system_labels([{"agent": "a", "model": "x"}, {"agent": "a", "model": "y"}])
        ['x', 'y']
        >>> system_labels([{"agent": "a"}, {"agent": None}])
        ['a', 'unnamed']
        >>> system_labels([{"agent": "", "model": "x"}, {"agent": None, "model": "x"}])
        ["'' / x", '- / x']
    """
    shown = [dict(group) for group in groups]
    for group in shown:
        if (table := group.get(FILE)) is not None:
            group[FILE] = (tables or {}).get(table, table)
    names = [*shown[0]] if shown else []
    differing = [name for name in names if len({group[name] for group in shown}) > 1]
    named = differing or names
    for kept in (named, names):
        labels = []
        for group in shown:
            parts = dict.fromkeys(value for name in kept if (value := group[name]))
            labels.append(" / ".join(parts) or (UNNAMED if len(shown) > 1 else "all attempts"))
        if len(set(labels)) == len(labels):
            return labels
    return [
        " / ".join("-" if value is None else value or "''" for value in group.values())
        for group in shown
    ]
