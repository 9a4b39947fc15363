"""Cells of a report: numbers as people read them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from trajmeter.reports.plain_text import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajmeter.summaries.summary import AttemptsSummary, FigureSummary

__all__ = ["NOTHING", "amount", "labels", "mean", "scored_of_total"]

NOTHING = "-"
"""What stands where there is no value, which is not zero."""

_LARGE = 1000
_SMALL = 0.0005


def amount(value: float | None) -> str:
    """A number with three decimals; none where it is whole, one where it is large.

    Example:
        >>> [amount(value) for value in (0.51249, 2, 12345.67, 0.0001, None)]
        ['0.512', '2', '12,345.7', '1.0e-04', '-']
    """
    if value is None:
        return NOTHING
    if isinstance(value, int):
        return f"{value:,}"
    if abs(value) >= _LARGE:
        return f"{value:,.1f}"
    if 0 < abs(value) < _SMALL:
        return f"{value:.1e}"
    return f"{value:.3f}"


def mean(value: float | None, scored: int, total: int) -> str:
    """A mean with how many of how many it is made of.

    Example:
        >>> mean(0.5, 2, 3)
        '0.500 (2/3)'
    """
    return f"{amount(value)} ({scored}/{total})"


def scored_of_total(figure: FigureSummary) -> str:
    """How many of how many attempts are in the mean."""
    return f"{figure.scored}/{figure.total}"


def labels(groups: Sequence[AttemptsSummary]) -> list[str]:
    """Names of sets of attempts: agent and model, or the file, as short as tells them apart."""
    files = {group.source for group in groups if group.source is not None}
    shortenings: tuple[Callable[[str], str], ...] = (_stem, _name, str)
    shorten = next(
        short for short in shortenings if len({short(file) for file in files}) == len(files)
    )
    return [_label(group, shorten) for group in groups]


def _label(group: AttemptsSummary, shorten: Callable[[str], str]) -> str:
    names = (group.agent, group.model, group.instance)
    named = [name for name in names if name is not None]
    if named:
        return visible(" / ".join(named))
    return "unnamed" if group.source is None else visible(shorten(group.source))


def _stem(file: str) -> str:
    return Path(file).stem


def _name(file: str) -> str:
    return Path(file).name
