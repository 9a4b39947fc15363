"""Summarizes scored attempts as they arrive, without keeping them."""

from __future__ import annotations

from copy import deepcopy
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from trajmeter.metrics import MetricError
from trajmeter.metrics.kept_counts import KeptCounts
from trajmeter.metrics.scored_columns import GroupedRows
from trajmeter.metrics.scored_rows import ScoredRows, attempted, place_columns
from trajmeter.records.record import frozen
from trajmeter.summaries._aggregations import ByColumns, ByRecords, aggregation_of
from trajmeter.summaries._figures import summarized_figures
from trajmeter.summaries._groups import GroupKey, Groups
from trajmeter.summaries._reading import TotalsReader
from trajmeter.summaries._tally import Tally
from trajmeter.summaries.groups import LazyGroups
from trajmeter.summaries.summary import ErrorSummary, Summary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from trajmeter.metrics import Result, RowLayout, Scored
    from trajmeter.metrics.scored_columns import ScoredColumns
    from trajmeter.metrics.scored_rows import Attempted
    from trajmeter.records import Task
    from trajmeter.summaries.summary import AttemptsSummary

__all__ = ["Summarizer"]

_ROWS = 1024
"""Number of rows to collect before they are counted."""

_MADE_AT_ONCE = 1000
"""Number of groups up to which all summaries are made immediately."""

_NUMBERS = 1 << 19
"""Numbers of a batch to count at a time: few enough to keep their tables small."""


