"""Derives columns from models: shapes of fields, Arrow types, and batches of records.

Records and results share this derivation. A record becomes a struct, a list or tuple becomes a
list, and a mapping from text to values of one type becomes a map. Values of arbitrary shape
(``arguments``, ``metadata``, ``extra`` ...) become JSON text; in a batch of records, a value that
equals the field's default becomes null.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum
from functools import cache
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeAlias,
    TypeGuard,
    Union,
    get_args,
    get_origin,
)

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from trajmeter import json_input
from trajmeter.errors import ExtraMissingError, InputError, ReadError
from trajmeter.records import Record, Trajectory
from trajmeter.records.record import field_descriptions

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Bare",
    "Kind",
    "Member",
    "Shape",
    "bare",
    "is_model",
    "json_text",
    "require_pyarrow",
    "shape_of",
    "trajectory_batch",
    "trajectory_from_row",
    "trajectory_schema",
    "trajectory_shape",
    "trajectory_values",
]

Kind: TypeAlias = Literal[
    "boolean", "integer", "number", "text", "json", "list", "mapping", "record"
]
"""Kind of value in a column; ``json`` is JSON text of a value of arbitrary shape."""

_Convert: TypeAlias = Callable[[Any], Any]

_RECORD = "trajmeter.record"
"""Key in a schema's metadata for the class of the records in its columns."""

_SCALARS: dict[object, Kind] = {bool: "boolean", int: "integer", float: "number", str: "text"}


class Shape(NamedTuple):
    """Shape of the values in a column."""

    kind: Kind
    """Kind of value."""
    choices: frozenset[str] = frozenset()
    """Allowed texts; empty if any text is allowed."""
    is_object: bool = False
    """Whether the JSON value must be an object."""
    item: Shape | None = None
    """Shape of the values in a list or mapping."""
    members: tuple[Member, ...] = ()
    """Fields of a record."""
    model: type[Record | Enum] | None = None
    """Class of a record or enum."""

    @property
    def is_scalar(self) -> bool:
        """Whether a value is a single number, boolean or text."""
        return self.kind in ("boolean", "integer", "number", "text")

    def arrow_type(self) -> pa.DataType:
        """Return the Arrow type of a column of this shape."""
        import pyarrow as pa

        if self.kind == "record":
            return pa.struct([pa.field(m.name, m.shape.arrow_type()) for m in self.members])
        if self.item is not None:
            item = self.item.arrow_type()
            return pa.list_(item) if self.kind == "list" else pa.map_(pa.string(), item)
        scalars: dict[str, pa.DataType] = {
            "boolean": pa.bool_(),
            "integer": pa.int64(),
            "number": pa.float64(),
        }
        return scalars.get(self.kind, pa.string())


class Member(NamedTuple):
    """One field of a record."""

    name: str
    """Name of the field."""
    shape: Shape
    """Shape of its values."""
    required: bool
    """Whether null is an error because the field has no default."""
    default: object = None
    """Value that null or an absent column represents."""


@cache
def trajectory_shape() -> Shape:
    """Shape of a Trajectory."""
    return shape_of(Trajectory)


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
    from trajmeter.nested_arrays import UNSTORABLE, row_batch

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


class Bare(NamedTuple):
    """The parts of a field's annotation."""

    annotation: object
    """The type, without ``None``."""
    extras: tuple[object, ...]
    """Metadata from ``Annotated``, outermost first."""


def bare(annotation: object) -> Bare:
    """Split an annotation into type and metadata; ``int | float`` is a float."""
    if get_origin(annotation) is Annotated:
        inner, *extras = get_args(annotation)
        within = bare(inner)
        return Bare(within.annotation, (*extras, *within.extras))
    if get_origin(annotation) in (Union, types.UnionType):
        members = [member for member in get_args(annotation) if member is not types.NoneType]
        if len(members) == 1:
            return bare(members[0])
        if set(members) == {int, float}:
            return Bare(float, ())
    return Bare(annotation, ())


def shape_of(annotation: object) -> Shape:
    """Derive the shape of a field's values; values of any other type are JSON."""
    annotation = bare(annotation).annotation
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return _literal(arguments)
    if origin is list or (origin is tuple and arguments[1:] == (...,)):
        return Shape("list", item=shape_of(arguments[0]))
    if origin in (dict, Mapping) and arguments[0] is str:
        item = shape_of(arguments[1])
        return Shape("json", is_object=True) if item.kind == "json" else Shape("mapping", item=item)
    return _class(annotation) if _is_class(annotation) else Shape("json")


def is_model(annotation: object) -> TypeGuard[type[BaseModel]]:
    """Whether a field's annotation is a model class."""
    return _is_class(annotation) and issubclass(annotation, BaseModel)


def _is_class(annotation: object) -> TypeGuard[type]:
    # On Python 3.10, ``tuple[int, ...]`` is an instance of type.
    return isinstance(annotation, type) and get_origin(annotation) is None


def _literal(values: tuple[object, ...]) -> Shape:
    kinds = {_SCALARS.get(type(value)) for value in values}
    if kinds == {"text"}:
        return Shape("text", choices=frozenset(map(str, values)))
    return Shape((kinds.pop() if len(kinds) == 1 else None) or "json")


def _class(kind: type) -> Shape:
    if issubclass(kind, Enum) and issubclass(kind, str):
        return Shape("text", choices=frozenset(str(each.value) for each in kind), model=kind)
    if issubclass(kind, Record):
        return Shape("record", members=tuple(_members(kind)), model=kind)
    return Shape(_SCALARS.get(kind, "json"))


def _members(model: type[Record]) -> Iterable[Member]:
    for name, field in model.model_fields.items():
        yield Member(
            name=name,
            shape=shape_of(field.annotation),
            required=field.is_required(),
            default=None if field.is_required() else field.get_default(call_default_factory=True),
        )


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
    from trajmeter.nested_arrays import UNSTORABLE, row_batch

    for index, row in enumerate(rows):
        try:
            row_batch([row], schema)
        except UNSTORABLE:
            return f"trajectory {index}"
    return "some trajectory among so many"
