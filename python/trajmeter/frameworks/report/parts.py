"""Parts of a comparison's page: charts, tables with their best values, and what failed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from trajmeter.frameworks.report.charts import comparison_charts
from trajmeter.frameworks.report.tables import comparison_tables, labels
from trajmeter.frameworks.results import SCORES
from trajmeter.reports.cells import Cell
from trajmeter.reports.charts import ScatterChart, Stack, StackChart
from trajmeter.reports.page.document import Fold, Part, PartTable
from trajmeter.reports.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.frameworks.comparison import Comparison
    from trajmeter.reports.charts import Chart
    from trajmeter.summaries.table_estimates import Estimates

__all__ = ["comparison_parts"]

_LOWER = ("latency", "tokens", "cost", "complexity", "halstead", "timed out", "failed")
_HIGHER = (
    *SCORES,
    "precision",
    "recall",
    "capability",
    "efficiency",
    "experience",
    "coverage",
    "success",
    "maintainability index",
    "annotation",
    "answered",
    "average",
)
_OF_RUNS = ("total tokens", "est. cost", "questions ")
"""Sums, which do not show what is better if results have different numbers of runs."""
_SPREAD = " stddev"
"""Suffix of the names of deviations, for which neither direction is better."""
_INTERNAL = " Avg"
"""End of the names of a profile's internals."""


def comparison_parts(comparison: Comparison, estimates: Estimates | None) -> Iterator[Part]:
    """Every part that has something to show.

    Args:
        comparison: The comparison.
        estimates: Judge scores with intervals over questions; ``None`` if unknown.
    """
    tables = {table.title: table for table in comparison_tables(comparison)}
    drawn = comparison_charts(comparison, estimates)
    for name, title, headings in _PARTS:
        charts = tuple(chart for chart in drawn if chart.title in headings)
        held = tuple(tables.pop(each) for each in headings if each in tables)
        if charts or held:
            shown = tuple(marked(_untitled(each), comparison) for each in held)
            remarks = tuple(_of_costs(charts, comparison))
            yield Part(name, title, charts=charts, tables=shown, notes=remarks)
    scenario = tables.pop("Scenario-Specific Metrics", None)
    if scenario is not None:
        yield _scenario(scenario, comparison)
    code = tuple(
        marked(table._replace(title=title.removeprefix("Code Quality: ")), comparison)
        for title, table in tables.items()
    )
    if code:
        yield Part("code", "Code", tables=code)
    failed = _failed(comparison)
    if failed is not None:
        yield failed


_PARTS = (
    (
        "quality",
        "Quality, time and cost",
        ("Answer quality (judge, 1-5)", "Cost against quality", "Summary"),
    ),
    ("scorecard", "Scorecard", ("Derived scorecard", "Derived Scorecard (0-100)")),
    (
        "questions",
        "Question by question",
        ("Latency per question", "Correctness per question", "Runtime Distribution"),
    ),
)
"""Parts with the headings of their charts and tables."""


def _of_costs(charts: Sequence[Chart], comparison: Comparison) -> Iterator[str]:
    """What the chart of costs omits."""
    shown = [chart for chart in charts if isinstance(chart, ScatterChart)]
    if not shown:
        return
    points = [point for chart in shown for point in chart.points]
    without = [
        label
        for label, result in zip(labels(comparison), comparison.results, strict=True)
        if not result.summary["total_cost_usd"].n
    ]
    if without:
        yield f"Not in the chart of costs, because no cost is known: {', '.join(without)}."
    if any(point.part for point in points):
        yield ("Hollow: the cost covers only some questions; all may have cost more.")


def _untitled(table: Table) -> Table:
    """A table whose part has the heading."""
    return table._replace(title="")


def marked(table: Table, comparison: Comparison) -> PartTable:
    """A table with the best values of its rows marked, if rows have a direction."""
    equal_runs = len({result.run_count for result in comparison.results}) == 1
    best = set()
    for at, (name, *cells) in enumerate(table.rows):
        direction = _direction(name, equal_runs=equal_runs)
        values = [cell.value if isinstance(cell, Cell) else None for cell in cells]
        known = [value for value in values if value is not None]
        if direction is None or len(known) < 2 or min(known) == max(known):  # noqa: PLR2004 - to compare
            continue
        top = max(known) if direction else min(known)
        best |= {(at, place) for place, value in enumerate(values, 1) if value == top}
    return PartTable(table, frozenset(best))


def _direction(name: str, *, equal_runs: bool) -> bool | None:
    """Whether more is better; ``None`` if there is no direction."""
    lowered = name.lower()
    if not equal_runs and lowered.startswith(_OF_RUNS):
        return None
    if lowered.endswith(_SPREAD):  # wrong answers may be as consistent as right ones
        return None
    if any(word in lowered for word in _LOWER):
        return False
    return True if any(word in lowered for word in _HIGHER) else None


def _scenario(table: Table, comparison: Comparison) -> Part:
    """The profile's figures; the means behind them are collapsed."""
    shown = tuple(row for row in table.rows if not row[0].endswith(_INTERNAL))
    internal = tuple(row for row in table.rows if row[0].endswith(_INTERNAL))
    folds: tuple[Fold, ...] = ()
    if internal:
        held = marked(Table("", table.header, internal), comparison)
        folds = (Fold(f"{len(internal)} means of the profile's figures", (held,)),)
    tables = (marked(Table("", table.header, shown), comparison),) if shown else ()
    return Part("scenario", "Scenario", tables=tables, folds=folds)


def _failed(comparison: Comparison) -> Part | None:
    """Questions without an answer, and answers without a score; ``None`` if there are none."""
    outcomes, causes = [], []
    for label, result in zip(labels(comparison), comparison.results, strict=True):
        counts = {kind.value.replace("_", " "): n for kind, n in result.outcomes.items() if n}
        outcomes.append(Stack(label, counts))
        by_cause: Counter[str] = Counter()
        for question in result.questions.values():
            by_cause.update({c.value: n for c, n in (question.run_judge_causes or {}).items()})
            if question.judge is not None and question.judge.cause is not None:
                by_cause[question.judge.cause.value] += 1
        causes.append(Stack(label, {c.replace("_", " "): n for c, n in by_cause.items()}))
    charts = []
    if any(stack.counts.keys() - {"answered"} for stack in outcomes):
        charts.append(StackChart("Questions", tuple(outcomes), "questions"))
    if any(stack.counts for stack in causes):
        charts.append(StackChart("Answers that were not judged", tuple(causes), "answers"))
    errors = Counter(
        (label, question.error)
        for label, result in zip(labels(comparison), comparison.results, strict=True)
        for question in result.questions.values()
        if question.error
    )
    rows = tuple((label, text, f"{count:,}") for (label, text), count in errors.most_common(20))
    tables = (PartTable(Table("Errors", ("framework", "error", "questions"), rows, texts=(0, 1))),)
    if not charts and not rows:
        return None
    return Part("failures", "What failed", charts=tuple(charts), tables=tables if rows else ())
