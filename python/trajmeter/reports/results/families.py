"""Figures by family: means with intervals, as charts and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trajmeter.metrics.figure_names import short_name
from trajmeter.reports.cells import Cell
from trajmeter.reports.charts import Interval, IntervalChart, IntervalGroup
from trajmeter.reports.estimates import level_name, repeats_section
from trajmeter.reports.page.document import Fold, Part, PartTable
from trajmeter.reports.results.findings import LISTED
from trajmeter.reports.results.words import estimate_cell, scored
from trajmeter.reports.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trajmeter.reports.charts import Chart
    from trajmeter.reports.results.findings import Findings, System
    from trajmeter.summaries.estimates import Estimate

__all__ = ["alike", "family_parts", "heading", "interval", "repeats_part"]

_DRAWN = 8
"""Number of a family's figures that are drawn and open; the others are folded."""
_SYSTEMS = 12
"""Maximum number of systems in a chart, the best ones; rows have names, so colours may recur."""
_ROWS = 24
"""Maximum number of rows in a chart of several figures."""
_CHARTS = 4
"""Number of figures with separate charts, if one chart for all would have more rows."""
_COLUMNS = 6
"""Maximum number of columns, for systems or figures, in a table."""
_LEVELS = {
    "speedup.agent_advantage_level1": "by module",
    "speedup.agent_advantage_level2": "by class",
    "speedup.agent_advantage_level3": "by function",
    "speedup.agent_advantage_level4": "by benchmark",
}


class _Axis(NamedTuple):
    """What figures must have in common to share an axis."""

    low: float | None
    high: float | None
    is_ratio: bool
    unit: str | None
    name: str
    """Name of the figure, if its range is unbounded; otherwise empty."""


def family_parts(findings: Findings) -> Iterator[Part]:
    """One part for each family with any value."""
    for family in dict.fromkeys(name.partition(".")[0] for name in findings.measured):
        names = [name for name in findings.measured if name.partition(".")[0] == family]
        yield _part(findings, family, names)


def repeats_part(findings: Findings) -> Part | None:
    """Success of k attempts at a task; ``None`` if not requested."""
    groups = [system.estimates for system in findings.systems]
    if not any(group.repeats for group in groups):
        return None
    section = repeats_section(
        findings.estimates, groups, [system.label for system in findings.systems]
    )
    charts = tuple(
        IntervalChart(
            title=f"{name} by k",
            groups=tuple(
                IntervalGroup(
                    system.label,
                    tuple(
                        Interval(
                            f"k = {each.k}",
                            getattr(each, field),
                            getattr(each, f"{field}_low"),
                            getattr(each, f"{field}_high"),
                            series=findings.colour(system),
                        )
                        for each in system.estimates.repeats
                    ),
                )
                for system in findings.charted
                if system.estimates.repeats
            ),
            axis=f"{name}, {level_name(findings.estimates.options.level)}",
            low_end=0.0,
            high_end=1.0,
        )
        for name, field in (("pass@k", "pass_at_k"), ("pass^k", "pass_hat_k"))
    )
    tables = (PartTable(section.table),) if section.table is not None else ()
    return Part(
        "repeats",
        section.title[:1].upper() + section.title[1:],
        charts=charts,
        tables=tables,
        notes=section.lines,
    )


def _part(findings: Findings, family: str, names: Sequence[str]) -> Part:
    lead = _lead(findings, names)
    levels = [name for name in names if name in _LEVELS]
    drawn = _drawn(findings, [name for name in names if name not in levels])
    charts: list[Chart] = [*alike(findings, drawn, family)]
    if len(levels) > 1:
        charts.append(_levels(findings, levels))
    rest = [name for name in names if name not in drawn]
    folds = []
    if rest:
        title = f"{len(rest)} more figures of {family}"
        folds.append(Fold(title, (_table(findings, rest),)))
    missing = [
        short_name(name)
        for name in findings.figures
        if name.partition(".")[0] == family and name not in names
    ]
    notes = [f"Nothing scored: {', '.join(missing)}."] if missing else []
    systems = _holding(findings, lead)
    if len(charted := _charted(findings, lead)) < len(systems):
        notes.append(
            f"Charts show {len(charted)} of {len(systems):,} systems: the best by "
            f"{short_name(lead)}, and the first if it has a value."
        )
    if any("few_tasks" in each.notes for s in findings.systems for each in _of(s, names)):
        notes.append("Fewer than 10 tasks: treat the intervals as rough.")
    return Part(
        f"family-{family}",
        family.capitalize(),
        charts=tuple(charts),
        tables=(_table(findings, drawn),),
        folds=tuple(folds),
        notes=tuple(notes),
    )


def _of(system: System, names: Sequence[str]) -> list[Estimate]:
    return [each for each in system.estimates.figures if each.figure in names]


def _lead(findings: Findings, names: Sequence[str]) -> str:
    """The principal figure of a family."""
    return next((name for name in findings.principal if name in names), names[0])


def _drawn(findings: Findings, names: Sequence[str]) -> list[str]:
    """The principal figure of the family, its group's figures, and one of each other group."""
    if len(names) <= _DRAWN:
        return list(names)
    lead = _lead(findings, names)
    group = lead.rpartition(".")[0]
    siblings = [name for name in names if name.rpartition(".")[0] == group]
    firsts = {name.rpartition(".")[0]: name for name in reversed(names)}
    chosen = {*dict.fromkeys([lead, *siblings, *reversed(firsts.values())][:_DRAWN])}
    return [name for name in names if name in chosen]


