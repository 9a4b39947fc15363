"""Cells of reports: text that is safe to show, and human-readable numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "NOTHING",
    "NOT_AVAILABLE",
    "Cell",
    "amount",
    "any_figure",
    "counted",
    "dollars",
    "hundredths",
    "mean",
    "number",
    "percent",
    "seconds",
    "tenths",
    "visible",
    "whole",
]

_LARGE = 1000
_SMALL = 0.0005
_ROUNDING = 1e-12
"""Below this, a number is 0 but for rounding."""
_FAST_SECONDS = 0.1
"""Times below this are shown to 10 microseconds."""


class Cell(str):
    """Text of a cell, with the number it shows."""

    __slots__ = ("value",)

    value: float | None
    """The number, for sorting; ``None`` for text."""

    def __new__(cls, text: str, value: float | None = None) -> Self:
        """Create a cell from text and number."""
        cell = super().__new__(cls, text)
        cell.value = value
        return cell


NOTHING = "-"
"""Represents a missing value, which is not zero, in a score report."""
NOT_AVAILABLE = Cell("n/a")
"""Represents a missing value in a comparison."""


def counted(number: int, noun: str) -> str:
    """A number with its noun in singular or plural.

    Example:
        >>> counted(1, "task"), counted(2400, "task")
        ('1 task', '2,400 tasks')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def visible(text: str) -> str:
    r"""Escape characters that are invisible or would move the cursor; the result is one line.

    Example:
        >>> print(visible("a\x1b[31mb\n"))
        a\x1b[31mb\n
    """
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def amount(value: float | None) -> str:
    """A number with three decimals, none if it is whole, or one if it is large.

    What only rounding makes different from 0 is shown as 0.

    Example:
        >>> [amount(value) for value in (0.51249, 2, 12345.67, 0.0001, -2e-16, None)]
        ['0.512', '2', '12,345.7', '1.0e-04', '0.000', '-']
    """
    if value is None:
        return NOTHING
    if isinstance(value, int):
        return f"{value:,}"
    if abs(value) >= _LARGE:
        return f"{value:,.1f}"
    if abs(value) < _ROUNDING:
        return f"{0:.3f}"
    if abs(value) < _SMALL:
        return f"{value:.1e}"
    return f"{value:.3f}"


def counts(*numbers: int) -> str:
    """Counts beside each other, such as those of a part and of the whole.

    Example:
        >>> counts(24282, 25000), counts(3, 2, 1)
        ('24,282/25,000', '3/2/1')
    """
    return "/".join(f"{number:,}" for number in numbers)


def mean(value: float | None, scored: int, total: int) -> str:
    """A mean, with the number of attempts it covers.

    Example:
        >>> mean(0.5, 2, 3)
        '0.500 (2/3)'
    """
    return f"{amount(value)} ({counts(scored, total)})"


def any_figure(value: object) -> Cell:
    """A figure of any type."""
    if isinstance(value, bool):
        return Cell("yes" if value else "no", float(value))
    if isinstance(value, (int, float)):
        return Cell(f"{value:.0f}" if float(value).is_integer() else f"{value:.3f}", float(value))
    return NOT_AVAILABLE if value is None else Cell(str(value))


def number(value: float | None, decimals: int) -> Cell:
    """A number with the given number of decimals."""
    return NOT_AVAILABLE if value is None else Cell(f"{value:,.{decimals}f}", value)


def whole(value: float | None) -> Cell:
    """A whole number, with thousands separators."""
    return number(value, 0)


def tenths(value: float | None) -> Cell:
    """A number with one decimal."""
    return number(value, 1)


def hundredths(value: float | None) -> Cell:
    """A number with two decimals."""
    return number(value, 2)


def seconds(value: float | None) -> Cell:
    """A time, with more decimals if it is short."""
    fast = value is not None and 0.0 < value < _FAST_SECONDS
    return number(value, 5 if fast else 2)


def dollars(value: float | None) -> Cell:
    """US dollars, to a hundredth of a cent."""
    return NOT_AVAILABLE if value is None else Cell(f"${value:,.4f}", value)


def percent(value: float | None) -> Cell:
    """A share, 0 to 1, as a whole percentage."""
    return NOT_AVAILABLE if value is None else Cell(f"{value:.0%}", value)
