"""Results side by side: percentiles, outcomes, and files of the old shape."""

from __future__ import annotations

import json
import statistics
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.errors import ConfigurationError
from trajmeter.frameworks.aggregates import FAILED_ANSWER, TIMED_OUT_ANSWER
from trajmeter.frameworks.comparison import build_comparison, percentile
from trajmeter.frameworks.report.notes import notes
from trajmeter.frameworks.result_files import NamedResult
from trajmeter.frameworks.results import AnswerOutcome, FrameworkEvaluation, QuestionResult
from trajmeter.records import CodeQuality, JudgeRecord

if TYPE_CHECKING:
    from pathlib import Path


def question(number: int, latency: float, **fields: object) -> QuestionResult:
    given = {"question_id": f"q{number}", "question_text": "?", "latency_seconds": latency}
    return QuestionResult.model_validate(given | fields)


def evaluation(name: str, *questions: QuestionResult, **fields: object) -> FrameworkEvaluation:
    given = {"framework_name": name, "scenario_name": "s", "questions": questions}
    return FrameworkEvaluation.model_validate(given | fields)


def test_percentiles_interpolate_between_ranks() -> None:
    values = [1.0, 2.0, 3.0, 10.0]
    assert percentile(values, 50) == 2.5  # rank 1.5
    assert percentile(values, 95) == pytest.approx(8.95)  # rank 2.85: 3 + 0.85 * 7
    assert percentile([7.0], 95) == 7.0
    assert percentile([], 50) is None


@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=40))
def test_percentiles_agree_with_the_inclusive_method(values: list[float]) -> None:
    ranks = statistics.quantiles(values, n=100, method="inclusive")
    assert percentile(values, 95) == pytest.approx(ranks[94], rel=1e-9, abs=1e-9)


def test_old_files_tell_time_outs_and_failures_by_their_placeholders() -> None:
    old = evaluation(
        "Anchor",
        question(1, 4.0, correctness_score=4.0),
        question(2, 30.0, actual_answer=TIMED_OUT_ANSWER, model_name="timeout"),
        question(3, 0.0, actual_answer=FAILED_ANSWER, model_name="error"),
    )
    (result,) = build_comparison([NamedResult("a.json", old)]).results
    assert result.outcomes == {
        AnswerOutcome.ANSWERED: 1,
        AnswerOutcome.TIMED_OUT: 1,
        AnswerOutcome.FAILED: 1,
    }
    assert result.summary["avg_latency"].value == 17.0  # (4 + 30) / 2, without the failure
    assert result.latency.n == 2
    (original,) = build_comparison([NamedResult("a.json", old)], original=True).results
    assert original.summary["avg_latency"].value == pytest.approx(34 / 3)


def test_means_say_how_many_questions_they_rest_on() -> None:
    partly = evaluation("A", question(1, 1.0, correctness_score=3.0), question(2, 1.0))
    (result,) = build_comparison([NamedResult("a.json", partly)]).results
    figure = result.summary["avg_correctness"]
    assert (figure.value, figure.n, figure.of) == (3.0, 1, 2)


def test_an_average_of_the_old_shape_does_not_say_what_was_answered() -> None:
    late = question(1, 30.0, actual_answer=TIMED_OUT_ANSWER, model_name="timeout")
    averaged = evaluation("A", late, question(2, 1.0), run_count=3)
    (result,) = build_comparison([NamedResult("a.json", averaged)]).results
    # of a question, the placeholder is that of one run and says nothing of the others
    assert result.outcomes == dict.fromkeys(AnswerOutcome)
    assert result.questions["q1"].outcome is None
    said = notes(build_comparison([NamedResult("a.json", averaged)]))
    assert any("does not record how many questions its runs answered" in note for note in said)
    outcomes = {AnswerOutcome.ANSWERED: 1, AnswerOutcome.TIMED_OUT: 2}
    ours = evaluation("A", question(1, 1.0, run_outcomes=outcomes), run_count=3)
    (result,) = build_comparison([NamedResult("a.json", ours)]).results
    assert result.outcomes == {**outcomes, AnswerOutcome.FAILED: 0}


def test_an_average_of_the_old_shape_counts_what_its_runs_answered_beside_it() -> None:
    late = {"actual_answer": TIMED_OUT_ANSWER, "model_name": "timeout", "total_tokens": 0}
    runs = [
        evaluation("A", question(1, 1.0, total_tokens=10), question(2, 1.0, total_tokens=20)),
        evaluation("A", question(1, 30.0, **late), question(2, 1.0, total_tokens=30)),
    ]
    sums = (question(1, 15.5, total_tokens=10), question(2, 1.0, total_tokens=50))
    averaged = evaluation("A", *sums, run_count=2)

    def answered(*beside: FrameworkEvaluation) -> int | None:
        named = [NamedResult(f"{n}.json", each) for n, each in enumerate((averaged, *beside))]
        return build_comparison(named).results[0].outcomes[AnswerOutcome.ANSWERED]

    assert answered(*runs) == 3  # 1 of the first question, 2 of the second
    assert answered(runs[0]) is None  # one of its runs is not there
    other = evaluation("A", question(1, 1.0, total_tokens=9), question(2, 1.0, total_tokens=30))
    assert answered(runs[0], other) is None  # not the runs that it averages
    assert answered(runs[0], evaluation("B", *runs[1].questions)) is None


