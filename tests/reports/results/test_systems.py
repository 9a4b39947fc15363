"""Reports of several systems: one table of all, their differences, and what has no whole cost."""

from __future__ import annotations

import cProfile
import json
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import trajmeter
from trajmeter.readers.results import open_results
from trajmeter.reports.charts import IntervalChart, ScatterChart
from trajmeter.reports.results import ReportOptions, results_document

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

    from trajmeter.readers.results import ResultsTable
    from trajmeter.reports.page.document import Document, Part

pytest.importorskip("scipy")

F1, PASSED, COST = "context.final.line.f1", "turns.run.passed", "turns.cost.cost_usd"


def attempts(agent: str, shift: float, **figures: Any) -> list[dict[str, Any]]:
    """Attempts whose f1 rises from task to task."""
    return [
        {"task_id": f"t{n:02}", "agent": agent, F1: shift + n / 40, PASSED: n % 2 == 0, **figures}
        for n in range(12)
    ]


def made(*systems: list[dict[str, Any]], **options: Any) -> Document:
    return trajmeter.report([row for own in systems for row in own], **options).document


def part(document: Document, name: str) -> Part:
    return next(each for each in document.parts if each.id == name)


def names(document: Document) -> list[str]:
    return [each.id for each in document.parts]


@pytest.fixture(scope="module")
def four() -> Document:
    return made(*(attempts(name, n / 10) for n, name in enumerate("abcd")))


def test_two_systems_need_no_table_of_systems() -> None:
    assert "systems" not in names(made(attempts("a", 0.0), attempts("b", 0.1)))


def test_several_systems_stand_in_one_table_the_best_first(four: Document) -> None:
    assert names(four)[0] == "systems"
    systems = part(four, "systems")
    (held,), (chart,) = systems.tables, systems.charts
    assert held.table.header == ("system", "context.line.f1", "turns.run.passed")
    assert [row[0] for row in held.table.rows] == ["d", "c", "b", "a (baseline)"]
    assert held.best == {(0, 1)}  # all passed alike, so none is the best
    assert held.table.rows[0][1].startswith("0.438 (")  # 0.3 and the mean of 0, 1, … 11 over 40
    assert isinstance(chart, IntervalChart)
    assert [each.label for each in chart.groups[0].intervals] == ["d", "c", "b", "a"]
    assert [each.is_best for each in chart.groups[0].intervals] == [True, False, False, False]


def test_attempts_that_record_neither_agent_nor_model_are_one_unnamed_system() -> None:
    nameless = [{**each, "agent": None} for each in attempts("", 0.2)]
    document = made(attempts("a", 0.0), nameless, attempts("b", 0.1))
    (held,) = part(document, "systems").tables
    assert [row[0] for row in held.table.rows] == ["unnamed (baseline)", "b", "a"]


def test_a_figure_that_no_charted_system_has_gets_no_chart() -> None:
    systems = [attempts(f"a{n}", 0.0) for n in range(14)]
    cheap = [
        {"task_id": f"t{n}", "agent": "z", "turns.run.budget_exhausted": False, COST: 0.1}
        for n in range(12)
    ]
    charts = part(made(*systems, cheap), "family-turns").charts
    assert [each.title for each in charts] == ["turns.run.passed"]


def test_their_differences_stand_in_one_table_for_each_figure(four: Document) -> None:
    differences = part(four, "differences")
    first, second = (held.table for held in differences.tables)
    assert (first.title, second.title) == ("context.line.f1", "turns.run.passed")
    assert [(row[0], row[3]) for row in first.rows] == [
        ("d", "+0.300"), ("c", "+0.200"), ("b", "+0.100"),
    ]  # fmt: skip
    titles = [fold.title for fold in differences.folds]
    assert titles == [
        "context.line.f1, task by task: differences from a, worst first",
        "All figures, pair by pair",
    ]
    (tasks,) = differences.folds[0].tables
    assert tasks.table.header == ("task", "a", "b", "c", "d")
    assert tasks.table.rows[0][2:] == ("+0.100", "+0.200", "+0.300")
    assert [chart.title for chart in differences.charts] == [
        "context.line.f1: difference from a",
        "turns.run.passed: difference from a",
    ]


def test_tasks_with_the_greatest_losses_stand_first_where_lower_is_better() -> None:
    cost = {"a": (1.0, 1.0), "b": (5.0, 2.0), "c": (6.0, 2.0)}
    rows = [
        {"task_id": f"t{n}", "agent": agent, COST: value}
        for agent, values in cost.items()
        for n, value in enumerate(values)
    ]
    fold = part(made(rows), "differences").folds[0]
    assert [row[0] for row in fold.tables[0].table.rows] == ["t0", "t1"]


def test_a_dozen_systems_have_their_own_charts_of_few_figures() -> None:
    document = made(*(attempts(f"s{n:02}", n / 50) for n in range(12)))
    (chart,) = part(document, "family-context").charts
    assert isinstance(chart, IntervalChart)
    assert [each.label for each in chart.groups[0].intervals][:2] == ["s11", "s10"]
    assert document.title == "Scores of 12 systems"
    sentence = document.headlines[0][1]
    assert sentence.startswith("Best of 12: s11 is better than s00 at context.line.f1")
    assert sentence.endswith("Next: s10 0.338, s09 0.318.")
    (held,) = part(document, "family-context").tables
    assert [row[0] for row in held.table.rows][:2] == ["s11", "s10"]


