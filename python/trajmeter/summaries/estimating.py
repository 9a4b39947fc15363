"""Estimates figures from sums; the first rule that fits a figure decides its interval."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trajmeter.errors import ConfigurationError
from trajmeter.statistics.bootstrap import limits_of_means
from trajmeter.statistics.clusters import (
    TOO_LARGE,
    is_constant,
    standard_error,
    sums_by,
    variance_components,
)
from trajmeter.statistics.distributions import has_t
from trajmeter.statistics.error_free import Doubles, exact_products, exact_squares
from trajmeter.statistics.exact_sums import quotient, rounded_sum
from trajmeter.statistics.intervals import (
    Interval,
    Range,
    clustered_wilson_interval,
    t_interval,
    wilson_interval,
    wilson_without_variation,
)
from trajmeter.summaries.estimates import FEW_CLUSTERS, Estimate
from trajmeter.summaries.figure_sums import (
    ASSIGNED,
    DIVIDING,
    NEGATIVE,
    NOT_SCORED,
    ROWS,
    SCORED,
    ZEROS,
)

if TYPE_CHECKING:
    from trajmeter.kernels import Float64Array, Int64Array
    from trajmeter.statistics.exact_moments import UnitSums
    from trajmeter.summaries.estimates import IntervalOptions
    from trajmeter.summaries.figure_sums import FigureSums
    from trajmeter.summaries.result_sums import ResultSums

__all__ = ["by_code", "estimate"]

_TWO = 2


class _Parts(NamedTuple):
    """Sums by task or cluster."""

    sums: Float64Array
    sizes: Int64Array


def estimate(
    name: str,
    figure: FigureSums,
    read: ResultSums,
    group: int,
    options: IntervalOptions,
    *,
    not_made: int = 0,
) -> Estimate:
    """Estimate a figure of a group.

    Args:
        name: Column of the figure.
        figure: Its sums.
        read: Everything that was read.
        group: Number of the group.
        options: How intervals are computed.
        not_made: Number of tasks that the group did not attempt; each counts as an attempt that
            could not be scored.

    Raises:
        ConfigurationError: Wilson's interval is requested for a figure that is not a boolean.
        ExtraMissingError: A t interval is needed, and scipy is not installed.
    """
    units = read.units_of(group)
    counts = np.stack([figure.counts.column(index, units) for index in range(ZEROS)], axis=1)
    scored, total = int(counts[:, SCORED].sum()), int(counts[:, ROWS].sum()) + not_made
    causes = dict(figure.causes.get(group, {}))
    if not_made:
        causes["no_attempt"] = not_made
    unmeasured = int(counts[:, NOT_SCORED].sum()) + not_made
    held = units[counts[:, SCORED] > 0]
    sizes = counts[counts[:, SCORED] > 0, SCORED]
    mean = figure.sums.total(held).mean(0, scored) if scored else None
    sums = figure.sums.doubles(held)
    tasks = by_code(read.units.task[held], sums.high, sizes)
    clusters = by_code(read.units.cluster[held], sums.high, sizes)
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
    columns |= _interval(figure, read, group, mean, clusters, options, notes, held)
    columns |= _micro(figure, read, units, options, limits, notes)
    columns |= _gmean(figure, read, held, sizes, options, notes)
    columns |= _components(figure, read, held, sums, sizes, figure.greatest(group))
    return Estimate(**columns, notes=tuple(sorted(notes)))


def _interval(
    figure: FigureSums,
    read: ResultSums,
    group: int,
    mean: float | None,
    clusters: _Parts,
    options: IntervalOptions,
    notes: set[str],
    held: Int64Array,
) -> dict[str, object]:
    """Standard error and interval of a mean; the first applicable rule decides."""
    limits = Range(figure.info.low, figure.info.high)
    is_boolean = figure.info.kind == "boolean"
    if options.interval == "wilson" and not is_boolean:
        raise ConfigurationError("--interval wilson is for figures that are true or false")
    count, scored = len(clusters.sums), int(clusters.sizes.sum())
    found: dict[str, object] = {"std_error": None, "df": None, "interval": None}
    found |= {"low": None, "high": None}
    if mean is None or count < _TWO or figure.greatest(group) > TOO_LARGE:
        reason = "one_task" if count < _TWO else "too_large"
        notes.add("nothing_scored" if mean is None else reason)
        return found
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
        interval = _drawn_interval(figure, read, held, options)
    elif is_boolean and options.interval in ("auto", "wilson"):
        interval = _wilson(mean, std_error, scored, count, options)
    else:
        interval = t_interval(mean, std_error, df, options.level, limits)
    found |= {"std_error": std_error, "df": df}
    if interval is not None:
        found |= {"interval": interval.method, "low": interval.low, "high": interval.high}
    return found


def _drawn_interval(
    figure: FigureSums, read: ResultSums, held: Int64Array, options: IntervalOptions
) -> Interval:
    """Interval by bootstrap over the clusters, in key order."""
    ordered = read.in_cluster_order(held)
    own = figure.counts.column(SCORED, ordered)
    parts = by_code(read.units.cluster[ordered], figure.sums.doubles(ordered).high, own)
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


def _t_limits(
    mean: float, std_error: float, df: int, options: IntervalOptions, limits: Range, notes: set[str]
) -> tuple[float | None, float | None]:
    """Fallback limits by Student's t; none if scipy is missing and a bootstrap was chosen."""
    if options.interval == "none":
        return None, None
    if options.interval == "bootstrap" and not has_t():
        notes.add("missing_stats")
        return None, None
    interval = t_interval(mean, std_error, df, options.level, limits)
    return interval.low, interval.high


