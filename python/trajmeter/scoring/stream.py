"""Streams batches of attempts to batches of results and a summary; used for all files."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from trajmeter.metrics import TaskIndex
from trajmeter.scoring.columns import RowScorer, ScoredRows
from trajmeter.scoring.missing import MissingTaskCounter
from trajmeter.scoring.rows import Rows
from trajmeter.scoring.trials import arrange
from trajmeter.summaries.summarizer import Summarizer
from trajmeter.system.background import Background

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from trajmeter.metrics import AnyMetric, RowLayout
    from trajmeter.records import Task
    from trajmeter.scoring.trials import Arrangement
    from trajmeter.summaries.summary import Summary

__all__ = ["StreamScorer"]


class StreamScorer:
    """Scores and summarizes batches of valid attempts without keeping them.

    If a metric compares the attempts at a task, all are read before the first is scored; results
    are still in the order of the attempts. A batch is counted in a thread while the next one is
    scored.

    Args:
        metrics: Metrics, in the order of their columns.
        tasks: Tasks with their references.
        quantiles: Whether the summary includes quantiles for each agent and model.

    Raises:
        ConfigurationError: Two tasks have one id, or two columns one name.
    """

    layout: RowLayout
    """Columns of the rows."""
    columns: frozenset[str]
    """Columns of trajectories that the metrics read; the others may be null."""
    presence: frozenset[str]
    """Columns of which the metrics only check which values are null."""
    trial_of: Callable[[str], str]
    """Name of the task with this id; the id itself if unknown."""

    def __init__(
        self,
        metrics: Sequence[AnyMetric],
        *,
        tasks: TaskIndex | Iterable[Task] = (),
        quantiles: bool = False,
    ) -> None:
        index = tasks if isinstance(tasks, TaskIndex) else TaskIndex(tasks)
        self._rows = RowScorer(metrics, index)
        self._missing = MissingTaskCounter(metrics, index)
        self.layout = self._rows.layout
        self.columns, self.presence = self._rows.columns, self._rows.presence
        self.trial_of = self._rows.trial_of
        self._has_quantiles = quantiles
        self._summarizer = Summarizer(self.layout, quantiles=quantiles)
        self._counting = Background("trajmeter-summary")

    def score(self, batches: Iterable[pa.RecordBatch]) -> Iterator[ScoredRows]:
        """Score attempts and count them in the summary.

        Args:
            batches: Valid rows in the columns of :func:`trajmeter.schemas.trajectory_schema`.

        Yields:
            The rows of each batch or part of it, with their results.
        """
        rows = (Rows(number, batch) for number, batch in enumerate(batches))
        if self._rows.compares_attempts:
            arranged = arrange(rows, self._rows.trial_of)
            scored: Iterable[ScoredRows] = self._rows.score(_released(arranged.rows))
            if arranged.back is not None:
                scored = _restored([*scored], arranged)
        else:
            scored = self._rows.score(rows)
        for each in scored:
            self._counting.start(partial(self._count, each))
            yield each
        self._counting.result()

    def _count(self, scored: ScoredRows) -> None:
        self._summarizer.add_batch(
            scored.rows.batch, scored.scored, tasks=scored.tasks, results=scored.results
        )
        if self._missing.is_needed:
            unfound = [at for at, task in enumerate(scored.tasks) if task is None]
            ids = scored.rows.batch.column("task_id")
            self._missing.add((ids[at].as_py() for at in unfound), len(unfound))

    def state(self) -> dict[str, Any]:
        """The counts so far, for :meth:`merge`: JSON values with numpy arrays."""
        self._counting.result()
        return {"summary": self._summarizer.state(), "missing": self._missing.state()}

    def merge(self, state: Mapping[str, Any]) -> None:
        """Add the counts of another scorer with the same metrics and tasks after those here."""
        self._counting.result()
        other = Summarizer(self.layout, quantiles=self._has_quantiles)
        other.restore(state["summary"])
        self._summarizer.merge(other)
        self._missing.merge(state["missing"])

    def summary(self) -> Summary:
        """Summarize the attempts scored so far."""
        self._counting.result()
        return self._missing.added_to(self._summarizer.summary())


def _released(rows: list[Rows]) -> Iterator[Rows]:
    """Yield rows in order, releasing each after use."""
    rows.reverse()
    while rows:
        yield rows.pop()


def _restored(scored: Sequence[ScoredRows], arranged: Arrangement) -> Iterator[ScoredRows]:
    """Restore the input order of results whose rows were rearranged."""
    rows = arranged.restored([each.rows.batch for each in scored])
    results = arranged.restored([each.scored for each in scored])
    back = [] if arranged.back is None else arranged.back.tolist()
    tasks = [task for each in scored for task in each.tasks]
    by_record = {
        name: [result for each in scored for result in each.results[name]]
        for name in set.intersection(*(set(each.results) for each in scored))
    }
    start = 0
    for number, (batch, scored_rows) in enumerate(zip(rows, results, strict=True)):
        places = back[start : start + len(scored_rows)]
        start += len(scored_rows)
        yield ScoredRows(
            Rows(number, batch),
            [tasks[place] for place in places],
            scored_rows,
            {name: [each[place] for place in places] for name, each in by_record.items()},
        )
