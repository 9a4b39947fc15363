"""Intervals of means whose values come in clusters.

Attempts at one task resemble each other, so they do not count as independent values. Sources:
Miller, Adding Error Bars to Evals, 2024; Korn and Graubard 1998 for the effective sample size.
"""

from __future__ import annotations

from math import exp, log, sqrt
from sys import float_info
from typing import Literal, NamedTuple, TypeAlias

from trajmeter.statistics.distributions import normal_quantile, t_quantile

__all__ = [
    "Interval",
    "Method",
    "Range",
    "clustered_wilson_interval",
    "factor_limits",
    "t_interval",
    "wilson_interval",
    "wilson_without_variation",
]

_GREATEST_LOG = log(float_info.max)

Method: TypeAlias = Literal["t", "wilson", "wilson_clustered", "bootstrap"]
"""How an interval is computed."""


class Range(NamedTuple):
    """The smallest and the largest value that a figure can have."""

    low: float | None = None
    """``None`` if unbounded."""
    high: float | None = None
    """``None`` if unbounded."""

    @property
    def is_finite(self) -> bool:
        """Whether both ends are declared and differ."""
        return self.low is not None and self.high is not None and self.low < self.high

    def cut(self, low: float, high: float) -> tuple[float, float]:
        """Limits clipped to the range."""
        if self.low is not None:
            low = max(low, self.low)
        if self.high is not None:
            high = min(high, self.high)
        return low, high


class Interval(NamedTuple):
    """Limits, and how they were computed."""

    method: Method
    """The method."""
    low: float
    """Lower limit."""
    high: float
    """Upper limit."""


def t_interval(mean: float, std_error: float, df: int, level: float, limits: Range) -> Interval:
    """Mean plus and minus a multiple of its standard error, clipped to the range.

    Args:
        mean: The mean.
        std_error: Its standard error.
        df: Degrees of freedom, one less than there are clusters.
        level: Confidence level of the interval.
        limits: Range of the figure.

    Raises:
        ExtraMissingError: scipy is not installed.
    """
    reach = t_quantile(1.0 - (1.0 - level) / 2.0, df) * std_error
    return Interval("t", *limits.cut(mean - reach, mean + reach))


def wilson_interval(share: float, count: float, level: float) -> Interval:
    """Wilson's score interval for a share of this many independent values."""
    return Interval("wilson", *_wilson(share, count, normal_quantile(1.0 - (1.0 - level) / 2.0)))


def clustered_wilson_interval(
    share: float, std_error: float, count: int, df: int, level: float
) -> Interval:
    """Wilson's interval for the number of independent values that would have this standard error.

    Args:
        share: The share.
        std_error: Its standard error, robust to clusters; above 0.
        count: Number of values, which the effective number does not exceed.
        df: Degrees of freedom, one less than there are clusters.
        level: Confidence level of the interval.

    Raises:
        ExtraMissingError: scipy is not installed.
    """
    effective = min(share * (1.0 - share) / std_error**2, count)
    quantile = t_quantile(1.0 - (1.0 - level) / 2.0, df)
    return Interval("wilson_clustered", *_wilson(share, effective, quantile))


def wilson_without_variation(mean: float, clusters: int, level: float, limits: Range) -> Interval:
    """Wilson's interval of a mean of equal values, as a share of its range.

    Equal values show that others are rare, not that there are none.

    Args:
        mean: The value that all have.
        clusters: Number of clusters, each of which counts once.
        level: Confidence level of the interval.
        limits: Range of the figure, finite.
    """
    low, high = limits
    if low is None or high is None:
        raise ValueError("the range is not finite")
    width = high - low
    share = min(max((mean - low) / width, 0.0), 1.0)
    interval = wilson_interval(share, clusters, level)
    return Interval("wilson", low + width * interval.low, low + width * interval.high)


def factor_limits(low: float, high: float) -> tuple[float, float | None]:
    """Limits of a factor, from those of its logarithm.

    The upper one is ``None`` if it exceeds the range of floats.
    """
    return exp(low), None if high > _GREATEST_LOG else exp(high)


def _wilson(share: float, count: float, quantile: float) -> tuple[float, float]:
    square = quantile * quantile
    centre = share + square / (2.0 * count)
    reach = quantile * sqrt(share * (1.0 - share) / count + square / (4.0 * count * count))
    whole = 1.0 + square / count
    # At a share of 0 or 1 the limit is that share, up to rounding.
    low = 0.0 if share == 0.0 else max((centre - reach) / whole, 0.0)
    high = 1.0 if share == 1.0 else min((centre + reach) / whole, 1.0)
    return low, high
