"""Pairs two systems by task: differences, and which tasks were omitted and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, fsum, log
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trajmeter.errors import ConfigurationError
from trajmeter.records.record import frozen
from trajmeter.statistics.bootstrap import limits_of_means
from trajmeter.statistics.clusters import TOO_LARGE, is_constant, standard_error, sums_by
from trajmeter.statistics.distributions import has_t, t_quantile
from trajmeter.statistics.intervals import Range, t_interval
from trajmeter.statistics.paired import (
    PValue,
    are_tied,
    equivalence,
    mcnemar,
    minimal_detectable_effect,
    sign_flip_test,
    t_test,
)
from trajmeter.summaries.differences import Difference, TaskDifference
from trajmeter.summaries.estimates import FEW_CLUSTERS
from trajmeter.summaries.figure_sums import NEGATIVE, NOT_SCORED, ROWS, SCORED, ZEROS

if TYPE_CHECKING:
    from trajmeter.kernels import BoolArray, Float64Array, Int64Array
    from trajmeter.metrics.figures import FigureInfo
    from trajmeter.summaries.differences import Missing
    from trajmeter.summaries.estimates import IntervalOptions
    from trajmeter.summaries.figure_sums import FigureSums
    from trajmeter.summaries.result_sums import ResultSums

__all__ = ["Paired", "Side", "difference", "side_of"]

_TWO = 2
_ROUNDING = 1e-12


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


class Paired(NamedTuple):
    """A difference and its tasks."""

    difference: Difference
    """The figure."""
    tasks: tuple[TaskDifference, ...]
    """The tasks, largest losses of the second system first."""
    left_out: dict[str, list[str]]
    """Tasks without a pair, by reason."""


def side_of(figure: FigureSums, read: ResultSums, group: int) -> Side:
    """A group's attempts by task."""
    units = read.units_of(group)
    tasks, count = read.units.task[units], len(read.keys.tasks)

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
    )


def difference(
    name: str,
    info: FigureInfo,
    sides: tuple[Side, Side],
    read: ResultSums,
    options: IntervalOptions,
    *,
    missing: Missing = "drop",
    margin: float | None = None,
    with_tasks: bool = True,
) -> Paired:
    """Compare two systems in one figure.

    Args:
        name: Column of the figure.
        info: What it means.
        sides: The first system and the second.
        read: Everything that was read.
        options: How intervals are computed.
        missing: How to treat unmeasured attempts.
        margin: Largest difference that does not matter.
        with_tasks: Whether to list the tasks.

    Raises:
        ConfigurationError: The figure does not declare the needed end of its range, or Wilson's
            interval is requested.
        ExtraMissingError: Student's t is needed, and scipy is not installed.
    """
    if options.interval == "wilson":
        raise ConfigurationError(
            "--interval wilson is not for differences; expected t or bootstrap"
        )
    limits = Range(info.low, info.high)
    a, b = own_a, own_b = sides
    if missing != "drop":
        end = _end(name, info, missing)
        own_a, own_b = a.filled(end), b.filled(end)
    is_named = np.array([key is not None for key in read.keys.tasks], np.bool_)
    either = is_named & ((a.rows > 0) | (b.rows > 0))
    paired = np.flatnonzero(either & (own_a.sizes > 0) & (own_b.sizes > 0))
    paired = paired[np.argsort(read.task_ranks[paired])]
    left_out = _left_out(a, b, either, paired, read)
    is_large = max(a.greatest, b.greatest) > TOO_LARGE
    low, high = (None, None) if is_large else _bounds(a, b, either, limits)
    columns: dict[str, Any] = {
        "figure": name,
        "n_tasks": len(paired),
        "left_out": {reason: len(tasks) for reason, tasks in left_out.items()},
        "level": options.level,
        "margin": margin,
        "bound_low": low,
        "bound_high": high,
        "higher_is_better": info.higher_is_better,
        "unit": info.unit,
    }
    if is_large or not len(paired):
        clusters = len(np.unique(read.clusters_of_tasks(paired))) if len(paired) else 0
        note = "too_large" if len(paired) else "no_pair"
        found = Difference(**columns, n_clusters=clusters, notes=(note,))
        return Paired(found, (), left_out)
    values_a = own_a.sums[paired] / own_a.sizes[paired]
    values_b = own_b.sums[paired] / own_b.sizes[paired]
    pairs = _Pairs(info, values_a, values_b, read.clusters_of_tasks(paired), options, margin)
    columns |= pairs.columns()
    columns |= pairs.ratio(own_a, own_b, paired)
    found = Difference(**columns, notes=tuple(sorted(pairs.notes)))
    tasks = _tasks(pairs, own_a, own_b, paired, read) if with_tasks else ()
    return Paired(found, tasks, left_out)


