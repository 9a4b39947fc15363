"""Options of reading results tables and of estimates, checked before any input is read."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass, field
from math import isnan, nan
from typing import TYPE_CHECKING, NamedTuple, get_args

from trajmeter.errors import ConfigurationError, InputError
from trajmeter.statistics.draws import check_draws
from trajmeter.summaries.estimates import IntervalChoice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trajmeter.kernels import BoolArray, Float64Array
    from trajmeter.summaries.estimates import IntervalOptions
    from trajmeter.summaries.figure_sums import Success

__all__ = [
    "Reading",
    "SuccessCondition",
    "check_interval_options",
    "group_columns",
    "read_success",
]

_CONDITION = re.compile(r"\s*(?P<figure>[^<>=\s]+)\s*(?:(?P<sign>>=|<=|>|<)\s*(?P<number>\S+))?\s*")
_SIGNS: dict[str, Callable[[Float64Array, float], BoolArray]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}


class SuccessCondition(NamedTuple):
    """When an attempt is a success."""

    figure: str
    """Name or pattern of the figure that defines it."""
    holds: Success
    """Which values of the figure are a success."""
    needs_boolean: bool
    """Whether the figure must be a boolean, as it is not compared with a number."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How tables are read."""

    figures: Sequence[str] | None = None
    """Names and patterns of the figures; ``None`` for all with a direction."""
    by: tuple[str, ...] = ("agent", "model")
    """Columns of the groups."""
    cluster: str = "task_id"
    """Column of the clusters."""
    ranges: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    """Ranges of figures that declare none."""
    better: Mapping[str, str] = field(default_factory=dict)
    """``"higher"`` or ``"lower"``, for figures that declare no direction."""
    duplicates: str | None = None
    """Which duplicate counts, ``"first"`` or ``"last"``; ``None`` to reject duplicates."""
    mixed_settings: bool = False
    """Whether a metric may have several versions or settings."""
    extra_figures: tuple[str, ...] = ()
    """Names of additional figures to read."""
    success: SuccessCondition | None = None
    """When an attempt is a success, for estimates of repeated attempts."""
    uses_t: bool = False
    """Whether estimates need Student's t; as scipy is slow to import, large tables are read
    meanwhile."""


def check_interval_options(options: IntervalOptions) -> None:
    """Reject options from which no interval can be computed.

    Raises:
        ConfigurationError: One of them is wrong; the message names it.
    """
    if options.interval not in get_args(IntervalChoice):
        known = ", ".join(get_args(IntervalChoice))
        raise ConfigurationError(f"interval is {options.interval!r}, expected one of {known}")
    if not 0.0 < options.level < 1.0:
        raise ConfigurationError(f"level is {options.level}, expected a number between 0 and 1")
    try:
        check_draws(options.seed, options.resamples)
    except InputError as error:
        raise ConfigurationError(str(error)) from error


def group_columns(by: Sequence[str] | str) -> tuple[str, ...]:
    """Columns of groups, from a list, text with commas, or ``none``.

    Example:
        >>> group_columns("agent, model"), group_columns("none")
        (('agent', 'model'), ())
    """
    names = by.split(",") if isinstance(by, str) else list(by)
    names = [name.strip() for name in names]
    if names == ["none"]:
        return ()
    if not all(names) or len(set(names)) < len(names):
        raise ConfigurationError(f"by is {by!r}, expected columns, each once, or none")
    return tuple(names)


def read_success(condition: str) -> SuccessCondition:
    """Parse the definition of a success: a boolean figure, or a figure compared with a number.

    Args:
        condition: Such as ``turns.run.passed`` or ``speedup.task_speedup>=1.2``.

    Raises:
        ConfigurationError: It is neither.
    """
    found = _CONDITION.fullmatch(condition)
    if found is None:
        raise ConfigurationError(f"success is {condition!r}, expected FIGURE or 'FIGURE>=0.8'")
    sign, number = found["sign"], found["number"]
    if sign is None:
        return SuccessCondition(found["figure"], lambda values: values > 0.0, needs_boolean=True)
    try:
        threshold = float(number)
    except ValueError:
        threshold = nan
    if isnan(threshold):
        raise ConfigurationError(f"success is {condition!r}, expected a number after {sign}")
    compare = _SIGNS[sign]
    return SuccessCondition(
        found["figure"], lambda values: compare(values, threshold), needs_boolean=False
    )
