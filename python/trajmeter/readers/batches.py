"""Trajectories of files as record batches: read in Rust where that is certain to be right.

JSON lines and logs of mini-swe-agent become columns without a Python object for each record. What
the Rust reader is not certain of, a line or a file, is read as records in its place, so that rows,
problems and their order are those of :func:`trajmeter.readers.read_trajectories`.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from trajmeter.arguments import paths_and_records
from trajmeter.errors import InputError, ReadError
from trajmeter.kernels import backend
from trajmeter.readers._ahead import ReadAhead, joined
from trajmeter.readers._column_reader import column_reader, has_column
from trajmeter.readers._containers import (
    CHANGED,
    Entry,
    is_json_lines,
    is_named_in_utf8,
    is_parquet,
    read_line,
    state_of,
)
from trajmeter.readers._lines import line_blocks
from trajmeter.readers._read import (
    EntryReader,
    files_of,
    problem_at,
    read_records,
    refuse,
)
from trajmeter.readers._reasons import Reasons
from trajmeter.readers._recognition import file_format
from trajmeter.records import ReadProblem, Source, Trajectory
from trajmeter.schemas import trajectory_batch, trajectory_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from typing import BinaryIO, TypeAlias

    import pyarrow as pa

    from trajmeter.kernels._rust import JsonColumns
    from trajmeter.readers._formats import FileFormat
    from trajmeter.readers._parquet import Rows

    _Item: TypeAlias = Callable[[], Iterator[pa.RecordBatch]]
    """Part of the input, read as far as a thread can: it gives its batches, and reports its
    problems, when it is called."""

__all__ = ["IDENTITY", "TrajectoryBatches"]

IDENTITY = frozenset({"task_id", "agent", "model", "attempt", "instance", "source"})
"""Columns that say which attempt a row is."""

_BLOCK_BYTES = 16 << 20
_ROWS = 250
"""Rows of a batch, if a file is read as records."""
_LOGS = 1_024
"""Logs to read at a time."""
_LOG_SUFFIX = ".json"


class TrajectoryBatches:
    """The trajectories of files, as record batches of :func:`trajmeter.schemas.trajectory_schema`.

    JSON lines of Trajectory records and of ContextBench predictions become columns without an
    object for each record, and so do tables of benchmarks in JSON lines and Parquet, and logs of
    mini-swe-agent where their views are not wanted. All other files and records are read as
    :func:`trajmeter.readers.read_trajectories` reads them; rows and problems are always the same.
    Iterate over it once, for example in :func:`trajmeter.score_batches`. Batches keep the order of
    files and records; their sizes depend on the files alone. What comes next is read while a batch
    is used.

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
        on_problem: Callable[[ReadProblem], None] | None = None,
        block_bytes: int = _BLOCK_BYTES,
    ) -> None:
        """Prepare to read.

        Args:
            paths: Files and folders, as for :func:`trajmeter.readers.read_trajectories`.
            columns: Names of the columns to fill, such as ``usage`` or ``turns.views``, those
                within records behind a dot, and whatever lies below each; the others are null in
                every row. :data:`IDENTITY` is always filled. ``None`` fills all.
            on_problem: As for :func:`trajmeter.readers.read_trajectories`.
            block_bytes: Bytes of JSON lines to read at a time; results do not depend on it.

        Raises:
            InputError: No column has one of these names.
            ExtraMissingError: pyarrow is not installed.
        """
        wanted = frozenset(trajectory_schema().names if columns is None else columns)
        if unknown := sorted(name for name in wanted if not has_column(name)):
            raise InputError(f"trajectories have no column {unknown[0]!r}")
        self._paths = paths
        self._wanted = wanted | IDENTITY
        self._report = on_problem or refuse
        self._block_bytes = block_bytes
        self.rows = 0
        """Rows yielded so far."""
        self._reasons = Reasons()
        self._ahead: ReadAhead[_Item] | None = None

    def start(self) -> None:
        """Begin to read, as the first batch would otherwise; :meth:`close` ends it early."""
        if self._ahead is None:
            self._ahead = ReadAhead(self._items())

    def close(self) -> None:
        """Read no further."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            ahead.close()

    @property
    def lines_as_records(self) -> int:
        """Lines of JSON, logs and rows so far that were read as records, or not at all."""
        return self._reasons.total

    @property
    def note(self) -> str | None:
        """Says so, and why, if most of what was read was read as records, and that took long."""
        return self._reasons.note(self.rows)

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches; none is empty."""
        self.start()
        items: Iterable[_Item] = self._ahead or ()
        try:
            for batch in joined(batch for item in items for batch in item()):
                self.rows += batch.num_rows
                yield batch
        finally:
            self.close()

    def _items(self) -> Iterator[_Item]:
        for argument in paths_and_records(self._paths, name="paths"):
            path = Path(argument)
            try:
                whole = file_format(path, Trajectory)
            except ReadError as error:
                yield partial(self._problems, [ReadProblem(file=str(path), message=str(error))])
                continue
            if whole is not None:
                yield from self._whole(whole, path)
                continue
            problems: list[ReadProblem] = []
            files = files_of(path, problems.append)
            yield partial(self._problems, problems)
            yield from self._files(files)

    def _whole(self, known: FileFormat[Trajectory], path: Path) -> Iterator[_Item]:
        batches = known.batches(path, self._wanted)
        if batches is None:
            part = known.part(path, self._report, self._wanted)
            records = known.records(path, self._report) if part is None else part
            yield partial(self._gather, records)
            return
        for batch in batches:
            yield partial(iter, [batch])

    def _files(self, files: list[Path]) -> Iterator[_Item]:
        reads_logs = backend() == "rust" and not any(map(_is_view, self._wanted))
        for may_be_logs, group in groupby(files, _may_be_log):
            if may_be_logs and reads_logs:
                while names := [str(file) for file in islice(group, _LOGS)]:
                    yield from self._logs(names)
                continue
            for file in group:
                yield from self._file(file)

    def _file(self, file: Path) -> Iterator[_Item]:
        if backend() == "rust" and is_named_in_utf8(file) and is_json_lines(file):
            yield from self._lines(file)
            return
        from trajmeter.readers._parquet import own_rows  # takes longer than a small file

        with ExitStack() as opened:
            try:
                content = opened.enter_context(file.open("rb"))
                rows = own_rows(content, self._wanted) if is_parquet(content) else None
            except OSError:  # the record reader says why
                pass
            else:
                if rows is not None:
                    yield from self._rows(file, content, rows)
                    return
        yield partial(self._gather, read_records(file, Trajectory, self._report))

    def _rows(self, path: Path, content: BinaryIO, rows: Iterator[Rows]) -> Iterator[_Item]:
        from trajmeter.readers._parquet import stretches

        begun = state_of(content)
        records = EntryReader(path, Trajectory, self._report)
        for first, batch in rows:
            if isinstance(batch, ReadError):
                yield partial(self._problems, [ReadProblem(file=str(path), message=str(batch))])
            else:
                parts = [*stretches(batch)]
                yield partial(self._own, parts, batch, (str(path), first), records)
            if records.is_over:
                return
        if state_of(content) != begun:
            yield partial(self._problems, [_changed(path)])
        yield partial(self._end, records)

    def _own(
        self,
        parts: list[tuple[int, pa.RecordBatch | None]],
        batch: pa.RecordBatch,
        place: tuple[str, int],
        records: EntryReader[Trajectory],
    ) -> Iterator[pa.RecordBatch]:
        """Rows of a file of columns; those that may be invalid are read as records."""
        from trajmeter.readers._parquet import own_values, with_sources

        file, first = place
        for start, rows in parts:
            if records.is_over:
                return
            if rows is not None:
                records.accept()
                yield self._in_schema(with_sources(rows, file, first + start))
                continue
            (value,) = own_values(batch.slice(start, 1))
            record = records.read(Entry(Source(file=file, record=f"[{first + start}]"), value))
            self._reasons.add(value, records.known, record)
            if record is not None:
                yield from self._batch_of([record])

    def _logs(self, files: list[str]) -> Iterator[_Item]:
        for columns in column_reader(self._wanted).read_logs(files):
            import pyarrow as pa

            batch = self._in_schema(pa.record_batch(columns))
            done = 0
            for row, number, *_ in columns.refused:
                yield partial(iter, [batch.slice(done, row - done)])
                done = row
                file = Path(files[number])
                if not is_json_lines(file):  # whose lines are counted one by one
                    yield self._count_file
                yield from self._file(file)
            yield partial(iter, [batch.slice(done)])

    def _count_file(self) -> Iterator[pa.RecordBatch]:
        self._reasons.add_file()
        return iter(())

    def _problems(self, problems: list[ReadProblem]) -> Iterator[pa.RecordBatch]:
        for problem in problems:
            self._report(problem)
        return iter(())

    def _gather(self, records: Iterator[Trajectory]) -> Iterator[pa.RecordBatch]:
        while rows := list(islice(records, _ROWS)):
            yield from self._batch_of(rows)

    def _lines(self, path: Path) -> Iterator[_Item]:
        reader = column_reader(self._wanted)
        records = EntryReader(path, Trajectory, self._report)
        number = 1
        try:
            with path.open("rb") as file:
                begun = state_of(file)
                for block in line_blocks(file, self._block_bytes):
                    for columns in reader.read(block, str(path), number):
                        yield partial(self._piece, columns, block, str(path), records)
                        number = columns.next_line
                    if records.is_over:
                        return
                if state_of(file) != begun:
                    yield partial(self._problems, [_changed(path)])
        except OSError as error:
            problem = ReadProblem(file=str(path), message=error.strerror or str(error))
            yield partial(self._problems, [problem])
        yield partial(self._end, records)

    def _end(self, records: EntryReader[Trajectory]) -> Iterator[pa.RecordBatch]:
        if not records.is_over:
            records.finish()
        return iter(())

    def _piece(
        self, columns: JsonColumns, block: bytes, file: str, records: EntryReader[Trajectory]
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a piece, unless the file turned out to be the wrong one."""
        import pyarrow as pa

        if records.is_over:
            return iter(())
        batch = self._in_schema(pa.record_batch(columns))
        return self._with_refused(batch, columns.refused, block, file, records)

    def _with_refused(
        self,
        batch: pa.RecordBatch,
        refused: list[tuple[int, int, int, int]],
        block: bytes,
        file: str,
        records: EntryReader[Trajectory],
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a piece, those of refused lines in their places."""
        found: list[Trajectory] = []
        done = 0
        for row, number, begin, end in refused:
            if row > done:
                yield from self._batch_of(found)
                found = []
                yield batch.slice(done, row - done)
                records.accept()
                done = row
            entry = read_line(file, number, block[begin:end])
            record = records.read(entry)
            self._reasons.add(entry.value, records.known, record)
            if records.is_over:
                break
            if record is not None:
                found.append(record)
        yield from self._batch_of(found)
        if done < batch.num_rows and not records.is_over:
            records.accept()
            yield batch.slice(done)

    def _batch_of(self, records: list[Trajectory]) -> list[pa.RecordBatch]:
        """The rows of records; reports those with a value that no column holds."""
        if not records:
            return []
        try:
            return [trajectory_batch(records, columns=self._wanted)]
        except InputError as error:
            if len(records) == 1:
                source = records[0].source or Source(file="")
                if not is_named_in_utf8(source.file):
                    escaped = source.file.encode("utf-8", "backslashreplace").decode()
                    place = source.model_copy(update={"file": escaped})
                    return self._batch_of([records[0].model_copy(update={"source": place})])
                self._report(problem_at(source, str(error)))
                return []
            return [batch for record in records for batch in self._batch_of([record])]

    def _in_schema(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch with every column, those that it lacks null."""
        import pyarrow as pa

        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        arrays = [
            columns[field.name] if field.name in columns else pa.nulls(batch.num_rows, field.type)
            for field in trajectory_schema()
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=trajectory_schema())


def _may_be_log(file: Path) -> bool:
    return file.suffix == _LOG_SUFFIX and is_named_in_utf8(file)


def _changed(path: Path) -> ReadProblem:
    return ReadProblem(file=str(path), message=CHANGED)


def _is_view(column: str) -> bool:
    """Whether views are part of a column: those of logs only the record reader reads."""
    return column == "turns" or column.startswith(("turns.views", "final_views"))
