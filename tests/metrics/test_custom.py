from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import trajmeter
from tests.metrics.fakes import RankResult
from trajmeter.errors import ConfigurationError
from trajmeter.metrics import (
    FunctionMetric,
    MetricError,
    Result,
    RowLayout,
    ScoreResult,
    metric,
    score_trajectories,
)
from trajmeter.records import Cause, Outcome, Score, Task, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable

ATTEMPT = Trajectory(task_id="one", final_output="42")


@metric
def length(task: Task | None, trajectory: Trajectory) -> float:
    """Length of the final output."""
    return len(trajectory.final_output or "")


def _giving(value: object) -> FunctionMetric:
    def given(task: Task | None, trajectory: Trajectory) -> float:
        return value  # type: ignore[return-value] # whatever a user's function gives

    return metric(given)


def _score(value: object) -> dict[str, object]:
    result = _giving(value).score(None, ATTEMPT)
    assert isinstance(result, ScoreResult)
    return result.model_dump(exclude_defaults=True)


def test_a_decorated_function_is_a_metric_and_still_a_function() -> None:
    assert (length.name, length.version, length.requires) == ("length", "1", ())
    assert dict(length.parameters) == {}
    assert length(None, ATTEMPT) == 2
    assert length.__doc__ == "Length of the final output."
    result = length.score(None, ATTEMPT)
    assert result.model_dump(exclude_defaults=True) == {"value": 2.0}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.25, {"value": 0.25}),
        (3, {"value": 3.0}),
        (True, {"value": 1.0, "passed": True}),
        (False, {"value": 0.0, "passed": False}),
        (None, {"outcome": Outcome.ABSTAINED}),
        (
            float("nan"),
            {"outcome": Outcome.NOT_SCORED, "cause": Cause.NON_FINITE, "reason": "gave nan"},
        ),
        (
            float("-inf"),
            {"outcome": Outcome.NOT_SCORED, "cause": Cause.NON_FINITE, "reason": "gave -inf"},
        ),
        (
            Score(value=7.0, passed=True, reason="all there", details={"checks": 2}),
            {"value": 7.0, "passed": True, "reason": "all there", "details": {"checks": 2}},
        ),
        (
            Score(value=10.0, outcome=Outcome.ASSIGNED, cause=Cause.TIMED_OUT),
            {"value": 10.0, "outcome": Outcome.ASSIGNED, "cause": Cause.TIMED_OUT},
        ),
        (np.True_, {"value": 1.0, "passed": True}),
        (np.float32(0.5), {"value": 0.5}),
        (
            Score(value=float("nan"), passed=True, details={"checks": 0}),
            {
                "outcome": Outcome.NOT_SCORED,
                "cause": Cause.NON_FINITE,
                "reason": "gave nan",
                "details": {"checks": 0},
            },
        ),
        (
            Score(value=float("inf"), reason="divided by 0"),
            {
                "outcome": Outcome.NOT_SCORED,
                "cause": Cause.NON_FINITE,
                "reason": "divided by 0",
            },
        ),
        (
            Score(value=float("nan"), outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_PATCH),
            {"outcome": Outcome.NOT_SCORED, "cause": Cause.MISSING_PATCH},
        ),
    ],
)
def test_the_return_value_of_a_function_becomes_a_score(
    value: object, expected: dict[str, object]
) -> None:
    assert _score(value) == expected


@pytest.mark.parametrize("value", ["0.5", [1.0], {"value": 1.0}, 1j])
def test_anything_else_is_an_error_of_the_attempt(value: object) -> None:
    (scored,) = score_trajectories([ATTEMPT], metrics=[_giving(value)])
    (error,) = scored.results
    assert isinstance(error, MetricError)
    assert f"gave {value!r}, expected a number, a bool, a Score, a Result or None" in error.message


def test_numpy_values_in_the_details_become_numbers() -> None:
    details = {"hits": np.int64(3), "shares": np.array([0.5, 1.0]), "all": [np.False_]}
    (row,) = trajmeter.score([ATTEMPT], metrics=[_giving(Score(value=1.0, details=details))]).rows
    assert row["given.details"] == {"hits": 3, "shares": [0.5, 1.0], "all": [False]}
    assert [type(value) for value in row["given.details"]["shares"]] == [float, float]


