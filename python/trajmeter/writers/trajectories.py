"""Writes trajectories in Trajmeter's own format: Parquet in Trajectory columns, or JSON lines."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, Protocol

from trajmeter.schemas import require_pyarrow, trajectory_schema
from trajmeter.writers.arrow import stored, stored_schema
from trajmeter.writers.atomic import replacing
from trajmeter.writers.files import FileWriter, check_place, check_suffix, finishing
from trajmeter.writers.record_lines import record_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa

__all__ = ["TrajectoryParquet", "TrajectoryWriter", "check_trajectory_output", "open_trajectories"]

_GROUP_ROWS = 16_384
_GROUP_BYTES = 64 << 20
"""A row group, which is held in memory, ends after the batch that reaches either limit."""


class TrajectoryWriter(FileWriter, Protocol):
    """Writes batches of trajectories to a stream that the caller opened and closes."""

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Write rows in the columns of :func:`trajmeter.schemas.trajectory_schema`."""


class _Lines:
    """Writes records as JSON lines, without fields that have their default value."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write_batch(self, batch: pa.RecordBatch) -> None:
        for lines in record_lines(batch):
            self._stream.write(lines)

    def finish(self) -> None:
        pass

    def abandon(self) -> None:
        pass


class TrajectoryParquet:
    """Writes trajectories as Parquet, in row groups of bounded size, with mappings as lists.

    Args:
        stream: Stream to write to.

    Raises:
        ExtraMissingError: pyarrow is not installed.
    """

    def __init__(self, stream: BinaryIO) -> None:
        require_pyarrow("Parquet files")
        from pyarrow import parquet

        self._schema = stored_schema(trajectory_schema())
        self._writer = parquet.ParquetWriter(stream, self._schema, compression="zstd")
        self._held: list[pa.RecordBatch] = []
        self._rows = self._bytes = 0

    def describe(self, metadata: Mapping[str, str]) -> None:
        """Add metadata about the trajectories."""
        self._writer.add_key_value_metadata(dict(metadata))

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Write rows."""
        self._held.append(stored(batch, self._schema))
        self._rows += batch.num_rows
        self._bytes += batch.nbytes
        if self._rows >= _GROUP_ROWS or self._bytes >= _GROUP_BYTES:
            self._write_group()

    def finish(self) -> None:
        """Write the last rows and the footer."""
        self._write_group()
        self._writer.close()

    def abandon(self) -> None:
        """Keep pyarrow from closing the file at garbage collection, on a closed stream."""
        self._writer.is_open = False

    def _write_group(self) -> None:
        import pyarrow as pa

        if self._held:
            self._writer.write_table(pa.Table.from_batches(self._held), _GROUP_ROWS)
        self._held, self._rows, self._bytes = [], 0, 0


_WRITERS: dict[str, Callable[[BinaryIO], TrajectoryWriter]] = {
    ".jsonl": _Lines,
    ".parquet": TrajectoryParquet,
}


def check_trajectory_output(path: Path) -> None:
    """Check, before reading, that trajectories can be written to this file.

    Raises:
        ConfigurationError: The suffix belongs to no known format, or the file cannot be written.
    """
    check_suffix(path, _WRITERS)
    check_place(path)


@contextmanager
def open_trajectories(path: Path) -> Iterator[TrajectoryWriter]:
    """Write trajectories to a file in the format of its suffix: JSON lines or Parquet.

    The file appears once all rows are written.

    Raises:
        ConfigurationError: See :func:`check_trajectory_output`; or writing fails later, such as on
            a full disk.
        ExtraMissingError: pyarrow is not installed.
    """
    check_trajectory_output(path)
    with replacing(path) as stream, finishing(_WRITERS[path.suffix.lower()](stream)) as writer:
        yield writer
