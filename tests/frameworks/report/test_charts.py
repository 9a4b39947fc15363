"""Charts of a comparison, by their specifications."""

from __future__ import annotations

from trajmeter.frameworks.comparison import build_comparison
from trajmeter.frameworks.report.charts import comparison_charts
from trajmeter.frameworks.results import (
    AnswerOutcome,
    FrameworkEvaluation,
    NamedResult,
    QuestionResult,
)

ANSWERED, FAILED = AnswerOutcome.ANSWERED, AnswerOutcome.FAILED


def question(question_id: str, score: float | None, outcome: AnswerOutcome) -> QuestionResult:
    return QuestionResult(
        question_id=question_id,
        question_text="?",
        outcome=outcome,
        latency_seconds=1.0,
        estimated_cost_usd=0.5,
        correctness_score=score,
        completeness_score=score,
        faithfulness_score=score,
    )


def evaluation(name: str, *questions: QuestionResult) -> FrameworkEvaluation:
    return FrameworkEvaluation(framework_name=name, scenario_name="s", questions=questions)


def test_without_a_judge_only_latencies_are_drawn() -> None:
    unjudged = evaluation("A", question("q1", None, ANSWERED), question("q2", 0.0, FAILED))
    charts = comparison_charts(build_comparison([NamedResult("a.json", unjudged)]))
    assert [chart.title for chart in charts] == ["Latency per question (seconds)"]


def test_a_judged_result_is_drawn_without_the_failures_of_one_that_is_not() -> None:
    judged = evaluation("A", question("q1", 4.0, ANSWERED), question("q2", 0.0, FAILED))
    unjudged = evaluation("B", question("q1", None, ANSWERED), question("q2", 0.0, FAILED))
    charts = comparison_charts(
        build_comparison([NamedResult("a.json", judged), NamedResult("b.json", unjudged)])
    )
    drawn = {
        chart.title: [
            (row["framework"], row.get("correctness"))
            for rows in chart.specification["datasets"].values()
            for row in rows
        ]
        for chart in charts
    }
    assert drawn["Correctness per question"] == [("A", 4.0), ("A", 0.0)]
    assert drawn["Cost against quality"] == [("A", 2.0)]  # (4 + 0) / 2


def test_a_failure_is_not_a_fast_answer() -> None:
    partly = evaluation("A", question("q1", None, ANSWERED), question("q2", 0.0, FAILED))
    (ticks,) = comparison_charts(build_comparison([NamedResult("a.json", partly)]))
    (rows,) = ticks.specification["datasets"].values()
    assert [(row["question"], row["outcome"]) for row in rows] == [("q1", "answered")]


def test_questions_stand_in_the_scenarios_order_whoever_has_them() -> None:
    first = evaluation("A", question("q1", None, ANSWERED), question("q2", 4.0, ANSWERED))
    second = evaluation("B", question("q1", 3.0, ANSWERED), question("q2", 4.0, ANSWERED))
    charts = comparison_charts(
        build_comparison([NamedResult("a.json", first), NamedResult("b.json", second)])
    )
    (squares,) = [c.specification for c in charts if c.title == "Correctness per question"]
    assert squares["encoding"]["x"]["sort"] == ["q1", "q2"]
