"""Estimates figures from sums; the first rule that fits a figure decides its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from trajmeter.errors import ConfigurationError
from trajmeter.statistics.bootstrap import limits_of_means
from trajmeter.statistics.clusters import TOO_LARGE, is_constant, standard_error
from trajmeter.statistics.exact_sums import rounded_sum
from trajmeter.statistics.intervals import (
    Interval,
    Range,
    clustered_wilson_interval,
    t_interval,
    wilson_interval,
    wilson_without_variation,
)
from trajmeter.summaries.cluster_sums import ClusterSums, by_code
from trajmeter.summaries.estimates import FEW_CLUSTERS, Estimate
from trajmeter.summaries.figure_sums import ASSIGNED, NOT_SCORED, ROWS, SCORED, ZEROS
from trajmeter.summaries.ratio_estimates import gmean_columns, micro_columns
from trajmeter.summaries.variance_estimates import variance_columns

if TYPE_CHECKING:
    from trajmeter.kernels import Int64Array
    from trajmeter.summaries.estimates import IntervalOptions
    from trajmeter.summaries.figure_sums import FigureSums
    from trajmeter.summaries.result_sums import ResultSums

__all__ = ["estimate"]


def estimate(
    name: str,
    figure: FigureSums,
    results: ResultSums,
    group: int,
    options: IntervalOptions,
    *,
    not_made: int = 0,
) -> Estimate:
    """Estimate a figure of a group.

    Args:
        name: Column of the figure.
        figure: Its sums.
        results: Sums of all results.
        group: Number of the group.
        options: How intervals are computed.
        not_made: Number of tasks that the group did not attempt; each counts as an attempt that
            could not be scored.

    Raises:
        ConfigurationError: Wilson's interval is requested for a figure that is not a boolean.
        ExtraMissingError: A t interval is needed, and scipy is not installed.
    """
    units = results.units_of(group)
    counts = np.stack([figure.counts.column(index, units) for index in range(ZEROS)], axis=1)
    scored, total = int(counts[:, SCORED].sum()), int(counts[:, ROWS].sum()) + not_made
    causes = dict(figure.causes.get(group, {}))
    if not_made:
        causes["no_attempt"] = not_made
    unmeasured = int(counts[:, NOT_SCORED].sum()) + not_made
    scored_units = units[counts[:, SCORED] > 0]
    sizes = counts[counts[:, SCORED] > 0, SCORED]
    mean = figure.sums.total(scored_units).mean(0, scored) if scored else None
    sums = figure.sums.doubles(scored_units)
    tasks = by_code(results.units.task[scored_units], sums.high, sizes)
    clusters = by_code(results.units.cluster[scored_units], sums.high, sizes)
    limits = Range(figure.info.low, figure.info.high)
    low, high = _bounds(mean, scored, unmeasured, limits)
    columns: dict[str, Any] = {
        "figure": name,
        "n_total": total,
        "n_scored": scored,
        "n_assigned": int(counts[:, ASSIGNED].sum()),
        "n_abstained": total - scored - unmeasured,
        "n_not_scored": unmeasured,
        "not_scored": dict(sorted(causes.items())),
        "n_tasks": len(tasks.sums),
        "n_clusters": len(clusters.sums),
        "mean": mean,
        "mean_of_tasks": None if figure.greatest(group) > TOO_LARGE else _mean_of(tasks),
        "level": options.level,
        "bound_low": low,
        "bound_high": high,
        "kind": figure.info.kind,
        "higher_is_better": figure.info.higher_is_better,
        "range_low": limits.low,
        "range_high": limits.high,
        "unit": figure.info.unit,
    }
    notes: set[str] = set()
    columns |= _interval(figure, results, group, mean, clusters, options, notes, scored_units)
    columns |= micro_columns(figure, results, units, options, limits, notes)
    columns |= gmean_columns(figure, results, group, scored_units, sizes, options, notes)
    columns |= variance_columns(figure, results, scored_units, sums, sizes, figure.greatest(group))
    return Estimate(**columns, notes=tuple(sorted(notes)))


def _interval(
    figure: FigureSums,
    results: ResultSums,
    group: int,
    mean: float | None,
    clusters: ClusterSums,
    options: IntervalOptions,
    notes: set[str],
    scored_units: Int64Array,
) -> dict[str, object]:
    """Standard error and interval of a mean; the first applicable rule decides."""
    limits = Range(figure.info.low, figure.info.high)
    is_boolean = figure.info.kind == "boolean"
    if options.interval == "wilson" and not is_boolean:
        raise ConfigurationError("--interval wilson is for figures that are true or false")
    count, scored = len(clusters.sums), int(clusters.sizes.sum())
    fields: dict[str, object] = {"std_error": None, "df": None, "interval": None}
    fields |= {"low": None, "high": None}
    if mean is None or count <= 1 or figure.greatest(group) > TOO_LARGE:
        reason = "one_task" if count <= 1 else "too_large"
        notes.add("nothing_scored" if mean is None else reason)
        return fields
    if count < FEW_CLUSTERS:
        notes.add("few_tasks")
    std_error = standard_error(clusters.sums, clusters.sizes, mean, scored)
    df = count - 1
    interval: Interval | None
    if is_constant(std_error, figure.greatest(group)):
        std_error = 0.0
        notes.add("no_variation")
        interval = None
        if limits.is_finite:
            interval = wilson_without_variation(mean, count, options.level, limits)
    elif options.interval == "none":
        interval = None
    elif options.interval == "bootstrap":
        interval = _drawn_interval(figure, results, scored_units, options)
    elif is_boolean and options.interval in ("auto", "wilson"):
        interval = _wilson(mean, std_error, scored, count, options)
    else:
        interval = t_interval(mean, std_error, df, options.level, limits)
    fields |= {"std_error": std_error, "df": df}
    if interval is not None:
        fields |= {"interval": interval.method, "low": interval.low, "high": interval.high}
    return fields


def _drawn_interval(
    figure: FigureSums, results: ResultSums, scored_units: Int64Array, options: IntervalOptions
) -> Interval:
    """Interval by bootstrap over the clusters, in key order."""
    ordered = results.in_cluster_order(scored_units, figure.sums.doubles(scored_units).high)
    own = figure.counts.column(SCORED, ordered)
    parts = by_code(results.units.cluster[ordered], figure.sums.doubles(ordered).high, own)
    (drawn,) = limits_of_means(
        parts.sums[:, None],
        parts.sizes[:, None],
        level=options.level,
        seed=options.seed,
        resamples=options.resamples,
    )
    return Interval("bootstrap", *drawn)


def _wilson(
    share: float, std_error: float, scored: int, clusters: int, options: IntervalOptions
) -> Interval:
    """Wilson interval of booleans, from the value of each cluster."""
    if scored == clusters:
        return wilson_interval(share, scored, options.level)
    return clustered_wilson_interval(share, std_error, scored, clusters - 1, options.level)


def _mean_of(tasks: ClusterSums) -> float | None:
    if not len(tasks.sums):
        return None
    return rounded_sum(tasks.sums / tasks.sizes) / len(tasks.sums)


def _bounds(
    mean: float | None, scored: int, unmeasured: int, limits: Range
) -> tuple[float | None, float | None]:
    """The mean if everything unmeasured were as small, or as large, as possible."""
    if not unmeasured:
        return mean, mean
    total = (mean or 0.0) * scored

    def bound(end: float | None) -> float | None:
        return None if end is None else (total + end * unmeasured) / (scored + unmeasured)

    return bound(limits.low), bound(limits.high)
