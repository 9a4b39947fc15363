"""The interfaces of metrics: name, version, result type, and how they score attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeGuard, TypeVar, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    import pyarrow as pa
    from pydantic import BaseModel, JsonValue
    from typing_extensions import Self, TypeIs

    from trajmeter.kernels import Int64Array
    from trajmeter.metrics._result import Result
    from trajmeter.metrics.scored_columns import GroupedRows, ScoredColumns
    from trajmeter.records import Assertion, Task, Trajectory, Verdict

__all__ = [
    "Aggregating",
    "Aggregator",
    "AnyMetric",
    "AssertionJudge",
    "BatchMetric",
    "ColumnAggregating",
    "ColumnAggregator",
    "ErrorAggregator",
    "MergingAggregator",
    "Metric",
    "MetricFamily",
    "StoringAggregator",
    "TrialMetric",
    "compares_attempts",
    "is_metric",
    "scores_batches",
]


_FiguresT_co = TypeVar("_FiguresT_co", bound="BaseModel", covariant=True)


class MetricFamily(Protocol):
    """What every metric declares; each row of a results table records it."""

    @property
    def name(self) -> str:
        """Name of the family, the first part of its columns."""

    @property
    def version(self) -> str:
        """Version of the definition; changes whenever a score of the same record would."""

    @property
    def requires(self) -> tuple[str, ...]:
        """Fields it scores from, such as ``Task.gold_ranges`` or ``Resources.snapshots``.

        Tool results are often most of a log. If attempts are columns, a metric that does not
        declare which columns it reads sees tool results only if it requires ``ToolCall.result``.
        """

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """All settings that affect scores, such as the profile."""

    @property
    def result_type(self) -> type[Result]:
        """Model of its results; the columns are derived from it."""


class Metric(MetricFamily, Protocol):
    """A metric that scores each attempt separately.

    Everything it needs besides the records is passed when it is created.
    """

    def score(self, task: Task | None, trajectory: Trajectory) -> Result:
        """Score one attempt; ``task`` is ``None`` if no task has its id."""


@runtime_checkable
class TrialMetric(MetricFamily, Protocol):
    """A metric that scores an attempt together with all others at the same task."""

    def score_trial(
        self, task: Task | None, trajectories: Sequence[Trajectory]
    ) -> Sequence[Result]:
        """Score all attempts at one task, returning one result for each, in order."""


@runtime_checkable
class BatchMetric(MetricFamily, Protocol):
    """A metric that can also score many attempts at once, from their columns.

    It is also a :class:`Metric` or a :class:`TrialMetric`.
    """

    def score_batch(
        self, tasks: Sequence[Task | None], rows: pa.RecordBatch
    ) -> Mapping[str, pa.Array[Any]] | Iterable[Result]:
        """Score every row as ``score`` or ``score_trial`` would score its record.

        If it raises or returns anything else, a warning says so and the rows are scored as records.
        An exception that indicates a wrong set-up ends the run. A metric that compares attempts
        gets all rows of a task side by side, however they were batched.

        Args:
            tasks: Task of each row, ``None`` if its id is unknown.
            rows: Attempts, in the columns of :func:`trajmeter.schemas.trajectory_schema`; each row
                is a valid record.

        Returns:
            Every column of the result by its dotted path, without the family's name, and ``error``
            with the error of each row that has no result; or an iterable of one result per row, in
            order. If results are generated lazily, only a few hundred are held at a time.
        """


AnyMetric: TypeAlias = Metric | TrialMetric


# ``isinstance`` checks every attribute of a protocol, which takes 21 µs per metric; the other
# attributes were checked when the metric was created.
def compares_attempts(metric: MetricFamily) -> TypeIs[TrialMetric]:
    """Whether a metric scores the attempts at a task together."""
    return hasattr(metric, "score_trial")


def scores_batches(metric: MetricFamily) -> TypeIs[BatchMetric]:
    """Whether a metric can score attempts as columns."""
    return hasattr(metric, "score_batch")


def is_metric(value: object) -> TypeGuard[AnyMetric]:
    """Whether this is a metric rather than a class or function that creates one."""
    if isinstance(value, type):
        return False
    return hasattr(value, "result_type") and (
        hasattr(value, "score") or hasattr(value, "score_trial")
    )


class Aggregator(Protocol):
    """A running total over the attempts of one agent, or of all; keeps no records."""

    def add(self, task: Task | None, trajectory: Trajectory, result: Result) -> None:
        """Count one scored attempt."""

    def figures(self) -> BaseModel:
        """Figures of all attempts so far: numbers, ``None``, or means with their counts."""


@runtime_checkable
class ErrorAggregator(Aggregator, Protocol):
    """An aggregator that also counts attempts for which the metric raised.

    Without this method, such attempts do not count in the run's figures.
    """

    def add_error(self, task: Task | None, trajectory: Trajectory) -> None:
        """Count one attempt without a result, because the metric raised."""


@runtime_checkable
class MergingAggregator(Aggregator, Protocol):
    """An aggregator that can combine the counts of parts.

    Without this method, a run that is counted in parts has no run-level figures for the family.
    """

    def merge(self, other: Self) -> None:
        """Add the counts of another aggregator to these."""


@runtime_checkable
class StoringAggregator(MergingAggregator, Protocol):
    """An aggregator whose running total can be saved to a file and restored.

    Without these methods, a run that is scored in parts has no run-level figures for the family.
    """

    def state(self) -> JsonValue:
        """The running total, as JSON."""

    def restore(self, state: JsonValue) -> None:
        """Replace the running total with that of another aggregator."""


@runtime_checkable
class Aggregating(Protocol):
    """A metric with summary figures that are not plain means of its results."""

    def aggregator(self) -> Aggregator:
        """Begin a running total."""


class ColumnAggregator(Protocol[_FiguresT_co]):
    """Running totals over the attempts of all groups, computed from columns."""

    def add(self, columns: ScoredColumns, groups: GroupedRows) -> None:
        """Count some attempts, including those for which the metric raised."""

    def merge(self, other: Self, numbers: Int64Array) -> None:
        """Add the counts of another aggregator to these.

        Args:
            other: Its group i is group ``numbers[i]`` here.
            numbers: A number for each of its groups, in order.
        """

    def state(self) -> dict[str, Any]:
        """The counts, for :meth:`restore`: JSON values, possibly with numpy arrays."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replace the counts by those of a state."""

    def figures(self, group: int | None) -> _FiguresT_co:
        """Figures of one group, or of all attempts, like those of an :class:`Aggregator`."""


@runtime_checkable
class ColumnAggregating(Protocol):
    """A metric whose run-level figures are computed from the columns of its results."""

    def column_aggregator(self) -> ColumnAggregator[BaseModel]:
        """Create the running totals of all groups."""


class AssertionJudge(Protocol):
    """Decides which assertions hold; any callable with this signature qualifies."""

    def __call__(
        self, task: Task, trajectory: Trajectory, assertions: Sequence[Assertion], /
    ) -> Iterable[Verdict]:
        """Judge the assertions, each verdict named after its assertion's label."""
