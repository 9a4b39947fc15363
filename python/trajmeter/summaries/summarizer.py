"""Summing up scored attempts as they come, without keeping them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias

from trajmeter.metrics import Aggregating, MetricError
from trajmeter.metrics.headlines import headlines, listings
from trajmeter.summaries._figures import SummarizedFigure, summarized_figures
from trajmeter.summaries._tally import Tally
from trajmeter.summaries.summary import AttemptsSummary, ErrorSummary, MetricSummary, Summary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.metrics import Aggregator, RowLayout, Scored
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
        self._aggregators = self._new_aggregators()
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
            attempts = _Attempts(self._figures, self._new_aggregators())
            self._attempts[key] = attempts
        attempts.tally.add(values)
        for aggregators in (attempts.aggregators, self._aggregators):
            for index, aggregator in aggregators.items():
                result = scored.results[index]
                if not isinstance(result, MetricError):
                    aggregator.add(scored.task, scored.trajectory, result)
        if MetricError in map(type, scored.results):
            self._add_errors(scored)

    def summary(self) -> Summary:
        """Sum up what was counted so far."""
        overall = Tally(self._figures)
        for attempts in self._attempts.values():
            overall.include(attempts.tally)
        groups = tuple(
            self._summarize(key, attempts.tally, attempts.aggregators)
            for key, attempts in self._attempts.items()
        )
        return Summary(
            trajmeter_version=self._layout.package_version,
            backend=self._layout.backend,
            metrics=tuple(map(self._metric, range(len(self._layout.families)))),
            overall=self._summarize((None, None, None, None), overall, self._aggregators),
            groups=groups,
            errors=self._error_summaries(),
        )

    def _metric(self, index: int) -> MetricSummary:
        family = self._layout.families[index]
        aggregator = self._aggregators.get(index)
        model = type(aggregator.figures()) if aggregator else None
        return MetricSummary(
            name=family.name,
            version=family.metric.version,
            parameters=dict(family.metric.parameters),
            headlines=headlines(model) if model else {},
            listings=listings(model) if model else {},
        )

    def _new_aggregators(self) -> dict[int, Aggregator]:
        return {
            index: family.metric.aggregator()
            for index, family in enumerate(self._layout.families)
            if isinstance(family.metric, Aggregating)
        }

    def _summarize(
        self, key: _Key, tally: Tally, aggregators: Mapping[int, Aggregator]
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
                self._layout.families[index].name: aggregator.figures().model_dump(mode="json")
                for index, aggregator in aggregators.items()
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


class _Attempts:
    """What was counted of one agent and model."""

    def __init__(
        self, figures: Sequence[SummarizedFigure], aggregators: Mapping[int, Aggregator]
    ) -> None:
        self.tally = Tally(figures)
        self.aggregators = aggregators


def _key(trajectory: Trajectory) -> _Key:
    """Agent and model, or the file where neither is named."""
    if trajectory.agent is None and trajectory.model is None and trajectory.source is not None:
        return None, None, trajectory.source.file, None
    return trajectory.agent, trajectory.model, None, trajectory.instance
