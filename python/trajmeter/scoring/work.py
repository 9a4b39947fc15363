"""What a run does with its units: what scoring and converting have in common.

A run plans units, hands them to workers, keeps a part and a state of each, and puts them together.
What the rows are is up to its work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path
    from typing import BinaryIO

    import pyarrow as pa
    from pydantic import BaseModel

    from trajmeter.records import ReadProblem
    from trajmeter.scoring.plan import Plan, Unit
    from trajmeter.scoring.reading_options import ReadingOptions

__all__ = [
    "BatchWriter",
    "OpenedWork",
    "PartWriter",
    "Receipt",
    "Totals",
    "UnitWork",
    "Work",
    "make_rows",
]

SummaryT_co = TypeVar("SummaryT_co", bound="BaseModel", covariant=True)
"""What the states of units add up to."""


class Receipt(NamedTuple):
    """What is known of a unit that is done."""

    number: int
    """Number of the unit."""
    rows: int
    """Its rows."""
    problems: int
    """Files and records of it that could not be read."""


class BatchWriter(Protocol):
    """Takes rows in order."""

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Write rows."""


class PartWriter(BatchWriter, Protocol):
    """Writes the part of a unit to a stream that the caller opened and closes."""

    def describe(self, metadata: Mapping[str, str]) -> None:
        """Say more of the rows in the metadata."""

    def finish(self) -> None:
        """Write what is still buffered; no row may follow."""

    def abandon(self) -> None:
        """Release the stream without writing to it again."""


class UnitWork(Protocol):
    """Makes the rows of a unit."""

    @property
    def unit(self) -> Unit:
        """The unit."""

    @property
    def receipt(self) -> Receipt:
        """What was done so far, in numbers."""

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Make the rows.

        Raises:
            ConfigurationError: A file changed since the run was planned.
        """

    def attempts(self) -> Iterator[pa.RecordBatch]:
        """Read the attempts, without making rows of them.

        Raises:
            ConfigurationError: A file changed since the run was planned.
        """

    def trial_of(self, task_id: str) -> str:
        """Name of the task whose attempts belong together, given its id in a row."""

    def state(self) -> dict[str, Any]:
        """Everything of the unit but its rows: JSON that holds arrays of numpy."""


class Totals(Protocol[SummaryT_co]):
    """Adds up what units counted."""

    def merge(self, state: Mapping[str, Any]) -> None:
        """Count what a unit has counted."""

    def summary(self) -> SummaryT_co:
        """Sum up what was counted so far."""


class OpenedWork(Protocol[SummaryT_co]):
    """A work that is ready to do units."""

    @property
    def columns(self) -> Sequence[str]:
        """Names of the columns of the rows."""

    @property
    def trial_of(self) -> Callable[[str], str] | None:
        """Name of a task, given its id in a row, where its attempts have to be in one unit."""

    def settings(self, plan: Plan) -> dict[str, Any]:
        """Everything that the rows depend on, in plain words."""

    def unit_work(
        self, unit: Unit, plan: Plan, on_problem: Callable[[ReadProblem], None] | None
    ) -> UnitWork:
        """What makes the rows of a unit."""

    def part_schema(self) -> pa.Schema:
        """Schema of the parts."""

    def open_part(self, stream: BinaryIO) -> PartWriter:
        """Open what writes a part."""

    def from_part(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Rows of a part as they were before they were written."""

    def open_output(
        self, file: Path, about: Callable[[], Mapping[str, str]] | None
    ) -> AbstractContextManager[BatchWriter]:
        """Open the one file that parts become."""

    def totals(self) -> Totals[SummaryT_co]:
        """Make what adds up the states of units."""


class Work(Protocol[SummaryT_co]):
    """What is asked for, in a form that other processes can take up."""

    @property
    def reading(self) -> ReadingOptions:
        """How inputs are read."""

    @property
    def beside(self) -> Sequence[object]:
        """What every worker reads beside its units, such as files of tasks."""

    @property
    def needs_one_worker(self) -> str | None:
        """Why several workers cannot share it, if they cannot."""

    def about(self, folders: Sequence[Path]) -> dict[str, Any]:
        """What a summary of finished units needs, as JSON."""

    def open(self, on_problem: Callable[[ReadProblem], None] | None) -> OpenedWork[SummaryT_co]:
        """Get ready.

        Args:
            on_problem: Called with whatever cannot be read beside the inputs.

        Raises:
            ConfigurationError: Options contradict each other.
            ReadError: Without ``on_problem``: something cannot be read.
        """


def make_rows(work: UnitWork, table: BatchWriter | None) -> Mapping[str, Any]:
    """Make the rows of a unit, and write them; gives its state."""
    for batch in work.batches():
        if table is not None:
            table.write_batch(batch)
    return work.state()
