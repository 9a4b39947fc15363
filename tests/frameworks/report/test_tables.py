"""Every table of a comparison report, cell by cell."""

from __future__ import annotations

from trajmeter.frameworks.comparison import build_comparison
from trajmeter.frameworks.report import markdown_report
from trajmeter.frameworks.report.tables import comparison_tables, question_table
from trajmeter.frameworks.result_files import NamedResult
from trajmeter.frameworks.results import AnswerOutcome, FrameworkEvaluation, QuestionResult
from trajmeter.records import CodeQuality, CodeReview, JudgeRecord, StaticMetrics

ANCHOR = FrameworkEvaluation(
    framework_name="Anchor",
    scenario_name="s",
    evaluation_profile="multihop_chain_qa",
    questions=(
        QuestionResult(
            question_id="q1",
            question_text="Where?",
            actual_answer="At the pier",
            outcome=AnswerOutcome.ANSWERED,
            latency_seconds=1.5,
            total_tokens=1_200,
            estimated_cost_usd=0.5,
            correctness_score=4.0,
            completeness_score=3.0,
            faithfulness_score=5.0,
            retrieval_precision=0.5,
            retrieval_recall=1.0,
            extra_metrics={"is_multi_hop": True, "required_hops": 3, "hop_coverage": 2 / 3},
            judge=JudgeRecord(cost_usd=0.25),
        ),
        QuestionResult(
            question_id="q2",
            question_text="When?",
            outcome=AnswerOutcome.FAILED,
            error="OSError: gone",
            actual_answer="Framework query failed",
            latency_seconds=9.0,
            total_tokens=0,
            estimated_cost_usd=0.0,
            correctness_score=0.0,
            completeness_score=0.0,
            faithfulness_score=0.0,
            extra_metrics={"is_multi_hop": False, "difficulty": "easy"},
        ),
    ),
    code_quality=CodeQuality(
        static_metrics=StaticMetrics(
            sloc=1_500,
            comment_ratio=0.125,
            avg_cyclomatic_complexity=2.25,
            max_cyclomatic_complexity=7,
            complexity_grade="A",
            maintainability_index=55.55,
            maintainability_grade="B",
            halstead_volume=1_234.5,
            halstead_difficulty=6.25,
            halstead_bugs=0.4115,
            num_imports=9,
            num_framework_imports=4,
            num_classes=2,
            num_functions=12,
            type_annotation_ratio=0.5,
        ),
        code_review=CodeReview(
            readability=5,
            idiomatic_usage=4,
            error_handling=3,
            extensibility=2,
            testability=1,
            documentation=2.5,
            abstraction=3.5,
            avg_score=3.0,
        ),
    ),
)
BUOY = FrameworkEvaluation(
    framework_name="Buoy",
    scenario_name="s",
    evaluation_profile="multihop_chain_qa",
    questions=tuple(
        QuestionResult(question_id=f"q{i}", question_text="?", latency_seconds=0.0125 * i)
        for i in (1, 2)
    ),
)
COMPARISON = build_comparison([NamedResult("a.json", ANCHOR), NamedResult("b.json", BUOY)])


def cells(title: str) -> dict[str, list[str]]:
    (table,) = [table for table in comparison_tables(COMPARISON) if table.title == title]
    return {name: list(row) for name, *row in table.rows}


def test_the_summary_shows_how_many_questions_a_figure_covers() -> None:
    assert cells("Summary") == {
        "Avg Latency (s)": ["1.50 (1 of 2)", "0.01875"],  # a failure has none; fast ones in full
        "Total Tokens": ["1,200 (1 of 2)", "0 (0 of 2)"],
        "Est. Cost (USD)": ["$0.5000 (1 of 2)", "$0.0000 (0 of 2)"],
        "Avg Correctness (1-5)": ["2.0", "n/a"],
        "Avg Completeness (1-5)": ["1.5", "n/a"],
        "Avg Faithfulness (1-5)": ["2.5", "n/a"],
        "Avg Retrieval Precision": ["0.50 (1 of 2)", "n/a"],
        "Avg Retrieval Recall": ["1.00 (1 of 2)", "n/a"],
        "Judge's Cost (USD)": ["$0.2500", "n/a"],
        "Questions answered": ["1", "2"],
        "Questions timed out": ["0", "0"],
        "Questions failed": ["1", "0"],
    }


def test_latencies_are_shown_by_their_percentiles() -> None:
    # of 0.0125 and 0.025: the middle, and 0.0125 + 0.95 * 0.0125
    assert cells("Runtime Distribution") == {
        "Latency p50 (s)": ["1.50", "0.01875"],
        "Latency p95 (s)": ["1.50", "0.02438"],
    }


def test_the_scorecard_has_its_three_axes() -> None:
    # capability: judge (2 + 1.5 + 2.5) / 3 / 5 = 0.4 and hop coverage 2 / 3, together 0.533
    # efficiency: 0 for latency, which weighs 0.4; 1 for cost and tokens, which nobody else has
    # experience: 1 for index and complexity, annotations 0.5, review 3 / 5, together 3.1 / 4
    assert cells("Derived Scorecard (0-100)") == {
        "Capability": ["53.3", "n/a"],
        "Efficiency": ["60.0", "100.0"],
        "Developer Experience": ["77.5", "n/a"],
    }


def test_code_is_shown_by_its_measures_and_its_review() -> None:
    assert [row[0] for row in cells("Code Quality: Static Metrics").values()] == [
        *("1,500", "12%", "2.2", "7", "A", "55.5", "B", "1,234", "6.2", "0.41"),
        *("9", "4", "2", "12", "50%"),
    ]
    assert [row[0] for row in cells("Code Quality: Review (1-5)").values()] == [
        *("5.0", "4.0", "3.0", "2.0", "1.0", "2.5", "3.5", "3.0"),
    ]
    assert {row[1] for row in cells("Code Quality: Static Metrics").values()} == {"n/a"}


def test_a_question_shows_its_figures_and_those_of_the_profile() -> None:
    table = question_table(COMPARISON, "q1")
    assert {name: row for name, *row in table.rows} == {
        "Outcome": ["answered", "answered"],
        "Latency (s)": ["1.50", "0.01250"],
        "Tokens": ["1,200", "n/a"],
        "Cost (USD)": ["$0.5000", "n/a"],
        "Correctness": ["4.0", "n/a"],
        "Completeness": ["3.0", "n/a"],
        "Faithfulness": ["5.0", "n/a"],
        "Retrieval Precision": ["0.50", "n/a"],
        "Retrieval Recall": ["1.00", "n/a"],
        "Hop Coverage": ["0.667", "n/a"],
        "Is Multi Hop": ["yes", "n/a"],
        "Required Hops": ["3", "n/a"],
    }
    extra = {name: row[0] for name, *row in question_table(COMPARISON, "q2").rows}
    assert (extra["Outcome"], extra["Difficulty"], extra["Is Multi Hop"]) == (
        "failed",
        "easy",
        "no",
    )


def test_markdown_shows_an_answer_or_why_there_is_none() -> None:
    report = markdown_report(COMPARISON)
    assert "| Anchor | At the pier |" in report
    assert "| Anchor | OSError: gone |" in report
    assert "Framework query failed" not in report


def test_tables_of_nothing_are_left_out() -> None:
    titles = [
        table.title for table in comparison_tables(build_comparison([NamedResult("b.json", BUOY)]))
    ]
    assert titles == [
        "Summary",
        "Derived Scorecard (0-100)",
        "Runtime Distribution",
        "Scenario-Specific Metrics",
    ]
