"""The cells of a comparison report: each figure as text, and the number that tables sort by."""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "NOT_AVAILABLE",
    "Cell",
    "dollars",
    "extra",
    "hundredths",
    "no_figure",
    "number",
    "percent",
    "seconds",
    "tenths",
    "whole",
]

NOT_AVAILABLE = "n/a"
"""What stands where there is no figure."""
_FAST_SECONDS = 0.1
"""Times below are shown to 10 microseconds."""


class Cell(NamedTuple):
    """One cell: what a reader sees, and the number behind it, which tables sort by."""

    text: str
    """Text as shown."""
    value: float | None = None
    """Number, if the cell shows one."""


def extra(value: object) -> Cell:
    """A scenario profile's figure of any kind."""
    if isinstance(value, bool):
        return Cell("yes" if value else "no", float(value))
    if isinstance(value, (int, float)):
        return Cell(f"{value:.0f}" if float(value).is_integer() else f"{value:.3f}", float(value))
    return no_figure() if value is None else Cell(str(value))


def no_figure() -> Cell:
    """Where there is no figure."""
    return Cell(NOT_AVAILABLE)


def number(value: float | None, decimals: int) -> Cell:
    """A number with so many decimals."""
    return no_figure() if value is None else Cell(f"{value:,.{decimals}f}", value)


def whole(value: float | None) -> Cell:
    """A whole number, its thousands apart."""
    return number(value, 0)


def tenths(value: float | None) -> Cell:
    """A number with one decimal."""
    return number(value, 1)


def hundredths(value: float | None) -> Cell:
    """A number with two decimals."""
    return number(value, 2)


def seconds(value: float | None) -> Cell:
    """A time, in more decimals where two would leave little of it."""
    fast = value is not None and 0.0 < value < _FAST_SECONDS
    return number(value, 5 if fast else 2)


def dollars(value: float | None) -> Cell:
    """US dollars, to a hundredth of a cent."""
    return no_figure() if value is None else Cell(f"${value:,.4f}", value)


def percent(value: float | None) -> Cell:
    """A share of 1, in whole per cent."""
    return no_figure() if value is None else Cell(f"{value:.0%}", value)