def test_every_figure_of_the_summary_is_computed_from_its_own_field() -> None:
    fields = {
        "avg_latency": "latency_seconds",
        "total_tokens": "total_tokens",
        "total_cost_usd": "estimated_cost_usd",
        "avg_correctness": "correctness_score",
        "avg_completeness": "completeness_score",
        "avg_faithfulness": "faithfulness_score",
        "avg_retrieval_precision": "retrieval_precision",
        "avg_retrieval_recall": "retrieval_recall",
    }
    values = {field: float(number) for number, field in enumerate(fields.values(), start=1)}
    bare = QuestionResult(question_id="q2", question_text="?")
    given = evaluation("A", question(1, 0.0, **values), bare)
    (result,) = build_comparison([NamedResult("a.json", given)]).results
    for name, field in fields.items():
        figure = result.summary[name]
        assert (figure.value, figure.n, figure.of) == (values[field], 1, 2), name


def test_a_single_run_has_no_deviation_over_runs() -> None:
    extra = {"correctness_run_stddev": 0.5}
    for runs, deviation in ((1, None), (3, 0.5)):
        given = evaluation(
            "A", question(1, 1.0, correctness_score=4.0), run_count=runs, extra_aggregates=extra
        )
        (result,) = build_comparison([NamedResult("a.json", given)]).results
        assert result.summary["avg_correctness"].run_stddev == deviation


def test_profile_aggregates_missing_from_an_averaged_file_are_rebuilt() -> None:
    figures = {"is_multi_hop": 1.0, "required_hops": 3.0, "chain_success": 1 / 3}
    old = evaluation(
        "A",
        question(1, 1.0, extra_metrics=figures),
        evaluation_profile="multihop_chain_qa",
        run_count=3,
        extra_aggregates={"run_count": 3.0},
    )
    (result,) = build_comparison([NamedResult("a.json", old)]).results
    # a success of a third of the runs stays a third
    assert result.extra_aggregates["multi_hop_chain_success_rate"] == pytest.approx(1 / 3)
    own = {"multi_hop_chain_success_rate": 0.5}
    said = old.model_copy(update={"extra_aggregates": own})
    (result,) = build_comparison([NamedResult("a.json", said)]).results
    assert result.extra_aggregates["multi_hop_chain_success_rate"] == 0.5


def test_without_questions_the_files_own_figures_stand() -> None:
    bare = evaluation("A", avg_latency=2.5, total_tokens=7)
    (result,) = build_comparison([NamedResult("a.json", bare)]).results
    assert result.summary["avg_latency"].value == 2.5
    assert result.latency.p50 is None


def test_excerpts_end_after_300_characters() -> None:
    long = evaluation("A", question(1, 1.0, actual_answer="x" * 301))
    short = evaluation("B", question(1, 1.0, actual_answer="x" * 300))
    results = build_comparison([NamedResult("a.json", long), NamedResult("b.json", short)]).results
    assert results[0].questions["q1"].excerpt == "x" * 300 + "…"
    assert results[1].questions["q1"].excerpt == "x" * 300


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("scenario_name", "other"),
        ("evaluation_profile", "tool_branching_qa"),
        ("evaluation_mode", "capability"),
    ],
)
def test_results_of_different_scenarios_are_refused_by_name(field: str, value: str) -> None:
    pair = [
        NamedResult("a.json", evaluation("A")),
        NamedResult("b.json", evaluation("B", **{field: value})),
    ]
    with pytest.raises(ConfigurationError, match=rf"{field}.*{value} \(b\.json\)"):
        build_comparison(pair)
    with pytest.raises(ConfigurationError, match="nothing to compare"):
        build_comparison([])


def test_published_reports(reference_data: Path) -> None:
    root = reference_data / "compare"
    reports = json.loads((root / "results/expected_reports.json").read_text())["reports"]
    for report in reports:
        files = [
            NamedResult(name, FrameworkEvaluation.model_validate_json((root / name).read_text()))
            for name in report["files"]
        ]
        comparison = build_comparison(files, original=True)
        for result, expected in zip(comparison.results, report["unrounded"], strict=True):
            got = {name: figure.value for name, figure in result.summary.items()}
            got |= {
                "latency_p50": result.latency.p50,
                "latency_p95": result.latency.p95,
                "capability": result.scorecard.capability.value,
                "efficiency_real_0_33": result.scorecard.efficiency.value,
                "developer_experience": result.scorecard.developer_experience.value,
            }
            for name, value in got.items():
                wanted = expected[name]
                assert value == (None if wanted is None else pytest.approx(wanted, abs=1e-9))
            assert result.extra_aggregates == pytest.approx(expected["extra_aggregates"])


