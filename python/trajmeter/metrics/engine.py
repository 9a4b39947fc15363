"""Scores trajectories with several metrics, continuing if one of them raises."""

from __future__ import annotations

import traceback
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from trajmeter.errors import (
    BackendError,
    ConfigurationError,
    ExtraMissingError,
    TrajmeterError,
    format_exception,
)
from trajmeter.metrics._protocol import compares_attempts
from trajmeter.metrics._result import MetricError
from trajmeter.metrics.scored import Scored
from trajmeter.metrics.task_index import TaskIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from trajmeter.metrics._protocol import AnyMetric, Metric, TrialMetric
    from trajmeter.metrics._result import Result
    from trajmeter.metrics.rows import RowLayout
    from trajmeter.records import Task, Trajectory

    _TrialScorer: TypeAlias = Callable[
        [Task | None, Sequence[Trajectory]], Sequence["Result | MetricError"]
    ]

__all__ = [
    "FATAL",
    "metric_error",
    "score_attempt",
    "score_trajectories",
]

# A wrong set-up would fail for every attempt, so it ends the run; so does Ctrl-C.
FATAL = (ConfigurationError, ExtraMissingError, BackendError, KeyboardInterrupt)
"""Exceptions of a metric that end the run; any other becomes the outcome of the attempt."""


def score_trajectories(
    trajectories: Iterable[Trajectory],
    *,
    metrics: Sequence[AnyMetric],
    tasks: TaskIndex | Iterable[Task] = (),
    layout: RowLayout | None = None,
) -> Iterator[Scored]:
    """Score attempts in the order they arrive.

    Attempts are scored one by one as they are read. If a metric scores all attempts at a task
    together, all are read first.

    Args:
        trajectories: Attempts.
        metrics: Metrics created by :func:`trajmeter.metrics.create`.
        tasks: Tasks with their references.
        layout: Columns of the metrics, from which each attempt gets its figures and its row.

    Yields:
        Each attempt with its results; if a metric raised, its result is a :class:`MetricError`.

    Raises:
        ConfigurationError: Two tasks have one id, or a metric is set up wrongly.
        ExtraMissingError: A metric needs an extra that is not installed.
        KeyboardInterrupt: It was raised while a metric computed.
    """
    index = tasks if isinstance(tasks, TaskIndex) else TaskIndex(tasks)
    if not any(compares_attempts(metric) for metric in metrics):
        return _score_each(trajectories, cast("Sequence[Metric]", metrics), index, layout)
    scorers = [
        partial(_score_together, metric)
        if compares_attempts(metric)
        else partial(_score_apart, metric)
        for metric in metrics
    ]
    return _score_trials(trajectories, scorers, index, layout)


def score_attempt(
    task: Task | None, trajectory: Trajectory, metrics: Sequence[AnyMetric]
) -> tuple[Result | MetricError, ...]:
    """Score one attempt, alone in its trial; see :func:`score_trajectories`."""
    return tuple(
        [
            _score_together(metric, task, [trajectory])[0]
            if compares_attempts(metric)
            else _score_one(metric, task, trajectory)
            for metric in metrics
        ]
    )


def _score_each(
    trajectories: Iterable[Trajectory],
    metrics: Sequence[Metric],
    index: TaskIndex,
    layout: RowLayout | None,
) -> Iterator[Scored]:
    for trajectory in trajectories:
        task = index.find(trajectory.task_id)
        results = tuple([_score_one(metric, task, trajectory) for metric in metrics])
        yield Scored(task, trajectory, results, layout)


def _score_trials(
    trajectories: Iterable[Trajectory],
    scorers: Sequence[_TrialScorer],
    index: TaskIndex,
    layout: RowLayout | None,
) -> Iterator[Scored]:
    attempts = [(index.find(trajectory.task_id), trajectory) for trajectory in trajectories]
    trials: dict[str, list[Trajectory]] = {}
    for task, trajectory in attempts:
        trials.setdefault(_trial_id(task, trajectory), []).append(trajectory)
    ready: dict[str, Iterator[tuple[Result | MetricError, ...]]] = {}
    for task, trajectory in attempts:
        trial_id = _trial_id(task, trajectory)
        if trial_id not in ready:
            trial = trials.pop(trial_id)
            ready[trial_id] = zip(*[scorer(task, trial) for scorer in scorers], strict=True)
        yield Scored(task, trajectory, next(ready[trial_id]), layout)


def _trial_id(task: Task | None, trajectory: Trajectory) -> str:
    return task.id if task else trajectory.task_id


def _score_apart(
    metric: Metric, task: Task | None, trial: Sequence[Trajectory]
) -> Sequence[Result | MetricError]:
    return [_score_one(metric, task, trajectory) for trajectory in trial]


def _score_one(metric: Metric, task: Task | None, trajectory: Trajectory) -> Result | MetricError:
    try:
        result = metric.score(task, trajectory)
    except FATAL:
        raise
    except BaseException as error:  # noqa: BLE001 - a user's metric may raise anything
        return metric_error(error)
    # The same class is recognised immediately; pydantic's ``isinstance`` takes 2 µs.
    if type(result) is metric.result_type or isinstance(result, metric.result_type):
        return result
    return _wrong_type(metric, result)


def _score_together(
    metric: TrialMetric, task: Task | None, trial: Sequence[Trajectory]
) -> Sequence[Result | MetricError]:
    try:
        results = list(metric.score_trial(task, trial))
    except FATAL:
        raise
    except BaseException as error:  # noqa: BLE001 - a user's metric may raise anything
        return [metric_error(error)] * len(trial)
    if len(results) != len(trial):
        message = f"gave {len(results)} results for the {len(trial)} attempts of a task"
        return [MetricError(message, code=None)] * len(trial)
    return [
        result if isinstance(result, metric.result_type) else _wrong_type(metric, result)
        for result in results
    ]


def _wrong_type(metric: AnyMetric, result: object) -> MetricError:
    found = type(result).__name__
    return MetricError(f"gave a {found}, expected a {metric.result_type.__name__}", code=None)


def metric_error(error: BaseException) -> MetricError:
    """Describe an exception of a metric, with where it was raised."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).name}:{last.lineno}"
    code = error.code if isinstance(error, TrajmeterError) else None
    return MetricError(f"{format_exception(error)} ({place})", code=code)
