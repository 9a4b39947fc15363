"""Batches of JSON lines, a block of the file at a time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from trajmeter.readers._containers import CHANGED, Entry
from trajmeter.readers._content import open_content, state_of
from trajmeter.readers._lines import bounded_blocks
from trajmeter.readers._ranges import LineRange, open_range
from trajmeter.readers._read import EntryReader
from trajmeter.records import ReadProblem, Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from trajmeter.kernels._rust import JsonReader
    from trajmeter.readers._certain_rows import CertainRows
    from trajmeter.readers._choice import Choice
    from trajmeter.readers._inputs import Input

__all__ = ["LineBlocks", "ended"]


class LineBlocks:
    """Reads JSON lines in blocks.

    Args:
        choice: By which formats files are read.
        certain: Completes what is certain by lines that are read as records.
        report: Called with everything that cannot be read.
        size: Bytes of a block.
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
        self, given: Input, reader: JsonReader
    ) -> Iterator[Callable[[], Iterator[pa.RecordBatch]]]:
        """Read the blocks of a file; each gives its batches when it is called."""
        path, records = given.path, EntryReader(given, self._choice, self._report)
        name = str(path)
        lines = given.within if isinstance(given.within, LineRange) else None
        number = lines.first if lines else 1
        try:
            with open_range(path, lines) if lines else open_content(path) as file:
                begun = state_of(file)
                for block in bounded_blocks(file, self._size, self._choice.max_line):
                    for columns in reader.read(block.content, name, number):
                        yield partial(self._certain.piece, columns, block.content, name, records)
                        number = columns.next_line
                    if block.error is not None:
                        entry = Entry(Source(file=name, line=number), block.error)
                        yield partial(_left_out, records, entry)
                        number += 1
                    if records.is_over:
                        return
                if state_of(file) != begun:
                    yield partial(self._problem, ReadProblem(file=name, message=CHANGED))
        except OSError as error:
            message, line = error.strerror or str(error), getattr(error, "line", None)
            problem = ReadProblem(file=name, line=line, message=message)
            yield partial(self._problem, problem)
        yield partial(ended, records)

    def _problem(self, problem: ReadProblem) -> Iterator[pa.RecordBatch]:
        self._report(problem)
        return iter(())


def _left_out(records: EntryReader[Trajectory], entry: Entry) -> Iterator[pa.RecordBatch]:
    """Report a line that is left out."""
    if not records.is_over:
        records.read(entry)
    return iter(())


def ended(records: EntryReader[Trajectory]) -> Iterator[pa.RecordBatch]:
    """Say that a file has no more records."""
    if not records.is_over:
        records.finish()
    return iter(())
