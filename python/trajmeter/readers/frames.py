"""Data frames of attempts: any object that exports columns through the Arrow C interface.

These include polars and pandas frames, pyarrow tables and DuckDB relations. Their rows are read
like those of Parquet files: recognised by their columns, or mapped.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from trajmeter.errors import InputError, ReadError
from trajmeter.readers._entry_reader import EntryReader
from trajmeter.readers._files.entries import Entry
from trajmeter.readers._files.inputs import Input
from trajmeter.readers._files.problems import refuse
from trajmeter.readers._recognition.choice import Choice
from trajmeter.records import Source, Trajectory
from trajmeter.schemas import require_pyarrow

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    import pyarrow as pa
    from pydantic import JsonValue

    from trajmeter.records import ReadProblem, Task

__all__ = [
    "FRAME",
    "arrow_batches",
    "arrow_table",
    "first_row",
    "frame_tasks",
    "is_frame",
    "numbered_records",
    "read_frame",
]

FRAME = "data frame"
"""Replaces the file name in the sources of a frame's attempts."""

_HINTS = {
    "LazyFrame": "collect() gives a frame",
    "Dataset": "with_format('arrow').iter(batch_size=1000) gives tables",
    "IterableDataset": "with_format('arrow').iter(batch_size=1000) gives tables",
}
_ROWS = 64
"""Maximum number of rows whose values are held in memory at a time."""


def is_frame(value: object) -> TypeGuard[pa.Table]:
    """Whether a value exports columns through the Arrow C interface.

    Raises:
        InputError: It does not, but can be converted to something that does.
    """
    if hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__"):
        return True
    kind = type(value)
    if kind.__name__ in _HINTS and kind.__module__.partition(".")[0] in ("polars", "datasets"):
        raise InputError(f"a {kind.__name__} does not offer its columns: {_HINTS[kind.__name__]}")
    return False


def arrow_table(frame: object) -> pa.Table:
    """The columns of a frame, shared without copying where possible.

    Raises:
        InputError: It is a single column, or its columns cannot be converted.
        ExtraMissingError: pyarrow is not installed.
    """
    require_pyarrow("data frames")
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return frame
    if hasattr(frame, "__arrow_c_stream__"):
        return _stream(frame).read_all()
    return pa.Table.from_batches([_batch(frame)])


def arrow_batches(frame: object) -> Iterator[pa.RecordBatch]:
    """The columns of a frame, in parts.

    Raises:
        InputError: It is a single column, or its columns cannot be converted.
        ExtraMissingError: pyarrow is not installed.
    """
    require_pyarrow("data frames")

    if hasattr(frame, "__arrow_c_stream__"):
        yield from _stream(frame)
    else:
        yield _batch(frame)


def _stream(frame: Any) -> pa.RecordBatchReader:  # noqa: ANN401 - of any library
    import pyarrow as pa

    try:
        return pa.RecordBatchReader.from_stream(frame)
    except pa.ArrowInvalid as error:
        raise _unreadable(frame, error) from error


def _batch(frame: Any) -> pa.RecordBatch:  # noqa: ANN401 - of any library
    import pyarrow as pa

    try:
        return pa.record_batch(frame)
    except (pa.ArrowInvalid, TypeError, ValueError) as error:
        raise _unreadable(frame, error) from error


def _unreadable(frame: object, error: Exception) -> InputError:
    return InputError(f"a {type(frame).__name__} cannot be read as a data frame: {error}")


def read_frame(
    table: pa.Table,
    *,
    input_format: str | None = None,
    mapping: Mapping[str, str] | None = None,
    profiles: Collection[str] = (),
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> Iterator[Trajectory]:
    """Read the rows of a frame, as :func:`trajmeter.readers.read_trajectories` reads files.

    Args:
        table: The frame's columns, from :func:`arrow_table`.
        input_format: Name of the format of the rows.
        mapping: Columns by trajectory field.
        profiles: Compatibility profiles.
        on_problem: Called with every row that cannot be read; without it, the first one raises.

    Raises:
        ConfigurationError: The mapping names an unknown trajectory field, or a column that is
            absent or does not fit its field.
        ReadError: Without ``on_problem``: a row cannot be read.
    """
    choice = Choice(
        Trajectory, input_format=input_format, mapping=mapping, profiles=tuple(profiles)
    )
    if choice.mapping is not None:
        choice.mapping.check_schema(table.schema, FRAME)
    for _, record in numbered_records(table, choice, on_problem or refuse):
        yield record


def numbered_records(
    table: pa.Table, choice: Choice[Trajectory], report: Callable[[ReadProblem], None]
) -> Iterator[tuple[int, Trajectory]]:
    """The rows of a frame as records, with their numbers; see :func:`read_frame`."""
    reader = EntryReader(Input(Path(FRAME)), choice, report)
    for row, value in _values(table, may_be_own=choice.mapping is None):
        record = reader.read(Entry(Source(file=FRAME, record=str(row)), value))
        if record is not None:
            yield row, record
        if reader.is_over:
            return
    reader.finish()


def frame_tasks(
    table: pa.Table,
    mapping: Mapping[str, str],
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> Iterator[Task]:
    """Tasks from the rows of their attempts, from the fields prefixed with ``task.``.

    Raises:
        ConfigurationError: As for :func:`read_frame`.
    """
    from trajmeter.readers._recognition.mapped_tasks import TaskColumns, tasks_of_rows

    columns = TaskColumns(mapping)
    if not columns.columns:
        return
    columns.check_schema(table.schema, FRAME)
    used = [at for at, name in enumerate(table.schema.names) if columns.may_use(name)]
    rows = (
        (Source(file=FRAME, record=str(row)), value)
        for row, value in _values(table.select(used), may_be_own=False)
        if isinstance(value, dict)
    )
    yield from tasks_of_rows(rows, columns, on_problem or refuse)


def _values(table: pa.Table, *, may_be_own: bool) -> Iterator[tuple[int, JsonValue | ReadError]]:
    """Each row with its number, as a JSON record."""
    from trajmeter.readers._columns.parquet import own_values
    from trajmeter.readers._files.parquet import values_as_they_are
    from trajmeter.readers._recognition.own_columns import holds_own

    is_own = may_be_own and holds_own(table.schema, lambda: first_row(table))
    start = 0
    for batch in table.to_batches(max_chunksize=_ROWS):
        values = own_values(batch) if is_own else values_as_they_are(batch)
        yield from enumerate(values, start=start)
        start += batch.num_rows


def first_row(table: pa.Table) -> dict[str, JsonValue] | None:
    """The first row unconverted, if there is one."""
    rows = table.slice(0, 1).to_pylist()
    return rows[0] if rows else None