def _within_itself() -> list[Any]:
    circle: list[Any] = []
    circle.append(circle)
    return circle


@pytest.mark.parametrize(
    ("detail", "message"),
    [
        (object(), "TypeError: a object has no form in JSON"),
        (b"\xff", "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff"),
        (_within_itself(), "ValueError: Circular reference detected"),
    ],
)
def test_details_that_no_column_holds_lose_their_score_alone(detail: object, message: str) -> None:
    @metric
    def first_fails(task: Task | None, trajectory: Trajectory) -> Score:
        return Score(value=1.0, details={"seen": detail if trajectory.task_id == "one" else 0})

    scores = trajmeter.score([ATTEMPT, Trajectory(task_id="two")], metrics=[first_fails, length])
    assert [row["first_fails.value"] for row in scores.rows] == [None, 1.0]
    assert [row["length.value"] for row in scores.rows] == [2.0, 0.0]
    (error,) = scores.summary.errors
    assert error.message.startswith(f"first_fails.details cannot be written: {message}")
    assert scores.rows[0]["first_fails.cause"] == "metric_error"


def test_figures_state_range_direction_and_unit() -> None:
    @metric(name="seconds", version="2", low=0, higher_is_better=False, unit="s")
    def slow(task: Task | None, trajectory: Trajectory) -> float | None:
        return trajectory.duration_seconds

    (family,) = RowLayout([slow]).families
    (column,) = [column for column in family.columns if column.name == "seconds.value"]
    assert column.figure is not None
    assert (column.figure.low, column.figure.high, column.figure.unit) == (0, None, "s")
    assert column.figure.higher_is_better is False
    assert column.description == "The figure; true is 1 and false is 0."
    assert slow.version == "2"


def test_a_function_may_return_a_custom_result() -> None:
    @metric
    def place(task: Task | None, trajectory: Trajectory) -> RankResult:
        return RankResult(rank=3)

    assert place.result_type is RankResult
    (scored,) = score_trajectories([ATTEMPT], metrics=[place])
    assert scored.results == (RankResult(rank=3),)
    assert RowLayout([place]).row(scored)["place.rank"] == 3


def test_an_annotation_may_be_anything_but_a_class() -> None:
    @metric  # type: ignore[arg-type] # what is tested
    def pair(task: Task | None, trajectory: Trajectory) -> tuple[float, ...]:
        return (1.0,)

    assert issubclass(pair.result_type, ScoreResult)


def test_a_result_that_was_not_announced_is_an_error() -> None:
    class Sly(Result):
        figure: float = 1.0

    (scored,) = score_trajectories([ATTEMPT], metrics=[_giving(Sly())])
    assert scored.results == (MetricError("gave a Sly, expected a given_result", code=None),)


def test_a_name_is_one_that_a_column_can_bear() -> None:
    decorate: Callable[..., FunctionMetric] = metric(name="my metric")
    with pytest.raises(ConfigurationError, match=r"'my metric', expected a name of letters"):
        decorate(lambda _task, _trajectory: 1.0)


def test_a_function_that_cannot_be_called_is_an_error_at_once() -> None:
    with pytest.raises(
        ConfigurationError, match=r"'own' takes \(_only\), expected \(task, trajectory\)"
    ):
        metric(name="own")(lambda _only: 1.0)  # type: ignore[misc,arg-type]  # meant to fail

    async def asked(task: Task | None, trajectory: Trajectory) -> float:
        return 1.0

    with pytest.raises(
        ConfigurationError, match="'asked' is asynchronous, expected a plain function"
    ):
        metric(asked)  # type: ignore[arg-type]  # meant to fail
    assert metric(name="own")(lambda *given: len(given))(None, ATTEMPT) == 2
    assert metric(min).name == "min"  # type: ignore[arg-type]  # which has no signature


def test_a_range_holds_a_value() -> None:
    decorate: Callable[..., FunctionMetric] = metric(name="rank", low=5, high=1)
    with pytest.raises(ConfigurationError, match="the low end of a range is 5, above"):
        decorate(lambda _task, _trajectory: 1.0)
