"""Agreement of judges: Krippendorff's alpha, quadratic kappa, and their bootstrap over tasks.

Every figure is a function of sums over tasks. A replicate draws each task a number of times, and
applies the same function to the drawn sums. Sources: Krippendorff, Computing Krippendorff's
Alpha-Reliability, 2011; Cohen, Weighted kappa, 1968.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from trajmeter.statistics.bootstrap import Limits, percentile_limits, resampled_means
from trajmeter.statistics.clusters import sums_by

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.kernels import BoolArray, Float64Array, Int64Array

__all__ = ["Agreement", "Estimate", "Scale", "agreement_of"]

Scale: TypeAlias = Literal["nominal", "ordinal", "interval"]
"""What distances between ratings mean: none, their ranks, or their values."""

_DEFINED = 0.95
"""Share of replicates in which the figure must be defined."""

_ROUNDING = 1e-12
"""Numbers smaller than this share of those they are computed from are rounding errors."""

_AT_ONCE = 1 << 22
"""Numbers to hold at a time for replicates of ordinal ratings."""

_PAIR = 2


class Estimate(NamedTuple):
    """A figure with its limits."""

    value: float | None
    """``None`` without variation."""
    limits: Limits | None
    """``None`` if too few replicates have the figure, all are equal, or there is only one task."""


class Agreement(NamedTuple):
    """How far judges agree."""

    n_compared: int
    """Items that at least two judges rated."""
    n_tasks: int
    """Tasks of these items."""
    exact: float | None
    """Share of these items on which all judges agree."""
    alpha: Estimate
    """Krippendorff's alpha."""
    kappa: Estimate | None
    """Quadratic weighted kappa; ``None`` unless two judges gave numbers."""


class _Sums(NamedTuple):
    """A figure as a function of sums."""

    by_task: Float64Array
    """The sums of each task, one row per task."""
    figure: Callable[[Float64Array], Float64Array]
    """Computes the figure from sums, one row per replicate; NaN where undefined."""


def agreement_of(
    ratings: Int64Array,
    tasks: Int64Array,
    values: Float64Array | None,
    scale: Scale,
    *,
    level: float,
    seed: int,
    resamples: int,
) -> Agreement:
    """Measure how far judges agree.

    Args:
        ratings: Code of each judge's rating of each item, a row for each item; -1 for none. Codes
            follow the order of the values.
        tasks: Task of each item, from 0, in the order in which they draw.
        values: Number that each code stands for; ``None`` for ratings that are not numbers.
        scale: What distances between ratings mean.
        level: Confidence level of the interval.
        seed: Seed of the draws.
        resamples: Number of replicates.
    """
    rated = np.count_nonzero(ratings >= 0, axis=1)
    compared = rated > 1
    ratings, rated = ratings[compared], rated[compared]
    known, tasks = np.unique(tasks[compared], return_inverse=True)
    count = len(known)
    if not len(ratings):
        return Agreement(0, 0, None, Estimate(None, None), None)
    least = np.where(ratings < 0, ratings.max(axis=1)[:, None], ratings).min(axis=1)
    draws = _Draws(level, seed, resamples)
    kappa = None
    if scale == "interval" and values is not None:
        alpha = _interval_alpha(values[ratings], ratings >= 0, rated, tasks, count)
    else:
        alpha = _alpha(ratings, rated, tasks, count, is_ordinal=scale == "ordinal")
    if values is not None and scale != "nominal" and ratings.shape[1] == _PAIR:
        kappa = _estimate(_kappa(values[ratings], tasks, count), draws)
    exact = float(np.mean(least == ratings.max(axis=1)))
    return Agreement(len(ratings), count, exact, _estimate(alpha, draws), kappa)


class _Draws(NamedTuple):
    level: float
    seed: int
    resamples: int


def _estimate(sums: _Sums, draws: _Draws) -> Estimate:
    tasks, width = sums.by_task.shape
    value = float(sums.figure(sums.by_task.sum(axis=0)[None, :])[0]) if tasks else np.nan
    if np.isnan(value):
        return Estimate(None, None)
    if tasks <= 1:
        return Estimate(value, None)
    ones = np.ones((tasks, width), np.int64)
    means = resampled_means(sums.by_task, ones, seed=draws.seed, resamples=draws.resamples)
    replicates = sums.figure(means * tasks)
    defined = replicates[~np.isnan(replicates)]
    if len(defined) < _DEFINED * len(replicates) or np.ptp(defined) <= _ROUNDING:
        return Estimate(value, None)
    return Estimate(value, percentile_limits(defined, draws.level))


