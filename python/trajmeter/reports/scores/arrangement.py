"""Layout of one family's figures: similar groups in a grid, the rest in a list."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trajmeter.summaries.summary import FigureSummary

__all__ = ["Arrangement", "arrange"]


class Arrangement(NamedTuple):
    """The figures of one family that a report shows, and their positions."""

    grid: dict[str, dict[str, str]]
    """Figures by row label and column heading; empty without a grid."""
    listed: tuple[str, ...]
    """Figures shown as a list."""
    headlines: dict[str, str]
    """The listed figures that compare agents, by heading."""

    @property
    def shown(self) -> tuple[str, ...]:
        """All figures that are shown."""
        return (*(name for row in self.grid.values() for name in row.values()), *self.listed)


# Maximum number of figures beside a grid that compare agents; the result file has all.
_HEADLINES = 6


def arrange(
    figures: Mapping[str, FigureSummary], metric: str, *, as_list: bool = False
) -> Arrangement:
    """Arrange the figures of one metric.

    Groups whose every figure with a direction also occurs in another group, such as coverage at
    several granularities, form the grid, in one row if their paths have the same end. Counts that
    only serve to compute a ratio are not shown.

    Args:
        figures: Figures of all metrics, by name.
        metric: Name of the metric.
        as_list: List everything, for a grid that is too wide.
    """
    prefix = f"{metric}."
    own = {name: figure for name, figure in figures.items() if name.startswith(prefix)}
    counts = {name for figure in own.values() for name in (*figure.numerator, *figure.denominator)}
    shown = [name for name, figure in own.items() if _is_directed(figure) or name not in counts]
    grid = {} if as_list else _grid([name for name in shown if _is_directed(own[name])], prefix)
    groups = {_group(name) for row in grid.values() for name in row.values()}
    listed = tuple(name for name in shown if _group(name) not in groups)
    scored = [name for name in listed if own[name].scored]
    telling = [name for name in scored if _is_directed(own[name])]
    if not telling and not grid:
        telling = scored
    compared = telling if as_list else telling[:_HEADLINES]
    headlines = {name.removeprefix(prefix): name for name in compared}
    return Arrangement(grid, listed, headlines)


def _grid(names: list[str], prefix: str) -> dict[str, dict[str, str]]:
    groups: dict[str, dict[str, str]] = {}
    for name in names:
        groups.setdefault(_group(name), {})[_key(name)] = name
    occurrences = Counter(_key(name) for name in names)
    alike = {
        group: keys for group, keys in groups.items() if all(occurrences[key] > 1 for key in keys)
    }
    rows: dict[str, dict[str, str]] = {}
    for group, keys in alike.items():
        row = rows.setdefault(_key(group), {})
        if row.keys() & keys.keys():  # groups of the same name need their full paths
            return {group.removeprefix(prefix): keys for group, keys in alike.items()}
        row.update(keys)
    return rows if len(rows) > 1 else {}


def _is_directed(figure: FigureSummary) -> bool:
    return figure.higher_is_better is not None


def _group(name: str) -> str:
    return name.rpartition(".")[0]


def _key(name: str) -> str:
    return name.rpartition(".")[2]
