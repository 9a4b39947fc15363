"""Summing up scored attempts as they come, without keeping them."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import BaseModel

from trajmeter.metrics import Aggregating, ErrorAggregator, MetricError
from trajmeter.metrics._result import headlines, listings
from trajmeter.metrics.engine import FATAL, metric_error
from trajmeter.metrics.groups import chosen_groups
from trajmeter.summaries._tally import SummarizedFigure, Tally, summarized_figures
from trajmeter.summaries.summary import AttemptsSummary, ErrorSummary, MetricSummary, Summary

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from trajmeter.metrics import AnyMetric, Result, RowLayout, Scored
    from trajmeter.records import Task, Trajectory

__all__ = ["Summarizer"]

_T = TypeVar("_T")

_KEPT_ERRORS = 20
"""Different errors kept for each metric: one that names its record differs for every attempt."""


class _Key(NamedTuple):
    """Whose attempts are counted together; all where nothing is set."""

    agent: str | None = None
    model: str | None = None
    source: str | None = None
    instance: str | None = None


class Summarizer:
    """Counts scored attempts, overall and by agent and model.

    Args:
        layout: Columns of the rows.

    Raises:
        ConfigurationError: A figure's micro average needs a count that its group lacks.

    Example:
        >>> from trajmeter.metrics import RowLayout, metric, score_trajectories
        >>> from trajmeter.records import Trajectory
        >>> @metric
        ... def answered(task, trajectory):
        ...     return trajectory.final_output is not None
        >>> attempts = [Trajectory(task_id="a", final_output="42"), Trajectory(task_id="b")]
        >>> layout = RowLayout([answered])
        >>> summarizer = Summarizer(layout)
        >>> for scored in score_trajectories(attempts, metrics=[answered]):
        ...     summarizer.add(scored, layout.values(scored))
        >>> summarizer.summary().overall.figures["answered.value"].macro
        0.5
    """

    def __init__(self, layout: RowLayout) -> None:
        self._layout = layout
        self._figures = summarized_figures(layout)
        self._attempts: dict[_Key, _Attempts] = {}
        self._aggregations = self._new_aggregations()
        self._errors = [Counter[MetricError]() for _ in layout.families]

    def add(self, scored: Scored, values: Sequence[Any]) -> None:
        """Count one attempt.

        Args:
            scored: The attempt with its results.
            values: Its row, as the layout gives it.
        """
        key = _key(scored.trajectory)
        attempts = self._attempts.get(key)
        if attempts is None:
            attempts = _Attempts(self._figures, self._new_aggregations())
            self._attempts[key] = attempts
        attempts.tally.add(values)
        for aggregations in (attempts.aggregations, self._aggregations):
            for index, aggregation in aggregations.items():
                aggregation.add(scored.task, scored.trajectory, scored.results[index])
        if MetricError in map(type, scored.results):
            self._add_errors(scored)

    def summary(self) -> Summary:
        """Sum up what was counted so far."""
        overall = Tally(self._figures)
        for attempts in self._attempts.values():
            overall.include(attempts.tally)
        run = _made_by(self._aggregations)
        by_group = [_made_by(attempts.aggregations) for attempts in self._attempts.values()]
        lost = {
            index: made
            for each in (*by_group, run)
            for index, made in each.items()
            if isinstance(made, MetricError)
        }
        groups = tuple(
            self._summarize(key, attempts.tally, own, lost)
            for (key, attempts), own in zip(self._attempts.items(), by_group, strict=True)
        )
        return Summary(
            trajmeter_version=self._layout.package_version,
            backend=self._layout.backend,
            metrics=tuple(
                self._metric(index, None if index in lost else run.get(index))
                for index in range(len(self._layout.families))
            ),
            overall=self._summarize(_Key(), overall, run, lost),
            groups=groups,
            errors=(*self._error_summaries(), *self._lost_figures(lost, overall.attempts)),
        )

    def _metric(self, index: int, made: _Aggregates | MetricError | None) -> MetricSummary:
        family = self._layout.families[index]
        model = made.model if isinstance(made, _Aggregates) else None
        return MetricSummary(
            name=family.name,
            version=family.metric.version,
            parameters=dict(family.metric.parameters),
            headlines=_of_chosen(family.metric, headlines(model)) if model else {},
            listings=_of_chosen(family.metric, listings(model)) if model else {},
        )

    def _new_aggregations(self) -> dict[int, _Aggregation]:
        return {
            index: _Aggregation(family.metric)
            for index, family in enumerate(self._layout.families)
            if isinstance(family.metric, Aggregating)
        }

    def _summarize(
        self,
        key: _Key,
        tally: Tally,
        made: Mapping[int, _Aggregates | MetricError],
        lost: Collection[int],
    ) -> AttemptsSummary:
        return AttemptsSummary(
            agent=key.agent,
            model=key.model,
            source=key.source,
            instance=key.instance,
            attempts=tally.attempts,
            figures=tally.summaries(),
            aggregates={
                family.name: figures
                for index, each in made.items()
                if isinstance(each, _Aggregates) and index not in lost
                for family in [self._layout.families[index]]
                if (figures := _of_chosen(family.metric, each.figures))
            },
        )

    def _add_errors(self, scored: Scored) -> None:
        for errors, result in zip(self._errors, scored.results, strict=True):
            if isinstance(result, MetricError) and (result in errors or len(errors) < _KEPT_ERRORS):
                errors[result] += 1

    def _error_summaries(self) -> tuple[ErrorSummary, ...]:
        return tuple(
            ErrorSummary(
                metric=family.name, message=error.message, code=error.code, attempts=attempts
            )
            for family, errors in zip(self._layout.families, self._errors, strict=True)
            for error, attempts in errors.items()
        )

    def _lost_figures(
        self, lost: Mapping[int, MetricError], attempts: int
    ) -> Iterator[ErrorSummary]:
        """Why a family has no figures of the run."""
        for index, error in lost.items():
            yield ErrorSummary(
                metric=self._layout.families[index].name,
                message=f"no figures of the run: {error.message}",
                code=error.code,
                attempts=attempts,
            )


def _of_chosen(metric: AnyMetric, figures: dict[str, _T]) -> dict[str, _T]:
    """Figures of the run, without those of groups that are not asked for."""
    chosen = chosen_groups(metric)
    if not chosen:
        return figures
    return {path: value for path, value in figures.items() if path.partition(".")[0] in chosen}


class _Aggregates(NamedTuple):
    """Figures of a run."""

    model: type[BaseModel]
    """Model of the figures, which says by which of them agents are compared."""
    figures: dict[str, Any]
    """The figures as JSON has them."""


class _Aggregation:
    """A running total over attempts; from the first error on it counts no more.

    Args:
        metric: The metric that makes it.
    """

    def __init__(self, metric: Aggregating) -> None:
        self._aggregator = _tried(metric.aggregator)

    def add(self, task: Task | None, trajectory: Trajectory, result: Result | MetricError) -> None:
        """Count one attempt."""
        aggregator = self._aggregator
        if not isinstance(aggregator, MetricError):
            try:
                if not isinstance(result, MetricError):
                    aggregator.add(task, trajectory, result)
                elif isinstance(aggregator, ErrorAggregator):
                    aggregator.add_error(task, trajectory)
            except FATAL:
                raise
            except BaseException as error:  # noqa: BLE001 - a metric of the user's may raise anything
                self._aggregator = metric_error(error)

    def figures(self) -> _Aggregates | MetricError:
        """Figures of all attempts so far, or what the metric raised."""
        aggregator = self._aggregator
        if isinstance(aggregator, MetricError):
            return aggregator
        made: object = _tried(aggregator.figures)
        if isinstance(made, MetricError):
            return made
        if not isinstance(made, BaseModel):
            return MetricError(f"gave a {type(made).__name__}, expected a model", code=None)
        dumped = _tried(partial(made.model_dump, mode="json"))
        return dumped if isinstance(dumped, MetricError) else _Aggregates(type(made), dumped)


def _tried(function: Callable[[], _T]) -> _T | MetricError:
    try:
        return function()
    except FATAL:
        raise
    except BaseException as error:  # noqa: BLE001 - a metric of the user's may raise anything
        return metric_error(error)


def _made_by(aggregations: Mapping[int, _Aggregation]) -> dict[int, _Aggregates | MetricError]:
    """Figures of the run by family, or what the metric raised."""
    return {index: aggregation.figures() for index, aggregation in aggregations.items()}


class _Attempts:
    """What was counted of one agent and model."""

    def __init__(
        self, figures: Sequence[SummarizedFigure], aggregations: Mapping[int, _Aggregation]
    ) -> None:
        self.tally = Tally(figures)
        self.aggregations = aggregations


def _key(trajectory: Trajectory) -> _Key:
    """Agent and model, or the file where neither is named."""
    if trajectory.agent is None and trajectory.model is None and trajectory.source is not None:
        return _Key(source=trajectory.source.file)
    return _Key(trajectory.agent, trajectory.model, instance=trajectory.instance)
