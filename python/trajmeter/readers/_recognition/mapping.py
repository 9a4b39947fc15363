"""Maps columns, or keys, that no format recognises to fields.

Fields are those of a trajectory and, prefixed with ``task.``, those of its task.
"""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.readers._files.containers import holds_parquet
from trajmeter.readers.messages.claims import is_message
from trajmeter.readers.messages.fields import fields_of
from trajmeter.readers.messages.turns import message_turns
from trajmeter.shapes import Shape, trajectory_shape
from trajmeter.spelling import nearest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa
    from pydantic import JsonValue

__all__ = [
    "ColumnMapping",
    "check_field",
    "check_parquet",
    "has_column",
    "is_of_task",
    "parsed",
    "value_in",
]

_OF_TASK = "task."

_MESSAGES = "messages"
_TURNS = "turns"
_TASK_ID = "task_id"
_NAMES = (_TASK_ID, "agent", "model", "attempt")
_TRUTHS = {0: False, 1: True}


class ColumnMapping:
    """Renames the columns of records.

    Args:
        columns: Columns by field; both may use dots for nesting.
        is_own: Whether the renamed records are Trajmeter trajectories; their turns may be a list of
            messages, or JSON text of one.

    Raises:
        ConfigurationError: A trajectory has no such field, or one field is nested in another.
    """

    def __init__(self, columns: Mapping[str, str], *, is_own: bool) -> None:
        self.gone = frozenset(columns.values())
        """Columns that are renamed."""
        self.columns = {field: columns[field] for field in columns if not is_of_task(field)}
        """Columns by field."""
        heads = {column.partition(".")[0] for column in self.gone if "." in column}
        own = trajectory_shape().members if is_own else ()
        self._divided = {member.name: member.shape for member in own if member.name in heads}
        self.is_own = is_own
        """Whether the renamed records are Trajmeter trajectories."""
        self._shapes: dict[str, Shape] = {}
        fields = [*self.columns]
        for field in fields:
            if is_own:
                name = _TURNS if field == _MESSAGES else field
                also = (_MESSAGES,)
                self._shapes[field] = check_field(name, trajectory_shape(), "trajectories", also)
            if any(other.startswith(f"{field}.") for other in fields):
                raise ConfigurationError(f"map: {field!r} is mapped as a whole and in part")
        if is_own and {_MESSAGES, _TURNS} <= {*fields}:
            raise ConfigurationError("map: messages become turns; map one of the two")

    @property
    def divided(self) -> Collection[str]:
        """Columns named like a field, parts of which are mapped."""
        return self._divided.keys()

    def is_nested(self, field: str) -> bool:
        """Whether a mapped field is a list or object, which may be given as JSON text."""
        return is_nested(self._shapes[field])

    def check(self, path: Path) -> None:
        """Check that a Parquet file has the columns, with types that fit the fields.

        Raises:
            ConfigurationError: A column is absent or of the wrong type.
        """
        check_parquet(path, self.columns, self._shapes)

    def check_schema(self, schema: pa.Schema, place: str) -> None:
        """Check columns by type, as :meth:`check` does for a file.

        Raises:
            ConfigurationError: A column is absent or of the wrong type.
        """
        from trajmeter.readers._recognition.mapped_types import check_schema

        check_schema(schema, place, self.columns, self._shapes)

    def apply(self, record: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """Rename the columns of a record; unmapped columns keep their names.

        Raises:
            ReadError: It has none of the columns or no task's id, its messages are not a list, or
                text in place of a list or an object is not JSON.
        """
        found = {field: value for field, value in self._values(record) if value is not None}
        if not any(True for _ in self.columns_in(record)):
            columns = ", ".join(map(repr, self.columns.values()))
            known = reprlib.repr([*record])
            raise ReadError(f"none of the mapped columns exists: {columns}; there are: {known}")
        task_id = self.columns.get(_TASK_ID)
        if self.is_own and task_id is not None and not has_column(record, task_id):
            hint = _meant(task_id, record) or f"; there are: {reprlib.repr([*record])}"
            raise ReadError(f"no column {task_id!r} for {_TASK_ID!r}{hint}")
        renamed: dict[str, Any] = {key: record[key] for key in record if key not in self.gone}
        for name, shape in self._divided.items():
            if isinstance(renamed.get(name), dict):
                self._divide(name, shape, renamed, record)
        for field, value in found.items():
            *path, name = field.split(".")
            target = renamed
            for part in path:
                inside = target.get(part)
                target[part] = target = dict(inside) if isinstance(inside, dict) else {}
            target[name] = value
        if self.is_own and task_id is not None and renamed.get(_TASK_ID) is None:
            raise ReadError(f"column {task_id!r} for {_TASK_ID!r}: expected text, got null")
        return _own_record(renamed) if self.is_own else renamed

    def _divide(
        self, name: str, shape: Shape, record: dict[str, Any], given: Mapping[str, JsonValue]
    ) -> None:
        """Keep under its name only what a field holds of a column whose other parts are mapped.

        The rest gets dotted names, which match no field, because it was not meant for one.

        Args:
            name: The column.
            shape: Shape of the field with its name.
            record: The renamed record so far.
            given: The record before, whose own columns may have dotted names too.
        """
        if shape.kind in ("json", "mapping"):  # which hold anything
            return
        members = {member.name for member in shape.members}
        kept = {}
        for key, value in record.pop(name).items():
            column = f"{name}.{key}"
            is_beside = column in given  # a column of this name is the one that was mapped
            if column in self.gone and not is_beside:
                continue
            if key in members:
                kept[key] = value
            else:
                record[f"{column} (nested)" if is_beside else column] = value
        if kept:
            record[name] = kept

    def columns_in(self, record: Mapping[str, JsonValue]) -> Iterator[str]:
        """The mapped columns that a record has, null or not."""
        for column in self.columns.values():
            if has_column(record, column):
                yield column

    def unseen(self, seen: set[str], keys: Mapping[str, JsonValue]) -> Iterator[str]:
        """Yield a message for each mapped column that no record of a file has.

        Args:
            seen: The columns that occurred in some record.
            keys: A record, whose keys the message lists instead.
        """
        for column in self.columns.values():
            if column not in seen:
                yield f"no record has the mapped column {column!r}{_meant(column, keys)}"

    def _values(self, record: Mapping[str, JsonValue]) -> Iterator[tuple[str, JsonValue]]:
        for field, column in self.columns.items():
            value = value_in(record, column)
            if field in self._shapes:
                try:
                    value = parsed(value, self._shapes[field])
                except ReadError as error:
                    raise ReadError(f"{field}: {error}") from error
            yield field, value


def is_of_task(field: str) -> bool:
    """Whether a field belongs to the task rather than the trajectory."""
    return field.startswith(_OF_TASK)


def check_field(field: str, shape: Shape, of: str, also: Collection[str] = ()) -> Shape:
    """Check that records of a shape have a field.

    Args:
        field: Its name, with dots for nesting.
        shape: Shape of the records.
        of: Name of such records, for messages.
        also: Other names that can be mapped, for suggestions.

    Returns:
        Shape of the field.

    Raises:
        ConfigurationError: They have no such field, or it is within a list.
    """
    path = ""
    for name in field.split("."):
        if shape.kind in ("json", "mapping"):  # fields of any type
            return shape.item or Shape("json")
        if shape.kind != "record":
            is_list = "a list" if shape.kind == "list" else "a single value"
            raise ConfigurationError(f"map: {field!r}: {path.rstrip('.')} is {is_list}")
        below = {member.name: member.shape for member in shape.members}
        if name not in below:
            meant = nearest(name, below if path else {*below, *also})
            hint = f"; did you mean {path + meant!r}?" if meant else ""
            raise ConfigurationError(f"map: {of} have no field {path + name!r}{hint}")
        shape, path = below[name], f"{path}{name}."
    return shape


def check_parquet(path: Path, columns: Mapping[str, str], shapes: Mapping[str, Shape]) -> None:
    """Check a Parquet file; see :mod:`trajmeter.readers._recognition.mapped_types`.

    Raises:
        ConfigurationError: A column is absent, or its type does not fit the field.
    """
    if holds_parquet(path):
        from trajmeter.readers._recognition.mapped_types import check_columns

        check_columns(path, columns, shapes)


def parsed(value: JsonValue, shape: Shape) -> JsonValue:
    """The value of a field, parsed if it is JSON text for a list or object.

    Raises:
        ReadError: The text is not JSON.
    """
    return (
        json_input.parse(value.encode()) if isinstance(value, str) and is_nested(shape) else value
    )


def is_nested(shape: Shape) -> bool:
    """Whether values of a shape are lists or objects."""
    return shape.kind in ("list", "mapping", "record") or shape.is_object


def has_column(record: Mapping[str, JsonValue], column: str) -> bool:
    """Whether a record has a column, null or not."""
    if column in record:
        return True
    head, _, rest = column.partition(".")
    inside = record.get(head)
    return bool(rest) and isinstance(inside, dict) and has_column(inside, rest)


def _meant(column: str, record: Mapping[str, JsonValue]) -> str:
    """A question naming the column that is most similar; empty if none is."""
    meant = nearest(column, [*_dotted(record)])
    return f"; did you mean {meant!r}?" if meant else ""


def _dotted(record: Mapping[str, JsonValue]) -> Iterator[str]:
    """The names of all columns, nested ones with dots."""
    for name, value in record.items():
        yield name
        if isinstance(value, dict):
            yield from (f"{name}.{inner}" for inner in _dotted(value))


def value_in(record: Mapping[str, JsonValue], column: str) -> JsonValue:
    """The value of a column; null if there is none."""
    if column in record:
        return record[column]
    head, _, rest = column.partition(".")
    inside = record.get(head)
    return value_in(inside, rest) if rest and isinstance(inside, dict) else None


def _own_record(record: dict[str, Any]) -> dict[str, Any]:
    """A renamed record, with values converted from the types that data sets store."""
    for name in _NAMES:
        value = record.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            record[name] = str(value)
    passed = record.get("passed")
    if isinstance(passed, (int, float)) and passed in _TRUTHS:
        record["passed"] = _TRUTHS[int(passed)]
    key = _MESSAGES if _MESSAGES in record else _TURNS
    turns = record.get(key)
    if isinstance(turns, str):
        turns = json_input.parse(turns.encode())
    if key == _MESSAGES and not isinstance(turns, list):
        raise ReadError(f"messages: expected a list, got {json_input.type_name(turns)}")
    if isinstance(turns, list) and (key == _MESSAGES or any(map(is_message, turns))):
        held = fields_of(message_turns(turns))
        del record[key]
        return {**{name: value for name, value in held.items() if value is not None}, **record}
    return {**record, key: turns} if key in record else record
