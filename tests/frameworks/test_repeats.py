"""Repeated runs: means, sums, deviations, and the answer shown for all."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest

from trajmeter.errors import ConfigurationError
from trajmeter.frameworks.aggregates import TIMED_OUT_ANSWER
from trajmeter.frameworks.comparison import build_comparison
from trajmeter.frameworks.repeats import average, representative
from trajmeter.frameworks.result_files import NamedResult
from trajmeter.frameworks.results import AnswerOutcome, FrameworkEvaluation, QuestionResult
from trajmeter.records import Cause, CodeQuality, JudgeRecord

if TYPE_CHECKING:
    from pathlib import Path


def question(correctness: float | None, **fields: object) -> QuestionResult:
    given = {"question_id": "q1", "question_text": "?", "actual_answer": str(correctness)}
    return QuestionResult.model_validate(given | {"correctness_score": correctness} | fields)


def run(*questions: QuestionResult, **fields: object) -> FrameworkEvaluation:
    given = {"framework_name": "Anchor", "scenario_name": "harbour", "questions": questions}
    return FrameworkEvaluation.model_validate(given | fields)


TIMED_OUT = question(
    0.0, actual_answer=TIMED_OUT_ANSWER, model_name="timeout", latency_seconds=30.0
)


def test_scores_are_averaged_tokens_summed_and_deviations_are_those_of_a_sample() -> None:
    runs = [
        run(question(score, total_tokens=10, latency_seconds=2.0 * score), total_tokens=10)
        for score in (5.0, 4.0, 3.0)
    ]
    got = average(runs)
    (only,) = got.questions
    assert (only.correctness_score, only.latency_seconds) == (4.0, 8.0)
    assert (only.total_tokens, got.total_tokens) == (30, 30)
    # variance of 5, 4, 3 with n - 1: (1 + 0 + 1) / 2 = 1
    assert only.extra_metrics["correctness_stddev"] == 1.0
    assert got.extra_aggregates["correctness_run_stddev"] == 1.0
    assert (got.run_id, got.run_count, got.extra_aggregates["run_count"]) == (-1, 3, 3.0)


def test_the_judges_usage_is_summed_separately_from_the_agents() -> None:
    priced = JudgeRecord(model="m", prompt_tokens=50, completion_tokens=5, cost_usd=0.5, attempts=1)
    failed = priced.model_copy(update={"cause": Cause.JUDGE_REFUSED, "attempts": 2})
    (only,) = average(
        [run(question(4.0, judge=judge)) for judge in (priced, failed, None)]
    ).questions
    assert only.judge == JudgeRecord(
        model="m", prompt_tokens=100, completion_tokens=10, cost_usd=1.0, attempts=3
    )
    assert only.total_tokens is None
    unpriced = priced.model_copy(update={"model": "other", "cost_usd": None})
    (only,) = average([run(question(4.0, judge=judge)) for judge in (priced, unpriced)]).questions
    assert only.judge is not None
    assert (only.judge.model, only.judge.cost_usd) == (None, None)
    half = (priced.model_copy(update={"replayed": True}), priced)
    (only,) = average([run(question(4.0, judge=judge)) for judge in half]).questions
    assert only.judge is not None
    assert not only.judge.replayed  # some of it was paid for
    (nobody,) = average([run(question(4.0)), run(question(5.0))]).questions
    assert nobody.judge is None


def test_the_representative_is_closest_to_the_mean_and_ties_go_to_the_earliest() -> None:
    # mean 3: 5, 1 and 3 are 2, 2 and 0 away; without the 3, the earlier of the two is taken
    assert representative([question(5.0), question(1.0), question(3.0)]).actual_answer == "3.0"
    assert representative([question(5.0), question(1.0)]).actual_answer == "5.0"


def test_a_time_out_represents_only_a_question_that_no_run_answered() -> None:
    copies = [TIMED_OUT, TIMED_OUT, question(5.0)]  # mean 5 / 3, to which 0 is closer
    assert representative(copies).actual_answer == "5.0"
    assert representative(copies, original=True).actual_answer == TIMED_OUT_ANSWER
    assert representative([TIMED_OUT]).actual_answer == TIMED_OUT_ANSWER
    averaged = average([run(copy) for copy in copies]).questions[0]
    assert averaged.run_outcomes == {AnswerOutcome.TIMED_OUT: 2, AnswerOutcome.ANSWERED: 1}


def test_a_question_missing_from_a_run_is_averaged_over_the_others() -> None:
    other = question(2.0, question_id="q2")
    got = average([run(question(4.0), other), run(question(2.0))])
    assert [q.correctness_score for q in got.questions] == [3.0, 2.0]
    assert "correctness_stddev" not in got.questions[1].extra_metrics


def test_profile_aggregates_are_the_mean_of_the_runs_own() -> None:
    runs = [
        run(question(5.0, extra_metrics={"chain_success": done}), extra_aggregates={"rate": rate})
        for done, rate in ((True, 1.0), (False, 0.0), (False, 0.0))
    ]
    got = average(runs)
    assert got.extra_aggregates["rate"] == pytest.approx(1 / 3)
    assert got.questions[0].extra_metrics["chain_success"] == pytest.approx(1 / 3)
    assert "rate" not in average(runs, original=True).extra_aggregates
    stale = [
        run.model_copy(update={"extra_aggregates": {"chain_success_avg": 1.0}}) for run in runs
    ]
    got = average(stale)
    assert got.extra_aggregates["chain_success_avg"] == pytest.approx(1 / 3)  # of the questions


def test_failed_runs_have_no_latency_to_average() -> None:
    failed = question(0.0, outcome=AnswerOutcome.FAILED, latency_seconds=0.5)
    got = average([run(failed), run(question(4.0, latency_seconds=2.0))])
    assert got.questions[0].latency_seconds == 2.0


def test_a_time_out_beside_a_failure_counts_at_its_limit_in_a_comparison() -> None:
    failed = question(0.0, outcome=AnswerOutcome.FAILED, latency_seconds=0.5)
    runs = (run(failed), run(TIMED_OUT))
    for averaged in (average(runs), average(runs[::-1])):
        (result,) = build_comparison([NamedResult("a.json", averaged)]).results
        assert (averaged.avg_latency, result.summary["avg_latency"].value) == (30.0, 30.0)
        assert (result.latency.p95, result.latency.n) == (30.0, 1)
    (result,) = build_comparison([NamedResult("a.json", average([run(failed)] * 2))]).results
    assert result.latency.n == 0


def test_code_is_that_of_the_run_that_measured_it_and_times_span_all_runs() -> None:
    measured = CodeQuality(source_file="agent.py")
    first = run(started_at="1", finished_at="2", run_id=0)
    second = run(started_at="3", finished_at="4", run_id=1, code_quality=measured)
    third = run(started_at="5", finished_at="6", run_id=2)
    got = average([first, second, third])
    assert got.code_quality == measured
    assert (got.started_at, got.finished_at) == ("1", "6")


def test_the_deviation_of_each_score_is_its_own() -> None:
    def scored(correctness: float, completeness: float, faithfulness: float) -> FrameworkEvaluation:
        scores = {"completeness_score": completeness, "faithfulness_score": faithfulness}
        return run(question(correctness, **scores, retrieval_precision=0.5, retrieval_recall=0.25))

    got = average([scored(5, 4, 1), scored(3, 4, 5)])
    # of a sample of two: the difference over the root of 2
    expected = {"correctness": 2 / math.sqrt(2), "completeness": 0.0, "faithfulness": math.sqrt(8)}
    assert {
        score: got.extra_aggregates[f"{score}_run_stddev"] for score in expected
    } == pytest.approx(expected)
    assert (got.avg_correctness, got.avg_completeness, got.avg_faithfulness) == (4.0, 4.0, 3.0)
    assert (got.avg_retrieval_precision, got.avg_retrieval_recall) == (0.5, 0.25)


@pytest.mark.parametrize(
    ("known", "expected"),
    [([True, True], True), ([True, False], False), ([None, True], True), ([None, None], None)],
)
def test_a_question_is_priced_where_all_its_runs_are(
    known: list[bool | None], expected: bool | None
) -> None:
    got = average([run(question(4.0, priced=priced)) for priced in known])
    assert got.questions[0].priced is expected


def test_a_run_without_tokens_does_not_make_a_price_unknown() -> None:
    billed = question(4.0, priced=True, total_tokens=10, estimated_cost_usd=0.5)
    silent = question(4.0, priced=False, total_tokens=0, estimated_cost_usd=0.0)
    assert average([run(billed), run(silent)]).questions[0].priced is True
    assert average([run(silent), run(silent)]).questions[0].priced is False


def test_an_unjudged_question_stays_unjudged() -> None:
    got = average([run(question(None)), run(question(None))])
    assert got.questions[0].correctness_score is None
    assert got.avg_correctness is None


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ([], "nothing to average"),
        ([run(), FrameworkEvaluation(framework_name="B", scenario_name="harbour")], "Anchor, B"),
        ([run(), run(scenario_name="s")], "scenario_name, got: harbour, s"),
        ([run(evaluation_mode="a"), run(evaluation_mode="b")], "evaluation_mode, got: a, b"),
        ([run(evaluation_profile="a"), run(evaluation_profile="b")], "_profile, got: a, b"),
        ([run(), run(run_count=3)], "result 2 is itself an average"),
    ],
)
def test_runs_that_do_not_belong_together_are_refused(
    runs: list[FrameworkEvaluation], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        average(runs)


def agrees(got: object, expected: object) -> bool:
    if isinstance(expected, dict):
        return isinstance(got, dict) and all(
            agrees(got.get(key), value) for key, value in expected.items()
        )
    if isinstance(expected, list):
        return (
            isinstance(got, list) and len(got) == len(expected) and all(map(agrees, got, expected))
        )
    if isinstance(expected, float):
        return isinstance(got, (int, float)) and math.isclose(got, expected, abs_tol=1e-12)
    return bool(got == expected)


def test_published_sets(reference_data: Path) -> None:
    sets = json.loads((reference_data / "compare/repeats/sets.json").read_text())["sets"]
    for case in sets:
        runs = [FrameworkEvaluation.model_validate(run) for run in case["runs"]]
        got = average(runs, original=True).model_dump(mode="json")
        assert agrees(got, case["expected"]), case["set"]
        assert got["extra_aggregates"].keys() == case["expected"]["extra_aggregates"].keys()
