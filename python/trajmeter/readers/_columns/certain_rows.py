"""Combines rows read as columns, where the result is certain, with rows read as records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import ReadError
from trajmeter.readers._files.entries import Entry, read_line, read_value
from trajmeter.records import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from trajmeter.kernels._rust import JsonColumns
    from trajmeter.readers._columns.batch_maker import BatchMaker
    from trajmeter.readers._columns.reasons import Reasons
    from trajmeter.readers._entry_reader import EntryReader
    from trajmeter.records import Trajectory

__all__ = ["CertainRows"]


class CertainRows:
    """Inserts rows that must be read as records among those read as columns.

    Args:
        rows_of: Makes batches from records.
        reasons: Counts the rows that are read as records, by reason.
    """

    def __init__(self, rows_of: BatchMaker, reasons: Reasons) -> None:
        self._rows_of = rows_of
        self._reasons = reasons

    def complete(self, rows: pa.RecordBatch, file: str, first: int) -> pa.RecordBatch:
        """Add the columns, defaults and sources that rows of a file of columns lack.

        Args:
            rows: Valid rows in Trajmeter's columns.
            file: Name of the file.
            first: Number of the first row.
        """
        from trajmeter.readers._columns.parquet import row_names, with_sources

        return self._rows_of.own(with_sources(rows, file, row_names(first, rows.num_rows)))

    def own_rows(
        self,
        parts: Iterable[tuple[int, pa.RecordBatch | None]],
        others: Mapping[int, pa.RecordBatch | ReadError],
        place: tuple[str, int],
        records: EntryReader[Trajectory],
    ) -> Iterator[pa.RecordBatch]:
        """Rows of a file of columns.

        Args:
            parts: Complete rows, each with the index of the first, and indices of other rows.
            others: The other rows with all columns, by index.
            place: Name of the file, and the number of row 0.
            records: Reads the other rows.
        """
        from trajmeter.readers._columns.parquet import own_values

        file, first = place
        for start, rows in parts:
            if records.is_over:
                return
            if rows is not None:
                records.accept(rows.num_rows)
                yield rows
                continue
            row = others[start]
            (value,) = [row] if isinstance(row, ReadError) else own_values(row)
            record = records.read(Entry(Source(file=file, record=f"[{first + start}]"), value))
            self._reasons.add_row(value, records.known, record)
            if record is not None:
                yield from self._rows_of.batches([record])

    def rows(
        self,
        columns: JsonColumns,
        rows: pa.RecordBatch,
        place: tuple[str, int],
        records: EntryReader[Trajectory],
    ) -> Iterator[pa.RecordBatch]:
        """Rows of a table whose JSON lines were read, numbered by line from their place's number.

        Args:
            columns: The rows read, and which lines were skipped.
            rows: The table's rows.
            place: Name of the file, and the number of the first row.
            records: Reads the skipped rows.
        """
        from trajmeter.readers._columns.parquet import named_by_line
        from trajmeter.readers._files.parquet import values_as_they_are

        if records.is_over:
            return iter(())
        file, first = place

        def entry(number: int, _: int, __: int) -> Entry:
            (value,) = values_as_they_are(rows.slice(number - first, 1))
            return Entry(Source(file=file, record=f"[{number}]"), value)

        batch = named_by_line(self._rows_of.in_schema(columns))
        return self._with_refused(batch, columns.refused, entry, records)

    def records(
        self, rows: pa.RecordBatch, place: tuple[str, int], records: EntryReader[Trajectory]
    ) -> Iterator[pa.RecordBatch]:
        """Rows of a table, all read as records."""
        from trajmeter.readers._files.parquet import values_as_they_are

        file, first = place
        found = []
        for number, value in enumerate(values_as_they_are(rows), start=first):
            if records.is_over:
                break
            record = records.read(Entry(Source(file=file, record=f"[{number}]"), value))
            self._reasons.add(value, records.known, record)
            if record is not None:
                found.append(record)
        yield from self._rows_of.batches(found)

    def lost(self, entry: Entry, records: EntryReader[Trajectory]) -> Iterator[pa.RecordBatch]:
        """Report the error in place of lines or rows that cannot be read."""
        if not records.is_over:
            records.read(entry)
        return iter(())

    def piece(
        self, columns: JsonColumns, block: bytes, file: str, records: EntryReader[Trajectory]
    ) -> Iterator[pa.RecordBatch]:
        """Rows of a piece, unless the file proved to be of the wrong kind."""
        if records.is_over:
            return iter(())
        return self._with_refused(
            self._rows_of.in_schema(columns),
            columns.refused,
            lambda number, begin, end: read_line(file, number, block[begin:end]),
            records,
        )

    def values(
        self,
        columns: JsonColumns,
        values: Sequence[tuple[str, bytes]],
        file: str,
        records: EntryReader[Trajectory],
    ) -> Iterator[pa.RecordBatch]:
        """Rows of a document's values, unless the file proved to be of the wrong kind."""

        def entry(number: int, _: int, __: int) -> Entry:
            name, content = values[number]
            return read_value(Source(file=file, record=name), content)

        if records.is_over:
            return iter(())
        batch = self._rows_of.in_schema(columns)
        return self._with_refused(batch, columns.refused, entry, records)

    def part(
        self,
        batch: pa.RecordBatch,
        refused: list[tuple[int, int, int, int]],
        records: Callable[[int], Iterator[Trajectory]],
    ) -> Iterator[pa.RecordBatch]:
        """Rows of some records of a file that is read whole.

        Args:
            batch: The rows that are certain.
            refused: Positions and numbers of the other records.
            records: Reads one of the other records by number; yields nothing if it cannot be read.
        """
        found: list[Trajectory] = []
        done = 0
        for row, number, *_ in refused:
            if row > done:
                yield from self._rows_of.batches(found)
                found = []
                yield batch.slice(done, row - done)
                done = row
            self._reasons.add_file()
            found += records(number)
        yield from self._rows_of.batches(found)
        yield batch.slice(done)

    def _with_refused(
        self,
        batch: pa.RecordBatch,
        refused: list[tuple[int, int, int, int]],
        entry_of: Callable[[int, int, int], Entry],
        records: EntryReader[Trajectory],
    ) -> Iterator[pa.RecordBatch]:
        """Rows of a piece, with the refused rows inserted at their positions."""
        found: list[Trajectory] = []
        done = 0
        for row, number, begin, end in refused:
            if row > done:
                yield from self._rows_of.batches(found)
                found = []
                yield batch.slice(done, row - done)
                records.accept(row - done)
                done = row
            entry = entry_of(number, begin, end)
            record = records.read(entry)
            self._reasons.add(entry.value, records.known, record)
            if records.is_over:
                break
            if record is not None:
                found.append(record)
        yield from self._rows_of.batches(found)
        if done < batch.num_rows and not records.is_over:
            records.accept(batch.num_rows - done)
            yield batch.slice(done)
