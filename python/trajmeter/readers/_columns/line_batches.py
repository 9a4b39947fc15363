"""Batches from JSON lines, one block of the file at a time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.errors import ReadError
from trajmeter.json_input import LONGEST_LINE
from trajmeter.readers._entry_reader import EntryReader
from trajmeter.readers._files.content import open_content, state_of
from trajmeter.readers._files.entries import CHANGED, Entry
from trajmeter.readers._files.lines import bounded_blocks
from trajmeter.readers._files.ranges import LineRange, open_range
from trajmeter.records import Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pyarrow as pa

    from trajmeter.kernels._rust import JsonColumns, JsonReader
    from trajmeter.readers._columns.certain_rows import CertainRows
    from trajmeter.readers._files.inputs import Input
    from trajmeter.readers._recognition.choice import Choice
    from trajmeter.records import ReadProblem

__all__ = ["BLOCK_BYTES", "LineBlocks", "LinesRead", "ended", "read_lines"]

BLOCK_BYTES = 16 << 20
"""Bytes of JSON lines to read at a time."""


class LinesRead(NamedTuple):
    """A block of lines that were read into columns."""

    columns: JsonColumns
    """The rows, and which lines were skipped."""
    block: bytes
    """The block of the file."""


def read_lines(
    path: Path,
    reader: JsonReader,
    *,
    lines: LineRange | None = None,
    size: int,
    longest: int = LONGEST_LINE,
) -> Iterator[LinesRead | Entry]:
    """Read JSON lines into columns, block by block.

    Args:
        path: The file.
        reader: Reads lines into columns.
        lines: Lines to read; all by default.
        size: Size of a block in bytes.
        longest: Maximum length of a line in bytes.

    Yields:
        The lines read, or the error in place of a line or of the rest of the file.
    """
    name, number = str(path), lines.first if lines else 1
    try:
        with open_range(path, lines) if lines else open_content(path) as file:
            begun = state_of(file)
            for block in bounded_blocks(file, size, longest):
                for columns in reader.read(block.content, name, number):
                    yield LinesRead(columns, block.content)
                    number = columns.next_line
                if block.error is not None:
                    yield Entry(Source(file=name, line=number), block.error)
                    number += 1
            if state_of(file) != begun:
                yield Entry(Source(file=name), ReadError(CHANGED))
    except OSError as error:
        line, message = getattr(error, "line", None), error.strerror or str(error)
        yield Entry(Source(file=name, line=line), ReadError(message))


class LineBlocks:
    """Reads the records of JSON lines files, block by block.

    Args:
        choice: How files are read, including their formats.
        certain: Adds the lines that must be read as records.
        report: Called with everything that cannot be read.
        size: Size of a block in bytes.
    """

    def __init__(
        self,
        choice: Choice[Trajectory],
        certain: CertainRows,
        report: Callable[[ReadProblem], None],
        size: int,
    ) -> None:
        self._choice = choice
        self._certain = certain
        self._report = report
        self._size = size

    def items(
        self, file: Input, reader: JsonReader
    ) -> Iterator[Callable[[], Iterator[pa.RecordBatch]]]:
        """Yield the blocks of a file; calling one yields its batches."""
        path, records = file.path, EntryReader(file, self._choice, self._report)
        lines = file.within if isinstance(file.within, LineRange) else None
        longest = self._choice.max_line
        for part in read_lines(path, reader, lines=lines, size=self._size, longest=longest):
            if isinstance(part, Entry):
                yield partial(self._certain.lost, part, records)
            else:
                # Only refused lines are read from the block again; otherwise it is released.
                block = part.block if part.columns.refused else b""
                yield partial(self._certain.piece, part.columns, block, str(path), records)
            if records.is_over:
                return
        yield partial(ended, records)


def ended(records: EntryReader[Trajectory]) -> Iterator[pa.RecordBatch]:
    """Finish a file that has no more records."""
    if not records.is_over:
        records.finish()
    return iter(())
