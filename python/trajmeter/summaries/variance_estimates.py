"""Variance between tasks and between attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from trajmeter.statistics.clusters import TOO_LARGE, variance_components
from trajmeter.statistics.error_free import Doubles, exact_products, exact_squares
from trajmeter.summaries.cluster_sums import by_code

if TYPE_CHECKING:
    from trajmeter.kernels import Float64Array, Int64Array
    from trajmeter.summaries.figure_sums import FigureSums
    from trajmeter.summaries.result_sums import ResultSums

__all__ = ["variance_columns"]


def variance_columns(
    figure: FigureSums,
    results: ResultSums,
    scored_units: Int64Array,
    sums: Doubles,
    sizes: Int64Array,
    greatest: float,
) -> dict[str, object]:
    """Variance between tasks and between attempts, by task regardless of clusters."""
    if greatest > TOO_LARGE:
        return {}
    squares = sums if figure.info.kind == "boolean" else figure.squares.doubles(scored_units)
    codes = results.units.task[scored_units]
    within = _squared_distances(squares, sums, sizes)
    tasks = by_code(codes, sums.high, sizes)
    if len(tasks.sums) < len(scored_units):  # tasks in several clusters
        _, places = np.unique(codes, return_inverse=True)
        means = (np.bincount(places, sums.high) / np.bincount(places, sizes))[places]
        between = sizes * (sums.high / sizes - means) ** 2
        within = by_code(codes, within + between, sizes).sums
    components = variance_components(tasks.sums, tasks.sizes, within, greatest)
    return {} if components is None else components._asdict()


def _squared_distances(squares: Doubles, sums: Doubles, sizes: Int64Array) -> Float64Array:
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
