"""Compares systems with the baseline: differences with intervals, and the underlying tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.reports.cells import counted
from trajmeter.reports.charts import Interval, IntervalChart, IntervalGroup
from trajmeter.reports.differences import comparison_sections
from trajmeter.reports.estimates import level_name
from trajmeter.reports.page.document import Fold, Part, PartTable
from trajmeter.reports.results.difference_tables import (
    figure_name,
    losses,
    pair_table,
    ranked_pairs,
    systems_table,
    tasks_of_systems,
)
from trajmeter.reports.results.findings import LISTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.reports.results.findings import Findings
    from trajmeter.summaries.comparing import ComparedScores, SystemPair
    from trajmeter.summaries.differences import Difference

__all__ = ["comparison_part"]

_FIGURES = 10
"""Number of figures in a chart of differences."""
_CHARTS = 4
"""Number of figures with a chart if there are many systems."""
_OPEN = 3
"""Number of figures with an open table if there are many systems; the others are folded."""


def comparison_part(findings: Findings) -> Part | None:
    """Differences of all pairs; ``None`` without any."""
    if findings.compared is None:
        return None
    pairs = findings.compared.pairs
    if all(each.difference is None for pair in pairs for each in pair.figures):
        return None
    is_one = len(pairs) == 1
    tables, folds = _of_pair(pairs[0], findings) if is_one else _of_pairs(pairs, findings)
    charts = tuple(_charts(findings))
    title = f"{pairs[0].b} against {pairs[0].a}" if is_one else f"Against {pairs[0].a}"
    if findings.compared.options.pairs == "all" and not is_one:
        title = "All pairs"
    return Part(
        "differences",
        title,
        lines=("Differences at the tasks that both systems have, paired task by task.",),
        charts=charts,
        tables=tables,
        folds=(*folds, *_everything(findings.compared)),
        notes=tuple(_notes(pairs, charts)),
    )


def _of_pair(
    pair: SystemPair, findings: Findings
) -> tuple[tuple[PartTable, ...], tuple[Fold, ...]]:
    return (PartTable(pair_table(pair, findings, "")),), tuple(losses(pair, findings))


def _of_pairs(
    pairs: Sequence[SystemPair], findings: Findings
) -> tuple[tuple[PartTable, ...], tuple[Fold, ...]]:
    """One table of all pairs per main figure, and the tasks behind the differences."""
    held = [systems_table(pairs, findings, figure) for figure in findings.principal]
    tables = [PartTable(table) for table in held if table is not None]
    folds = [Fold(each.table.title, (each,)) for each in tables[_OPEN:]]
    return tuple(tables[:_OPEN]), (*folds, *tasks_of_systems(pairs, findings))


def _everything(compared: ComparedScores) -> Iterator[Fold]:
    """All figures of all pairs, in one folded block."""
    sections = comparison_sections(compared)
    is_one = len(sections) == 1
    tables, lines = [], []
    for section in sections:
        if section.table is not None:
            title = "" if is_one else section.title
            tables.append(PartTable(section.table._replace(title=title)))
            lines += [line for line in section.lines if line not in lines]
    if tables:
        title = f"{sections[0].title}: all figures" if is_one else "All figures, pair by pair"
        yield Fold(title, tuple(tables), tuple(lines))


def _notes(pairs: Sequence[SystemPair], charts: Sequence[IntervalChart]) -> Iterator[str]:
    if len(pairs) == 1:
        yield (
            "p (Holm) is adjusted over the main figure of each family. Other figures are listed "
            "only where they differ clearly even when adjusted over all figures."
        )
    else:
        yield (
            "p (Holm) is adjusted over the main figures of all pairs. Systems may be compared on "
            "different tasks, so the baseline's mean may differ from row to row."
        )
    if any("few_tasks" in each.notes for pair in pairs for each in pair.figures):
        yield "Fewer than 10 tasks: treat the intervals as rough."
    if any(map(_is_cut, charts)):
        yield (
            "Arrows: the interval extends beyond any possible difference, so there are too few "
            "tasks for a conclusion; the tables show its limits."
        )


def _is_cut(chart: IntervalChart) -> bool:
    least, greatest = chart.least, chart.greatest
    return any(
        (least is not None and each.low is not None and each.low < least)
        or (greatest is not None and each.high is not None and each.high > greatest)
        for group in chart.groups
        for each in group.intervals
    )


def _charts(findings: Findings) -> Iterator[IntervalChart]:
    """Differences of figures with the same range, which can share an axis."""
    compared = findings.compared
    if compared is None:
        return
    lead = {name: place for place, name in enumerate(findings.principal)}
    pairs = compared.pairs[:LISTED]
    ranges: dict[tuple[float, float], list[str]] = {}
    for each in sorted(pairs[0].figures, key=lambda each: lead.get(each.figure, len(lead))):
        if each.difference is None:
            continue  # perhaps of a figure that no attempt has
        low, high = _range(findings, each.figure)
        if low is not None and high is not None:
            ranges.setdefault((low, high), []).append(each.figure)
    for (low, high), names in ranges.items():
        if len(pairs) == 1:
            yield _of_figures(findings, pairs[0], names[:_FIGURES], (low, high))
        else:
            own = [name for name in names if name in lead] or names[:1]
            yield from (_of_systems(findings, pairs, name, high - low) for name in own[:_CHARTS])


def _range(findings: Findings, name: str) -> tuple[float | None, float | None]:
    each = next(e for s in findings.systems if (e := s.estimate(name)) is not None)
    return each.range_low, each.range_high


def _of_figures(
    findings: Findings, pair: SystemPair, names: Sequence[str], ends: tuple[float, float]
) -> IntervalChart:
    """The figures of one pair on one axis."""
    low, high = ends
    by_name = {each.figure: each for each in pair.figures}
    intervals = tuple(_interval(figure_name(by_name[name]), by_name[name]) for name in names)
    return _chart(
        f"{pair.b} minus {pair.a}: figures from {low:g} to {high:g}",
        intervals,
        findings,
        high - low,
    )


def _of_systems(
    findings: Findings, pairs: Sequence[SystemPair], name: str, width: float
) -> IntervalChart:
    """One figure of many pairs."""
    systems = {system.label: system for system in findings.systems}
    held = ranked_pairs(pairs, name)
    is_one = len({pair.a for pair in pairs}) == 1
    intervals = tuple(
        _interval(
            pair.b if is_one else f"{pair.b} minus {pair.a}", each, findings.colour(systems[pair.b])
        )
        for pair, each in held
    )
    about = f"difference from {pairs[0].a}" if is_one else "differences"
    return _chart(f"{figure_name(held[0][1])}: {about}", intervals, findings, width)


def _chart(
    title: str, intervals: tuple[Interval, ...], findings: Findings, width: float
) -> IntervalChart:
    return IntervalChart(
        title=title,
        groups=(IntervalGroup("", intervals),),
        axis=f"difference, {level_name(findings.estimates.options.level)}",
        reference=0.0,
        least=-width,
        greatest=width,
    )


def _interval(label: str, difference: Difference, series: int = 1) -> Interval:
    remark = (
        counted(difference.n_tasks, "task")
        if difference.difference is not None
        else "no task in common"
    )
    return Interval(
        label, difference.difference, difference.low, difference.high, remark, series=series
    )
