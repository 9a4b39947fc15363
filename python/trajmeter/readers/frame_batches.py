"""Reads data frame rows as trajectory batches, as columns where the result is certain.

Rows, problems and their order are those of :func:`trajmeter.readers.frames.read_frame`.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trajmeter.arrays import concatenated_batches, nulls
from trajmeter.conforming.casting import conform
from trajmeter.errors import ConfigurationError
from trajmeter.kernels import backend
from trajmeter.readers._columns.batch_maker import BatchMaker
from trajmeter.readers._columns.column_reader import column_reader, messages_reader
from trajmeter.readers._columns.frame_lines import (
    MESSAGE_FIELDS,
    MappedLines,
    columns_there,
    whole_lines,
)
from trajmeter.readers._columns.parquet import own_values, stretches, with_sources
from trajmeter.readers._entry_reader import EntryReader
from trajmeter.readers._files.entries import Entry
from trajmeter.readers._files.inputs import Input
from trajmeter.readers._files.parquet import values_as_they_are
from trajmeter.readers._files.problems import refuse
from trajmeter.readers._recognition.choice import Choice
from trajmeter.readers._recognition.own_columns import foreign_columns, holds_own, others_than_ours
from trajmeter.readers.batches import IDENTITY
from trajmeter.readers.frames import FRAME, first_row, numbered_records
from trajmeter.records import Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from trajmeter.arrays import Booleans
    from trajmeter.kernels._rust import JsonReader
    from trajmeter.records import ReadProblem

__all__ = ["FrameBatches"]

_PART_BYTES = 16 << 20
_FIRST_ROWS = 64
"""Number of rows tried first, to find out whether rows can be read as columns."""
_MOST_ROWS = 10_000
_RECORDS = 256
"""Maximum number of records held in memory at a time."""
_FROM_MESSAGES = frozenset({"dropped_calls", "leaks", "turns", "unusable"})


class _Certain(NamedTuple):
    """Rows that were read as columns with certainty."""

    batch: pa.RecordBatch
    """The rows."""
    places: Booleans
    """Which of the examined rows they are."""


class FrameBatches:
    """The rows of a frame in the columns of :func:`trajmeter.schemas.trajectory_schema`.

    Args:
        table: The frame's columns, from :func:`trajmeter.readers.frames.arrow_table`.
        columns: Names of the columns to fill, as for
            :class:`trajmeter.readers.batches.TrajectoryBatches`.
        input_format: Name of the format of the rows.
        mapping: Columns by trajectory field.
        profiles: Compatibility profiles.
        on_problem: Called with every row that cannot be read; without it, the first one raises.

    Raises:
        ConfigurationError: The mapping names an unknown trajectory field, or a column that is
            absent or does not fit its field.
    """

    def __init__(
        self,
        table: pa.Table,
        columns: Collection[str],
        *,
        input_format: str | None = None,
        mapping: Mapping[str, str] | None = None,
        profiles: Collection[str] = (),
        on_problem: Callable[[ReadProblem], None] | None = None,
    ) -> None:
        self._table = table
        self._choice = Choice(
            Trajectory, input_format=input_format, mapping=mapping, profiles=tuple(profiles)
        )
        self._mapping = self._choice.mapping
        if self._mapping is not None:
            self._mapping.check_schema(table.schema, FRAME)
        self._wanted = frozenset(columns) | IDENTITY
        report = on_problem or refuse
        self._rows_of = BatchMaker(self._wanted, report)
        self._records = EntryReader(Input(Path(FRAME)), self._choice, report)
        self._is_own = self._mapping is None and holds_own(table.schema, lambda: first_row(table))
        self._read = self._certain_rows()
        self._arguments = (input_format, mapping, tuple(profiles))
        self.numbers: list[int] = []
        """Indices of the rows yielded."""

    def reader(self) -> Callable[[], Iterator[Trajectory]]:
        """The reader of rows that were read as records, with everything known about them."""
        return partial(_records, self._table, frozenset(self.numbers), *self._arguments)

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches; can be iterated once."""
        start = 0
        for rows in _parts(self._table):
            found = None
            if self._read is not None:
                found = self._certain(rows)
                if found is None or (start < _FIRST_ROWS and not found.places.any()):
                    self._read = None
            if found is None:
                yield from self._gathered(rows, start, range(len(rows)))
            else:
                yield from self._completed(found, rows, start)
            if self._records.is_over:
                return
            start += rows.num_rows
        self._records.finish()

    def _certain_rows(self) -> Callable[[pa.RecordBatch], _Certain | None] | None:
        """A function that reads rows as columns; ``None`` if all are read as records."""
        choice, mapping = self._choice, self._mapping
        if self._is_own:
            others = "extra" in self._wanted and others_than_ours(self._table.schema)
            return None if choice.chosen is not None or others else self._own
        if backend() == "python" or choice.has_own_read_of(["message-records"]):
            return None
        reader = column_reader(self._wanted, choice.chosen)
        if reader is None or (mapping is not None and not mapping.is_own):
            return None
        if mapping is None:
            return lambda rows: _read_lines(reader, whole_lines(rows), len(rows), self._rows_of)
        return lambda rows: self._mapped(rows, reader)

    def _certain(self, rows: pa.RecordBatch) -> _Certain | None:
        try:
            rows.validate(full=True)
            return None if self._read is None else self._read(rows)
        except pa.ArrowException:  # text that is not UTF-8, or too large for Arrow
            return None

    def _own(self, rows: pa.RecordBatch) -> _Certain | None:
        """Read rows that have trajectory columns."""
        try:
            conform(rows.slice(0, 0))
        except ConfigurationError:
            return None
        places = np.ones(rows.num_rows, np.bool_)
        found = [conform(rows.slice(0, 0))]
        for start, part in stretches(rows, foreign=foreign_columns(rows.schema)):
            if part is None:
                places[start] = False
            else:
                found.append(part)
        return _Certain(self._rows_of.own(concatenated_batches(found)), places)

    def _mapped(self, rows: pa.RecordBatch, reader: JsonReader) -> _Certain | None:
        """Read rows whose columns are mapped to trajectory fields."""
        lines = None if self._mapping is None else MappedLines.of(rows, self._mapping)
        if lines is None:
            return None
        own = _read_lines(reader, lines.own, len(rows), self._rows_of)
        by_messages = messages_reader(self._wanted)
        talk = _read_lines(by_messages, lines.messages, len(rows), self._rows_of)
        if own is None or talk is None:
            return own
        places = own.places & talk.places
        batch = own.batch.filter(pa.array(places[own.places]))
        said = talk.batch.filter(pa.array(places[talk.places]))
        columns = []
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if name in _FROM_MESSAGES:
                columns.append(said.column(name))
            elif name in MESSAGE_FIELDS and name in lines.missing:
                missing = lines.missing[name]
                theirs = said.column(name)
                if missing is not None:
                    theirs = pc.if_else(missing.filter(pa.array(places)), theirs, column)
                columns.append(theirs)
            else:
                columns.append(column)
        return _Certain(pa.RecordBatch.from_arrays(columns, schema=batch.schema), places)

    def _completed(
        self, found: _Certain, rows: pa.RecordBatch, start: int
    ) -> Iterator[pa.RecordBatch]:
        """Rows read as columns, with those read as records inserted between them."""
        records = self._records
        if self._mapping is not None and found.places.any():
            records.note_columns(columns_there(rows, self._mapping))
        taken = 0
        for first, last, is_certain in _runs(found.places):
            if not is_certain:
                yield from self._gathered(rows, start, range(first, last))
            else:
                count = last - first
                numbers = range(start + first, start + last)
                self.numbers += numbers
                records.accept(count)
                part = found.batch.slice(taken, count)
                yield with_sources(part, FRAME, pa.array([*map(str, numbers)], pa.string()))
                taken += count
            if records.is_over:
                return

    def _gathered(self, rows: pa.RecordBatch, start: int, which: range) -> Iterator[pa.RecordBatch]:
        """Rows read as records."""
        found: dict[int, Trajectory] = {}
        for first in range(which.start, which.stop, _FIRST_ROWS):
            some = rows.slice(first, min(_FIRST_ROWS, which.stop - first))
            values = own_values(some) if self._is_own else values_as_they_are(some)
            for at, value in enumerate(values, start=start + first):
                record = self._records.read(Entry(Source(file=FRAME, record=str(at)), value))
                if record is not None:
                    found[at] = record
                if self._records.is_over:
                    break
            if len(found) >= _RECORDS or self._records.is_over:
                yield from self._made(found)
                found = {}
            if self._records.is_over:
                return
        yield from self._made(found)

    def _made(self, found: dict[int, Trajectory]) -> list[pa.RecordBatch]:
        """Records as rows, by number; reports those with values that do not fit their columns."""
        made = self._rows_of.batches([*found.values()])
        lost = {*map(id, self._rows_of.lost)}
        self._rows_of.lost.clear()
        self.numbers += [at for at, record in found.items() if id(record) not in lost]
        return made


