"""Results tables in Parquet: as batches, or as rows whose numbers are read on demand."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import parquet

from trajmeter.arrays import nulls
from trajmeter.errors import ReadError
from trajmeter.readers._results.batches import arrow_batch, described, refuse_key, rows_at_once
from trajmeter.remote import arrow_source

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from trajmeter.arrays import Array
    from trajmeter.readers._results.table import ResultRows

__all__ = ["ParquetTable"]

_FEW_CELLS = 1 << 20
"""Cells to read together even though columns could be read separately, because reopening the file
for each of them would take longer."""


class ParquetTable:
    """A Parquet file, or parts of one.

    Args:
        name: Name of the table for messages.
        files: The parts.
        settings: Metadata in addition to those of the first file.

    Raises:
        ReadError: The first file cannot be read.
    """

    is_columnar = True

    label: str | None = None

    def __init__(
        self, name: str, files: Sequence[Path], settings: Mapping[str, str] | None = None
    ) -> None:
        self.name = name
        self._files = files
        with _opened(files[0]) as file:
            footer = file.metadata
            # Metadata added after all rows were written are in the footer only.
            schema = footer.schema.to_arrow_schema()
            metadata = {**(footer.metadata or {}), **(schema.metadata or {})}
        self.columns, own = described(schema.with_metadata(metadata))
        self.metadata: Mapping[str, str] = own | {**(settings or {})}

    def batches(
        self,
        texts: Sequence[str],
        numbers: Sequence[str],
        values: Sequence[str] = (),
        *,
        repeating: Sequence[str] = (),
        required: Collection[str] | None = None,  # noqa: ARG002 - used by text formats only
    ) -> Iterator[pa.RecordBatch]:
        """Read selected columns."""
        wanted = [*dict.fromkeys((*texts, *numbers, *values))]
        kept = self._dictionaries(repeating)
        most = rows_at_once(wanted)
        for path in self._files:
            with _opened(path, kept) as file:
                for groups, rows in _runs(file, most):
                    for batch in _read(file, groups, wanted, most if rows > most else None):
                        yield arrow_batch(batch, texts, numbers, self.name, values, repeating=kept)

    def rows_by_column(
        self, texts: Sequence[str], numbers: Sequence[str], *, repeating: Sequence[str]
    ) -> Iterator[ResultRows]:
        """Read selected columns; numbers are read on demand if that saves time."""
        for name in numbers:
            refuse_key(name, texts)
        wanted = [*dict.fromkeys((*texts, *numbers))]
        kept = self._dictionaries(repeating)
        most, most_together = rows_at_once(texts), rows_at_once(wanted)
        for path in self._files:
            with _opened(path, kept) as file:
                for groups, rows in _runs(file, most):
                    if rows <= most and rows * len(wanted) > _FEW_CELLS:
                        numbers_of = partial(self._numbers, path, file.metadata, groups)
                        yield from self._late_rows(file, groups, texts, kept, numbers_of)
                        continue
                    at_once = most_together if rows > most else None
                    for batch in _read(file, groups, wanted, at_once):
                        yield arrow_batch(batch, texts, numbers, self.name, repeating=kept)

    def _late_rows(
        self,
        file: parquet.ParquetFile,
        groups: list[int],
        texts: Sequence[str],
        repeating: Sequence[str],
        numbers_of: Callable[[slice, str], Array],
    ) -> Iterator[_LateRows]:
        """Read the texts of row groups, whose numbers are read on demand."""
        start = 0
        for batch in _read(file, groups, texts, None):
            own = arrow_batch(batch, texts, (), self.name, repeating=repeating)
            rows = slice(start, start + own.num_rows)
            yield _LateRows(own, partial(numbers_of, rows))
            start = rows.stop

    def _numbers(
        self, path: Path, metadata: parquet.FileMetaData, groups: list[int], rows: slice, name: str
    ) -> Array:
        """Read a number column of some rows of row groups."""
        # Opened again, because threads must not share an open file.
        with _opened(path, metadata=metadata) as file:
            table = file.read_row_groups(groups, columns=[name], use_threads=False)
            if not table.num_columns:
                return nulls(rows.stop - rows.start, pa.float64())
            (batch,) = table.unify_dictionaries().combine_chunks().to_batches()
        return arrow_batch(batch, (), [name], self.name).column(name)[rows]

    def _dictionaries(self, repeating: Sequence[str]) -> list[str]:
        return [name for name in repeating if self.columns.get(name) == "text"]


class _LateRows:
    """Rows whose numbers are read on demand."""

    def __init__(self, texts: pa.RecordBatch, numbers: Callable[[str], Array]) -> None:
        self._texts = texts
        self._numbers = numbers
        self.num_rows = texts.num_rows

    def column(self, name: str, /) -> Array:
        """Return a requested column."""
        is_text = name in self._texts.schema.names
        return self._texts.column(name) if is_text else self._numbers(name)

    def filter(self, kept: Any, /) -> _LateRows:  # noqa: ANN401 - an Arrow mask
        """Return the rows where a mask is true."""
        return _LateRows(self._texts.filter(kept), lambda name: self._numbers(name).filter(kept))


@contextmanager
def _opened(
    path: Path, dictionaries: Sequence[str] = (), metadata: parquet.FileMetaData | None = None
) -> Iterator[parquet.ParquetFile]:
    """Open a file, whose name is added to the message of any error.

    Args:
        path: The file.
        dictionaries: Text columns to read as dictionaries; the file may lack some.
        metadata: Its footer, if it was read before.
    """
    try:
        with arrow_source(path) as source:
            footer = metadata or parquet.read_metadata(source)
            held = [name for name in dictionaries if name in footer.schema.names]
            with parquet.ParquetFile(
                source, pre_buffer=False, read_dictionary=held, metadata=footer
            ) as file:
                yield file
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        raise ReadError(f"{path}: {error}") from error


def _runs(file: parquet.ParquetFile, most: int) -> Iterator[tuple[list[int], int]]:
    """Row groups to read together, with their row count; a large group is read separately."""
    sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    first = 0
    while first < len(sizes):
        stop, rows = first + 1, sizes[first]
        while stop < len(sizes) and rows + sizes[stop] <= most:
            rows += sizes[stop]
            stop += 1
        yield [*range(first, stop)], rows
        first = stop


def _read(
    file: parquet.ParquetFile, groups: list[int], columns: Sequence[str], at_once: int | None
) -> Iterator[pa.RecordBatch]:
    """Read row groups with unified dictionaries, this many rows at a time, or all."""
    if at_once is not None:
        yield from file.iter_batches(at_once, row_groups=groups, columns=[*columns])
        return
    table = file.read_row_groups(groups, columns=[*columns])
    yield from table.unify_dictionaries().combine_chunks().to_batches()
