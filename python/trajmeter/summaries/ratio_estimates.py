"""Estimates of ratios: of summed counts, and of the geometric mean."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.statistics.clusters import TOO_LARGE, is_constant, standard_error
from trajmeter.statistics.distributions import has_t
from trajmeter.statistics.exact_sums import quotient, rounded_sum
from trajmeter.statistics.intervals import Range, factor_limits, t_interval
from trajmeter.summaries.cluster_sums import by_code
from trajmeter.summaries.figure_sums import DIVIDING, NEGATIVE, ZEROS

if TYPE_CHECKING:
    from trajmeter.kernels import Int64Array
    from trajmeter.statistics.exact_moments import UnitSums
    from trajmeter.summaries.estimates import IntervalOptions
    from trajmeter.summaries.figure_sums import FigureSums
    from trajmeter.summaries.result_sums import ResultSums

__all__ = ["gmean_columns", "micro_columns"]


def micro_columns(
    figure: FigureSums,
    results: ResultSums,
    units: Int64Array,
    options: IntervalOptions,
    limits: Range,
    notes: set[str],
) -> dict[str, object]:
    """Ratio of summed counts, with an interval from its linearisation over clusters."""
    if not figure.info.denominator:
        return {}
    counted = units[figure.counts.column(DIVIDING, units) > 0]
    numerators = figure.numerators.doubles(counted)
    denominators = figure.denominators.doubles(counted)
    clusters = results.units.cluster[counted]
    ones = np.ones(len(counted), np.int64)
    dividing = by_code(clusters, denominators.high, ones)
    total = rounded_sum(dividing.sums)
    if not total:
        return {}
    ratio = _quotient(figure.numerators, figure.denominators, counted)
    divided = by_code(clusters, numerators.high, ones)
    figures: dict[str, object] = {"micro": ratio}
    count = len(dividing.sums)
    greatest = max(float(np.abs(each.sums).max()) for each in (divided, dividing))
    if count <= 1 or not max(greatest, greatest * abs(ratio)) <= TOO_LARGE:
        return figures
    std_error = standard_error(divided.sums, dividing.sums, ratio, total)
    if is_constant(std_error, abs(ratio)):
        return figures
    low, high = _t_limits(ratio, std_error, count - 1, options, limits, notes)
    return figures | {"micro_low": low, "micro_high": high}


def gmean_columns(
    figure: FigureSums,
    results: ResultSums,
    group: int,
    scored_units: Int64Array,
    sizes: Int64Array,
    options: IntervalOptions,
    notes: set[str],
) -> dict[str, object]:
    """Geometric mean, with an interval on the scale of logarithms."""
    if figure.info.scale != "ratio" or not len(scored_units):
        return {}
    if figure.counts.column(NEGATIVE, scored_units).any():
        notes.add("negative")
        return {}
    if figure.counts.column(ZEROS, scored_units).any():
        notes.add("zero")
        return {"gmean": 0.0}
    scored = int(sizes.sum())
    mean = figure.logs.total(scored_units).mean(0, scored)
    figures: dict[str, object] = {"gmean": exp(mean)}
    logs = figure.logs.doubles(scored_units).high
    clusters = by_code(results.units.cluster[scored_units], logs, sizes)
    count = len(clusters.sums)
    if count <= 1:
        return figures
    std_error = standard_error(clusters.sums, clusters.sizes, mean, scored)
    low = high = None
    if not is_constant(std_error, figure.greatest_log(group)):
        low, high = _t_limits(mean, std_error, count - 1, options, Range(), notes)
    if low is None or high is None:
        return figures
    low, high = factor_limits(low, high)
    if high is None:
        notes.add("too_large")
    return figures | {"gmean_low": low, "gmean_high": high}


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


def _quotient(numerators: UnitSums, denominators: UnitSums, units: Int64Array) -> float:
    """A ratio of exact sums, rounded once."""
    above, below = numerators.total(units), denominators.total(units)
    exponent = min(above.exponent, below.exponent)
    return quotient(above.multiples_of(exponent)[0], below.multiples_of(exponent)[0])