def _micro(
    figure: FigureSums,
    read: ResultSums,
    units: Int64Array,
    options: IntervalOptions,
    limits: Range,
    notes: set[str],
) -> dict[str, object]:
    """Ratio of summed counts, with an interval from its linearisation over clusters."""
    if not figure.info.denominator:
        return {}
    held = units[figure.counts.column(DIVIDING, units) > 0]
    numerators, denominators = figure.numerators.doubles(held), figure.denominators.doubles(held)
    clusters = read.units.cluster[held]
    ones = np.ones(len(held), np.int64)
    dividing = by_code(clusters, denominators.high, ones)
    total = rounded_sum(dividing.sums)
    if not total:
        return {}
    ratio = _quotient(figure.numerators, figure.denominators, held)
    divided = by_code(clusters, numerators.high, ones)
    found: dict[str, object] = {"micro": ratio}
    count = len(dividing.sums)
    greatest = max(float(np.abs(each.sums).max()) for each in (divided, dividing))
    if count < _TWO or not max(greatest, greatest * abs(ratio)) <= TOO_LARGE:
        return found
    std_error = standard_error(divided.sums, dividing.sums, ratio, total)
    if is_constant(std_error, abs(ratio)):
        return found
    low, high = _t_limits(ratio, std_error, count - 1, options, limits, notes)
    return found | {"micro_low": low, "micro_high": high}


def _gmean(
    figure: FigureSums,
    read: ResultSums,
    held: Int64Array,
    sizes: Int64Array,
    options: IntervalOptions,
    notes: set[str],
) -> dict[str, object]:
    """Geometric mean, with an interval on the scale of logarithms."""
    if figure.info.scale != "ratio" or not len(held):
        return {}
    if figure.counts.column(NEGATIVE, held).any():
        notes.add("negative")
        return {}
    if figure.counts.column(ZEROS, held).any():
        notes.add("zero")
        return {"gmean": 0.0}
    scored = int(sizes.sum())
    mean = figure.logs.total(held).mean(0, scored)
    found: dict[str, object] = {"gmean": exp(mean)}
    logs = figure.logs.doubles(held).high
    clusters = by_code(read.units.cluster[held], logs, sizes)
    count = len(clusters.sums)
    if count < _TWO:
        return found
    std_error = standard_error(clusters.sums, clusters.sizes, mean, scored)
    greatest = float(np.abs(clusters.sums / clusters.sizes).max())
    if is_constant(std_error, greatest):
        return found
    low, high = _t_limits(mean, std_error, count - 1, options, Range(), notes)
    return found | {
        "gmean_low": None if low is None else exp(low),
        "gmean_high": None if high is None else exp(high),
    }


def _components(
    figure: FigureSums,
    read: ResultSums,
    held: Int64Array,
    sums: Doubles,
    sizes: Int64Array,
    greatest: float,
) -> dict[str, object]:
    """Variance between tasks and between attempts, by task regardless of clusters."""
    if greatest > TOO_LARGE:
        return {}
    squares = sums if figure.info.kind == "boolean" else figure.squares.doubles(held)
    codes = read.units.task[held]
    tasks = by_code(codes, sums.high, sizes)
    if len(tasks.sums) == len(held):
        within = squared_distances(squares, sums, sizes)
    else:  # tasks in several clusters
        low = by_code(codes, sums.low, sizes).sums
        whole = Doubles(tasks.sums, low)
        high = by_code(codes, squares.high, sizes).sums
        within = squared_distances(
            Doubles(high, by_code(codes, squares.low, sizes).sums), whole, tasks.sizes
        )
    components = variance_components(tasks.sums, tasks.sizes, within, greatest)
    return {} if components is None else components._asdict()


def squared_distances(squares: Doubles, sums: Doubles, sizes: Int64Array) -> Float64Array:
    """Sum of the squared deviations of values from their mean, at full precision.

    Args:
        squares: Sum of the squared values of each task.
        sums: Sum of the values of each task.
        sizes: Number of values of each.
    """
    square, rest = exact_squares(sums.high)
    rest = rest + 2.0 * sums.high * sums.low
    quotient = square / sizes
    product, product_rest = exact_products(quotient, sizes.astype(np.float64))
    rest = (((square - product) - product_rest) + rest) / sizes
    distances = (squares.high - quotient) + (squares.low - rest)
    return np.where(sizes > 1, np.maximum(distances, 0.0), 0.0)


def by_code(codes: Int64Array, sums: Float64Array, sizes: Int64Array) -> _Parts:
    """Sums and sizes of units by code, in the order of first occurrence."""
    if np.bincount(codes).max(initial=0) <= 1:  # faster than finding out which share them
        return _Parts(sums, sizes)
    known, first, places = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(len(known), np.int64)
    rank[np.argsort(first)] = np.arange(len(known))
    places = rank[places]
    added = sums_by(places, sums, len(known))
    counts = np.bincount(places, sizes, len(known)).astype(np.int64)
    return _Parts(added, counts)


def _mean_of(tasks: _Parts) -> float | None:
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


def _quotient(numerators: UnitSums, denominators: UnitSums, units: Int64Array) -> float:
    """A ratio of exact sums, rounded once."""
    above, below = numerators.total(units), denominators.total(units)
    exponent = min(above.exponent, below.exponent)
    return quotient(above.multiples_of(exponent)[0], below.multiples_of(exponent)[0])
