"""Pairs two systems by task: differences, and which tasks were omitted and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trajmeter.errors import ConfigurationError
from trajmeter.records.record import frozen
from trajmeter.statistics.clusters import TOO_LARGE
from trajmeter.statistics.intervals import Range
from trajmeter.summaries.differences import Difference, TaskDifference
from trajmeter.summaries.paired_values import PairedValues
from trajmeter.summaries.sides import Side, difference_bounds, end_of_range

if TYPE_CHECKING:
    from trajmeter.kernels import BoolArray, Int64Array
    from trajmeter.metrics.figures import FigureInfo
    from trajmeter.summaries.differences import Missing
    from trajmeter.summaries.estimates import IntervalOptions
    from trajmeter.summaries.result_sums import ResultSums

__all__ = ["Paired", "difference"]

_ROUNDING = 1e-12


class Paired(NamedTuple):
    """A difference and its tasks."""

    difference: Difference
    """The figure."""
    tasks: tuple[TaskDifference, ...]
    """The tasks, largest losses of the second system first."""
    left_out: dict[str, list[str]]
    """Tasks without a pair, by reason."""


def difference(
    name: str,
    info: FigureInfo,
    sides: tuple[Side, Side],
    results: ResultSums,
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
        results: Sums of all results.
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
    a, b = sides
    filled_a, filled_b = a, b
    if missing != "drop":
        end = end_of_range(name, info, missing)
        filled_a, filled_b = a.filled(end), b.filled(end)
    is_named = np.array([key is not None for key in results.keys.tasks], np.bool_)
    either = is_named & ((a.rows > 0) | (b.rows > 0))
    paired = np.flatnonzero(either & (filled_a.sizes > 0) & (filled_b.sizes > 0))
    paired = paired[np.argsort(results.task_ranks[paired])]
    left_out = _left_out(a, b, either, paired, results)
    is_large = max(a.greatest, b.greatest) > TOO_LARGE
    low, high = (None, None) if is_large else difference_bounds(a, b, either, limits)
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
        clusters = len(np.unique(results.clusters_of_tasks(paired))) if len(paired) else 0
        note = "too_large" if len(paired) else "no_pair"
        undefined = Difference(**columns, n_clusters=clusters, notes=(note,))
        return Paired(undefined, (), left_out)
    values_a = filled_a.sums[paired] / filled_a.sizes[paired]
    values_b = filled_b.sums[paired] / filled_b.sizes[paired]
    pairs = PairedValues(
        info, values_a, values_b, results.clusters_of_tasks(paired), options, margin
    )
    columns |= pairs.columns()
    columns |= pairs.ratio(filled_a, filled_b, paired)
    measured = Difference(**columns, notes=tuple(sorted(pairs.notes)))
    tasks = _tasks(pairs, filled_a, filled_b, paired, results) if with_tasks else ()
    return Paired(measured, tasks, left_out)


def _left_out(
    a: Side, b: Side, either: BoolArray, paired: Int64Array, results: ResultSums
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
    found, names = {}, results.keys.tasks
    for reason, fits in reasons.items():
        tasks = np.flatnonzero(rest & fits)
        rest &= ~fits
        if len(tasks):
            found[reason] = sorted(names[task] or "" for task in tasks.tolist())
    return found


def _tasks(
    pairs: PairedValues, a: Side, b: Side, tasks: Int64Array, results: ResultSums
) -> tuple[TaskDifference, ...]:
    # Differences equal up to rounding are ties, whose tasks stay ordered by id.
    unit = _ROUNDING * float(np.maximum(np.abs(pairs.a), np.abs(pairs.b)).max()) or 1.0
    gains = np.rint(pairs.differences * pairs.sign / unit)
    order = np.argsort(gains, kind="stable")
    ordered, names = tasks[order], results.keys.tasks
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