class _Pairs:
    """Tasks that both systems have, ordered by id."""

    def __init__(
        self,
        info: FigureInfo,
        a: Float64Array,
        b: Float64Array,
        clusters: Int64Array,
        options: IntervalOptions,
        margin: float | None,
    ) -> None:
        self.info = info
        self.a, self.b, self.differences = a, b, b - a
        self.clusters = clusters
        self.options = options
        self.margin = margin
        self.sign = -1.0 if info.higher_is_better is False else 1.0
        self.count = int(clusters.max()) + 1
        self.notes: set[str] = set()

    def columns(self) -> dict[str, object]:
        count = len(self.differences)
        difference = fsum(self.differences.tolist()) / count
        gains = np.where(are_tied(self.a, self.b), 0.0, self.differences) * self.sign
        better, worse = int((gains > 0).sum()), int((gains < 0).sum())
        p = self._p_value(better, worse)
        found: dict[str, object] = {
            "n_clusters": self.count,
            "mean_a": fsum(self.a.tolist()) / count,
            "mean_b": fsum(self.b.tolist()) / count,
            "difference": difference,
            "n_better": better,
            "n_worse": worse,
            "n_equal": count - better - worse,
            "p_value": p.value,
            "p_method": p.method,
        }
        if self.count < _TWO:
            self.notes.add("one_task")
            return found
        if self.count < FEW_CLUSTERS:
            self.notes.add("few_tasks")
        sums, sizes = self._sums(self.differences)
        std_error = standard_error(sums, sizes, difference, count)
        greatest = float(np.maximum(np.abs(self.a), np.abs(self.b)).max())
        found["df"] = self.count - 1
        if is_constant(std_error, greatest):
            self.notes.add("no_variation")
            found |= {"std_error": 0.0, "low": difference, "high": difference}
            return found | self._against_margin(difference, 0.0, difference, difference)
        found["std_error"] = std_error
        return found | self._with_error(difference, std_error, sums, sizes)

    def _p_value(self, better: int, worse: int) -> PValue:
        steps = np.isin(self.differences, (-1.0, 0.0, 1.0)).all()
        are_tasks = self.count == len(self.differences)
        if self.info.kind == "boolean" and are_tasks and steps:
            return mcnemar(better, worse)
        options = self.options
        return sign_flip_test(
            self.a, self.b, self.clusters, seed=options.seed, resamples=options.resamples
        )

    def _with_error(
        self, difference: float, std_error: float, sums: Float64Array, sizes: Int64Array
    ) -> dict[str, object]:
        df, options = self.count - 1, self.options
        found: dict[str, object] = {}
        is_drawn = options.interval == "bootstrap"
        if is_drawn:
            (drawn,) = limits_of_means(
                sums[:, None],
                sizes[:, None],
                level=options.level,
                seed=options.seed,
                resamples=options.resamples,
            )
            found |= {"interval": "bootstrap", "low": drawn.low, "high": drawn.high}
            if self.margin is None and not has_t():
                self.notes.add("missing_stats")
                return found
        else:
            interval = t_interval(difference, std_error, df, options.level, Range())
            found |= {"interval": "t", "low": interval.low, "high": interval.high}
        reach = t_quantile(options.level, df) * std_error
        found["p_t"] = t_test(difference, std_error, df)
        found["mde"] = minimal_detectable_effect(std_error, df, options.level)
        return found | self._against_margin(
            difference, std_error, difference - reach, difference + reach
        )

    def _against_margin(
        self, difference: float, std_error: float, low: float, high: float
    ) -> dict[str, object]:
        found: dict[str, object] = {"one_sided_low": low, "one_sided_high": high}
        if self.margin is None:
            return found
        test = equivalence(
            difference, std_error, self.count - 1, margin=self.margin, level=self.options.level
        )
        least, most = sorted((self.sign * low, self.sign * high))
        is_known = least >= -self.margin or most < -self.margin
        return found | {
            "equivalence_p": test.p_value,
            "equivalent": test.is_equivalent,
            "non_inferior": least >= -self.margin if is_known else None,
        }

    def ratio(self, a: Side, b: Side, tasks: Int64Array) -> dict[str, object]:
        """Factor by which the second exceeds the first."""
        if self.info.scale != "ratio":
            return {}
        if (a.is_filled | b.is_filled)[tasks].any():
            return {}
        if (a.without_log | b.without_log)[tasks].any():
            self.notes.add("zero")
            return {}
        logs = b.logs[tasks] / b.sizes[tasks] - a.logs[tasks] / a.sizes[tasks]
        mean = fsum(logs.tolist()) / len(logs)
        found: dict[str, object] = {"ratio": exp(mean)}
        if self.count < _TWO:
            return found
        sums, sizes = self._sums(logs)
        std_error = standard_error(sums, sizes, mean, len(logs))
        if is_constant(std_error, float(np.abs(logs).max())) or "missing_stats" in self.notes:
            return found
        interval = t_interval(mean, std_error, self.count - 1, self.options.level, Range())
        return found | {"ratio_low": exp(interval.low), "ratio_high": exp(interval.high)}

    def _sums(self, values: Float64Array) -> tuple[Float64Array, Int64Array]:
        sizes = np.bincount(self.clusters, minlength=self.count)
        return sums_by(self.clusters, values, self.count), sizes


