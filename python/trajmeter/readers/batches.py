"""Trajectories as record batches: what comes in volume is read in Rust, the rest as records.

JSON lines are read in blocks. Every line that the reader in Rust is not certain of is read as a
record instead, in its place, so that rows, problems and their order are those of
:func:`trajmeter.readers.read_trajectories`. Files of other kinds are read as records altogether.
"""

from __future__ import annotations

import json
import types
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

from pydantic import JsonValue, ValidationError

from trajmeter.errors import InputError, ReadError
from trajmeter.kernels import backend
from trajmeter.readers._containers import _OPENING, _is_document
from trajmeter.readers._read import (
    _PATIENCE,
    _TASKS,
    _TRAJECTORIES,
    _collection,
    _each,
    _files,
    _problem,
    _read,
    _recognise,
    _refuse,
    _report,
    _unrecognised,
)
from trajmeter.records import ReadProblem, Record, Source, json_lines
from trajmeter.schemas import Shape, trajectory_batch, trajectory_schema, trajectory_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path
    from typing import BinaryIO

    import pyarrow as pa

    from trajmeter.kernels._rust import JsonColumns, JsonReader
    from trajmeter.records import Trajectory

__all__ = ["TrajectoryBatches", "is_json_lines", "line_blocks", "trajectory_description"]

_BLOCK_BYTES = 8 << 20
_ROWS = 1_000
"""Records that are gathered into one batch, where a file is read as records."""