def _interval_alpha(
    numbers: Float64Array, given: BoolArray, rated: Int64Array, tasks: Int64Array, count: int
) -> _Sums:
    scaled = np.where(given, _scaled(numbers, numbers[given]), 0.0)
    total, squares = scaled.sum(axis=1), (scaled * scaled).sum(axis=1)
    # The squared distances over all ordered pairs of an item's ratings.
    observed = 2.0 * (rated * squares - total * total) / (rated - 1)
    columns = [observed, rated.astype(np.float64), total, squares]

    def figure(sums: Float64Array) -> Float64Array:
        distance, ratings, total, squares = sums.T
        spread = ratings * squares - total * total
        spread = np.where(spread > _ROUNDING * ratings * squares, spread, 0.0)
        return _ratio(distance / ratings, ratings, spread)

    return _Sums(_by_task(columns, tasks, count), figure)


def _alpha(
    ratings: Int64Array, rated: Int64Array, tasks: Int64Array, count: int, *, is_ordinal: bool
) -> _Sums:
    codes = int(ratings.max(initial=-1)) + 1
    pairs, owners, weights = [], [], []
    for left, right in combinations(range(ratings.shape[1]), _PAIR):
        first, second = ratings[:, left], ratings[:, right]
        differ = np.flatnonzero((first >= 0) & (second >= 0) & (first != second))
        low, high = np.minimum(first, second)[differ], np.maximum(first, second)[differ]
        pairs.append(low * codes + high)
        owners.append(tasks[differ])
        weights.append(2.0 / (rated[differ] - 1))
    known, pair = np.unique(np.concatenate(pairs), return_inverse=True)
    if not is_ordinal:
        known, pair = known[:1], np.zeros(len(pair), np.int64)
    width = max(len(known), 1)
    places = np.concatenate(owners) * width + pair
    distances = np.bincount(places, np.concatenate(weights), count * width).reshape(count, width)
    item, judge = np.nonzero(ratings >= 0)
    counts = np.bincount(tasks[item] * codes + ratings[item, judge], minlength=count * codes)
    low, high = np.divmod(known, codes)

    def nominal(sums: Float64Array) -> Float64Array:
        counts = np.rint(sums[:, width:])
        ratings = counts.sum(axis=1)
        spread = (ratings * ratings - (counts * counts).sum(axis=1)) / 2.0
        return _ratio(sums[:, 0] / ratings, ratings, spread)

    def ordinal(sums: Float64Array) -> Float64Array:
        figures = np.empty(len(sums))
        size = max(_AT_ONCE // sums.shape[1], 1)
        for start in range(0, len(sums), size):
            part = sums[start : start + size]
            counts = np.rint(part[:, width:])
            ratings = counts.sum(axis=1)
            # Distances between ranks are those between the midpoints of the ranks' ratings.
            middles = np.cumsum(counts, axis=1) - counts / 2.0 - ratings[:, None] / 2.0
            squares = (middles[:, high] - middles[:, low]) ** 2
            observed = (part[:, : len(known)] * squares).sum(axis=1) / ratings
            total = (counts * middles).sum(axis=1)
            spread = ratings * (counts * middles**2).sum(axis=1) - total * total
            figures[start : start + size] = _ratio(observed, ratings, spread)
        return figures

    columns = [distances, counts.reshape(count, codes)]
    by_task = np.concatenate(columns, axis=1).astype(np.float64)
    return _Sums(by_task, ordinal if is_ordinal else nominal)


def _kappa(numbers: Float64Array, tasks: Int64Array, count: int) -> _Sums:
    x, y = _scaled(numbers, numbers).T
    columns = [np.ones(len(x)), (x - y) ** 2, x, y, x * x, y * y]

    def figure(sums: Float64Array) -> Float64Array:
        items, distance, x, y, squared_x, squared_y = sums.T
        expected = squared_x / items + squared_y / items - 2.0 * x * y / (items * items)
        scale = squared_x / items + squared_y / items
        with np.errstate(invalid="ignore", divide="ignore"):
            kappa = 1.0 - distance / items / expected
        return np.where(expected > _ROUNDING * scale, kappa, np.nan)

    return _Sums(_by_task(columns, tasks, count), figure)


def _scaled(numbers: Float64Array, given: Float64Array) -> Float64Array:
    """The numbers scaled to 0-1, which does not change any figure; zeros if all are equal."""
    least = given.min()
    width = given.max() - least
    scaled: Float64Array = (numbers - least) / (width if width > 0.0 else 1.0)
    return scaled


def _ratio(observed: Float64Array, ratings: Float64Array, spread: Float64Array) -> Float64Array:
    """Alpha from observed distances; ``spread`` is half of the distances between all ratings."""
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = 2.0 * spread / (ratings * (ratings - 1.0))
        alpha = 1.0 - observed / expected
    return np.where(spread > 0.0, alpha, np.nan)


def _by_task(columns: list[Float64Array], tasks: Int64Array, count: int) -> Float64Array:
    return np.stack([sums_by(tasks, column, count) for column in columns], axis=1)
