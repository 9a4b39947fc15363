"""The Arrow schema of Trajectory records, and the way from records to columns and back.

The schema is derived from the models. A record is a structure, a tuple a list, and a mapping from
text to values of one type a map. Values of any shape (``arguments``, ``metadata``, ``extra`` ...)
are JSON text; an empty object, where that is what an absent value means, is null.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeAlias,
    Union,
    cast,
    get_args,
    get_origin,
)

from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from trajmeter.errors import ExtraMissingError, InputError, ReadError
from trajmeter.records import Record, Trajectory, json_lines

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Member",
    "Shape",
    "holds_trajectories",
    "json_text",
    "require_pyarrow",
    "trajectory_batch",
    "trajectory_from_row",
    "trajectory_schema",
    "trajectory_shape",
    "trajectory_values",
]

_Kind: TypeAlias = Literal[
    "boolean", "integer", "number", "text", "json", "list", "mapping", "record"
]
_Convert: TypeAlias = Callable[[Any], Any]

_RECORD = "trajmeter.record"
"""Key in the metadata of a schema that names the record in its columns."""

_SCALARS: dict[object, _Kind] = {bool: "boolean", int: "integer", float: "number", str: "text"}


@dataclass(frozen=True, slots=True)
class Shape:
    """What the values of a column are."""

    kind: _Kind
    """Kind of value; ``json`` is text that holds a value of any shape."""
    choices: frozenset[str] = frozenset()
    """The only texts allowed; empty where any is."""
    is_object: bool = False
    """Whether JSON has to hold an object."""
    item: Shape | None = None
    """Shape of the values in a list or a mapping."""
    members: tuple[Member, ...] = ()
    """Fields of a record."""
    model: type[Record | Enum] | None = None
    """Class of a record, or of choices that have one."""


@dataclass(frozen=True, slots=True)
class Member:
    """One field of a record."""

    name: str
    """Name of the field."""
    shape: Shape
    """What its values are."""
    required: bool
    """Whether null is an error, as the field has no default."""
    default: object = None
    """What null and an absent column stand for."""
    description: str | None = None
    """Meaning of the field."""


@cache
def trajectory_shape() -> Shape:
    """Shape of a Trajectory."""
    return _shape(Trajectory)


@cache
def trajectory_schema() -> pa.Schema:
    """Arrow schema of Trajectory records, a column for each field.

    Raises:
        ExtraMissingError: pyarrow is not installed.

    Example:
        >>> from trajmeter.schemas import trajectory_schema
        >>> trajectory_schema().field("turn_count").type
        DataType(int64)
    """
    require_pyarrow("record batches")
    import pyarrow as pa

    return pa.schema(_fields(trajectory_shape()), metadata={_RECORD: Trajectory.__name__})


def trajectory_batch(trajectories: Iterable[Trajectory]) -> pa.RecordBatch:
    """Turn records into a record batch, to make a data set of them.

    Args:
        trajectories: Records; a batch holds them all, so large sets are made batch by batch.

    Raises:
        InputError: A value has no place in a column: an integer beyond 64 bits, half of a surrogate
            pair, or a free value that is no JSON. The message names the record.
        ExtraMissingError: pyarrow is not installed.

    Example:
        >>> from trajmeter.records import Trajectory
        >>> from trajmeter.schemas import trajectory_batch, trajectory_from_row
        >>> batch = trajectory_batch([Trajectory(task_id="a", metadata={"budget": [3, 4]})])
        >>> batch["metadata"][0].as_py()
        '{"budget": [3, 4]}'
        >>> trajectory_from_row(batch.to_pylist()[0]).metadata
        {'budget': [3, 4]}
    """
    schema = trajectory_schema()
    import pyarrow as pa

    rows = []
    for index, trajectory in enumerate(trajectories):
        try:
            rows.append(_write_trajectory()(trajectory))
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(
                f"trajectory {index} holds a value that is no JSON: {error}"
            ) from error
    try:
        return pa.RecordBatch.from_pylist(rows, schema=schema)
    except (OverflowError, UnicodeEncodeError, pa.ArrowInvalid) as error:
        where = _first_unstorable(rows, schema)
        raise InputError(f"{where} cannot be a row of columns: {error}") from error


def trajectory_from_row(row: Mapping[str, Any]) -> Trajectory:
    """Turn one row of :func:`trajectory_schema` into a record.

    Args:
        row: Values by column, as ``RecordBatch.to_pylist`` gives them; absent ones are missing.

    Raises:
        pydantic.ValidationError: A value is missing or wrong.
        ReadError: JSON text cannot be read.
    """
    return Trajectory.model_validate(trajectory_values(row))


def trajectory_values(row: Mapping[str, Any]) -> dict[str, Any]:
    """Turn one row of :func:`trajectory_schema` into values as the record takes them.

    Raises:
        ReadError: JSON text cannot be read.
    """
    values: dict[str, Any] = _read_trajectory()(row)
    return values


def holds_trajectories(schema: pa.Schema) -> bool:
    """Whether a file says that its columns are those of :func:`trajectory_schema`."""
    return (schema.metadata or {}).get(_RECORD.encode()) == Trajectory.__name__.encode()


def json_text(value: object) -> str:
    """Write a value of any shape as JSON.

    Raises:
        ValueError: It holds what JSON does not know.
    """
    return json.dumps(value, default=to_jsonable_python)


def require_pyarrow(what: str) -> None:
    """Check that pyarrow is installed.

    Raises:
        ExtraMissingError: It is not; the message says ``what`` needs it.
    """
    try:
        import pyarrow as pa  # noqa: F401 - whether it is there
    except ImportError as error:
        raise ExtraMissingError(f"{what} need pyarrow: pip install 'trajmeter[data]'") from error


def _shape(annotation: object) -> Shape:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _shape(arguments[0])
    if origin in (Union, types.UnionType):
        (inner,) = [each for each in arguments if each is not types.NoneType]
        return _shape(inner)
    if annotation in (Any, JsonValue):
        return Shape("json")
    if origin is Literal:
        return Shape("text", choices=frozenset(arguments))
    if origin in (tuple, dict):
        return _container(origin, arguments)
    return _class(cast("type", annotation))


def _container(origin: object, arguments: tuple[object, ...]) -> Shape:
    if origin is tuple:
        return Shape("list", item=_shape(arguments[0]))
    item = _shape(arguments[1])
    return Shape("json", is_object=True) if item.kind == "json" else Shape("mapping", item=item)


def _class(kind: type) -> Shape:
    if issubclass(kind, Enum):
        return Shape("text", choices=frozenset(str(each.value) for each in kind), model=kind)
    if issubclass(kind, Record):
        return Shape("record", members=tuple(_members(kind)), model=kind)
    return Shape(_SCALARS[kind])


def _members(model: type[Record]) -> Iterable[Member]:
    for name, field in model.model_fields.items():
        yield Member(
            name=name,
            shape=_shape(field.annotation),
            required=field.is_required(),
            default=None if field.is_required() else field.get_default(call_default_factory=True),
            description=field.description,
        )


def _fields(shape: Shape) -> list[pa.Field[Any]]:
    import pyarrow as pa

    def field(member: Member) -> pa.Field[Any]:
        about = {"description": member.description} if member.description else {}
        return pa.field(member.name, _arrow_type(member.shape), metadata=dict(about))

    return [field(member) for member in shape.members]


def _arrow_type(shape: Shape) -> pa.DataType:
    import pyarrow as pa

    if shape.kind == "record":
        return pa.struct([pa.field(m.name, _arrow_type(m.shape)) for m in shape.members])
    if shape.item is not None:
        item = _arrow_type(shape.item)
        return pa.list_(item) if shape.kind == "list" else pa.map_(pa.string(), item)
    scalars: dict[str, pa.DataType] = {
        "boolean": pa.bool_(),
        "integer": pa.int64(),
        "number": pa.float64(),
    }
    return scalars.get(shape.kind, pa.string())


def _unchanged(value: Any) -> Any:  # noqa: ANN401 - whatever it is given
    return value


@cache
def _write_trajectory() -> _Convert:
    return _writer(trajectory_shape()) or _unchanged


@cache
def _read_trajectory() -> _Convert:
    return _reader(trajectory_shape()) or _unchanged


def _writer(shape: Shape) -> _Convert | None:
    """What turns a value into one of its column; ``None`` where the two are the same."""
    if shape.kind == "json":
        return json_text
    if shape.kind == "text":
        return _plain_text if shape.choices else None
    if shape.item is not None:
        write = _writer(shape.item) or _unchanged
        if shape.kind == "list":
            return lambda values: [write(value) for value in values]
        return lambda values: [(key, write(value)) for key, value in values.items()]
    if shape.kind != "record":
        return None
    writers = [
        (member.name, _writer(member.shape) or _unchanged, _absent(member))
        for member in shape.members
    ]

    def write_record(record: Record) -> dict[str, Any]:
        values = [(name, write, absent, getattr(record, name)) for name, write, absent in writers]
        return {
            name: None if value is None or value == absent else write(value)
            for name, write, absent, value in values
        }

    return write_record


def _absent(member: Member) -> object:
    """The value that null stands for, beside ``None``."""
    return member.default if member.shape.kind == "json" else None


def _plain_text(value: str) -> str:
    return value.value if isinstance(value, Enum) else value


def _reader(shape: Shape) -> _Convert | None:
    """What turns a value of a column into one that the model takes; the reverse of a writer."""
    if shape.kind == "json":
        return _from_json
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
        if row is None:  # a value of a mapping; lists and fields keep theirs from coming here
            raise ReadError("expected a record, got null")
        known = [(key, value, readers.get(key)) for key, value in row.items() if value is not None]
        return {key: value if read is None else read(value) for key, value, read in known}

    return read_record


def _each(read: _Convert) -> _Convert:
    return lambda values: [None if value is None else read(value) for value in values]


def _from_json(text: str) -> JsonValue:
    return json_lines.parse(text.encode())


def _first_unstorable(rows: list[dict[str, Any]], schema: pa.Schema) -> str:
    import pyarrow as pa

    for index, row in enumerate(rows):
        try:
            pa.RecordBatch.from_pylist([row], schema=schema)
        except (OverflowError, UnicodeEncodeError, pa.ArrowInvalid):
            return f"trajectory {index}"
    return "some trajectory among so many"
