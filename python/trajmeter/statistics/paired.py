"""Differences between two systems on the same tasks: which is better, and how likely by chance.

Sources: Miller, Adding Error Bars to Evals, 2024, for pairing; McNemar, 1947; Fisher, The Design of
Experiments, 1935, for signs that change; Schuirmann, 1987, for equivalence.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, fsum
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from trajmeter.kernels import active
from trajmeter.statistics.clusters import sums_by
from trajmeter.statistics.distributions import t_probability, t_quantile

if TYPE_CHECKING:
    from trajmeter.kernels import Float64Array, Int64Array

__all__ = [
    "Equivalence",
    "PMethod",
    "PValue",
    "differences_of",
    "equivalence",
    "mcnemar",
    "mean_difference",
    "minimal_detectable_effect",
    "sign_flip_test",
    "t_test",
]

PMethod: TypeAlias = Literal["mcnemar", "sign_flip_exact", "sign_flip"]
"""How a p-value is computed."""

_TIE = 1e-12
"""Differences smaller than this share of the values are rounding errors."""

_EXACT_CLUSTERS = 16
"""Number of differing clusters up to which every pattern of signs is tried."""

_POWER = 0.8

_TAIL_BITS = 1024
"""Bits of the terms of a binomial tail. They are exact with up to 1,000 tasks, and far more precise
than a float with any number of them."""


class PValue(NamedTuple):
    """Probability of a difference at least as large, if the systems are alike."""

    value: float
    """Two-sided p-value."""
    method: PMethod
    """How it was computed."""


class Equivalence(NamedTuple):
    """Whether a difference lies within a margin."""

    p_value: float
    """The larger p-value of the two one-sided tests against the margin."""
    is_equivalent: bool
    """Whether it is below the level."""


def differences_of(a: Float64Array, b: Float64Array) -> Float64Array:
    """By how much a second system exceeds the first at each task; 0 where only by rounding."""
    tied = np.abs(b - a) <= _TIE * np.maximum(np.abs(a), np.abs(b))
    return np.where(tied, 0.0, b - a)


def mean_difference(a: Float64Array, b: Float64Array) -> float:
    """Mean of the differences of some tasks; 0 if they cancel up to rounding."""
    differences = differences_of(a, b)
    total = fsum(differences.tolist())
    sizes = fsum(np.where(differences == 0.0, 0.0, np.maximum(np.abs(a), np.abs(b))).tolist())
    return 0.0 if abs(total) <= _TIE * sizes else total / len(a)


def mcnemar(better: int, worse: int) -> PValue:
    """McNemar's exact test, on tasks that only one of two systems passes.

    Args:
        better: Tasks that only the second passes.
        worse: Tasks that only the first passes.

    Example:
        >>> mcnemar(6, 1).value  # 2 * (1 + 7) / 2**7
        0.125
    """
    differing, least = better + worse, min(better, worse)
    term = comb(differing, least)
    omitted = max(term.bit_length() - _TAIL_BITS, 0)
    term >>= omitted
    tail = term
    for count in range(least, 0, -1):
        term = term * count // (differing - count + 1)
        if not term:
            break
        tail += term
    share = Fraction(2 * tail, 1 << (differing - omitted))
    return PValue(float(min(share, Fraction(1))), "mcnemar")


def sign_flip_test(
    a: Float64Array, b: Float64Array, clusters: Int64Array, *, seed: int, resamples: int
) -> PValue:
    """Test a mean difference by changing the signs of clusters.

    If the systems are alike, each cluster's difference might as well have the other sign. All
    patterns of signs are tried if up to 16 clusters differ, otherwise ``resamples`` random ones.

    Args:
        a: The first system's mean of each task.
        b: The second's.
        clusters: Cluster of each task, from 0, in the order in which they draw.
        seed: Seed of the draws.
        resamples: Number of patterns to draw.
    """
    count = int(clusters.max(initial=-1)) + 1
    differences = differences_of(a, b)
    sizes = np.maximum(np.abs(a), np.abs(b))
    sums = sums_by(clusters, differences, count)
    sums = sums[np.abs(sums) > _TIE * sums_by(clusters, sizes, count)]
    tolerance = _TIE * float(sizes.sum())
    if len(sums) <= _EXACT_CLUSTERS:
        totals = np.zeros(1)
        for each in sums.tolist():
            totals = np.concatenate([totals + each, totals - each])
        hits = np.count_nonzero(np.abs(totals) >= abs(totals[0]) - tolerance)
        return PValue(float(hits) / len(totals), "sign_flip_exact")
    (drawn,) = active().sign_flips(sums, np.array([tolerance]), len(sums), 1, seed, resamples)
    return PValue((1 + int(drawn)) / (1 + resamples), "sign_flip")


def t_test(difference: float, std_error: float, df: int) -> float:
    """Two-sided p-value of a paired t test; raises as :func:`t_quantile` does."""
    return 2.0 * t_probability(-abs(difference) / std_error, df)


def minimal_detectable_effect(std_error: float, df: int, level: float) -> float:
    """The true difference that this many tasks would detect with probability 0.8."""
    alpha = 1.0 - level
    return (t_quantile(1.0 - alpha / 2.0, df) + t_quantile(_POWER, df)) * std_error


def equivalence(
    difference: float, std_error: float, df: int | None, *, margin: float, level: float
) -> Equivalence:
    """Test whether a difference lies within a margin, by two one-sided t tests.

    Args:
        difference: The mean difference.
        std_error: Its standard error; 0.0 without variation.
        df: Degrees of freedom; ``None`` without variation.
        margin: Largest difference, in either direction, that does not matter.
        level: 1 minus the level of the tests.
    """
    if std_error == 0.0 or df is None:
        inside = margin - abs(difference)
        p_value = 0.0 if inside > 0 else 1.0 if inside < 0 else 0.5
    else:
        above = t_probability(-(difference + margin) / std_error, df)
        below = t_probability((difference - margin) / std_error, df)
        p_value = max(above, below)
    return Equivalence(p_value, p_value < 1.0 - level)
