"""Batches from Parquet files, as columns where the result is certain.

Trajectories in columns are converted to Trajmeter's types. Rows of formats whose JSON lines are
read in Rust, such as data sets of messages, are converted to such lines, several rows at a time.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

import pyarrow as pa

from trajmeter.errors import ReadError
from trajmeter.readers._columns.line_batches import ended
from trajmeter.readers._columns.parquet import own_rows, stretches
from trajmeter.readers._entry_reader import EntryReader
from trajmeter.readers._files.containers import is_parquet
from trajmeter.readers._files.content import is_compressed, open_content, state_of
from trajmeter.readers._files.entries import CHANGED, Entry
from trajmeter.readers._files.parquet import (
    first_row,
    open_beginning,
    open_parquet,
    row_groups,
)
from trajmeter.readers._files.ranges import RowRange
from trajmeter.readers._recognition.own_columns import holds_own
from trajmeter.records import ReadProblem, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterator
    from typing import TypeAlias

    from trajmeter.kernels._rust import JsonReader
    from trajmeter.readers._columns.certain_rows import CertainRows
    from trajmeter.readers._columns.parquet import OwnRows
    from trajmeter.readers._files.inputs import Input
    from trajmeter.readers._files.parquet import Rows
    from trajmeter.readers._recognition.choice import Choice
    from trajmeter.records import Trajectory

    _Item: TypeAlias = Callable[[], Iterator[pa.RecordBatch]]

__all__ = ["TableBatches"]

_ROWS = 4_096
_LINE_BYTES = 4 << 20
"""Maximum number of rows that are converted to lines at a time, and of bytes in their columns."""
_TRIED = 64
"""If none of at least this many rows can be read as columns, no more are converted."""


class TableBatches:
    """Reads the rows of Parquet files.

    Args:
        choice: How files are read, including their formats.
        wanted: Names of the columns to fill.
        presence: Columns of which only nulls matter.
        certain: Adds the rows that must be read as records.
        report: Called with everything that cannot be read.
    """

    def __init__(
        self,
        choice: Choice[Trajectory],
        wanted: Collection[str],
        presence: Collection[str],
        certain: CertainRows,
        report: Callable[[ReadProblem], None],
    ) -> None:
        self._choice = choice
        self._wanted = wanted
        self._presence = presence
        self._certain = certain
        self._report = report

    def items(self, file: Input, reader: JsonReader | None) -> Generator[_Item, None, bool]:
        """Yield parts of a file; calling one yields its batches.

        Args:
            file: The file.
            reader: Reads JSON lines of the same rows, if any reader can.

        Returns:
            Whether the file was read; others must be read as records.
        """
        with ExitStack() as opened:
            try:
                content = opened.enter_context(open_content(file.path))
                if not is_parquet(content) or is_compressed(content):
                    return False
                begun = state_of(content)
                records = EntryReader(file, self._choice, self._report)
                found = self._own(file, content, records)
                if found is None and reader is not None:
                    found = self._others(file, content, records, reader)
            except OSError:  # reported by the record reader
                return False
            if found is None:
                return False
            for item in found:
                yield item
                if records.is_over:
                    return True
            if state_of(content) != begun:
                yield partial(self._problem, file, CHANGED)
            yield partial(ended, records)
            return True

    def _own(
        self, file: Input, content: BinaryIO, records: EntryReader[Trajectory]
    ) -> Iterator[_Item] | None:
        """The rows of a file of trajectories in columns."""
        found = own_rows(content, self._wanted, self._choice.chosen, _range_of(file))
        return None if found is None else self._own_items(file, found, records)

    def _own_items(
        self, file: Input, found: OwnRows, records: EntryReader[Trajectory]
    ) -> Iterator[_Item]:
        name = str(file.path)
        for first, batch in found.rows:
            if isinstance(batch, ReadError):
                yield partial(self._problem, file, str(batch))
                continue
            parts: list[tuple[int, pa.RecordBatch | None]] = []
            others = {}
            for at, rows in stretches(batch, self._presence, found.foreign):
                if rows is None:
                    parts.append((at, None))
                    others[at] = found.whole.row(first + at)
                else:
                    parts.append((at, self._certain.complete(rows, name, first + at)))
            yield partial(self._certain.own_rows, parts, others, (name, first), records)

    def _others(
        self, file: Input, content: BinaryIO, records: EntryReader[Trajectory], reader: JsonReader
    ) -> Iterator[_Item] | None:
        """The rows of a file in other formats, if they have a unique form as JSON lines."""
        from trajmeter.readers._columns.frame_lines import have_lines  # not needed for own columns

        content.seek(0)
        try:
            table = open_parquet(content)
            beginning = open_beginning(content, table)
        except ReadError:
            return None
        schema = table.schema_arrow
        if not have_lines(schema) or holds_own(schema, partial(first_row, content, table)):
            return None
        within = _range_of(file)
        first = next(row_groups(beginning, rows=_TRIED, within=within), None)
        count = 1 if first is None else _rows_at_once(first[1])
        groups = row_groups(table, rows=count, within=within)
        return self._line_items(file, groups, records, reader)

    def _line_items(
        self,
        file: Input,
        groups: Iterator[Rows],
        records: EntryReader[Trajectory],
        reader: JsonReader,
    ) -> Iterator[_Item]:
        from trajmeter.readers._columns.fenced_rows import without_unread
        from trajmeter.readers._columns.frame_lines import whole_lines

        chosen = self._choice.chosen
        may_be_fenced = chosen is None or chosen.name == "swe-agent-rows"
        name, tried, certain = str(file.path), 0, 0
        for first, rows in _smaller(groups):
            if isinstance(rows, ReadError):
                yield partial(self._certain.lost, Entry(Source(file=name), rows), records)
                continue
            lines = None
            if certain or tried < _TRIED:
                try:
                    rows.validate(full=True)
                    read = without_unread(rows, self._wanted) if may_be_fenced else rows
                    lines = whole_lines(read)
                except pa.ArrowException:  # text that is not UTF-8, or too large for Arrow
                    lines = None
            if lines is None:
                yield partial(self._certain.records, rows, (name, first), records)
                continue
            pieces = reader.read(lines, name, first)
            tried += rows.num_rows
            certain += rows.num_rows - sum(len(piece.refused) for piece in pieces)
            for piece in pieces:
                yield partial(self._certain.rows, piece, rows, (name, first), records)

    def _problem(self, file: Input, message: str) -> Iterator[pa.RecordBatch]:
        self._report(ReadProblem(file=str(file.path), message=message))
        return iter(())


def _range_of(file: Input) -> RowRange | None:
    return file.within if isinstance(file.within, RowRange) else None


def _rows_at_once(rows: pa.RecordBatch | ReadError) -> int:
    """How many rows like these are converted at a time."""
    if isinstance(rows, ReadError):
        return _TRIED
    count = rows.num_rows * _LINE_BYTES // max(rows.nbytes, 1)
    return max(1, min(count, _ROWS))


def _smaller(groups: Iterator[Rows]) -> Iterator[Rows]:
    """Divide batches whose rows are large."""
    for first, rows in groups:
        if isinstance(rows, ReadError):
            yield first, rows
            continue
        count = _rows_at_once(rows)
        for start in range(0, rows.num_rows, count):
            yield first + start, rows.slice(start, count)
