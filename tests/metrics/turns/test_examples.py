"""The examples of PtcRunner's documentation, with their arithmetic, by default and by profile."""

from __future__ import annotations

import pytest

from trajmeter.metrics.turns import TurnsMetric, TurnsSummary, aggregate
from trajmeter.records import Failure, ToolCall, Trajectory, Turn, Usage

PARSE_ERROR = Turn(number=1, success=False, error=Failure(reason="parse_error", message="bad"))
SECOND_PARSE_ERROR = PARSE_ERROR.model_copy(update={"number": 2})
EVAL_ERROR = Turn(
    number=3,
    success=False,
    program="(/ 1 0)",
    error=Failure(reason="eval_error", message="div/0"),
)


def success(number: int) -> Turn:
    return Turn(number=number, success=True, program="(+ 1 2)")


@pytest.fixture(params=[None, "ptcrunner"], ids=["default", "ptcrunner"])
def metric(request: pytest.FixtureRequest) -> TurnsMetric:
    return TurnsMetric(profile=request.param)


def run(*turns: Turn) -> Trajectory:
    return Trajectory(task_id="t", turns=turns)


@pytest.mark.parametrize(
    ("failure", "exhausted"),
    [
        (Failure(reason="max_turns_exceeded", message="exceeded"), True),
        (Failure(reason="turn_budget_exhausted"), True),
        (Failure(reason="budget_exhausted"), True),
        (Failure(reason="timeout"), False),
        (Failure(message="max_turns_exceeded"), False),  # a message is not a reason
        (None, False),  # a run that returned 42
    ],
)
def test_budget_exhausted(metric: TurnsMetric, failure: Failure | None, exhausted: bool) -> None:
    trajectory = Trajectory(task_id="t", failure=failure, final_output="42")

    assert metric.score(None, trajectory).run.budget_exhausted is exhausted


def test_dominant_error(metric: TurnsMetric) -> None:
    result = metric.score(None, run(PARSE_ERROR, SECOND_PARSE_ERROR, EVAL_ERROR))

    assert result.dominant_error == "parse_error"  # 2 of 3, against 1 of 3
    assert metric.score(None, run(success(1))).dominant_error is None


def test_error_breakdown(metric: TurnsMetric) -> None:
    result = metric.score(None, run(PARSE_ERROR, success(2), EVAL_ERROR))

    assert result.error_breakdown == {"parse_error": 1, "eval_error": 1}  # turn 2 did not fail


def test_error_rate(metric: TurnsMetric) -> None:
    result = metric.score(None, run(PARSE_ERROR, success(2)))

    assert result.error_rate("parse_error") == 1 / 2
    assert result.error_rate("eval_error") == 0 / 2
    assert result.parse_failure_rate == 1 / 2


def test_first_turn_valid(metric: TurnsMetric) -> None:
    assert metric.score(None, run(success(1))).first_turn_valid is True
    # What can be read is valid, though it fails when it runs.
    assert metric.score(None, run(EVAL_ERROR)).first_turn_valid is True
    assert metric.score(None, run(PARSE_ERROR)).first_turn_valid is False


def test_parse_failure_rate(metric: TurnsMetric) -> None:
    assert metric.score(None, run(success(1))).parse_failure_rate == 0 / 1


@pytest.mark.parametrize(
    ("reason", "figure"),
    [("no_code_found", "no_code_rate"), ("multiple_code_blocks", "multi_code_block_rate")],
)
def test_rates_of_the_other_reasons(metric: TurnsMetric, reason: str, figure: str) -> None:
    failed = Turn(success=False, error=Failure(reason=reason))
    result = metric.score(None, run(failed, success(2), success(3), failed))

    assert getattr(result, figure) == 2 / 4
    assert result.parse_failure_rate == 0 / 4


def test_turn_count(metric: TurnsMetric) -> None:
    of_none = 0 if metric.parameters["profile"] else None
    assert metric.score(None, Trajectory(task_id="t", turns=None)).run.turn_count == of_none
    assert metric.score(None, Trajectory(task_id="t", turns=())).run.turn_count == 0
    assert metric.score(None, run(PARSE_ERROR, success(2))).run.turn_count == 2


def test_turns_to_first_tool_call(metric: TurnsMetric) -> None:
    called = Turn(
        number=2, success=True, program="x", tool_calls=(ToolCall(name="a", success=True),)
    )

    assert metric.score(None, run(success(1))).turns_to_first_tool_call is None
    assert metric.score(None, run(success(1), called)).turns_to_first_tool_call == 2


def test_has_failed_turn(metric: TurnsMetric) -> None:
    assert metric.score(None, run(success(1), EVAL_ERROR)).has_failed_turn is True
    assert metric.score(None, run(success(1))).has_failed_turn is False


def test_success_and_tokens_are_passed_in(metric: TurnsMetric) -> None:
    usage = Usage(input_tokens=70, output_tokens=30, total_tokens=100)
    trajectory = Trajectory(task_id="t", turns=(EVAL_ERROR,), passed=True, usage=usage)

    result = metric.score(None, trajectory)

    assert result.run.passed is True  # though its only turn failed
    tokens = result.tokens
    assert (tokens.input_tokens, tokens.output_tokens, tokens.total_tokens) == (70, 30, 100)


@pytest.mark.parametrize("profile", [None, "ptcrunner"])
def test_the_summary_of_two_runs_and_of_none(profile: str | None) -> None:
    metric = TurnsMetric(profile=profile)
    usage = Usage(input_tokens=90, output_tokens=10, total_tokens=100, cost_usd=0.25)
    salvaged = Trajectory(task_id="t", turns=(PARSE_ERROR, success(2)), passed=True, usage=usage)
    exhausted = Trajectory(
        task_id="t",
        turns=(success(1), SECOND_PARSE_ERROR, EVAL_ERROR, EVAL_ERROR),
        passed=False,
        usage=Usage(input_tokens=200, output_tokens=100, total_tokens=300, cost_usd=1.0),
        failure=Failure(reason="max_turns_exceeded"),
    )

    summary = aggregate([metric.score(None, each) for each in (salvaged, exhausted)])

    assert {name: getattr(summary, name).value for name in TurnsSummary.model_fields} == {
        "first_turn_validity_rate": 1 / 2,  # that of the second run
        "mean_parse_failure_rate": (1 / 2 + 1 / 4) / 2,
        "mean_no_code_rate": 0.0,
        "mean_multi_code_block_rate": 0.0,
        "mean_turns_on_pass": 2.0,  # of the first run alone
        "recoverable_error_salvage_rate": 1 / 2,  # both had a failed turn, one passed
        "budget_exhausted_rate": 1 / 2,
        "pass_rate": 1 / 2,
        "mean_input_tokens": (90 + 200) / 2,
        "mean_output_tokens": (10 + 100) / 2,
        "mean_total_tokens": (100 + 300) / 2,
        "mean_total_tokens_on_pass": 100.0,
        "mean_cost_usd": (0.25 + 1.0) / 2,
        "mean_cost_usd_on_pass": 0.25,
    }
    assert aggregate([], profile=profile).pass_rate.value == 0.0
    assert aggregate([], profile=profile).mean_turns_on_pass.value is None
