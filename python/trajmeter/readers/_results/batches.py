"""Converts columns of a results table to texts and numbers."""

from __future__ import annotations

from contextlib import suppress
from operator import itemgetter
from types import NoneType
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from trajmeter.arrays import cast, nulls, taken
from trajmeter.errors import ConfigurationError
from trajmeter.readers._results.json_texts import encoded, json_texts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from trajmeter.arrays import Array
    from trajmeter.readers._results.table import TableKind

__all__ = [
    "arrow_batch",
    "described",
    "kinds_of",
    "number_of",
    "refuse_key",
    "row_batch",
    "rows_at_once",
    "text_of",
    "with_nulls",
]

_CELLS = 12 << 20
"""Cells per batch: many, because every figure of a batch costs some work for each unit."""
_LEAST_ROWS, _MOST_ROWS = 1 << 14, 1 << 20

_SPECIAL = {
    "nan": float("nan"),
    "inf": float("inf"),
    "infinity": float("inf"),
    "-inf": float("-inf"),
    "-infinity": float("-inf"),
    "true": 1.0,
    "false": 0.0,
}
"""Texts for numbers that JSON and CSV cannot represent."""

_OPEN = ("other", "unknown")
"""Types of columns that further values may tell."""

_NON_FINITE = frozenset(("NaN", "Infinity", "-Infinity"))
"""Those that JSON lines are written with."""


