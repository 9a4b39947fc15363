"""What a run does with its units: the interface of scoring and converting.

A run plans units, distributes them to workers, stores a part and a state of each, and combines
them. The work determines what the rows are.
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
    from trajmeter.scoring.reading_options import ReadingOptions
    from trajmeter.scoring.runs.plan import Plan, Unit

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
"""The combined states of units."""


class Receipt(NamedTuple):
    """Summary of a finished unit."""

    number: int
    """Number of the unit."""
    rows: int
    """Number of its rows."""
    problems: int
    """Number of its files and records that could not be read."""


class BatchWriter(Protocol):
    """Writes rows in order."""

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Write rows."""


class PartWriter(BatchWriter, Protocol):
    """Writes the part of a unit to a stream that the caller opened and closes."""

    def describe(self, metadata: Mapping[str, str]) -> None:
        """Add metadata about the rows."""

    def finish(self) -> None:
        """Write what is still buffered; no rows may follow."""

    def abandon(self) -> None:
        """Release the stream without writing to it again."""


class UnitWork(Protocol):
    """Produces the rows of a unit."""

    @property
    def unit(self) -> Unit:
        """The unit."""

    @property
    def receipt(self) -> Receipt:
        """The counts so far."""

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Produce the rows.

        Raises:
            ConfigurationError: A file changed since the run was planned.
        """

    def attempts(self) -> Iterator[pa.RecordBatch]:
        """Read the attempts without producing rows.

        Raises:
            ConfigurationError: A file changed since the run was planned.
        """

    def trial_of(self, task_id: str) -> str:
        """Name of the task whose attempts belong together, for an id in a row."""

    def state(self) -> dict[str, Any]:
        """Everything about the unit except its rows: JSON values with numpy arrays."""


class Totals(Protocol[SummaryT_co]):
    """Accumulates the counts of units."""

    def merge(self, state: Mapping[str, Any]) -> None:
        """Add the counts of a unit."""

    def summary(self) -> SummaryT_co:
        """Summarize the counts so far."""


class OpenedWork(Protocol[SummaryT_co]):
    """Work that is ready to process units."""

    @property
    def columns(self) -> Sequence[str]:
        """Names of the columns of the rows."""

    @property
    def trial_of(self) -> Callable[[str], str] | None:
        """Task name for an id in a row, if its attempts have to be in one unit."""

    def settings(self, plan: Plan) -> dict[str, Any]:
        """Everything that the rows depend on, in readable form."""

    def unit_work(
        self, unit: Unit, plan: Plan, on_problem: Callable[[ReadProblem], None] | None
    ) -> UnitWork:
        """The producer of a unit's rows."""

    def part_schema(self) -> pa.Schema:
        """Schema of the parts."""

    def open_part(self, stream: BinaryIO) -> PartWriter:
        """Open the writer of a part."""

    def from_part(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Restore the rows of a part to their form before writing."""

    def open_output(
        self, file: Path, about: Callable[[], Mapping[str, str]] | None
    ) -> AbstractContextManager[BatchWriter]:
        """Open the single file into which parts are merged."""

    def totals(self) -> Totals[SummaryT_co]:
        """Create an accumulator of unit states."""


class Work(Protocol[SummaryT_co]):
    """The specification of the work, in a form that other processes can load."""

    @property
    def reading(self) -> ReadingOptions:
        """How inputs are read."""

    @property
    def shared_files(self) -> Sequence[object]:
        """Files that every worker reads in addition to its units, such as task files."""

    @property
    def needs_one_worker(self) -> str | None:
        """Why several workers cannot share it; ``None`` if they can."""

    def about(self, folders: Sequence[Path]) -> dict[str, Any]:
        """What a summary of finished units needs, as JSON."""

    def open(self, on_problem: Callable[[ReadProblem], None] | None) -> OpenedWork[SummaryT_co]:
        """Prepare for the work.

        Args:
            on_problem: Called with everything, apart from the inputs, that cannot be read.

        Raises:
            ConfigurationError: Options contradict each other.
            ReadError: Without ``on_problem``: something cannot be read.
        """


def make_rows(work: UnitWork, table: BatchWriter | None) -> Mapping[str, Any]:
    """Produce and write the rows of a unit, and return its state."""
    for batch in work.batches():
        if table is not None:
            table.write_batch(batch)
    return work.state()