def _records(
    table: pa.Table,
    numbers: Collection[int],
    input_format: str | None,
    mapping: Mapping[str, str] | None,
    profiles: tuple[str, ...],
) -> Iterator[Trajectory]:
    choice = Choice(Trajectory, input_format=input_format, mapping=mapping, profiles=profiles)
    for number, record in numbered_records(table, choice, lambda _: None):
        if number in numbers:
            yield record


def _read_lines(
    reader: JsonReader, lines: bytes | None, rows: int, rows_of: BatchMaker
) -> _Certain | None:
    """Read the JSON line of each of some rows."""
    if lines is None:
        return None
    pieces = reader.read(lines, FRAME, 0)
    places = np.ones(rows, np.bool_)
    places[[number for piece in pieces for _, number, *_ in piece.refused]] = False
    batch = concatenated_batches([*map(rows_of.in_schema, pieces)])
    index = batch.schema.names.index("source")  # the reader gives lines, but rows have names
    field = batch.schema.field(index)
    return _Certain(batch.set_column(index, field, nulls(len(batch), field.type)), places)


def _parts(table: pa.Table) -> Iterator[pa.RecordBatch]:
    """Slices of the rows: a few at first, then as many as keep their text small."""
    size = _FIRST_ROWS
    for batch in table.to_batches():
        start = 0
        while start < batch.num_rows:
            rows = batch.slice(start, size)
            size = max(1, min(_MOST_ROWS, _PART_BYTES * rows.num_rows // max(rows.nbytes, 1)))
            start += rows.num_rows
            yield rows


def _runs(places: Booleans) -> Iterator[tuple[int, int, bool]]:
    """Runs of consecutive rows that are alike."""
    bounds = [0, *(np.flatnonzero(np.diff(places)) + 1).tolist(), len(places)]
    for first, last in pairwise(bounds):
        if last > first:
            yield first, last, bool(places[first])
