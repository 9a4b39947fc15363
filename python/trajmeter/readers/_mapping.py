"""Columns, or keys, by the field of a trajectory that they are, where nothing recognises them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.keys import nearest
from trajmeter.readers.messages.lists import fields_of, is_message
from trajmeter.readers.messages.turns import message_turns
from trajmeter.records import Trajectory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import JsonValue

__all__ = ["ColumnMapping"]

_MESSAGES = "messages"
_TURNS = "turns"
_NAMES = ("task_id", "agent", "model", "attempt")
_TRUTHS = {0: False, 1: True}


class ColumnMapping:
    """Renames the columns of records.

    Args:
        columns: Columns by field, each with dots for what lies within another.
        is_own: Whether the records then are trajectories of ours; their turns may be a list of
            messages, or JSON text of one.

    Raises:
        ConfigurationError: A trajectory has no such field, or one field lies within another.
    """

    def __init__(self, columns: Mapping[str, str], *, is_own: bool) -> None:
        self._columns = dict(columns)
        self._is_own = is_own
        fields = [*columns]
        for field in fields:
            name = field.partition(".")[0]
            known = {*Trajectory.model_fields, _MESSAGES}
            if is_own and name not in known:
                meant = nearest(name, known)
                hint = f"; did you mean {meant!r}?" if meant else ""
                raise ConfigurationError(f"map: trajectories have no field {name!r}{hint}")
            if any(other.startswith(f"{field}.") for other in fields):
                raise ConfigurationError(f"map: {field!r} is mapped as a whole and in part")
        if is_own and {_MESSAGES, _TURNS} <= {*fields}:
            raise ConfigurationError("map: messages become turns; map one of the two")

    def apply(self, record: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """The record under its new names; columns that are not mapped keep theirs.

        Raises:
            ReadError: It has none of the columns, or its messages are not a list.
        """
        found = {field: value for field, value in self._values(record) if value is not None}
        if not any(True for _ in self.columns_in(record)):
            columns = ", ".join(map(repr, self._columns.values()))
            raise ReadError(f"none of the mapped columns is there: {columns}")
        gone = {*self._columns.values()}
        renamed: dict[str, Any] = {key: record[key] for key in record if key not in gone}
        for field, value in found.items():
            *path, name = field.split(".")
            target = renamed
            for part in path:
                inside = target.get(part)
                target[part] = target = dict(inside) if isinstance(inside, dict) else {}
            target[name] = value
        return _own(renamed) if self._is_own else renamed

    def columns_in(self, record: Mapping[str, JsonValue]) -> Iterator[str]:
        """The mapped columns that a record has, null or not."""
        for column in self._columns.values():
            if _has(record, column):
                yield column

    def unseen(self, seen: set[str], keys: Mapping[str, JsonValue]) -> Iterator[str]:
        """Say of each mapped column that no record of a file had that it was there in none.

        Args:
            seen: The columns that some record had.
            keys: A record, for the names it has instead.
        """
        for column in self._columns.values():
            if column not in seen:
                meant = nearest(column, keys)
                hint = f"; did you mean {meant!r}?" if meant else ""
                yield f"no record has the mapped column {column!r}{hint}"

    def _values(self, record: Mapping[str, JsonValue]) -> Iterator[tuple[str, JsonValue]]:
        for field, column in self._columns.items():
            yield field, _value(record, column)


def _has(record: Mapping[str, JsonValue], column: str) -> bool:
    if column in record:
        return True
    head, _, rest = column.partition(".")
    inside = record.get(head)
    return bool(rest) and isinstance(inside, dict) and _has(inside, rest)


def _value(record: Mapping[str, JsonValue], column: str) -> JsonValue:
    """The value of a column; null if there is none."""
    if column in record:
        return record[column]
    head, _, rest = column.partition(".")
    inside = record.get(head)
    return _value(inside, rest) if rest and isinstance(inside, dict) else None


def _own(record: dict[str, Any]) -> dict[str, Any]:
    """A record whose names are ours, with values of the types that data sets keep them in."""
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