class Summarizer:
    """Counts scored attempts, overall and by agent and model.

    Sums are exact: the same attempts in the same order have the same summary, whether added singly
    or in batches of any size.

    Args:
        layout: Columns of the rows.
        quantiles: Whether each agent and model has quantiles, or only all attempts.

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

    def __init__(self, layout: RowLayout, *, quantiles: bool = False) -> None:
        self._layout = layout
        self._groups = Groups()
        figures = summarized_figures(layout)
        self._tally = Tally(figures, quantiles=quantiles)
        self._columns = place_columns(layout.columns)
        self._rows_at_once = max(_NUMBERS // max(len(figures.figures), 1), 1)
        self._by_columns: dict[int, ByColumns] = {}
        self._by_records: dict[int, ByRecords] = {}
        for index, family in enumerate(layout.families):
            totals = aggregation_of(family.metric)
            if isinstance(totals, ByColumns):
                self._by_columns[index] = totals
            elif totals is not None:
                self._by_records[index] = totals
        self._errors = [KeptCounts[MetricError](attrgetter("message")) for _ in layout.families]
        self._is_shared = False  # whether a summary shares the totals
        self._rows: list[Sequence[Any]] = []
        self._attempted: list[Attempted] = []
        self._numbers: list[int] = []

    def add(self, scored: Scored, values: Sequence[Any]) -> None:
        """Count one attempt.

        Args:
            scored: The attempt with its results.
            values: Its row in the layout's columns.
        """
        group = self._groups.of_record(scored.trajectory)
        self._rows.append(values)
        self._attempted.append(attempted(scored.task, scored.trajectory))
        self._numbers.append(group)
        for index, totals in self._by_records.items():
            totals.add(group, scored.task, scored.trajectory, scored.results[index])
        if MetricError in map(type, scored.results):
            for errors, result in zip(self._errors, scored.results, strict=True):
                if isinstance(result, MetricError):
                    errors.add(result)
        if len(self._rows) == _ROWS:
            self._count_rows()

    def add_batch(
        self,
        rows: pa.RecordBatch,
        scored: pa.RecordBatch,
        *,
        tasks: Sequence[Task | None],
        results: Mapping[str, Sequence[Result | MetricError]],
    ) -> None:
        """Count the attempts of a batch.

        Args:
            rows: The attempts, in the columns of :func:`trajmeter.schemas.trajectory_schema`: those
                that identify an attempt, and those read by metrics that count records.
            scored: Their rows of the results table, in the columns of
                :func:`trajmeter.writers.arrow.arrow_schema`.
            tasks: Task of each attempt, ``None`` if its id is unknown.
            results: Results by family name, for families that were scored record by record.
        """
        self._count_rows()
        for start in range(0, scored.num_rows, self._rows_at_once):
            size = min(self._rows_at_once, scored.num_rows - start)
            self._add_part(
                rows.slice(start, size),
                scored.slice(start, size),
                tasks[start : start + size],
                {name: own[start : start + size] for name, own in results.items()},
            )

    def merge(self, other: Summarizer) -> None:
        """Add the counts of another with the same layout and options."""
        self._count_rows()
        other._count_rows()
        self._keep_shared()
        numbers = self._groups.number(other._groups.keys)
        self._tally.merge(other._tally, numbers)
        for index, totals in self._by_columns.items():
            totals.merge(other._by_columns[index], numbers)
        for index, by_record in self._by_records.items():
            by_record.merge(other._by_records[index], numbers)
        for errors, others in zip(self._errors, other._errors, strict=True):
            errors.merge(others)

    def state(self) -> dict[str, Any]:
        """The counts so far, for :meth:`restore`: JSON values with numpy arrays."""
        self._count_rows()
        families: dict[int, ByColumns | ByRecords] = {**self._by_columns, **self._by_records}
        return {
            "groups": [list(key) for key in self._groups.keys],
            "tally": self._tally.state(),
            "families": [[index, totals.state()] for index, totals in families.items()],
            "errors": [
                [[error.message, error.code, count] for error, count in errors]
                for errors in self._errors
            ],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Load the counts of another with the same layout and options; must be empty before."""
        families: dict[int, ByColumns | ByRecords] = {**self._by_columns, **self._by_records}
        self._groups.number(GroupKey(*key) for key in state["groups"])
        self._tally.restore(state["tally"])
        for index, stored in state["families"]:
            families[index].restore(stored)
        for errors, stored in zip(self._errors, state["errors"], strict=True):
            for message, code, count in stored:
                errors.add(MetricError(message, code=code), count)

    def summary(self) -> Summary:
        """Summarize the attempts counted so far."""
        self._count_rows()
        keys = self._groups.keys
        reader = TotalsReader(self._layout, keys, self._tally, self._by_columns, self._by_records)
        groups: Sequence[AttemptsSummary] = LazyGroups(self._tally.sizes(len(keys)), reader.group)
        if len(keys) <= _MADE_AT_ONCE:
            groups = tuple(groups)
        else:
            self._is_shared = True
        return frozen(
            Summary,
            {
                "trajmeter_version": self._layout.package_version,
                "backend": self._layout.backend,
                "metrics": tuple(reader.metrics()),
                "groups": groups,
                "overall": reader.overall(),
                "missing_tasks": None,
                "errors": (*self._error_summaries(), *reader.errors()),
            },
        )

    def _count_rows(self) -> None:
        if self._rows:
            numbers, rows = np.unique(np.array(self._numbers, np.int64), return_inverse=True)
            columns = ScoredRows(self._columns, self._rows, self._attempted)
            self._count(columns, GroupedRows(rows, numbers))
            self._rows, self._attempted, self._numbers = [], [], []

    def _count(self, columns: ScoredColumns, groups: GroupedRows) -> None:
        self._keep_shared()
        self._tally.add(columns, groups)
        for totals in self._by_columns.values():
            totals.add(columns, groups)

    def _keep_shared(self) -> None:
        """Copy totals that a summary still uses before changing them."""
        if self._is_shared:
            self._tally, self._by_columns = deepcopy((self._tally, self._by_columns))
            self._is_shared = False

    def _add_part(
        self,
        rows: pa.RecordBatch,
        scored: pa.RecordBatch,
        tasks: Sequence[Task | None],
        results: Mapping[str, Sequence[Result | MetricError]],
    ) -> None:
        from trajmeter.metrics.scored_batch import ScoredBatch  # pyarrow is an extra
        from trajmeter.summaries._batch_results import errors_of, records_in, results_of

        groups = self._groups.of_batch(rows)
        self._count(ScoredBatch(rows, scored, tasks), groups)
        failed = [
            errors_of(family, scored, results.get(family.name)) for family in self._layout.families
        ]
        for errors, own in zip(self._errors, failed, strict=True):
            for error in own.values():
                errors.add(error)
        if not self._by_records:
            return
        by_family = {
            index: results_of(family, scored, results.get(family.name), failed[index])
            for index, family in enumerate(self._layout.families)
            if index in self._by_records
        }
        attempts = zip(groups.numbers[groups.rows].tolist(), tasks, records_in(rows), strict=True)
        for group, task, trajectory in attempts:
            for index, totals in self._by_records.items():
                totals.add(group, task, trajectory, next(by_family[index]))

    def _error_summaries(self) -> Iterator[ErrorSummary]:
        for family, errors in zip(self._layout.families, self._errors, strict=True):
            for error, attempts in errors:
                yield ErrorSummary(
                    metric=family.name, message=error.message, code=error.code, attempts=attempts
                )
