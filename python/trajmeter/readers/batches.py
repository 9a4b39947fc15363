"""Reads trajectories of files as record batches, in Rust where the result is certain.

JSON lines, JSON documents that are lists, Parquet, mini-swe-agent logs and Inspect logs become
columns without a Python object per record. A line, row, file or sample that the Rust reader is not
certain about is read as a record instead, so that rows, problems and their order are the same as
with :func:`trajmeter.readers.read_trajectories`.
"""

from __future__ import annotations

from functools import partial
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING

from trajmeter.benchmark_tables import BENCHMARK_TABLES
from trajmeter.errors import ConfigurationError, InputError, ReadError
from trajmeter.json_input import LONGEST_LINE
from trajmeter.kernels import backend
from trajmeter.readers._columns.ahead import MOST_ROWS, ReadAhead, joined
from trajmeter.readers._columns.batch_maker import BatchMaker
from trajmeter.readers._columns.certain_rows import CertainRows
from trajmeter.readers._columns.column_reader import column_reader, has_column
from trajmeter.readers._columns.document_batches import document_items
from trajmeter.readers._columns.file_records import FileRecords, gathered
from trajmeter.readers._columns.line_batches import BLOCK_BYTES, LineBlocks
from trajmeter.readers._columns.log_batches import LogBatches
from trajmeter.readers._columns.reasons import Reasons
from trajmeter.readers._columns.small_files import (
    holds_few_records,
    holds_records,
    is_short_log,
)
from trajmeter.readers._files.inputs import inputs
from trajmeter.readers._files.problems import problem_with, refuse
from trajmeter.readers._files.ranges import LineRange
from trajmeter.readers._read import read_records
from trajmeter.readers._recognition.choice import Choice
from trajmeter.records import ReadProblem, Trajectory
from trajmeter.remote import is_named_in_utf8
from trajmeter.schemas import trajectory_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import Path
    from typing import TypeAlias

    import pyarrow as pa

    from trajmeter.readers._files.inputs import Input
    from trajmeter.readers._recognition.formats import FileFormat, Piece

    _Item: TypeAlias = Callable[[], Iterator[pa.RecordBatch]]
    """Part of the input, read as far as is possible in a thread; calling it yields its batches and
    reports its problems."""

__all__ = ["IDENTITY", "TrajectoryBatches"]

IDENTITY = frozenset({"task_id", "agent", "model", "attempt", "instance", "source"})
"""Columns that identify the attempt of a row."""

_LOGS = 1_024
"""Number of logs to read at a time."""
_MANY = 32
"""Minimum number of consecutive small files to combine."""