class TrajectoryBatches:
    """The trajectories of files, as record batches of :func:`trajmeter.schemas.trajectory_schema`.

    Iterate over it once. Batches come in the order of the files and of their records; how many rows
    each has depends on the files alone.

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
            columns: Columns that are wanted; the others are null in every row. ``None`` wants all.
            on_problem: As for :func:`trajmeter.readers.read_trajectories`.
            block_bytes: Bytes of JSON lines that are read at a time.

        Raises:
            InputError: There is no column of a name that is wanted.
            ExtraMissingError: pyarrow is not installed.
        """
        names = trajectory_schema().names
        wanted = frozenset(names if columns is None else columns)
        if unknown := sorted(wanted.difference(names)):
            raise InputError(f"trajectories have no column {unknown[0]!r}")
        self._paths = paths
        self._wanted = wanted
        self._report = on_problem or _refuse
        self._block_bytes = block_bytes
        self.rows = 0
        """Rows so far."""
        self.lines_as_records = 0
        """Lines of JSON so far that were read as records, or could not be read."""

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches; none is empty."""
        for batch in self._batches():
            if batch.num_rows:
                self.rows += batch.num_rows
                yield batch

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for path in _each(self._paths):
            collection = _collection(path)
            if collection is not None:
                yield from self._gather(collection.read(path, self._report))
                continue
            files = _files(path) or [path]
            for file in files:
                if backend() == "rust" and is_json_lines(file):
                    yield from self._lines(file)
                else:
                    yield from self._gather(_read(file, _TRAJECTORIES, _TASKS, self._report))

    def _gather(self, records: Iterator[Trajectory]) -> Iterator[pa.RecordBatch]:
        while rows := list(islice(records, _ROWS)):
            yield from self._batch_of(rows)

    def _lines(self, path: Path) -> Iterator[pa.RecordBatch]:
        reader = _reader(self._wanted)
        records = _LineRecords(path, self._report)
        number = 1
        try:
            with path.open("rb") as file:
                for block in line_blocks(file, self._block_bytes):
                    for columns in reader.read(block, str(path), number):
                        yield from self._piece(columns, block, records)
                        if records.is_over:
                            return
                        number = columns.next_line
        except OSError as error:
            self._report(ReadProblem(file=str(path), message=error.strerror or str(error)))
        records.finish()

    def _piece(
        self, columns: JsonColumns, block: bytes, records: _LineRecords
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a piece, those of refused lines in their places."""
        import pyarrow as pa

        batch = self._in_schema(pa.record_batch(columns))
        refused = columns.refused
        if not refused:
            if batch.num_rows:
                records.accept()
            yield batch
            return
        parts: list[pa.RecordBatch] = []
        found: list[Trajectory] = []
        done = 0
        for row, number, begin, end in refused:
            if row > done:
                parts += self._batch_of(found)
                found = []
                parts.append(batch.slice(done, row - done))
                records.accept()
                done = row
            record = records.read(number, block[begin:end])
            self.lines_as_records += 1
            if records.is_over:
                break
            if record is not None:
                found.append(record)
        parts += self._batch_of(found)
        if done < batch.num_rows and not records.is_over:
            records.accept()
            parts.append(batch.slice(done))
        yield from pa.Table.from_batches(parts, schema=batch.schema).combine_chunks().to_batches()

    def _batch_of(self, records: list[Trajectory]) -> list[pa.RecordBatch]:
        """The rows of records; reports those with a value that no column holds."""
        if not records:
            return []
        try:
            return [self._in_schema(trajectory_batch(records))]
        except InputError as error:
            if len(records) == 1:
                source = records[0].source or Source(file="")
                self._report(_problem(source, str(error)))
                return []
            return [batch for record in records for batch in self._batch_of([record])]

    def _in_schema(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch with every column, those that are not wanted null."""
        import pyarrow as pa

        arrays = [
            batch.column(field.name)
            if field.name in self._wanted
            else pa.nulls(batch.num_rows, field.type)
            for field in trajectory_schema()
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=trajectory_schema())


class _LineRecords:
    """Reads single lines of a file as records, and keeps what problems hang on between lines.

    As where all lines are read so: lines that no format knows are reported once one was known, or
    else together as one problem.
    """

    def __init__(self, path: Path, report: Callable[[ReadProblem], None]) -> None:
        self._file = str(path)
        self._report = report
        self._strangers: list[ReadProblem] = []
        self._is_known = False
        self.is_over = False
        """Whether the file is given up, as nothing in it is known."""

    def accept(self) -> None:
        """Note that lines before the next one were read."""
        self._is_known = True
        _report(self._strangers, self._report)

    def read(self, number: int, line: bytes) -> Trajectory | None:
        """Read a line; ``None`` if it holds no record, which is reported."""
        source = Source(file=self._file, line=number)
        try:
            value = json_lines.parse(line)
        except ReadError as error:
            self._report(_problem(source, str(error)))
            return None
        known = _recognise(value, _TRAJECTORIES)
        if known is None or not isinstance(value, dict):
            message = _unrecognised(value, _TRAJECTORIES, _TASKS)
            self._strangers.append(_problem(source, message))
            if self._is_known:
                self.accept()
            elif len(self._strangers) == _PATIENCE:
                self.is_over = True
                self.finish()
            return None
        record = None
        try:
            record = known.read(value, source)
        except ReadError as error:
            self._report(_problem(source, str(error)))
        except ValidationError as error:
            self._report(_problem(source, json_lines.explain(error)))
        self.accept()
        return record

    def finish(self) -> None:
        """Report what is left when the file ends."""
        strangers = self._strangers
        if len(strangers) > 1:
            message = (
                f"none of its first {len(strangers)} records can be used: {strangers[0].message}"
            )
            strangers[:] = [ReadProblem(file=self._file, message=message)]
        _report(strangers, self._report)


def is_json_lines(path: Path) -> bool:
    """Whether a file is JSON lines; one that cannot be read is left to the record reader."""
    try:
        with path.open("rb") as file:
            if not file.seekable():
                return False
            json_lines.refuse_archive(file)
            head = [line for _, _, line in islice(json_lines.lines(file), 2)]
    except (OSError, ReadError):
        return False
    is_json = any(json_lines.first_byte(line) in _OPENING for line in head)
    return is_json and not _is_document(head)


def line_blocks(file: BinaryIO, size: int) -> Iterator[bytes]:
    """Cut a file behind newlines, so that each block has about ``size`` bytes, or one line."""
    while block := file.read(size):
        yield block if block.endswith(b"\n") else block + file.readline()


@cache
def _reader(wanted: frozenset[str]) -> JsonReader:
    from trajmeter.kernels._rust import JsonReader

    return JsonReader(trajectory_description(), sorted(wanted), flat=False)


def trajectory_description() -> str:
    """Describe the columns of trajectories to the reader in Rust, as JSON."""
    return json.dumps(_described(trajectory_shape()))


def _described(shape: Shape) -> dict[str, Any]:
    """A shape as the reader in Rust takes it."""
    described: dict[str, Any] = {"kind": shape.kind}
    if shape.choices:
        described["choices"] = sorted(shape.choices)
    if shape.is_object:
        described["is_object"] = True
    if shape.item is not None:
        described["item"] = _described(shape.item)
    model = shape.model
    if model is None or not issubclass(model, Record):
        return described
    fields = model.model_fields
    described["members"] = [
        {
            "name": member.name,
            "shape": _described(member.shape),
            "required": member.required,
            "nullable": _allows_null(fields[member.name].annotation),
            "default": member.default,
        }
        for member in shape.members
    ]
    checks = model.__pydantic_decorators__
    if checks.model_validators or checks.field_validators:
        described["kind"] = "checked"
    return described


def _allows_null(annotation: object) -> bool:
    is_union = get_origin(annotation) in (Union, types.UnionType)
    return annotation is JsonValue or (is_union and types.NoneType in get_args(annotation))
