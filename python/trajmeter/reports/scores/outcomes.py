"""Outcomes of every figure: how many values are in the means, and why others are not."""

from __future__ import annotations

import re
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trajmeter.summaries.summary import FigureSummary, Summary

__all__ = ["family_rows", "outcome_rows"]

_SHORTEST_RUN = 3
_NUMBERED = re.compile(r"(.*\D)(\d+)")
_ORDER = ("not scored", "abstained", "assigned")


def family_rows(summary: Summary) -> tuple[tuple[str, ...], ...]:
    """Rows with a family, its number of figures with a direction, and their outcomes.

    A value is measured, set by a rule, abstained or not scored; these four add up.
    """
    rows = []
    for metric in summary.metrics:
        figures = [
            figure
            for column, figure in summary.overall.figures.items()
            if column.startswith(f"{metric.name}.") and figure.higher_is_better is not None
        ]
        assigned = sum(sum(figure.assigned.values()) for figure in figures)
        counts = (
            len(figures),
            sum(figure.total for figure in figures),
            sum(figure.scored for figure in figures) - assigned,
            assigned,
            sum(figure.abstained for figure in figures),
            sum(sum(figure.not_scored.values()) for figure in figures),
        )
        rows.append((metric.name, *(f"{count:,}" for count in counts)))
    return tuple(rows)


def outcome_rows(figures: Mapping[str, FigureSummary]) -> tuple[tuple[str, str, str, str], ...]:
    """Rows of outcome, cause, attempts and affected figures, the most attempts first.

    Args:
        figures: Figures of one metric, by their names within it.
    """
    concerned: dict[tuple[str, str, int], list[str]] = {}
    for name, figure in figures.items():
        for key in _counted(figure):
            concerned.setdefault(key, []).append(name)
    ranked = sorted(concerned.items(), key=lambda item: (_ORDER.index(item[0][0]), -item[0][2]))
    return tuple(
        (outcome, cause, f"{attempts:,}", ", ".join(_runs(_places(names, list(figures)))))
        for (outcome, cause, attempts), names in ranked
    )


def _counted(figure: FigureSummary) -> Iterator[tuple[str, str, int]]:
    for cause, attempts in figure.not_scored.items():
        yield "not scored", cause, attempts
    if figure.abstained:
        yield "abstained", "", figure.abstained
    for cause, attempts in figure.assigned.items():
        yield "assigned", cause, attempts


def _places(chosen: Sequence[str], shown: Sequence[str], prefix: str = "") -> list[str]:
    """Names of figures; if all figures of a group are chosen, the name of the group instead."""
    below = [name for name in shown if name.startswith(prefix)]
    if set(below) <= set(chosen):
        return [prefix.rstrip(".") or "all figures"]
    places = []
    for segment in dict.fromkeys(name.removeprefix(prefix).partition(".")[0] for name in below):
        name = prefix + segment
        if name in chosen:
            places.append(name)
        if any(other.startswith(f"{name}.") and other in chosen for other in below):
            places += _places(chosen, shown, f"{name}.")
    if prefix and len(places) > 1:
        return [f"{prefix}({', '.join(place.removeprefix(prefix) for place in places)})"]
    return places


def _runs(names: Sequence[str]) -> Iterator[str]:
    """Names, with three or more consecutive numbers joined: ``level1…4``.

    Example:
        >>> list(_runs(["rank", "top1", "top2", "top3", "top5"]))
        ['rank', 'top1…3', 'top5']
    """
    # Consecutive numbers keep their distance to their position in the list.
    places = enumerate(_NUMBERED.fullmatch(name) for name in names)
    keys = [(found[1], int(found[2]) - place) if found else place for place, found in places]
    for _, members in groupby(zip(keys, names, strict=True), key=itemgetter(0)):
        run = [name for _, name in members]
        if len(run) >= _SHORTEST_RUN:
            last = _NUMBERED.sub(r"\2", run[-1])
            yield f"{run[0]}…{last}"
        else:
            yield from run