def rows_at_once(columns: Sequence[str]) -> int:
    """Rows per batch for this many columns."""
    return min(max(_CELLS // max(len(columns), 1), _LEAST_ROWS), _MOST_ROWS)


def described(schema: pa.Schema) -> tuple[dict[str, TableKind], dict[str, str]]:
    """The type of each column, and the metadata."""
    metadata = {
        key.decode(errors="replace"): value.decode(errors="replace")
        for key, value in (schema.metadata or {}).items()
    }
    return {field.name: _kind(field.type) for field in schema}, metadata


def _kind(arrow_type: pa.DataType) -> TableKind:
    types = pa.types
    if types.is_dictionary(arrow_type):
        return _kind(arrow_type.value_type)
    if types.is_boolean(arrow_type):
        return "boolean"
    if types.is_integer(arrow_type):
        return "integer"
    if types.is_floating(arrow_type) or types.is_decimal(arrow_type):
        return "number"
    if types.is_null(arrow_type):
        return "unknown"
    is_text = types.is_string(arrow_type) or types.is_large_string(arrow_type)
    return "text" if is_text or types.is_string_view(arrow_type) else "other"


def arrow_batch(
    batch: pa.RecordBatch,
    texts: Sequence[str],
    numbers: Sequence[str],
    table: str,
    values: Sequence[str] = (),
    *,
    repeating: Sequence[str] = (),
) -> pa.RecordBatch:
    """Selected columns of a batch, texts as texts and numbers as doubles.

    Args:
        batch: The batch.
        texts: Text columns; missing ones are null.
        numbers: Number columns; missing ones are null.
        table: Name of the table for messages.
        values: Columns of any type, as JSON text; missing ones are null.
        repeating: Text columns that remain dictionaries if they are.

    Raises:
        ConfigurationError: A column has another type.
    """
    names = batch.schema.names
    columns: dict[str, Array] = {}
    for name in texts:
        present = name in names
        columns[name] = (
            _texts(batch.column(name), name, table, is_repeating=name in repeating)
            if present
            else nulls(batch.num_rows, pa.string())
        )
    for name in numbers:
        refuse_key(name, texts)
        present = name in names
        columns[name] = (
            _numbers(batch.column(name), name, table)
            if present
            else nulls(batch.num_rows, pa.float64())
        )
    for name in values:
        if name in names:
            columns[name] = json_texts(batch.column(name))
    return with_nulls(pa.record_batch(list(columns.values()), names=list(columns)), values)


def with_nulls(batch: pa.RecordBatch, values: Sequence[str]) -> pa.RecordBatch:
    """Add missing columns to the batch, as null texts."""
    missing = [name for name in values if name not in batch.schema.names]
    columns = [*batch.columns, *(nulls(batch.num_rows, pa.string()) for _ in missing)]
    return pa.record_batch(columns, names=[*batch.schema.names, *missing])


def refuse_key(name: str, texts: Sequence[str]) -> None:
    """Reject reading a column both as numbers and as text.

    Raises:
        ConfigurationError: The column is read both ways.
    """
    if name in texts:
        raise ConfigurationError(f"column {name} cannot be a figure and a key at once")


def row_batch(
    rows: Sequence[Mapping[str, Any]],
    texts: Sequence[str],
    numbers: Sequence[str],
    values: Sequence[str] = (),
    *,
    required: Collection[str] | None = None,
) -> tuple[pa.RecordBatch, list[tuple[int, str]]]:
    """Selected columns of rows, and what cannot be read, with the index of its row.

    Args:
        rows: The rows.
        texts: Text columns.
        numbers: Number columns.
        values: Columns of any type, as JSON text.
        required: Columns without which a row is skipped; in others an unreadable value is missing.
            By default all.

    Raises:
        ConfigurationError: A column is requested both as text and as numbers.
    """
    for name in numbers:
        refuse_key(name, texts)
    names = [*texts, *numbers, *values]
    try:
        return pa.record_batch(_columns(rows, texts, numbers, values), names=names), []
    except ValueError:
        pass
    kept: list[Mapping[str, Any]] = []
    problems = []
    for index, row in enumerate(rows):
        wrong = _wrong(row, texts, numbers, values)
        skipping = [wrong[name] for name in wrong if required is None or name in required]
        if not skipping:
            kept.append({**row, **dict.fromkeys(wrong)} if wrong else row)
        problems += [(index, message) for message in skipping[:1] or wrong.values()]
    return pa.record_batch(_columns(kept, texts, numbers, values), names=names), problems


def _columns(
    rows: Sequence[Mapping[str, Any]],
    texts: Sequence[str],
    numbers: Sequence[str],
    values: Sequence[str],
) -> list[Array]:
    """Selected columns of rows.

    Raises:
        ValueError: A value is not a text, or not a number.
    """
    held = iter(_transposed(rows, [*texts, *numbers, *values]))
    columns = [_text_column(next(held), name) for name in texts]
    columns += [_number_column(next(held), name) for name in numbers]
    columns += [_json_column(next(held)) for _ in values]
    return columns


def _transposed(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Sequence[Sequence[Any]]:
    """The values of each column; ``None`` where a row has none."""
    if len(names) > 1 and {*map(type, rows)} == {dict}:  # others may make what they lack
        with suppress(KeyError):  # row by row, as a row lies together in memory
            return [*zip(*map(itemgetter(*names), rows), strict=True)]
    return [[row.get(name) for row in rows] for name in names]


def _text_column(held: Sequence[Any], name: str) -> Array:
    if {*map(type, held)} <= {str, NoneType}:
        return pa.array(held, pa.string())
    return pa.array([text_of(value, name) for value in held], pa.string())


def _number_column(held: Sequence[Any], name: str) -> Array:
    kinds = {*map(type, held)} - {NoneType}
    if kinds <= {bool}:
        return cast(pa.array(held, pa.bool_()), pa.float64())
    if kinds <= {int, float}:
        with suppress(pa.ArrowInvalid):  # a large integer is rounded
            return pa.array(held, pa.float64())
    return pa.array([number_of(value, name) for value in held], pa.float64())


def _json_column(held: Sequence[Any]) -> Array:
    return pa.array([None if value is None else encoded(value) for value in held], pa.string())


def _wrong(
    row: Mapping[str, Any],
    texts: Sequence[str],
    numbers: Sequence[str],
    values: Sequence[str],
) -> dict[str, str]:
    """Why values of a row cannot be read, by column."""
    wrong: dict[str, str] = {}
    for names, read in ((texts, text_of), (numbers, number_of), (values, _encoded)):
        for name in names:
            try:
                read(row.get(name), name)
            except ValueError as error:
                wrong[name] = str(error)
    return wrong


def _encoded(value: object, name: str) -> str:
    del name  # the error does not say it
    return encoded(value)


def kinds_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, TableKind]:
    """The type of each column, from the first value that shows it.

    A text such as ``NaN``, for a number that JSON cannot represent, decides only if no other does.
    """
    kinds: dict[str, TableKind] = {}
    unsure: set[str] = set()
    for row in rows:
        for name, value in row.items():
            if kinds.get(name, "unknown") not in _OPEN and name not in unsure:
                continue
            if isinstance(value, str) and value in _NON_FINITE:
                kinds[name] = "number"
                unsure.add(name)
            elif (kind := _kind_of(value)) not in _OPEN:
                kinds[name] = kind
                unsure.discard(name)
            elif kind == "other" and name not in unsure:
                kinds[name] = kind
            else:
                kinds.setdefault(name, kind)
    return kinds


def _kind_of(value: object) -> TableKind:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "text"
    return "unknown" if value is None else "other"


def text_of(value: object, name: str) -> str | None:
    """Convert a value to text; a number, such as that of an attempt, as written."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{name} is {value!r}, which has half of a surrogate pair") from None
        return value
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    raise ValueError(f"{name} is {value!r}, expected text")


def number_of(value: object, name: str) -> float | None:
    """Convert a value, however a text format represents it, to a number."""
    if value is None:
        return None
    if isinstance(value, (bool, int, float)):
        try:
            return float(value)
        except OverflowError:
            return float("inf") if value > 0 else float("-inf")
    if isinstance(value, str):
        special = _SPECIAL.get(value.strip().lower())
        if special is not None:
            return special
        try:
            return float(value)
        except ValueError:
            pass
    raise ValueError(f"{name} is {value!r}, expected a number or true or false")


def _texts(column: Array, name: str, table: str, *, is_repeating: bool) -> Array:
    if isinstance(column, pa.DictionaryArray):
        if is_repeating and column.dictionary.type == pa.string():
            return column
        column = column.dictionary_decode()
    if column.type == pa.string():
        return column
    try:
        return cast(column, pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise _unusable(column, name, table, "text") from error


def _numbers(column: Array, name: str, table: str) -> Array:
    if isinstance(column, pa.DictionaryArray):
        column = column.dictionary_decode()
    if column.type == pa.float64():
        return column
    if pa.types.is_null(column.type):
        return nulls(len(column), pa.float64())
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        encoded = column.dictionary_encode()
        try:
            values = [number_of(text, name) for text in encoded.dictionary.to_pylist()]
        except ValueError as error:
            raise ConfigurationError(f"{table}: column {error}") from error
        return taken(pa.array(values, pa.float64()), encoded.indices)
    try:
        return cast(column, pa.float64(), is_rounded=True)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise _unusable(column, name, table, "numbers") from error


def _unusable(column: Array, name: str, table: str, expected: str) -> ConfigurationError:
    return ConfigurationError(f"{table}: column {name} is {column.type}, expected {expected}")
