"""Overview of several systems: one row each, the best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.metrics.figure_names import short_name
from trajmeter.reports.cells import Cell
from trajmeter.reports.charts import IntervalChart, IntervalGroup
from trajmeter.reports.estimates import level_name
from trajmeter.reports.page.document import Part, PartTable
from trajmeter.reports.results.developments import COSTS
from trajmeter.reports.results.families import heading, interval
from trajmeter.reports.results.findings import FEW, LISTED
from trajmeter.reports.results.words import estimate_cell
from trajmeter.reports.tables import Table

if TYPE_CHECKING:
    from trajmeter.reports.results.findings import Findings

__all__ = ["ranking_part"]

_FIGURES = 7
"""Maximum number of figures with columns in the table."""


def ranking_part(findings: Findings) -> Part | None:
    """The main figure of each family, and the cost, of every system; ``None`` for few systems."""
    if len(findings.systems) <= FEW or not findings.principal:
        return None
    lead = findings.principal[0]
    cost = [name for name in COSTS if name in findings.measured and name not in findings.principal]
    names = [*findings.principal[: _FIGURES - len(cost[:1])], *cost[:1]]
    ranked = findings.ranked(lead)
    systems = [*ranked, *(system for system in findings.systems if system not in ranked)][:LISTED]
    rows = tuple(
        (
            Cell(
                system.label + (" (baseline)" if system.number == 0 and findings.compared else "")
            ),
            *(estimate_cell(system.estimate(name)) for name in names),
        )
        for system in systems
    )
    best = {
        (systems.index(system), place)
        for place, name in enumerate(names, 1)
        for system in findings.best(name, systems)
    }
    header = ("system", *(heading(findings, name) for name in names))
    left = len(findings.systems) - len(systems)
    level = level_name(findings.estimates.options.level)
    first = findings.systems[0].label
    order = f"best {short_name(lead)} first"
    notes = [f"Means with their {level}, and how many attempts were scored if not all; {order}."]
    if left:
        notes.append(f"The best {LISTED} of {len(findings.systems):,} systems.")
    if findings.compared is not None and findings.compared.options.pairs != "all":
        notes.append(
            f"Every system is tested against {first} only; trajmeter compare --pairs all tests "
            "all pairs."
        )
    return Part(
        "systems",
        "Systems",
        charts=(_chart(findings, lead, level),),
        tables=(PartTable(Table("", header, rows), frozenset(best)),),
        notes=tuple(notes),
    )


def _chart(findings: Findings, lead: str, level: str) -> IntervalChart:
    """The first figure of every system, the best at the top."""
    ranked = findings.ranked(lead)[:LISTED]
    each = next(e for s in ranked if (e := s.estimate(lead)) is not None)
    return IntervalChart(
        title=heading(findings, lead),
        groups=(IntervalGroup("", tuple(interval(system, lead, findings) for system in ranked)),),
        axis=f"mean{f' ({each.unit})' if each.unit else ''}, {level}",
        reference=1.0 if each.gmean is not None else None,
        is_ratio=each.gmean is not None,
    )
