"""What a metric is: a name, a version, the shape of its result, and how to score attempts."""

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
    """What every metric says about itself; each row of a results table records it."""

    @property
    def name(self) -> str:
        """Name of the family, the first part of its columns."""

    @property
    def version(self) -> str:
        """Version of the definition; changes whenever a score of the same record would."""

    @property
    def requires(self) -> tuple[str, ...]:
        """Fields it scores from, such as ``Task.gold_ranges`` or ``Resources.snapshots``.

        What tools gave back is often most of a log: where attempts are columns, metrics that do not
        say which of them they read see it only if they require ``ToolCall.result``.
        """

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """Every setting that a score depends on, such as the profile."""

    @property
    def result_type(self) -> type[Result]:
        """Model of its results; the columns are derived from it."""


class Metric(MetricFamily, Protocol):
    """A metric that scores each attempt by itself.

    Whatever it needs beside the records, it gets when it is created.
    """

    def score(self, task: Task | None, trajectory: Trajectory) -> Result:
        """Score one attempt; ``task`` is ``None`` where no task of its id is known."""


@runtime_checkable
class TrialMetric(MetricFamily, Protocol):
    """A metric that scores an attempt beside all others at the same task."""

    def score_trial(
        self, task: Task | None, trajectories: Sequence[Trajectory]
    ) -> Sequence[Result]:
        """Score all attempts at one task, giving one result for each, in their order."""


@runtime_checkable
class BatchMetric(MetricFamily, Protocol):
    """A metric that can also score many attempts at once, from their columns.

    It is a :class:`Metric` or a :class:`TrialMetric` too.
    """

    def score_batch(
        self, tasks: Sequence[Task | None], rows: pa.RecordBatch
    ) -> Mapping[str, pa.Array[Any]] | Iterable[Result]:
        """Score every row as ``score`` or ``score_trial`` does the record it stands for.

        Where it raises, or returns something else, a warning says so, and the rows are scored as
        records. An exception that says that the set-up is wrong ends the run. A metric that
        compares attempts gets all rows of a task side by side, whatever batches they came in.

        Args:
            tasks: Task of each row, ``None`` if its id is unknown.
            rows: Attempts, in the columns of :func:`trajmeter.schemas.trajectory_schema`; each row
                is a valid record.

        Returns:
            Every column of the result by its dotted path, without the name of the family, and
            ``error`` where rows have none, with what was raised for them; or a result of each row,
            in their order. Where those are made as they are asked for, only a
            few hundred are alive at a time.
        """


AnyMetric: TypeAlias = Metric | TrialMetric


# ``isinstance`` asks for every attribute of a protocol, at 21 µs a metric; the others were found
# when the metric was created.
def compares_attempts(metric: MetricFamily) -> TypeIs[TrialMetric]:
    """Whether a metric scores the attempts at a task together."""
    return hasattr(metric, "score_trial")


def scores_batches(metric: MetricFamily) -> TypeIs[BatchMetric]:
    """Whether a metric can score attempts in columns."""
    return hasattr(metric, "score_batch")


def is_metric(value: object) -> TypeGuard[AnyMetric]:
    """Whether this is a metric, as opposed to a class or a function that makes one."""
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
    """An aggregator that also counts the attempts whose metric raised, as it should.

    Without this method, such attempts are outside the run's figures.
    """

    def add_error(self, task: Task | None, trajectory: Trajectory) -> None:
        """Count one attempt that has no result, because the metric raised."""


@runtime_checkable
class MergingAggregator(Aggregator, Protocol):
    """An aggregator that can add up attempts which were counted in parts.

    Without this method, a run that is counted in parts has no run-level figures of the family.
    """

    def merge(self, other: Self) -> None:
        """Count what another one has counted, after our own."""


@runtime_checkable
class StoringAggregator(MergingAggregator, Protocol):
    """An aggregator whose running total can be written to a file and taken up again.

    Without these methods, a run that is scored in parts has no run-level figures of the family.
    """

    def state(self) -> JsonValue:
        """The running total, as JSON."""

    def restore(self, state: JsonValue) -> None:
        """Hold a running total of another aggregator, in place of our own."""


@runtime_checkable
class Aggregating(Protocol):
    """A metric with summary figures that are not plain means of its results."""

    def aggregator(self) -> Aggregator:
        """Begin a running total."""


class ColumnAggregator(Protocol[_FiguresT_co]):
    """Running totals over the attempts of every group at once, from columns."""

    def add(self, columns: ScoredColumns, groups: GroupedRows) -> None:
        """Count some attempts, those whose metric raised included."""

    def merge(self, other: Self, numbers: Int64Array) -> None:
        """Count what another one has counted, after our own.

        Args:
            other: Its group i is our group ``numbers[i]``.
            numbers: A number for each of its groups, in their order.
        """

    def state(self) -> dict[str, Any]:
        """What was counted, as :meth:`restore` takes it: JSON that may hold arrays of numpy."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Hold what was counted elsewhere, in place of our own."""

    def figures(self, group: int | None) -> _FiguresT_co:
        """Figures of one group, or of all attempts, as those of an :class:`Aggregator`."""


@runtime_checkable
class ColumnAggregating(Protocol):
    """A metric whose summary figures are counted from the columns of its results."""

    def column_aggregator(self) -> ColumnAggregator[BaseModel]:
        """Begin the running totals of all groups."""


class AssertionJudge(Protocol):
    """Says which assertions hold; any callable of this form is one."""

    def __call__(
        self, task: Task, trajectory: Trajectory, assertions: Sequence[Assertion], /
    ) -> Iterable[Verdict]:
        """Judge the assertions, each verdict named after its assertion's label."""
