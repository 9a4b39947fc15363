"""Systems against the baseline: differences with their intervals, and the tasks they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.metrics.figures import short_name
from trajmeter.reports.cells import NOTHING, Cell, amount
from trajmeter.reports.charts import Interval, IntervalChart, IntervalGroup
from trajmeter.reports.differences import comparison_sections, p_text, signed, tasks_table
from trajmeter.reports.estimates import level_name
from trajmeter.reports.page.document import Fold, Part, PartTable
from trajmeter.reports.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.reports.results.findings import Findings
    from trajmeter.summaries.comparing import SystemPair
    from trajmeter.summaries.differences import Difference

__all__ = ["comparison_part"]

_FIGURES = 10
"""Figures of a chart of differences."""
_OPEN = 3
"""Pairs whose tables are open; the other pairs' tables are folded."""
_ROWS = 12
"""Figures of an open table."""
_TASKS = 20
"""Tasks that a fold lists."""


def comparison_part(found: Findings) -> Part | None:
    """Differences of all pairs; ``None`` without any."""
    if found.compared is None:
        return None
    pairs = found.compared.pairs
    if all(each.difference is None for pair in pairs for each in pair.figures):
        return None
    tables: list[PartTable] = []
    folds: list[Fold] = []
    notes: list[str] = []
    for pair, section in zip(pairs, comparison_sections(found.compared), strict=True):
        title = "" if len(pairs) == 1 else section.title
        own = PartTable(_table(pair, found, title))
        if len(tables) < _OPEN:
            tables.append(own)
        folds += _losses(pair, found)
        if section.table is not None:
            everything = (PartTable(section.table),)
            folds.append(Fold(f"{section.title}: all figures", everything, section.lines))
        notes += [line for line in _notes(pair) if line not in notes]
    title = f"{pairs[0].b} against {pairs[0].a}" if len(pairs) == 1 else f"Against {pairs[0].a}"
    if found.compared.options.pairs == "all" and len(pairs) > 1:
        title = "Each against each"
    return Part(
        "differences",
        title,
        lines=("Differences at the tasks that both systems have, paired task by task.",),
        charts=tuple(_charts(found)),
        tables=tuple(tables),
        folds=tuple(folds),
        notes=tuple(notes),
    )


def _table(pair: SystemPair, found: Findings, title: str) -> Table:
    """The figures that stand for the families, and those that differ clearly."""
    held = [each for each in pair.figures if each.difference is not None]
    clear = [each for each in held if each.p_holm is not None and each.p_holm <= 1 - each.level]
    adjusted = found.adjusted
    lead = [each for name in found.principal for each in held if each.figure == name]
    chosen = [*lead, *(each for each in clear if each not in lead)][:_ROWS]
    rows = tuple(
        (
            _figure(each),
            Cell(amount(each.mean_a), each.mean_a),
            Cell(amount(each.mean_b), each.mean_b),
            Cell(signed(each.difference), each.difference),
            _limits(each),
            Cell(p_text(each.p_value), each.p_value),
            _adjusted(adjusted.get((pair.a, pair.b, each.figure))),
            f"{each.n_better}/{each.n_worse}/{each.n_equal}",
            f"{each.n_tasks:,}",
        )
        for each in chosen
    )
    level = level_name(found.estimates.options.level)
    names = (pair.a, pair.b)
    measures = ("difference", level, "p", "p (Holm)", "better/worse/equal", "tasks")
    return Table(title, ("figure", *names, *measures), rows)


def _adjusted(value: float | None) -> Cell:
    return Cell(p_text(value), value)


def _limits(each: Difference) -> str:
    return NOTHING if each.low is None else f"{signed(each.low)}…{signed(each.high)}"


def _notes(pair: SystemPair) -> Iterator[str]:
    yield (
        "p (Holm) is adjusted over the main figure of each family. Other figures are listed only "
        "where they differ clearly even when adjusted over all figures."
    )
    if any("few_tasks" in each.notes for each in pair.figures):
        yield "Fewer than 10 tasks: treat the intervals as rough."


def _losses(pair: SystemPair, found: Findings) -> Iterator[Fold]:
    """The tasks at which the second system loses most."""
    for name in found.principal[:1]:
        tasks = pair.tasks.get(name, ())
        if len(tasks) > 1:
            table = tasks_table(pair, tasks[:_TASKS])
            shown = f"the first {_TASKS} of {len(tasks):,} tasks" if len(tasks) > _TASKS else ""
            title = f"{short_name(name)}, task by task: {pair.b} against {pair.a}, worst first"
            yield Fold(title, (PartTable(table),), (shown,) if shown else ())


def _charts(found: Findings) -> Iterator[IntervalChart]:
    """Differences of figures that have one range, and so can share an axis."""
    compared = found.compared
    if compared is None:
        return
    lead = {name: place for place, name in enumerate(found.principal)}
    charted = {system.label for system in found.charted}
    pairs = [pair for pair in compared.pairs if {pair.a, pair.b} <= charted]
    if not pairs:
        return
    ranges: dict[tuple[float, float], list[str]] = {}
    for each in sorted(pairs[0].figures, key=lambda each: lead.get(each.figure, len(lead))):
        low, high = _range(found, each.figure)
        if low is not None and high is not None and each.difference is not None:
            ranges.setdefault((low, high), []).append(each.figure)
    for (low, high), names in ranges.items():
        yield _chart(found, pairs, names[:_FIGURES], f"figures from {low:g} to {high:g}")


def _range(found: Findings, name: str) -> tuple[float | None, float | None]:
    each = next(e for s in found.systems if (e := s.estimate(name)) is not None)
    return each.range_low, each.range_high


def _chart(
    found: Findings, pairs: Sequence[SystemPair], names: Sequence[str], about: str
) -> IntervalChart:
    systems = {system.label: system for system in found.systems}
    a = pairs[0].a
    is_one = len(pairs) == 1
    groups = []
    if is_one:
        own = {each.figure: each for each in pairs[0].figures}
        intervals = (_interval(_figure(own[name]), own[name]) for name in names)
        groups.append(IntervalGroup("", tuple(intervals)))
    for name in names if not is_one else ():
        held = [(p, each) for p in pairs for each in p.figures if each.figure == name]
        intervals = (
            _interval(
                pair.b if pair.a == pairs[0].a else f"{pair.b} minus {pair.a}",
                each,
                systems[pair.b].number,
            )
            for pair, each in held
        )
        groups.append(IntervalGroup(_figure(held[0][1]), tuple(intervals)))
    b = pairs[0].b if is_one else "others"
    return IntervalChart(
        title=f"{b} minus {a}: {about}",
        groups=tuple(groups),
        axis=f"difference, {level_name(found.estimates.options.level)}",
        reference=0.0,
    )


def _interval(label: str, each: Difference, series: int = 1) -> Interval:
    remark = f"{each.n_tasks} tasks" if each.difference is not None else "no task in common"
    return Interval(label, each.difference, each.low, each.high, remark, series=series)


def _figure(each: Difference) -> str:
    lower = " (lower is better)" if each.higher_is_better is False else ""
    return f"{short_name(each.figure)}{lower}"