def test_a_figure_that_the_rules_leave_out_does_not_survive_from_the_file() -> None:
    figures = {"is_branching": False, "is_easy": True, "required_hops": 0, "hop_coverage": 0.0}
    old = evaluation(
        "Anchor",
        question(1, 1.0, extra_metrics=figures),
        evaluation_profile="tool_branching_qa",
        extra_aggregates={"easy_avg_hop_coverage": 0.0, "own_figure": 3.0},
    )
    shown = build_comparison([NamedResult("a.json", old)]).results[0].extra_aggregates
    assert "easy_avg_hop_coverage" not in shown  # no easy question has a hop
    assert shown["own_figure"] == 3.0
    original = (
        build_comparison([NamedResult("a.json", old)], original=True).results[0].extra_aggregates
    )
    assert original["easy_avg_hop_coverage"] == 0.0


def test_a_file_that_names_no_mode_or_profile_has_the_first_of_them() -> None:
    said = evaluation("A", evaluation_mode="baseline", evaluation_profile="default")
    assert (
        len(
            build_comparison(
                [NamedResult("a.json", said), NamedResult("b.json", evaluation("B"))]
            ).results
        )
        == 2
    )


def test_a_report_shows_the_beginning_of_a_long_error() -> None:
    failed = evaluation("A", question(1, 1.0, error="x" * 1_000, actual_answer=FAILED_ANSWER))
    (shown,) = build_comparison([NamedResult("a.json", failed)]).results[0].questions.values()
    assert shown.shown() == "x" * 300 + "…"
    assert shown.excerpt == FAILED_ANSWER


def test_sums_over_runs_stand_beside_their_mean_per_run() -> None:
    thrice = evaluation("A", question(1, 1.0, total_tokens=90, estimated_cost_usd=0.3), run_count=3)
    (result,) = build_comparison([NamedResult("a.json", thrice)]).results
    assert result.summary["total_tokens"].value == 90
    assert result.tokens_per_run == 30.0  # 90 / 3
    assert result.cost_usd_per_run == pytest.approx(0.1)


def test_the_judges_usage_is_separate_and_includes_the_review() -> None:
    took = JudgeRecord(model="m", cost_usd=0.25, attempts=1)
    judged = evaluation(
        "Anchor",
        question(1, 1.0, judge=took),
        question(2, 1.0),
        code_quality=CodeQuality(judge=took),
    )
    first, second = build_comparison(
        [NamedResult("a", judged), NamedResult("b", evaluation("Buoy", question(1, 1.0)))]
    ).results
    assert first.judging is not None
    assert (first.judging.cost_usd, first.judging.attempts) == (0.5, 2)
    assert first.summary["total_cost_usd"].value == 0.0
    assert second.judging is None


ANSWERED, FAILED = {"outcome": AnswerOutcome.ANSWERED}, {"outcome": AnswerOutcome.FAILED}
ZERO = {"correctness_score": 0.0, "completeness_score": 0.0, "faithfulness_score": 0.0}


def test_scores_set_by_rule_make_no_mean_if_no_answer_was_judged() -> None:
    unjudged = evaluation("A", question(1, 1.0, **ANSWERED), question(2, 1.0, **FAILED, **ZERO))
    (result,) = build_comparison([NamedResult("a.json", unjudged)]).results
    figure = result.summary["avg_correctness"]
    assert (figure.value, figure.n, figure.of) == (None, 0, 2)
    assert result.scorecard.capability.judge is None
    (original,) = build_comparison([NamedResult("a.json", unjudged)], original=True).results
    assert original.summary["avg_correctness"].value == 0.0
    # one answer that a judge scored, and the 0 counts beside it
    judged = evaluation(
        "A", question(1, 1.0, **ANSWERED, correctness_score=4.0), question(2, 1.0, **FAILED, **ZERO)
    )
    (result,) = build_comparison([NamedResult("a.json", judged)]).results
    assert result.summary["avg_correctness"].value == 2.0  # (4 + 0) / 2
    # nothing was answered, so there was nothing to judge
    lost = evaluation("A", question(1, 1.0, **FAILED, **ZERO))
    assert (
        build_comparison([NamedResult("a.json", lost)]).results[0].summary["avg_correctness"].value
        == 0.0
    )


def test_an_average_of_runs_that_nobody_judged_has_no_score_and_no_deviation() -> None:
    counts = {AnswerOutcome.ANSWERED: 2, AnswerOutcome.FAILED: 1}
    fields = {"run_count": 3, "extra_aggregates": {"correctness_run_stddev": 0.0, "own": 1.0}}
    averaged = evaluation("A", question(1, 1.0, run_outcomes=counts, **ZERO), **fields)
    (result,) = build_comparison([NamedResult("a.json", averaged)]).results
    figure = result.summary["avg_correctness"]
    assert (figure.value, figure.run_stddev) == (None, None)
    assert result.extra_aggregates == {"own": 1.0}
    # a file that does not say what was answered is taken at its word
    silent = evaluation("A", question(1, 1.0, **ZERO), **fields)
    assert (
        build_comparison([NamedResult("a.json", silent)])
        .results[0]
        .summary["avg_correctness"]
        .value
        == 0.0
    )