def alike(findings: Findings, names: Sequence[str], title: str) -> Iterator[IntervalChart]:
    """One chart for all figures with the same range, which can share an axis.

    Figures that only systems outside the charts have are left out.
    """
    if not names:
        return
    ranges: dict[_Axis, list[str]] = {}
    lead = _lead(findings, names)
    systems = _charted(findings, lead)
    for name in names:
        if not any(_has_mean(system, name) for system in systems):
            continue
        each = next(e for s in findings.systems if (e := s.estimate(name)) is not None)
        is_ratio = each.gmean is not None
        is_shared = each.range_low is not None and each.range_high is not None
        alone = "" if is_shared else name
        axis = _Axis(each.range_low, each.range_high, is_ratio=is_ratio, unit=each.unit, name=alone)
        ranges.setdefault(axis, []).append(name)
    level = level_name(findings.estimates.options.level)
    for axis, own in _charts(ranges, len(systems), lead):
        is_one = len(own) == 1
        yield IntervalChart(
            title=heading(findings, own[0]) if is_one else f"{title}: means",
            groups=tuple(
                IntervalGroup(
                    "" if is_one else heading(findings, name),
                    tuple(interval(s, name, findings) for s in systems),
                )
                for name in own
            ),
            axis=f"mean{f' ({axis.unit})' if axis.unit else ''}, {level}",
            reference=1.0 if axis.is_ratio else None,
            is_ratio=axis.is_ratio,
            low_end=None if axis.name else axis.low,
            high_end=None if axis.name else axis.high,
        )


def _has_mean(system: System, name: str) -> bool:
    each = system.estimate(name)
    return each is not None and each.mean is not None


def _charts(
    ranges: Mapping[_Axis, list[str]], systems: int, lead: str
) -> Iterator[tuple[_Axis, list[str]]]:
    """Figures of each chart: those with the same axis, or single ones if there are many systems."""
    for axis, names in ranges.items():
        if len(names) * systems <= _ROWS:
            yield axis, names
            continue
        ordered = sorted(names, key=lambda name: name != lead)
        yield from ((axis, [name]) for name in ordered[:_CHARTS])


def _holding(findings: Findings, name: str) -> tuple[System, ...]:
    """Systems that were scored by the metric of a figure."""
    family = name.partition(".")[0]
    return tuple(
        system
        for system in findings.systems
        if any(each.figure.partition(".")[0] == family for each in system.estimates.figures)
    )


def _charted(findings: Findings, name: str) -> tuple[System, ...]:
    own = _holding(findings, name)
    return _ordered(findings, own if len(own) <= _SYSTEMS else findings.charted_by(name), name)


def _ordered(findings: Findings, systems: Sequence[System], name: str) -> tuple[System, ...]:
    """Systems in order; if there are many, the best by a figure first."""
    if len(systems) <= _COLUMNS:
        return tuple(systems)
    ranked = [system for system in findings.ranked(name) if system in systems]
    return (*ranked, *(system for system in systems if system not in ranked))


def heading(findings: Findings, name: str) -> str:
    """Short name of a figure, marked if lower is better."""
    lower = " (lower is better)" if findings.is_higher_better(name) is False else ""
    return f"{short_name(name)}{lower}"


def interval(system: System, name: str, findings: Findings) -> Interval:
    """A figure of a system, as shown in a chart."""
    each = system.estimate(name)
    if each is None or each.mean is None:
        return Interval(system.label, None, remark="not scored", series=findings.colour(system))
    return Interval(
        system.label,
        each.mean,
        each.low,
        each.high,
        remark=scored(each) if each.n_scored < each.n_total else "",
        is_best=system in findings.best(name, findings.systems),
        series=findings.colour(system),
    )


def _levels(findings: Findings, names: Sequence[str]) -> IntervalChart:
    """Advantage over the reference at each level of grouping benchmarks."""
    charted = _charted(findings, names[0])
    return IntervalChart(
        title="Advantage over the reference per level",
        groups=tuple(
            IntervalGroup(_LEVELS[name], tuple(interval(s, name, findings) for s in charted))
            for name in names
        ),
        axis=f"speedup beyond the reference's, {level_name(findings.estimates.options.level)}",
        reference=0.0,
    )


def _table(findings: Findings, names: Sequence[str]) -> PartTable:
    """Rows of figures, or of systems if there are many; the best of each figure is marked."""
    holding = _ordered(findings, _holding(findings, names[0]), _lead(findings, names))
    systems = holding[:LISTED]
    cells = {(s.number, name): estimate_cell(s.estimate(name)) for s in systems for name in names}
    winners = {(s.number, name) for name in names for s in findings.best(name, systems)}
    if len(systems) <= _COLUMNS:
        header = ("figure", *(system.label for system in systems))
        rows = tuple(
            (Cell(heading(findings, name)), *(cells[s.number, name] for s in systems))
            for name in names
        )
        best = {
            (at, place + 1)
            for at, name in enumerate(names)
            for place, s in enumerate(systems)
            if (s.number, name) in winners
        }
        return PartTable(Table("", header, rows), frozenset(best))
    header = ("system", *(heading(findings, name) for name in names))
    rows = tuple(
        (Cell(system.label), *(cells[system.number, name] for name in names)) for system in systems
    )
    best = {
        (at, place + 1)
        for at, s in enumerate(systems)
        for place, name in enumerate(names)
        if (s.number, name) in winners
    }
    more = len(holding) - len(systems)
    title = f"The best {LISTED} of {len(holding):,} systems" if more else ""
    return PartTable(Table(title, header, rows), frozenset(best))