def _end(name: str, info: FigureInfo, missing: Missing) -> float:
    """The figure's worst or best possible value."""
    is_high = (missing == "best") == (info.higher_is_better is not False)
    end = info.high if is_high else info.low
    if end is None:
        raise ConfigurationError(
            f"--missing {missing}: {name} declares no {'greatest' if is_high else 'least'} value; "
            f"give it with --range {name}=LOW..HIGH"
        )
    return end


def _bounds(
    a: Side, b: Side, either: BoolArray, limits: Range
) -> tuple[float | None, float | None]:
    if limits.low is None or limits.high is None:
        return None, None
    found: list[float | None] = []
    for end_a, end_b in ((limits.high, limits.low), (limits.low, limits.high)):
        full_a, full_b = a.filled(end_a), b.filled(end_b)
        tasks = np.flatnonzero(either & (full_a.sizes > 0) & (full_b.sizes > 0))
        differences = (
            full_b.sums[tasks] / full_b.sizes[tasks] - full_a.sums[tasks] / full_a.sizes[tasks]
        )
        found.append(fsum(differences.tolist()) / len(tasks) if len(tasks) else None)
    return found[0], found[1]


def _left_out(
    a: Side, b: Side, either: BoolArray, paired: Int64Array, read: ResultSums
) -> dict[str, list[str]]:
    rest = either.copy()
    rest[paired] = False
    lacks_a, lacks_b = ((side.sizes == 0) & (side.unmeasured > 0) for side in (a, b))
    reasons = {
        "only_a": b.rows == 0,
        "only_b": a.rows == 0,
        "unmeasured_both": lacks_a & lacks_b,
        "unmeasured_a": lacks_a,
        "unmeasured_b": lacks_b,
        "abstained": np.ones(len(rest), np.bool_),
    }
    found, names = {}, read.keys.tasks
    for reason, fits in reasons.items():
        tasks = np.flatnonzero(rest & fits)
        rest &= ~fits
        if len(tasks):
            found[reason] = sorted(names[task] or "" for task in tasks.tolist())
    return found


def _tasks(
    pairs: _Pairs, a: Side, b: Side, tasks: Int64Array, read: ResultSums
) -> tuple[TaskDifference, ...]:
    # Differences equal up to rounding are ties, whose tasks stay ordered by id.
    unit = _ROUNDING * float(np.maximum(np.abs(pairs.a), np.abs(pairs.b)).max()) or 1.0
    gains = np.rint(pairs.differences * pairs.sign / unit)
    order = np.argsort(gains, kind="stable")
    ordered, names = tasks[order], read.keys.tasks
    columns = {
        "task_id": [names[task] or "" for task in ordered.tolist()],
        "a": pairs.a[order].tolist(),
        "b": pairs.b[order].tolist(),
        "difference": pairs.differences[order].tolist(),
        "n_a": a.sizes[ordered].tolist(),
        "n_b": b.sizes[ordered].tolist(),
    }
    # There may be a million: one for each task and figure.
    rows = zip(*columns.values(), strict=True)
    return tuple(frozen(TaskDifference, dict(zip(columns, row, strict=True))) for row in rows)
