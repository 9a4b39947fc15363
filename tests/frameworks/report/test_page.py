"""A comparison of frameworks as a report: headlines, parts and what each answer opens to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.frameworks.comparison import build_comparison
from trajmeter.frameworks.report.page import comparison_document
from trajmeter.frameworks.result_files import NamedResult
from trajmeter.frameworks.results import AnswerOutcome, FrameworkEvaluation, QuestionResult
from trajmeter.records import Cause, JudgeRecord
from trajmeter.reports.charts import IntervalChart
from trajmeter.reports.page.attempts import DetailBlock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.reports.page.document import Document, Part

LONG = "The harbour master says that the bridge opens at noon. " * 20


def question(number: int, score: float | None = None, **fields: Any) -> QuestionResult:
    return QuestionResult(
        question_id=f"q{number}", question_text="When?", correctness_score=score, **fields
    )


def result(name: str, scores: Sequence[float | None], file: str = "", **fields: Any) -> NamedResult:
    questions = tuple(question(number, score) for number, score in enumerate(scores))
    fields = {"questions": questions, **fields}
    evaluation = FrameworkEvaluation(framework_name=name, scenario_name="harbour", **fields)
    return NamedResult(file or f"{name}.json", evaluation)


def document(*results: NamedResult) -> Document:
    return comparison_document(build_comparison(results))


def part(made: Document, name: str) -> Part:
    return next(each for each in made.parts if each.id == name)


def test_who_answers_better_and_how_sure_that_is() -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("scipy")
    scores = [3.0 + (n % 3) / 2 for n in range(12)]
    better = [score + 1.0 - (n % 2) / 4 for n, score in enumerate(scores)]
    tone, text = document(result("swift", scores), result("tern", better)).headlines[0]
    assert tone == "good"
    assert text.startswith(
        "tern answers better than swift: mean correctness 4.38 of 5 against 3.50 "
        "(difference +0.875, 95 % interval +0.792…+0.958, p "
    )


def test_frameworks_are_compared_not_the_runs_of_one() -> None:
    runs = [result("swift", [5.0, 4.0], f"swift_1_run{n}.json") for n in (1, 2)]
    averaged = result("swift", [2.0, 2.0], "swift_1.json", run_count=2)
    texts = [text for _, text in document(*runs, averaged, result("tern", [4.0, 3.0])).headlines]
    assert texts[0].startswith(("tern answers best", "No clear difference between tern and swift"))
    assert "3.50 of 5 against 2.00" in texts[0]


def test_an_unjudged_run_has_no_chart_and_no_zeros() -> None:
    lost = question(1, 0.0, outcome=AnswerOutcome.TIMED_OUT, latency_seconds=60.0)
    made = document(result("swift", [], questions=(question(0, latency_seconds=1.0), lost)))
    assert made.headlines[0] == (
        "warning", "No answer was judged, so quality is unknown.",
    )  # fmt: skip
    assert made.headlines[-1][1] == "Questions without an answer: swift 1 of 2 (timed out 1)."
    titles = [chart.title for each in made.parts for chart in each.charts]
    assert titles == ["Latency per question", "Questions"]


def test_the_best_of_a_row_is_marked_by_what_is_better() -> None:
    fast = result("swift", [3.0], questions=(question(0, 3.0, latency_seconds=1.0),))
    good = result("tern", [5.0], questions=(question(0, 5.0, latency_seconds=2.0),))
    (held,) = part(document(fast, good), "quality").tables
    rows = {row[0]: at for at, row in enumerate(held.table.rows)}
    best = {(at, place) for at, place in held.best}
    assert (rows["Avg Latency (s)"], 1) in best
    assert (rows["Avg Correctness (1-5)"], 2) in best
    assert not [at for at, _ in best if held.table.rows[at][0] == "Questions answered"]


def test_sums_over_some_questions_and_deviations_are_never_the_best() -> None:
    paid = result("swift", [3.0], questions=(question(0, 3.0, estimated_cost_usd=0.5),))
    unknown = result("tern", [5.0], questions=(question(0, 5.0),))
    (held,) = part(document(paid, unknown), "quality").tables
    rows = [row[0] for row in held.table.rows]
    assert not [at for at, _ in held.best if rows[at] == "Est. Cost (USD)"]
    spread = [
        result(name, [3.0], extra_aggregates={"correctness_run_stddev": value})
        for name, value in {"swift": 0.5, "tern": 0.0}.items()
    ]
    (held,) = part(document(*spread), "scenario").tables
    assert [row[0] for row in held.table.rows] == ["Correctness Run Stddev"]
    assert not held.best


def test_an_axis_that_nobody_has_is_not_drawn() -> None:
    charts = part(document(result("swift", [3.0]), result("tern", [5.0])), "scorecard").charts
    (chart,) = charts
    assert isinstance(chart, IntervalChart)
    assert "Developer experience" not in [group.heading for group in chart.groups]


def test_internals_of_the_profile_stand_behind_a_fold() -> None:
    extra = {"hop_coverage_avg": 0.5, "is_easy_avg": 1.0, "success_rate": 0.25}
    made = part(document(result("swift", [4.0], extra_aggregates=extra)), "scenario")
    assert [row[0] for row in made.tables[0].table.rows] == ["Success Rate"]
    (fold,) = made.folds
    assert [row[0] for row in fold.tables[0].table.rows] == ["Hop Coverage Avg", "Is Easy Avg"]


def test_an_answer_opens_to_all_that_is_known_of_it() -> None:
    asked = question(
        0,
        4.0,
        expected_answer="At noon.",
        actual_answer=LONG,
        sources_expected=("bridges.md", "locks.md"),
        sources_retrieved=("bridges.md", "other.md", "bridges.md"),
        judge_reasoning="It names\nthe hour.",
        judge=JudgeRecord(model="judge-1", cause=Cause.JUDGE_ERROR, message="no reply"),
        model_name="small-1",
    )
    made = document(result("swift", [], questions=(asked,)))
    assert made.attempts is not None
    (blocks,) = made.attempts.details
    by_title = {block.title: block for block in blocks if isinstance(block, DetailBlock)}
    assert ("model", "small-1") in by_title[""].facts
    assert by_title["Question"].text == "When?"
    assert by_title["Expected answer"].text == "At noon."
    assert by_title["Answer"].text == LONG
    judged = by_title["Judge's scores and reasoning"]
    assert judged.text == "It names\nthe hour."
    assert dict(judged.facts) == {
        "correctness": "4 of 5", "judge": "judge-1", "not scored": "judge error",
        "why": "no reply",
    }  # fmt: skip
    assert by_title["Sources"].rows == (
        ("bridges.md", "yes", "1, 3"),
        ("other.md", "no", "2"),
        ("locks.md", "yes", "not retrieved"),
    )


def test_results_of_one_framework_have_short_names() -> None:
    runs = [result("swift", [4.0], f"logs/swift_harbour_0{n}_run{n}.json") for n in (1, 2)]
    mean = result("swift", [4.0], "logs/swift_harbour_03.json", run_count=2)
    held = part(document(*runs, mean), "quality").tables[0].table
    assert held.header == (
        "Metric", "swift (run1)", "swift (run2)", "swift (mean of 2 runs)",
    )  # fmt: skip
    days = [result("swift", [4.0], f"swift_harbour_2026020{n}_1200.json") for n in (1, 2)]
    held = part(document(*days), "quality").tables[0].table
    assert held.header == ("Metric", "swift (20260201)", "swift (20260202)")


def test_provenance_names_models_judges_versions_and_files(tmp_path: Any) -> None:
    asked = question(0, 4.0, model_name="small-1", judge=JudgeRecord(model="judge-1"))
    made = result(
        "swift", [], questions=(asked,), versions={"prices": "2026-02-01"}, started_at="2026-03-01"
    )
    file = tmp_path / "swift.json"
    file.write_bytes(b"{}")
    shown = comparison_document(build_comparison([made]), files=[file]).provenance
    cells = [cell for held in shown.tables for row in held.table.rows for cell in row]
    assert {"small-1", "judge-1", "prices 2026-02-01", "2026-03-01", str(file), "2"} <= {*cells}
    digest = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert digest in cells
