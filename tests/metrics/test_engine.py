from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.metrics.fakes import AnswerMetric, AnswerResult, RankMetric, RankResult
from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.metrics import MetricError, metric, score_trajectories
from trajmeter.records import Cause, Task, Trajectory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.metrics import AnyMetric

TASKS = (
    Task(id="one", aliases=("uno",), expected_answer="a b"),
    Task(id="two", expected_answer="c"),
)


def _attempt(task_id: str, output: str | None) -> Trajectory:
    return Trajectory(task_id=task_id, final_output=output)


def test_each_attempt_is_scored_against_the_task_of_its_id_or_alias() -> None:
    attempts = [_attempt("two", "c"), _attempt("uno", "b"), _attempt("three", "c")]
    scored = list(score_trajectories(attempts, tasks=TASKS, metrics=[AnswerMetric()]))
    assert [item.trajectory for item in scored] == attempts
    assert [item.task.id if item.task else None for item in scored] == ["two", "one", None]
    results = [item.results[0] for item in scored]
    assert [isinstance(result, AnswerResult) for result in results] == [True] * 3
    words = [result.parts.words for result in results if isinstance(result, AnswerResult)]
    assert [group.coverage for group in words] == [1.0, 1 / 2, None]
    assert words[2].cause is Cause.MISSING_GOLD


def test_a_metric_that_raises_says_where_and_the_run_goes_on() -> None:
    attempts = [_attempt("one", "boom"), _attempt("one", "a")]
    scored = list(score_trajectories(attempts, tasks=TASKS, metrics=[AnswerMetric()]))
    error = scored[0].results[0]
    assert isinstance(error, MetricError)
    assert error.message.startswith("RuntimeError: it went off (fakes.py:")
    assert error.code is None
    assert isinstance(scored[1].results[0], AnswerResult)


class Unspeakable(Exception):  # noqa: N818 - somebody else's
    def __str__(self) -> str:
        raise RuntimeError("no message")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (SystemExit(2), "SystemExit: 2 (test_engine.py:"),
        (SystemExit(), "SystemExit (test_engine.py:"),
        (BaseException("a panic"), "BaseException: a panic (test_engine.py:"),
        (Unspeakable(), "Unspeakable: (its message cannot be shown) (test_engine.py:"),
    ],
)
def test_a_metric_ends_no_run(error: BaseException, message: str) -> None:
    class Leaving(AnswerMetric):
        def score(self, task: object, trajectory: object) -> AnswerResult:
            raise error

    class LeavingTogether(RankMetric):
        def score_trial(self, task: object, trajectories: object) -> list[RankResult]:
            raise error

    attempts = [_attempt("one", "a"), _attempt("one", "b")]
    metrics: list[AnyMetric] = [Leaving(), LeavingTogether(), AnswerMetric()]
    scored = list(score_trajectories(attempts, metrics=metrics, tasks=TASKS))
    for each in scored:
        first, second, third = each.results
        assert isinstance(first, MetricError)
        assert isinstance(second, MetricError)
        assert first.message.startswith(message)
        assert second.message.startswith(message)
        assert isinstance(third, AnswerResult)


def test_an_interrupt_ends_the_run() -> None:
    @metric
    def interrupted(task: Task | None, trajectory: Trajectory) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(score_trajectories([_attempt("one", "a")], metrics=[interrupted]))


def test_an_error_of_this_package_keeps_its_code() -> None:
    @metric
    def unreadable(task: Task | None, trajectory: Trajectory) -> float:
        raise ReadError("snapshots.jsonl:3: no JSON")

    (scored,) = score_trajectories([_attempt("one", "a")], metrics=[unreadable])
    error = scored.results[0]
    assert isinstance(error, MetricError)
    assert error.code == "unreadable"


def test_a_wrong_set_up_ends_the_run() -> None:
    @metric
    def misconfigured(task: Task | None, trajectory: Trajectory) -> float:
        raise ConfigurationError("no such judge")

    with pytest.raises(ConfigurationError, match="no such judge"):
        list(score_trajectories([_attempt("one", "a")], metrics=[misconfigured]))


def test_attempts_are_read_as_they_are_scored() -> None:
    read = []

    def reading() -> Iterator[Trajectory]:
        for output in "ab":
            read.append(output)
            yield _attempt("one", output)

    scoring = score_trajectories(reading(), metrics=[AnswerMetric()])
    assert read == []
    next(scoring)
    assert read == ["a"]


def test_a_metric_of_trials_sees_all_attempts_at_a_task_and_keeps_their_order() -> None:
    attempts = [
        _attempt("one", "aa"),
        _attempt("two", "b"),
        _attempt("uno", "aaa"),  # an alias is the same task
        _attempt("unknown", "x"),
        _attempt("one", "a"),
    ]
    scored = list(score_trajectories(attempts, tasks=TASKS, metrics=[AnswerMetric(), RankMetric()]))
    assert [item.trajectory for item in scored] == attempts
    ranks = [item.results[1] for item in scored]
    assert ranks == [RankResult(rank=rank) for rank in (2, 1, 1, 1, 3)]
    alone = list(score_trajectories(attempts, tasks=TASKS, metrics=[AnswerMetric()]))
    assert [item.results[0] for item in scored] == [item.results[0] for item in alone]


def test_a_trial_with_a_wrong_number_of_results_is_an_error_of_each_attempt() -> None:
    class Forgetful(RankMetric):
        def score_trial(self, task: object, trajectories: object) -> list[RankResult]:
            return []

    scored = list(score_trajectories([_attempt("one", "a")] * 2, metrics=[Forgetful()]))
    expected = MetricError("gave 0 results for the 2 attempts of a task", code=None)
    assert [item.results for item in scored] == [(expected,)] * 2


def test_results_of_a_trial_may_come_one_by_one_and_none_are_an_error() -> None:
    class OneByOne(RankMetric):
        def score_trial(self, task: object, trajectories: Sequence[Trajectory]) -> Any:
            return (RankResult(rank=place) for place in range(len(trajectories)))

    class Silent(RankMetric):
        def score_trial(self, task: object, trajectories: object) -> Any:
            return None

    (scored,) = score_trajectories([_attempt("one", "a")], metrics=[OneByOne(), Silent()])
    assert scored.results[0] == RankResult(rank=0)
    error = scored.results[1]
    assert isinstance(error, MetricError)
    assert error.message.startswith("TypeError: 'NoneType' object is not iterable")


def test_a_result_of_another_type_is_an_error() -> None:
    class Confused(AnswerMetric):
        def score(self, task: object, trajectory: object) -> AnswerResult:
            return RankResult()  # type: ignore[return-value] # what is tested

    (scored,) = score_trajectories([_attempt("one", "a")], metrics=[Confused()])
    assert scored.results[0] == MetricError("gave a RankResult, expected a AnswerResult", code=None)
