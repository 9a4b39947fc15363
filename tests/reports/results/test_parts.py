"""What the parts of a report show: charts, tables with their best values, attempts."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import trajmeter
from tests.reports.page.reports_of_attempts import whole_block
from trajmeter.reports.charts import (
    CurveChart,
    DistributionChart,
    IntervalChart,
    ScatterChart,
    StackChart,
)
from trajmeter.reports.page.attempts import DetailBlock, NumberColumn, TextColumn
from trajmeter.reports.results.developments import _list

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.reports.page.document import Document, Part

pytest.importorskip("pyarrow")
pytest.importorskip("scipy")

F1, COVERAGE = "context.final.line.f1", "context.trajectory.line.coverage"


def row(task: str, agent: str, **figures: Any) -> dict[str, Any]:
    return {"task_id": task, "agent": agent, **figures}


def document(rows: Any, **options: Any) -> Document:
    return trajmeter.report(rows, **options).document


def part(made: Document, name: str) -> Part:
    return next(each for each in made.parts if each.id == name)


def opened(made: Document) -> list[list[DetailBlock]]:
    """The detail of each attempt, from its JSON."""

    def tuples(value: Any) -> Any:
        return tuple(map(tuples, value)) if isinstance(value, list) else value

    assert made.attempts is not None
    texts = [detail for detail in made.attempts.details if isinstance(detail, str)]
    tables = made.attempts.tables
    return [
        [
            DetailBlock(**{n: tuples(value) for n, value in whole_block(each, tables).items()})
            for each in blocks
        ]
        for blocks in map(json.loads, texts)
    ]


def test_coverage_by_step_keeps_the_last_value_of_an_attempt_that_ended() -> None:
    steps = {"t1": [0.5], "t2": [0.0, 1.0], "t3": None, "t4": [0.25, 0.25, 1.0]}
    rows = [row(task, "a", **{F1: 0.5, COVERAGE: own}) for task, own in steps.items()]
    (chart,) = part(document(rows), "development").charts
    assert isinstance(chart, CurveChart)
    (curve,) = chart.curves
    # The longest of three attempts takes three steps, and 95 in 100 take two at most.
    assert curve.xs == (1.0, 2.0)
    assert curve.ys == pytest.approx(((0.5 + 0.0 + 0.25) / 3, (0.5 + 1.0 + 0.25) / 3))


def test_turns_to_success_counts_attempts_that_never_succeed() -> None:
    runs = [(2, True), (4, True), (4, False), (3, True)]
    rows = [
        row(f"t{n}", "a", **{"turns.run.turn_count": turns, "turns.run.passed": passed})
        for n, (turns, passed) in enumerate(runs)
    ]
    (chart,) = part(document(rows), "development").charts
    assert isinstance(chart, CurveChart)
    (curve,) = chart.curves
    assert dict(zip(curve.xs, curve.ys, strict=True)) == {
        0.0: 0.0, 1.0: 0.0, 2.0: 0.25, 3.0: 0.5, 4.0: 0.75,
    }  # fmt: skip


def test_cost_against_quality_needs_two_systems_that_have_both() -> None:
    cost, passed = "turns.cost.cost_usd", "turns.run.passed"
    rows = [
        row(f"t{n}", agent, **{cost: price, passed: n > 0})
        for agent, price in {"a": 0.5, "b": 0.25}.items()
        for n in range(4)
    ]
    (chart,) = part(document(rows), "tradeoff").charts
    assert isinstance(chart, ScatterChart)
    assert [(point.label, point.x, point.y) for point in chart.points] == [
        ("a", 0.5, 0.75), ("b", 0.25, 0.75),
    ]  # fmt: skip
    alone = document([each for each in rows if each["agent"] == "a"])
    assert "tradeoff" not in {each.id for each in alone.parts}


def test_values_over_tasks_are_means_of_their_attempts() -> None:
    rows = [row("t1", "a", **{F1: 0.5}), row("t1", "a", **{F1: 1.0}), row("t2", "a", **{F1: 0.25})]
    for number, each in enumerate(rows):
        each["attempt"] = str(number)
    (chart,) = part(document(rows), "spread").charts
    assert isinstance(chart, DistributionChart)
    (series,) = chart.series
    assert dict(zip(series.names, series.values, strict=True)) == {"t1": 0.75, "t2": 0.25}


def test_what_failed_is_counted_by_cause_and_reason() -> None:
    rows = [row("t1", "a", **{F1: 0.5}), row("t2", "a"), row("t3", "a"), row("t4", "a")]
    outcomes = [("scored", None), ("abstained", None), *[("not_scored", "missing_gold")] * 2]
    for each, (outcome, cause) in zip(rows, outcomes, strict=True):
        each |= {"context.final.line.outcome": outcome, "context.final.line.cause": cause}
        each["turns.error_breakdown"] = {"parse_error": 2, "timeout": 1}
    charts = part(document(rows), "failures").charts
    assert all(isinstance(chart, StackChart) for chart in charts)
    counts = [chart.stacks[0].counts for chart in charts if isinstance(chart, StackChart)]
    assert counts == [
        {"scored": 1, "nothing to score": 1, "missing gold": 2},
        {"parse error": 8, "timeout": 4},
    ]


def test_errors_of_metrics_are_listed() -> None:
    rows = [row(f"t{n}", "a", **{F1: 0.5, "context.error": None}) for n in range(3)]
    rows[1]["context.error"] = "ValueError: what <b>it</b> said"
    (table,) = part(document(rows), "failures").tables
    assert table.table.rows == (("context", "1", "ValueError: what <b>it</b> said"),)


def test_the_best_of_a_figure_is_marked_unless_all_are_equal() -> None:
    def made(first: float, second: float) -> frozenset[tuple[int, int]]:
        rows = [row(f"t{n}", "a", **{F1: first}) for n in range(2)]
        rows += [row(f"t{n}", "b", **{F1: second}) for n in range(2)]
        return part(document(rows), "family-context").tables[0].best

    assert made(0.5, 0.75) == {(0, 2)}
    assert made(0.75, 0.5) == {(0, 1)}
    assert made(0.5, 0.5) == frozenset()


def test_many_figures_stand_behind_a_fold() -> None:
    figures = {f"mine.figure{n:02}": n / 10 for n in range(10)}
    rows = [row(f"t{n}", "a", **figures) for n in range(3)]
    made = part(document(rows, better=dict.fromkeys(figures, "higher")), "family-mine")
    (table,), (fold,) = made.tables, made.folds
    assert fold.title.startswith(f"{10 - len(table.table.rows)} more figures")
    assert len(table.table.rows) + len(fold.tables[0].table.rows) == 10


def test_the_level_figures_of_speedup_share_a_chart() -> None:
    levels = {f"speedup.agent_advantage_level{n}": n / 10 for n in (1, 2, 3)}
    rows = [row(f"t{n}", "a", **{"speedup.task_speedup": 2.0, **levels}) for n in range(3)]
    charts = part(document(rows), "family-speedup").charts
    chart = charts[-1]
    assert isinstance(chart, IntervalChart)
    assert [group.heading for group in chart.groups] == ["by module", "by class", "by function"]
    assert (chart.reference, charts[0].title) == (0.0, "speedup.task_speedup")


def test_a_value_outside_the_means_is_not_drawn_and_says_so() -> None:
    score = "rules.latency.score"
    rows = [row(f"t{n}", "a", **{score: 10.0 * n}) for n in range(3)]
    for each, outcome in zip(rows, ["scored", "abstained", "scored"], strict=True):
        each["rules.latency.outcome"] = outcome
    made = document(rows)
    assert made.attempts is not None
    columns = {column.name: column for column in made.attempts.columns}
    number, text = columns[score], columns["rules.latency.outcome"]
    assert isinstance(number, NumberColumn)
    assert isinstance(text, TextColumn)
    assert np.array_equal(number.values, [0.0, np.nan, 20.0], equal_nan=True)
    assert [text.texts[code] for code in text.codes] == ["scored", "abstained", "scored"]
    details = opened(made)
    blocks = [block for block in details[1] if block.title == "rules"]
    assert blocks[0].facts == (("latency", "abstained"),)
    assert blocks[0].rows == (("latency.score", "10 (outside the mean)"),)
    assert opened(made) == details  # a page may be made twice


def test_an_attempt_opens_to_its_figures_with_causes_and_reasons() -> None:
    own = {
        F1: 0.123456789,
        "context.final.line.outcome": "assigned",
        "context.final.line.cause": "not_a_diff",
        "context.final.line.reason": "the patch is a sentence",
        "context.final.line.gold_size": 1234,
        "tools.mismatches": ["call 2: expected 'a'", "call 3 is missing"],
        "source": "runs.jsonl:7",
    }
    made = document([row("t1", "a", **own)])
    assert made.attempts is not None
    (blocks,) = opened(made)
    by_title = {block.title: block for block in blocks}
    assert dict(by_title[""].facts) == {"task_id": "t1", "agent": "a", "source": "runs.jsonl:7"}
    (said,) = by_title["context"].facts
    assert said == ("final.line", "assigned: not a diff (the patch is a sentence)")
    assert by_title["context"].rows == (("final.line.f1", "0.123457"),)
    counts = by_title["context: counts and descriptions"]
    assert (counts.rows, counts.folded) == ((("final.line.gold_size", "1,234"),), True)
    mismatches = by_title["tools: counts and descriptions"].rows
    assert mismatches == (("mismatches", "call 2: expected 'a'; call 3 is missing"),)


def test_an_attempt_lacks_what_only_others_have() -> None:
    others = {"tools.calls": 3.0, "tools.names": ["\udcff", "a\u202eb"], "tools.error": 'a "b"\n'}
    rows = [row("t1", "a", **{F1: 0.5}), row("t2", "", **{F1: None}), row("t3", "a", **others)]
    made = document(rows, better={"tools.calls": "higher"})
    first, second, third = opened(made)
    assert [block.title for block in first] == ["", "context"]
    assert second == [DetailBlock(facts=(("task_id", "t2"),))]
    assert third[1:] == [
        DetailBlock("tools", (("error", 'a "b"\n'),), ("figure", "value"), (("calls", "3"),), (1,)),
        DetailBlock(
            "tools: counts and descriptions",
            header=("column", "value"),
            rows=(("names", "\udcff; a\\u202eb"),),
            folded=True,
        ),
    ]


def test_tables_are_systems_by_their_short_names() -> None:
    old, new = ([row(f"t{n}", "a", **{F1: value}) for n in range(3)] for value in (0.25, 0.5))
    made = document([old, new])
    assert made.title == "Scores of table 1, table 2"
    two = [row(f"t{n}", "a", model=m, **{F1: 0.5}) for m in ("x", "y") for n in range(2)]
    assert document(two).title == "Scores of x, y"


def test_odd_rows_are_reported_like_others() -> None:
    unnamed = [{F1: value} for value in (0.5, 1.0)]
    made = document([{"task_id": None, **each} for each in unnamed])
    chart = part(made, "spread").charts[0]
    assert isinstance(chart, DistributionChart)
    assert sorted(chart.series[0].values) == [0.5, 1.0]  # each at a task of its own
    broken = {"turns.run.passed": True, "turns.error_breakdown": ["not a mapping"]}
    assert document([row("t1", "a", **broken)]).attempts is not None


def test_a_column_is_text_in_one_table_and_an_object_in_another() -> None:
    name = "speedup.per_benchmark_speedups"
    tables = [
        [row("t1", "a", **{"speedup.task_speedup": 2.0, name: own})]
        for own in ({"x": 0.5}, '{"x": 0.5}')
    ]
    made = document(tables)
    assert made.attempts is not None
    shown = [cell for blocks in opened(made) for b in blocks for r in b.rows for cell in r]
    assert shown.count("x: 0.5") + shown.count('{"x": 0.5}') == 2


def test_intervals_of_truth_values_leave_differences_to_another_method() -> None:
    rows = [row(f"t{n}", agent, **{"turns.run.passed": n > 3}) for agent in "ab" for n in range(12)]
    made = document(rows, interval="wilson")
    assert next(each.id for each in made.parts) == "differences"


def test_a_part_shows_only_systems_that_its_metric_scored() -> None:
    rows = [row(f"t{n}", "a", **{F1: 0.1 * n}) for n in range(4)]
    others = [row(f"t{n}", "b", **{"turns.run.passed": n > 1}) for n in range(4)]
    made = trajmeter.report([rows, others]).document
    own = part(made, "family-context")
    (chart,) = own.charts
    assert isinstance(chart, IntervalChart)
    assert [len(group.intervals) for group in chart.groups] == [1]
    assert len(own.tables[0].table.header) == 2


def test_versions_and_truth_values_of_csv(tmp_path: Path) -> None:
    lines = ["task_id,agent,turns.version,turns.run.passed"]
    lines += [f"{n},{agent},1,{n > 2}" for n in range(6) for agent in ("a", "2.5")]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines))
    made = document(path)
    assert "2.5" in made.title
    metrics = next(each for each in made.provenance.tables if each.table.title == "Metrics")
    assert metrics.table.rows == (("turns", "1", "-"),)


@pytest.mark.parametrize("text", ["[0.5, NaN]", "[0.5, 1.5]", "[-0.5]", "[null]", "{}"])
def test_coverage_that_is_no_list_of_shares_is_left_out(text: str) -> None:
    assert _list(text) == []
    assert _list("[0, 0.5, 1]") == [0, 0.5, 1]


@pytest.mark.parametrize(
    "figures",
    [
        {F1: 5e-324, "turns.cost.cost_usd": 5e-324},
        {F1: 0.5, COVERAGE: [1e308] * 3},
        {F1: 0.5, COVERAGE: [0.5, math.nan]},
        {F1: 0.5, "speedup.task_speedup": 1e300, "turns.run.turn_count": 10**15},
    ],
)
def test_numbers_at_the_ends_of_floats_are_drawn_or_left_out(figures: dict[str, Any]) -> None:
    """Attempts whose values are multiples of these: axes neither overflow nor underflow."""
    rows = [
        row(f"t{n}", agent, **{k: v if isinstance(v, list) else v * n for k, v in figures.items()})
        for n in range(12)
        for agent in "ab"
    ]
    page = trajmeter.report(rows).html()
    assert page.count("<svg") >= 1
    assert not re.search(r'\b(nan|inf)\b(?=[^<>]*")', "".join(re.findall(r"<svg.*?</svg>", page)))
