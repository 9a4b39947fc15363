"""Summing up scored attempts as they come, without keeping them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias

from trajmeter.metrics import Aggregating, MetricError
from trajmeter.metrics._result import headlines, listings
from trajmeter.summaries._aggregation import Aggregates, Aggregation
from trajmeter.summaries._figures import SummarizedFigure, summarized_figures
from trajmeter.summaries._tally import Tally
from trajmeter.summaries.summary import AttemptsSummary, ErrorSummary, MetricSummary, Summary

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from trajmeter.metrics import RowLayout, Scored
    from trajmeter.records import Trajectory

__all__ = ["Summarizer"]

_Key: TypeAlias = tuple[str | None, str | None, str | None, str | None]

# Different errors kept for each metric: one that names its record differs for every attempt.
_KEPT_ERRORS = 20


class Summarizer:
    """Counts scored attempts, overall and by agent and model.

    Args:
        layout: Columns of the rows.

    Raises:
        ConfigurationError: A figure's micro average is made of a count that its group lacks.

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
                result = scored.results[index]
                if not isinstance(result, MetricError):
                    aggregation.add(scored.task, scored.trajectory, result)
        if MetricError in map(type, scored.results):
            self._add_errors(scored)

    def summary(self) -> Summary:
        """Sum up what was counted so far."""
        overall = Tally(self._figures)
        for attempts in self._attempts.values():
            overall.include(attempts.tally)
        *runs, run = (
            {index: aggregation.figures() for index, aggregation in aggregations.items()}
            for aggregations in (
                *(attempts.aggregations for attempts in self._attempts.values()),
                self._aggregations,
            )
        )
        lost = {
            index: made
            for each in (*runs, run)
            for index, made in each.items()
            if isinstance(made, MetricError)
        }
        groups = tuple(
            self._summarize(key, attempts.tally, own, lost)
            for (key, attempts), own in zip(self._attempts.items(), runs, strict=True)
        )
        return Summary(
            trajmeter_version=self._layout.package_version,
            backend=self._layout.backend,
            metrics=tuple(
                self._metric(index, None if index in lost else run.get(index))
                for index in range(len(self._layout.families))
            ),
            overall=self._summarize((None, None, None, None), overall, run, lost),
            groups=groups,
            errors=(*self._error_summaries(), *self._lost_figures(lost, overall.attempts)),
        )

    def _metric(self, index: int, made: Aggregates | MetricError | None) -> MetricSummary:
        family = self._layout.families[index]
        model = made.model if isinstance(made, Aggregates) else None
        return MetricSummary(
            name=family.name,
            version=family.metric.version,
            parameters=dict(family.metric.parameters),
            headlines=headlines(model) if model else {},
            listings=listings(model) if model else {},
        )

    def _new_aggregations(self) -> dict[int, Aggregation]:
        return {
            index: Aggregation(family.metric)
            for index, family in enumerate(self._layout.families)
            if isinstance(family.metric, Aggregating)
        }

    def _summarize(
        self,
        key: _Key,
        tally: Tally,
        run: Mapping[int, Aggregates | MetricError],
        lost: Collection[int],
    ) -> AttemptsSummary:
        agent, model, source, instance = key
        return AttemptsSummary(
            agent=agent,
            model=model,
            source=source,
            instance=instance,
            attempts=tally.attempts,
            figures=tally.summaries(),
            aggregates={
                self._layout.families[index].name: made.figures
                for index, made in run.items()
                if isinstance(made, Aggregates) and index not in lost
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


class _Attempts:
    """What was counted of one agent and model."""

    def __init__(
        self, figures: Sequence[SummarizedFigure], aggregations: Mapping[int, Aggregation]
    ) -> None:
        self.tally = Tally(figures)
        self.aggregations = aggregations


def _key(trajectory: Trajectory) -> _Key:
    """Agent and model, or the file where neither is named."""
    if trajectory.agent is None and trajectory.model is None and trajectory.source is not None:
        return None, None, trajectory.source.file, None
    return trajectory.agent, trajectory.model, None, trajectory.instance