def test_systems_of_curves_have_colours_of_their_own() -> None:
    document = made(*(attempts(f"s{n:02}", n / 50, **{COST: n + 1.0}) for n in range(12)))
    chart = part(document, "tradeoff").charts[0]
    assert isinstance(chart, ScatterChart)
    assert sorted(point.series for point in chart.points) == list(range(8))


def test_a_mean_cost_of_some_attempts_is_marked_and_none_is_left_out() -> None:
    whole, partial = attempts("a", 0.0, **{COST: 2.0}), attempts("b", 0.1, **{COST: 1.0})
    unknown = attempts("c", 0.2, **{COST: None})
    for each in partial[:8]:
        each[COST] = None
    for each in (*whole, *partial, *unknown):
        is_known = each[COST] is not None
        each["turns.cost.outcome"] = "scored" if is_known else "not_scored"
        each["turns.cost.cause"] = None if is_known else "missing_usage"
    tradeoff = part(made(whole, partial, unknown), "tradeoff")
    chart = tradeoff.charts[0]
    assert isinstance(chart, ScatterChart)
    assert [(point.label, point.x, point.part) for point in chart.points] == [
        ("a", 2.0, ""), ("b", 1.0, "4/12"),
    ]  # fmt: skip
    assert tradeoff.notes == (
        "Hollow: turns.cost.cost_usd is known only for some attempts; the mean is over these.",
        "Omitted because no turns.cost.cost_usd is known: c.",
    )


def test_a_cost_of_zero_for_want_of_a_price_is_not_a_known_cost() -> None:
    cost = "speedup.task_cost_usd"
    rows = {
        name: attempts(name, 0.0, **{cost: price, "speedup.priced": is_priced})
        for name, price, is_priced in (("a", 2.0, True), ("b", 1.0, True), ("c", 0.0, False))
    }
    rows["b"][0] |= {cost: 0.0, "speedup.priced": False}
    tradeoff = part(made(*rows.values()), "tradeoff")
    chart = tradeoff.charts[0]
    assert isinstance(chart, ScatterChart)
    assert [(point.label, point.part) for point in chart.points] == [("a", ""), ("b", "11/12")]
    assert tradeoff.notes[1] == "Omitted because no speedup.task_cost_usd is known: c."


def test_an_interval_beyond_any_possible_difference_is_cut_in_the_chart_alone() -> None:
    rows = [
        {"task_id": f"t{n}", "agent": agent, F1: value}
        for agent, values in {"a": (0.9, 0.1), "b": (0.2, 0.6)}.items()
        for n, value in enumerate(values)
    ]
    differences = part(made(rows), "differences")
    (chart,) = differences.charts
    assert isinstance(chart, IntervalChart)
    ((each,),) = (group.intervals for group in chart.groups)
    assert each.low is not None
    assert each.low < -1.0
    assert (chart.least, chart.greatest) == (-1.0, 1.0)
    assert any(note.startswith("Arrows: ") for note in differences.notes)
    assert differences.tables[0].table.rows[0][4].startswith("-7.7")  # the formula's own limits


def test_a_column_of_numbers_tells_systems_apart(tmp_path: Path) -> None:
    rows = [{**row, "seed": seed} for seed in (7, 8) for row in attempts("a", seed / 20)]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    for source in (rows, path):
        assert trajmeter.report(source, by="seed").document.title == "Scores of 7, 8"


class Counted:
    """A results table that counts how often it is read."""

    is_columnar, label = True, None

    def __init__(self, table: ResultsTable) -> None:
        self.name, self.columns, self.metadata = table.name, table.columns, table.metadata
        self.reads = 0
        self._table = table

    def batches(self, *columns: Any, **options: Any) -> Iterator[pa.RecordBatch]:
        self.reads += 1
        return self._table.batches(*columns, **options)


@pytest.mark.parametrize("by", [None, ("agent",)])
def test_estimates_and_differences_need_one_reading(by: tuple[str, ...] | None) -> None:
    tables = [Counted(open_results(attempts(agent, 0.1), name=agent)) for agent in "ab"]
    document = results_document(tables, ReportOptions(by=by))
    assert "differences" in names(document)
    assert [table.reads for table in tables] == [2, 2]  # the other for the attempts


def test_two_thousand_systems_take_work_in_proportion_to_their_number() -> None:
    """They are named once, not once for each: eight times as many take eight times the calls."""

    def calls(systems: int) -> int:
        rows = [{"task_id": f"t{n % 3}", "agent": f"a{n // 3}", F1: n % 7 / 7}
                for n in range(3 * systems)]  # fmt: skip
        profile = cProfile.Profile()
        page = profile.runcall(lambda: trajmeter.report(rows).html())
        assert f"Scores of {systems:,} systems" in page
        return sum(each.callcount for each in profile.getstats())

    calls(250)  # whatever the first report loads
    assert calls(2_000) < 9 * calls(250)
