"""Quantiles and probabilities of Student's t and the normal distribution."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ExtraMissingError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["has_t", "normal_quantile", "t_probability", "t_quantile"]

_NORMAL = NormalDist()


def normal_quantile(probability: float) -> float:
    """The value that a standard normal variable stays below with this probability."""
    return _NORMAL.inv_cdf(probability)


def t_quantile(probability: float, df: float) -> float:
    """The value that a t variable stays below with this probability.

    Raises:
        ExtraMissingError: scipy is not installed.
    """
    from_probability, _ = _t()
    return float(from_probability(df, probability))


def t_probability(value: float, df: float) -> float:
    """Probability that a t variable stays below this value.

    Raises:
        ExtraMissingError: scipy is not installed.
    """
    _, probability_of = _t()
    return float(probability_of(df, value))


def has_t() -> bool:
    """Whether t can be computed: whether scipy is installed."""
    try:
        _t()
    except ExtraMissingError:
        return False
    return True


def _t() -> tuple[Callable[..., Any], Callable[..., Any]]:
    try:
        from scipy.special import stdtr, stdtrit
    except ImportError as error:
        raise ExtraMissingError(
            "Student's t needs scipy: pip install 'trajmeter[stats]', or choose --interval "
            "bootstrap (interval='bootstrap' in Python), which needs nothing"
        ) from error
    return stdtrit, stdtr
