from __future__ import annotations

import json
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.metrics.turns.strategies import runs
from tests.metrics.validated import check_as_validated
from trajmeter.errors import UnknownNameError
from trajmeter.metrics import Resources
from trajmeter.metrics.turns import TurnsMetric, create, score
from trajmeter.records import Failure, Outcome, ToolCall, Trajectory, Turn, Usage

if TYPE_CHECKING:
    from random import Random

    from trajmeter.metrics.turns import TurnsResult

CASES = json.loads((Path(__file__).parents[2] / "cases" / "turns.json").read_text())["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_worked_examples(case: dict[str, Any]) -> None:
    trajectory = Trajectory(task_id="t", **case["trajectory"])

    _compare(score(trajectory), case["expected"])
    if case["ptcrunner"] is not None:
        _compare(score(trajectory, profile="ptcrunner"), case["expected"] | case["ptcrunner"])


def _compare(result: TurnsResult, expected: dict[str, Any]) -> None:
    got = {path: attrgetter(path)(result) for path in expected}
    assert got == {
        path: pytest.approx(value, abs=1e-12) if isinstance(value, float) else value
        for path, value in expected.items()
    }


def test_error_rate_counts_every_turn_that_carries_the_reason() -> None:
    timed_out = Failure(reason="timeout", message="m")
    turns = (Turn(success=False, error=timed_out), Turn(success=True, error=timed_out), Turn())

    result = score(Trajectory(task_id="t", turns=turns))

    assert result.error_rate("timeout") == 2 / 3
    assert result.error_rate("parse_error") == 0.0


def test_error_rate_without_turns_is_none_and_0_in_the_profile() -> None:
    trajectory = Trajectory(task_id="t", turns=())

    assert score(trajectory).error_rate("timeout") is None
    assert score(trajectory, profile="ptcrunner").error_rate("timeout") == 0.0


def test_the_profile_takes_counted_turns_for_none() -> None:
    result = score(Trajectory(task_id="t", turn_count=7), profile="ptcrunner")

    assert result.outcome is Outcome.SCORED
    assert result.run.turn_count == 0
    assert result.parse_failure_rate == 0.0


def test_an_unknown_profile_is_named() -> None:
    with pytest.raises(UnknownNameError, match="'fc-eval'; profiles: ptcrunner"):
        create(Resources(profile="fc-eval"))


def test_the_metric_needs_no_task() -> None:
    metric = create(Resources(profile="ptcrunner"))

    assert metric.parameters == {"profile": "ptcrunner"}
    assert metric.score(None, Trajectory(task_id="t")).first_turn_valid is False
    assert TurnsMetric().score(None, Trajectory(task_id="t")).first_turn_valid is None


RATES = (
    "parse_failure_rate",
    "no_code_rate",
    "multi_code_block_rate",
    "recovered_errors",
    "repeated_tool_calls",
    "tool_call_success_rate",
)


@given(runs)
def test_rates_are_between_0_and_1_or_have_nothing_to_divide_by(turns: tuple[Turn, ...]) -> None:
    result = score(Trajectory(task_id="t", turns=turns))

    for name in RATES:
        rate = getattr(result, name)
        assert rate is None or 0.0 <= rate <= 1.0
    assert (result.parse_failure_rate is None) == (not turns)
    assert (result.repeated_tool_calls is None) == (not result.recorded_calls)


@given(runs)
def test_results_are_as_validated(turns: tuple[Turn, ...]) -> None:
    usage = Usage(input_tokens=1, cost_usd=0.5) if len(turns) % 2 else None
    result = score(Trajectory(task_id="t", turns=turns, usage=usage))

    for model in (result, result.run, result.tokens, result.cost):
        check_as_validated(model)


@given(runs, st.randoms())
def test_the_order_of_turns_does_not_matter_to_counts(
    turns: tuple[Turn, ...], random: Random
) -> None:
    shuffled = list(turns)
    random.shuffle(shuffled)
    kept = (
        "error_turns",
        "error_breakdown",
        "dominant_error",
        "has_failed_turn",
        "parse_failure_rate",
        "repeated_tool_calls",
        "tool_call_success_rate",
    )
    before = score(Trajectory(task_id="t", turns=turns))
    after = score(Trajectory(task_id="t", turns=tuple(shuffled)))

    assert [getattr(before, name) for name in kept] == [getattr(after, name) for name in kept]


@given(runs)
def test_a_successful_turn_at_the_end_never_raises_a_failure_rate(turns: tuple[Turn, ...]) -> None:
    before = score(Trajectory(task_id="t", turns=turns))
    after = score(Trajectory(task_id="t", turns=(*turns, Turn(success=True, program="x"))))

    assert (after.parse_failure_rate or 0.0) <= (before.parse_failure_rate or 0.0)
    assert after.error_breakdown == before.error_breakdown
    assert after.repeated_failures == before.repeated_failures


def test_reference_cases(reference_data: Path) -> None:
    cases = json.loads((reference_data / "turns" / "cases.json").read_text())["cases"]
    assert cases
    for case in cases:
        trajectory = _reference_trajectory(case)
        _compare_reference(case["name"], score(trajectory), case["expected"])
        left_out = case.get("not_in_profile", [])
        # What the original has no figure for, or gives no answer to, is not its profile's matter.
        if case["source"] == "spec" or "*" in left_out or "analyze" in left_out:
            continue
        expected = case["expected"] | case.get("original", {})
        kept = {name: value for name, value in expected.items() if name not in left_out}
        _compare_reference(case["name"], score(trajectory, profile="ptcrunner"), kept)


def _compare_reference(name: str, result: TurnsResult, expected: dict[str, Any]) -> None:
    for figure, value in expected.items():
        if figure == "error_rate":
            assert {reason: result.error_rate(reason) for reason in value} == pytest.approx(
                value, abs=1e-12
            ), name
            continue
        homes = (result, result.run, result.tokens)
        got = next(getattr(home, figure) for home in homes if hasattr(home, figure))
        if isinstance(value, dict) and value.get("outcome") == "not_scored":
            assert got is None, (name, figure)
        elif isinstance(value, float):
            assert got == pytest.approx(value, abs=1e-12), (name, figure)
        else:
            assert got == value, (name, figure)


def _reference_trajectory(case: dict[str, Any]) -> Trajectory:
    context = case["context"]
    turns = case["turns"]
    return Trajectory(
        task_id="t",
        turns=None if turns is None else tuple(_reference_turn(turn) for turn in turns),
        turn_count=context.get("turn_count"),
        failure=_reference_failure(context.get("fail")),
        usage=Usage(**context["usage"]) if context.get("usage") else None,
        passed=context.get("passed"),
    )


def _reference_turn(turn: dict[str, Any]) -> Turn:
    calls = [
        ToolCall(
            name=call["name"],
            arguments=call.get("args"),
            success=call.get("success"),
            error=call.get("error"),
        )
        for call in turn["tool_calls"] or ()
    ]
    return Turn(
        number=turn.get("number"),
        program=turn["program"],
        success=turn["success"],
        error=_reference_failure(turn["error"]),
        tool_calls=tuple(calls),
    )


def _reference_failure(error: dict[str, Any] | str | None) -> Failure | None:
    if isinstance(error, dict):
        return Failure(reason=error.get("reason"), message=error.get("message"))
    return None if error is None else Failure(message=error)
