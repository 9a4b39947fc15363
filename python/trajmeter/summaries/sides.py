"""The attempts of the systems that are compared, by task, as measured and with gaps filled in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.errors import ConfigurationError
from trajmeter.statistics.clusters import sums_by
from trajmeter.statistics.paired import mean_difference
from trajmeter.summaries.figure_sums import NEGATIVE, NOT_SCORED, ROWS, SCORED, ZEROS

if TYPE_CHECKING:
    from trajmeter.kernels import BoolArray, Float64Array, Int64Array
    from trajmeter.metrics.figures import FigureInfo
    from trajmeter.statistics.intervals import Range
    from trajmeter.summaries.differences import Missing
    from trajmeter.summaries.figure_sums import FigureSums
    from trajmeter.summaries.result_sums import ResultSums

__all__ = ["Side", "difference_bounds", "end_of_range", "side_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A system's attempts, by task number."""

    sums: Float64Array
    """Sum of the figure over attempts that have it."""
    sizes: Int64Array
    """Number of these attempts."""
    unmeasured: Int64Array
    """Attempts that could not be scored."""
    rows: Int64Array
    """All attempts."""
    logs: Float64Array
    """Sum of the figure's logarithms."""
    without_log: BoolArray
    """Tasks with a value that has no logarithm."""
    is_filled: BoolArray
    """Tasks whose value was filled in."""
    greatest: float
    """Largest absolute value."""
    greatest_log: float
    """Largest absolute logarithm."""

    def filled(self, end: float) -> Side:
        """A copy with unmeasured values filled in, and one attempt for each task without any."""
        added = np.where(self.rows > 0, self.unmeasured, 1)
        logs, without = self.logs, self.without_log
        if end > 0.0:
            logs = logs + added * log(end)
        else:
            without = without | (added > 0)
        return replace(
            self,
            sums=self.sums + added * end,
            sizes=self.sizes + added,
            logs=logs,
            without_log=without,
            is_filled=(self.sizes == 0) & (added > 0),
        )


def side_of(figure: FigureSums, results: ResultSums, group: int) -> Side:
    """A group's attempts by task."""
    units = results.units_of(group)
    tasks, count = results.units.task[units], len(results.keys.tasks)

    def counted(index: int) -> Int64Array:
        own = figure.counts.column(index, units)
        return np.bincount(tasks, own, count).astype(np.int64)

    return Side(
        sums=sums_by(tasks, figure.sums.doubles(units).high, count),
        sizes=counted(SCORED),
        unmeasured=counted(NOT_SCORED),
        rows=counted(ROWS),
        logs=sums_by(tasks, figure.logs.doubles(units).high, count),
        without_log=(counted(ZEROS) + counted(NEGATIVE)) > 0,
        is_filled=np.zeros(count, np.bool_),
        greatest=figure.greatest(group),
        greatest_log=figure.greatest_log(group),
    )


def end_of_range(name: str, info: FigureInfo, missing: Missing) -> float:
    """The figure's worst or best possible value."""
    is_high = (missing == "best") == (info.higher_is_better is not False)
    end = info.high if is_high else info.low
    if end is None:
        raise ConfigurationError(
            f"--missing {missing}: {name} declares no {'greatest' if is_high else 'least'} value; "
            f"give it with --range {name}=LOW..HIGH"
        )
    return end


def difference_bounds(
    a: Side, b: Side, either: BoolArray, limits: Range
) -> tuple[float | None, float | None]:
    """Least and greatest difference, whatever the unmeasured values; ``None`` without a range."""
    if limits.low is None or limits.high is None:
        return None, None
    found: list[float | None] = []
    for end_a, end_b in ((limits.high, limits.low), (limits.low, limits.high)):
        full_a, full_b = a.filled(end_a), b.filled(end_b)
        tasks = np.flatnonzero(either & (full_a.sizes > 0) & (full_b.sizes > 0))
        means_a, means_b = (each.sums[tasks] / each.sizes[tasks] for each in (full_a, full_b))
        found.append(mean_difference(means_a, means_b) if len(tasks) else None)
    return found[0], found[1]
