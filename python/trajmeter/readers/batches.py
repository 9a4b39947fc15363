"""Trajectories of files as record batches: JSON lines are read in Rust, other files as records.

JSON lines are read in blocks. A line that the Rust reader is not certain of is read as a record, in
its place, so that rows, problems and their order are those of
:func:`trajmeter.readers.read_trajectories`.
"""

from __future__ import annotations

import json
import types
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

from pydantic import JsonValue

from trajmeter.arguments import paths_and_records
from trajmeter.errors import InputError
from trajmeter.kernels import backend
from trajmeter.readers._containers import is_json_lines, read_line
from trajmeter.readers._read import (
    EntryReader,
    file_format,
    files_of,
    problem_at,
    read_records,
    refuse,
)
from trajmeter.records import ReadProblem, Record, Source, Trajectory
from trajmeter.schemas import Shape, trajectory_batch, trajectory_schema, trajectory_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from typing import BinaryIO

    import pyarrow as pa

    from trajmeter.kernels._rust import JsonColumns, JsonReader

__all__ = ["TrajectoryBatches", "line_blocks", "trajectory_description"]

_BLOCK_BYTES = 8 << 20
_ROWS = 1_000
"""Rows of a batch, if a file is read as records."""


class TrajectoryBatches:
    """The trajectories of files, as record batches of :func:`trajmeter.schemas.trajectory_schema`.

    JSON lines of Trajectory records and of ContextBench predictions become columns without an
    object for each record. All other files and records are read as
    :func:`trajmeter.readers.read_trajectories` reads them; rows and problems are always the same.
    Iterate over it once, for example in :func:`trajmeter.score_batches`. Batches keep the order of
    files and records; their sizes depend on the files alone.

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
            columns: Columns to fill; the others are null in every row. ``None`` fills all.
            on_problem: As for :func:`trajmeter.readers.read_trajectories`.
            block_bytes: Bytes of JSON lines to read at a time; results do not depend on it.

        Raises:
            InputError: No column has one of these names.
            ExtraMissingError: pyarrow is not installed.
        """
        names = trajectory_schema().names
        wanted = frozenset(names if columns is None else columns)
        if unknown := sorted(wanted.difference(names)):
            raise InputError(f"trajectories have no column {unknown[0]!r}")
        self._paths = paths
        self._wanted = wanted
        self._report = on_problem or refuse
        self._block_bytes = block_bytes
        self.rows = 0
        """Rows yielded so far."""
        self.lines_as_records = 0
        """Lines of JSON so far that were read as records, or could not be read at all."""

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches; none is empty."""
        for batch in self._batches():
            if batch.num_rows:
                self.rows += batch.num_rows
                yield batch

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for argument in paths_and_records(self._paths, name="paths"):
            path = Path(argument)
            whole = file_format(path, Trajectory)
            if whole is not None:
                batches = whole.batches(path)
                if batches is None:
                    yield from self._gather(whole.records(path, self._report))
                else:
                    yield from map(self._in_schema, batches)
                continue
            for file in files_of(path, self._report):
                if backend() == "rust" and is_json_lines(file):
                    yield from self._lines(file)
                else:
                    yield from self._gather(read_records(file, Trajectory, self._report))

    def _gather(self, records: Iterator[Trajectory]) -> Iterator[pa.RecordBatch]:
        while rows := list(islice(records, _ROWS)):
            yield from self._batch_of(rows)

    def _lines(self, path: Path) -> Iterator[pa.RecordBatch]:
        reader = _reader(self._wanted)
        records = EntryReader(path, Trajectory, self._report)
        number = 1
        try:
            with path.open("rb") as file:
                for block in line_blocks(file, self._block_bytes):
                    for columns in reader.read(block, str(path), number):
                        yield from self._piece(columns, block, str(path), records)
                        if records.is_over:
                            return
                        number = columns.next_line
        except OSError as error:
            self._report(ReadProblem(file=str(path), message=error.strerror or str(error)))
        records.finish()

    def _piece(
        self, columns: JsonColumns, block: bytes, file: str, records: EntryReader[Trajectory]
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
            record = records.read(read_line(file, number, block[begin:end]))
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
                self._report(problem_at(source, str(error)))
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
