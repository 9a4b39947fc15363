"""Charts of a comparison, by what they are made of."""

from __future__ import annotations

from typing import Any

from trajmeter.frameworks.comparison import build_comparison
from trajmeter.frameworks.report.charts import comparison_charts
from trajmeter.frameworks.report.parts import comparison_parts
from trajmeter.frameworks.result_files import NamedResult
from trajmeter.frameworks.results import AnswerOutcome, FrameworkEvaluation, QuestionResult

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


def charts_of(*evaluations: FrameworkEvaluation) -> dict[str, Any]:
    results = [NamedResult(f"{each.framework_name}.json", each) for each in evaluations]
    return {chart.title: chart for chart in comparison_charts(build_comparison(results))}


def test_without_a_judge_only_latencies_are_drawn() -> None:
    unjudged = evaluation("A", question("q1", None, ANSWERED), question("q2", 0.0, FAILED))
    assert list(charts_of(unjudged)) == ["Latency per question"]


def test_a_judged_result_is_drawn_without_the_failures_of_one_that_is_not() -> None:
    judged = evaluation("A", question("q1", 4.0, ANSWERED), question("q2", 0.0, FAILED))
    unjudged = evaluation("B", question("q1", None, ANSWERED), question("q2", 0.0, FAILED))
    charts = charts_of(judged, unjudged)
    grid = charts["Correctness per question"]
    assert (grid.rows, grid.columns, grid.values) == (("A",), ("q1", "q2"), ((4.0, 0.0),))
    points = charts["Cost against quality"].points
    assert [(each.label, each.y) for each in points] == [("A", 2.0)]  # (4 + 0) / 2
    quality = charts["Answer quality (judge, 1-5)"].groups[0]
    assert [(each.value, each.remark) for each in quality.intervals] == [
        (2.0, ""),
        (None, "not judged"),
    ]


def test_a_failure_is_not_a_fast_answer() -> None:
    partly = evaluation("A", question("q1", None, ANSWERED), question("q2", 0.0, FAILED))
    (series,) = charts_of(partly)["Latency per question"].series
    assert (series.values, series.names) == ((1.0,), ("q1",))


def test_questions_stand_in_the_scenarios_order_whoever_has_them() -> None:
    first = evaluation("A", question("q1", None, ANSWERED), question("q2", 4.0, ANSWERED))
    second = evaluation("B", question("q1", 3.0, ANSWERED), question("q2", 4.0, ANSWERED))
    grid = charts_of(first, second)["Correctness per question"]
    assert grid.columns == ("q1", "q2")
    assert grid.values == ((None, 4.0), (3.0, 4.0))


def test_repeated_runs_have_their_deviation_and_single_runs_none() -> None:
    averaged = FrameworkEvaluation(
        framework_name="A",
        scenario_name="s",
        avg_correctness=4.25,
        run_count=3,
        extra_aggregates={"correctness_run_stddev": 0.5},
    )
    charts = charts_of(averaged, evaluation("B", question("q1", 3.0, ANSWERED)))
    chart = charts["Answer quality (judge, 1-5)"]
    assert chart.axis == "mean, ± SD over runs"
    ends = [(each.low, each.value, each.high) for each in chart.groups[0].intervals]
    assert ends == [(3.75, 4.25, 4.75), (None, 3.0, None)]


def test_a_sum_of_some_costs_is_hollow_and_says_of_how_many() -> None:
    whole = evaluation("A", question("q1", 4.0, ANSWERED), question("q2", 5.0, ANSWERED))
    unpriced = question("q2", 5.0, ANSWERED).model_copy(update={"estimated_cost_usd": 0.0})
    partial = evaluation("B", question("q1", 4.0, ANSWERED), unpriced)
    counts = {"run_outcomes": {ANSWERED: 2, FAILED: 1}}
    averaged = evaluation("C", question("q1", 4.0, ANSWERED).model_copy(update=counts))
    averaged = averaged.model_copy(update={"run_count": 3})
    points = charts_of(whole, partial, averaged)["Cost against quality"].points
    assert [(each.label, each.part) for each in points] == [("A", ""), ("B", "1/2"), ("C", "2/3")]


def test_a_framework_without_a_known_cost_is_named_below_the_chart() -> None:
    known = evaluation("A", question("q1", 4.0, ANSWERED))
    unpriced = question("q1", 5.0, ANSWERED).model_copy(update={"estimated_cost_usd": 0.0})
    results = [
        NamedResult(f"{each.framework_name}.json", each)
        for each in (known, evaluation("B", unpriced))
    ]
    (quality, *_) = comparison_parts(build_comparison(results), None)
    assert quality.notes == ("Not in the chart of costs, because no cost is known: B.",)


def test_a_scorecard_compares_two_frameworks_at_least() -> None:
    one = evaluation("A", question("q1", 5.0, ANSWERED))
    other = evaluation("B", question("q1", 3.0, ANSWERED))
    assert "Derived scorecard" not in charts_of(one)
    chart = charts_of(one, other)["Derived scorecard"]
    capability = chart.groups[0]
    assert capability.heading == "Capability"
    assert [each.value for each in capability.intervals] == [100.0, 60.0]  # 5 / 5 and 3 / 5
