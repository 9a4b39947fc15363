"""The Arrow schema of trajectories, and the conversion of records to and from its columns.

In a batch of records, a free value (``arguments``, ``metadata``, ``extra`` ...) that equals the
field's default becomes null.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic_core import to_jsonable_python

from trajmeter import json_input
from trajmeter.errors import ExtraMissingError, InputError, ReadError
from trajmeter.records import Record, Trajectory
from trajmeter.records.record import field_descriptions
from trajmeter.shapes import trajectory_shape

if TYPE_CHECKING:
    import pyarrow as pa

    from trajmeter.shapes import Shape

__all__ = [
    "json_text",
    "require_pyarrow",
    "trajectory_batch",
    "trajectory_from_row",
    "trajectory_schema",
    "trajectory_values",
]

_Convert: TypeAlias = Callable[[Any], Any]

_RECORD = "trajmeter.record"
"""Key in a schema's metadata for the class of the records in its columns."""


@cache
def trajectory_schema() -> pa.Schema:
    """Arrow schema of Trajectory records, with one column per field.

    Raises:
        ExtraMissingError: pyarrow is not installed.

    Example:
        >>> from trajmeter.schemas import trajectory_schema
        >>> trajectory_schema().field("turn_count").type
        DataType(int64)
    """
    require_pyarrow("record batches")
    import pyarrow as pa

    fields: list[pa.Field[Any]] = []
    descriptions = field_descriptions(Trajectory)
    for member in trajectory_shape().members:
        about: dict[str | bytes, str | bytes] = {}
        if member.name in descriptions:
            about["description"] = descriptions[member.name]
        fields.append(pa.field(member.name, member.shape.arrow_type(), metadata=about))
    return pa.schema(fields, metadata={_RECORD: Trajectory.__name__})


def trajectory_batch(
    trajectories: Iterable[Trajectory], *, columns: Collection[str] | None = None
) -> pa.RecordBatch:
    """Convert records to a record batch, for example to write a data set.

    Args:
        trajectories: Records to convert; convert large data sets batch by batch.
        columns: Names of the columns to fill, such as ``turns.views``; the others are null.

    Raises:
        InputError: A column cannot represent a value: an integer beyond 64 bits, an unpaired
            surrogate, or a free value that is not valid JSON. The message names the record.
        ExtraMissingError: pyarrow is not installed.

    Example:
        >>> from trajmeter.records import Trajectory
        >>> from trajmeter.schemas import trajectory_batch
        >>> batch = trajectory_batch([Trajectory(task_id="a", metadata={"budget": [3, 4]})])
        >>> batch["metadata"][0].as_py()
        '{"budget": [3, 4]}'
    """
    schema = trajectory_schema()
    from trajmeter.arrays.nested import UNSTORABLE, row_batch

    write = _write_trajectory(None if columns is None else frozenset(columns))
    rows = []
    for index, trajectory in enumerate(trajectories):
        try:
            rows.append(write(trajectory))
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(
                f"trajectory {index} holds a value that is not valid JSON: {error}"
            ) from error
    try:
        return row_batch(rows, schema)
    except UNSTORABLE as error:
        where = _first_unstorable(rows, schema)
        raise InputError(f"{where} cannot be a row of columns: {error}") from error


def trajectory_from_row(row: Mapping[str, Any]) -> Trajectory:
    """Convert one row of :func:`trajectory_schema` to a record.

    Args:
        row: Values by column, as returned by ``RecordBatch.to_pylist``; absent columns are null.

    Raises:
        pydantic.ValidationError: A value is missing or invalid.
        ReadError: JSON text cannot be parsed.
    """
    return Trajectory.model_validate(trajectory_values(row))


def trajectory_values(row: Mapping[str, Any]) -> dict[str, Any]:
    """Convert one row of :func:`trajectory_schema` to values that the record accepts.

    Raises:
        ReadError: JSON text cannot be parsed.
    """
    values: dict[str, Any] = _read_trajectory()(row)
    return values


def json_text(value: object) -> str:
    """Serialise a value of arbitrary shape as JSON.

    Raises:
        ValueError: It contains a value that JSON cannot represent.
    """
    return json.dumps(value, default=to_jsonable_python)


def require_pyarrow(what: str) -> None:
    """Check that pyarrow is installed.

    Raises:
        ExtraMissingError: It is not; the message says that ``what`` need it.
    """
    try:
        import pyarrow as pa  # noqa: F401 - checks that it is installed
    except ImportError as error:
        raise ExtraMissingError(f"{what} need pyarrow: pip install 'trajmeter[data]'") from error


def _unchanged(value: Any) -> Any:  # noqa: ANN401 - of any type
    return value


@cache
def _write_trajectory(columns: frozenset[str] | None) -> _Convert:
    return _writer(trajectory_shape(), columns)


@cache
def _read_trajectory() -> _Convert:
    return _reader(trajectory_shape()) or _unchanged


def _writer(shape: Shape, columns: frozenset[str] | None = None) -> _Convert:
    """Return a function that converts a value for its column, or only for the given subcolumns."""
    if shape.kind == "json":
        return json_text
    if shape.kind == "text":
        return (lambda choice: getattr(choice, "value", choice)) if shape.choices else _unchanged
    if shape.item is not None:
        write = _writer(shape.item, columns)
        if shape.kind == "list":
            return lambda values: [write(value) for value in values]
        return lambda values: [(key, write(value)) for key, value in values.items()]
    if shape.kind != "record":
        return _unchanged
    # Free values that equal the default, such as empty objects, become null.
    writers = [
        (each.name, _writer(each.shape, below), each.default if each.shape.kind == "json" else None)
        for each, below in ((each, _below(each.name, columns)) for each in shape.members)
        if below is None or below
    ]

    def write_record(record: Record) -> dict[str, Any]:
        return {
            name: None
            if (value := getattr(record, name)) is None or (absent is not None and value == absent)
            else write(value)
            for name, write, absent in writers
        }

    return write_record


def _below(name: str, columns: frozenset[str] | None) -> frozenset[str] | None:
    """The given columns inside column ``name``; ``None`` for all of it."""
    if columns is None or name in columns:
        return None
    return frozenset(each[len(name) + 1 :] for each in columns if each.startswith(f"{name}."))


def _reader(shape: Shape) -> _Convert | None:
    """Return a function that converts a column's value for the model; ``None`` if unchanged."""
    if shape.kind == "json":
        return lambda text: json_input.parse(text.encode())
    if shape.item is not None:
        read = _reader(shape.item)
        if shape.kind == "mapping":
            read_value = read or _unchanged
            return lambda pairs: {key: read_value(value) for key, value in pairs}
        return None if read is None else _each(read)
    if shape.kind != "record":
        return None
    readers = {member.name: _reader(member.shape) for member in shape.members}

    def read_record(row: Mapping[str, Any] | None) -> dict[str, Any]:
        if row is None:  # only in a mapping; lists and fields handle null themselves
            raise ReadError("expected a record, got null")
        known = [(key, value, readers.get(key)) for key, value in row.items() if value is not None]
        return {key: value if read is None else read(value) for key, value, read in known}

    return read_record


def _each(read: _Convert) -> _Convert:
    return lambda values: [None if value is None else read(value) for value in values]


def _first_unstorable(rows: list[dict[str, Any]], schema: pa.Schema) -> str:
    from trajmeter.arrays.nested import UNSTORABLE, row_batch

    for index, row in enumerate(rows):
        try:
            row_batch([row], schema)
        except UNSTORABLE:
            return f"trajectory {index}"
    return "some trajectory among so many"