class TrajectoryBatches:
    """The trajectories of files, as record batches of :func:`trajmeter.schemas.trajectory_schema`.

    The following become columns without an object per record: trajectory records, ContextBench
    predictions, rows with messages and rows of public data sets, in JSON lines, in JSON documents
    that are lists and in Parquet; tables of benchmarks in JSON lines and Parquet; documents of
    messages; Inspect samples; and mini-swe-agent logs. All other files and records are read as by
    :func:`trajmeter.readers.read_trajectories`. Rows and problems are the same in either case.
    Can be iterated once, for example by :func:`trajmeter.score_batches`. Batches keep the order of
    files and records; their sizes depend only on the files. The next one is read ahead.

    Example:
        >>> from trajmeter.readers.batches import TrajectoryBatches
        >>> problems = []
        >>> batches = TrajectoryBatches("absent.jsonl", on_problem=problems.append)
        >>> [batch.num_rows for batch in batches]
        []
        >>> print(problems[0])
        absent.jsonl: No such file or directory
    """

    def __init__(
        self,
        paths: str | Path | Iterable[str | Path],
        *,
        columns: Collection[str] | None = None,
        presence: Collection[str] = (),
        input_format: str | None = None,
        mapping: Mapping[str, str] | None = None,
        profiles: Collection[str] = (),
        max_line: int = LONGEST_LINE,
        batch_rows: int = MOST_ROWS,
        on_problem: Callable[[ReadProblem], None] | None = None,
        block_bytes: int = BLOCK_BYTES,
    ) -> None:
        """Prepare for reading.

        Args:
            paths: Files and folders, as for :func:`trajmeter.readers.read_trajectories`.
            columns: Names of the columns to fill, such as ``usage`` or ``turns.views``; nested
                names use dots and include everything below. Other columns are null in every row.
                :data:`IDENTITY` is always filled; ``None`` fills all; ``benchmark_tables`` adds the
                column of :mod:`trajmeter.benchmark_tables`.
            presence: Text columns of which only nulls matter. If a Parquet file stores them as
                dictionaries, their texts become empty, which avoids copying.
            input_format: As for :func:`trajmeter.readers.read_trajectories`.
            mapping: As for :func:`trajmeter.readers.read_trajectories`.
            profiles: As for :func:`trajmeter.readers.read_trajectories`.
            max_line: Maximum length of a JSON line in bytes; a longer one is a problem.
            batch_rows: Maximum number of rows in a batch; results do not depend on it.
            on_problem: As for :func:`trajmeter.readers.read_trajectories`.
            block_bytes: Bytes of JSON lines to read at a time; results do not depend on it.

        Raises:
            InputError: A column does not exist.
            UnknownNameError: No format is called ``input_format``.
            ConfigurationError: A number is below 1.
            ExtraMissingError: pyarrow is not installed.
        """
        wanted = frozenset(trajectory_schema().names if columns is None else columns)
        self._tables, wanted = wanted & {BENCHMARK_TABLES}, wanted - {BENCHMARK_TABLES}
        if unknown := sorted(name for name in wanted if not has_column(name)):
            raise InputError(f"trajectories have no column {unknown[0]!r}")
        self._paths = paths
        self._wanted = wanted | IDENTITY
        self._presence = frozenset(presence)
        self._choice = Choice(
            Trajectory,
            input_format=input_format,
            mapping=mapping,
            profiles=profiles,
            max_line=max_line,
        )
        if batch_rows < 1:
            raise ConfigurationError(f"batch_rows is {batch_rows}, expected at least 1")
        self._batch_rows = batch_rows
        self._report = on_problem or refuse
        self._block_bytes = block_bytes
        self._rows_of = BatchMaker(self._wanted, self._report)
        self.rows = 0
        """Number of rows yielded so far."""
        self._reasons = Reasons()
        self._certain = CertainRows(self._rows_of, self._reasons)
        self._ahead: ReadAhead[_Item] | None = None

    def start(self) -> None:
        """Start reading before the first batch is requested; :meth:`close` stops it early."""
        if self._ahead is None:
            found = self._inputs()
            # Listing a folder gives up the GIL for every file, and the thread would not soon have
            # it again.
            first = [*islice(found, _LOGS)]
            self._ahead = ReadAhead(gathered(self._items(chain(first, found))))

    def close(self) -> None:
        """Stop reading."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            ahead.close()

    @property
    def lines_as_records(self) -> int:
        """JSON lines, logs and rows so far that were read as records, or not at all.

        Small files that are combined are not counted: reading those as records is fastest.
        """
        return self._reasons.total

    @property
    def formats(self) -> dict[str, int]:
        """Number of trajectories so far by format name.

        Rows that became columns without records count as the format of their file's first record.
        """
        return dict(self._choice.counts())

    @property
    def note(self) -> str | None:
        """A warning, with the reason, if most rows were read slowly as records."""
        return self._reasons.note(self.rows)

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches; none is empty."""
        self.start()
        try:
            found = (batch for item in self._ahead or () for batch in item())
            if self._tables:
                from trajmeter.benchmark_tables.columns import with_tables  # slow to import

                found = (with_tables(batch) for batch in found)
            for batch in joined(found, self._batch_rows):
                self.rows += batch.num_rows
                yield batch
        finally:
            self.close()

    def _items(self, found: Iterable[Input]) -> Iterator[_Item]:
        reader = None
        if backend() == "rust" and self._choice.chosen is None:
            reader = column_reader(self._wanted)
        if reader is None:
            yield from self._file_items(found)
            return
        log_batches = LogBatches(
            self._choice, self._rows_of, partial(self._file_items, is_counted=True)
        )
        is_log = partial(is_short_log, longest=self._choice.max_line)
        for may_be_logs, group in groupby(found, is_log):
            if may_be_logs:
                while logs := [*islice(group, _LOGS)]:
                    yield from log_batches.items(logs, reader)
            else:
                yield from self._file_items(group)

    def _inputs(self) -> Iterator[Input]:
        """The parts of the input to read."""
        return inputs(self._paths, self._choice)

    def _file_items(self, found: Iterable[Input], *, is_counted: bool = False) -> Iterator[_Item]:
        """Yield files, with long runs of small record files combined into batches.

        Whatever its size, a batch costs as much as about a hundred records.
        """
        is_plain = backend() == "python"
        is_gathered = partial(holds_records if is_plain else holds_few_records, choice=self._choice)
        for are_records, group in groupby(found, is_gathered):
            while files := [*islice(group, _LOGS)]:
                if are_records and (is_plain or len(files) >= _MANY):
                    read = partial(read_records, choice=self._choice, report=self._report)
                    yield partial(self._rows_of.gather, chain.from_iterable(map(read, files)))
                else:
                    for file in files:
                        yield from self._input_items(file, is_counted=is_counted)

    def _input_items(self, file: Input, *, is_counted: bool = False) -> Iterator[_Item]:
        if file.problems:
            yield partial(self._problems, file.problems)
        elif file.is_end:
            yield partial(self._end_of, file)
        elif file.is_summary:
            yield partial(self._summary, file)
        else:
            yield from self._file(file, is_counted=is_counted)

    def _end_of(self, folder: Input) -> Iterator[pa.RecordBatch]:
        return self._problems(folder.notes.end() if folder.notes is not None else ())

    def _summary(self, file: Input) -> Iterator[pa.RecordBatch]:
        """Predictions, unless they repeat what was read so far."""
        if not file.is_repetition():
            for item in self._file(file):
                yield from item()

    def _file(self, file: Input, *, is_counted: bool = False) -> Iterator[_Item]:
        """The rows of a file; with ``is_counted``, it is counted if it is read as records."""
        try:
            is_detected = file.within is None and file.format is None
            known = self._choice.file_format(file.path) if is_detected else file.format
        except ReadError as error:
            file.note_reported()
            problem = problem_with(file.path, error)
            yield partial(self._problems, [problem])
            return
        if known is None:
            yield from self._records(file, is_counted=is_counted)
            return
        file.note_read()
        is_in_rust = backend() == "rust" and is_named_in_utf8(file.path)
        reader = column_reader(self._wanted) if is_in_rust else None
        path, lines = file.path, file.within if isinstance(file.within, LineRange) else None
        if reader and (pieces := self._choice.pieces(known, path, reader, self._wanted, lines)):
            yield from self._pieces(known, path, pieces)
            return
        batches = self._choice.batches(known, path, self._wanted | self._tables)
        if batches is None:
            records = self._choice.records(known, path, self._report, self._wanted, lines)
            yield self._file_records(file, records, is_counted=is_counted)
            return
        for batch in batches:
            yield partial(iter, [batch])

    def _pieces(
        self, known: FileFormat[Trajectory], path: Path, pieces: Iterator[Piece]
    ) -> Iterator[_Item]:
        try:
            for piece in pieces:
                yield partial(self._piece, known, path, piece)
        except OSError as error:
            problem = problem_with(path, error)
            yield partial(self._problems, [problem])

    def _piece(
        self, known: FileFormat[Trajectory], path: Path, piece: Piece
    ) -> Iterator[pa.RecordBatch]:
        def read(number: int) -> Iterator[Trajectory]:
            records = partial(piece.records, number)
            return self._choice.counted(known, path, self._report, records)

        if piece.columns is None:
            made = self._choice.counted(known, path, self._report, partial(piece.records, 0))
            return self._rows_of.gather(made)
        batch = self._rows_of.in_schema(piece.columns)
        self._choice.count({known.name: batch.num_rows})
        return self._certain.part(batch, piece.columns.refused, read)

    def _records(self, file: Input, *, is_counted: bool) -> Iterator[_Item]:
        path = file.path
        reader = None
        if backend() == "rust":
            is_mapped = self._choice.mapping is not None
            reader = column_reader(self._wanted, self._choice.chosen, is_mapped=is_mapped)
        longest = self._choice.max_line
        if reader is not None and is_named_in_utf8(path) and file.holds_lines(longest):
            blocks = LineBlocks(self._choice, self._certain, self._report, self._block_bytes)
            yield from blocks.items(file, reader)
            return
        if reader is not None and is_named_in_utf8(path):
            values = document_items(file, reader, self._choice, self._certain, self._report)
            if values is not None:
                yield from values
                return
        if is_named_in_utf8(path):  # its columns contain the name
            from trajmeter.readers._columns.table_batches import TableBatches  # slow to import

            tables = TableBatches(
                self._choice, self._wanted, self._presence, self._certain, self._report
            )
            is_read = yield from tables.items(file, reader)
            if is_read:
                return
        records = read_records(file, self._choice, self._report)
        yield self._file_records(file, records, is_counted=is_counted)

    def _file_records(
        self, file: Input, records: Iterator[Trajectory], *, is_counted: bool
    ) -> FileRecords:
        found = self._counted_file(records) if is_counted else records
        return FileRecords(file, found, self._rows_of.gather)

    def _counted_file(self, records: Iterator[Trajectory]) -> Iterator[Trajectory]:
        self._reasons.add_file()
        yield from records

    def _problems(self, problems: Iterable[ReadProblem]) -> Iterator[pa.RecordBatch]:
        for problem in problems:
            self._report(problem)
        return iter(())
