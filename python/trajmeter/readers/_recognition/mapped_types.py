"""Checks that a Parquet file has the mapped columns, with types that fit their fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import types
from pyarrow.parquet import ParquetFile

from trajmeter.errors import ConfigurationError
from trajmeter.readers._files.content import open_content
from trajmeter.spelling import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from trajmeter.shapes import Shape

__all__ = ["check_columns", "check_schema"]


def check_columns(path: Path, columns: Mapping[str, str], shapes: Mapping[str, Shape]) -> None:
    """Check the columns of a Parquet file; unreadable files are left to their reader.

    Args:
        path: The file.
        columns: Columns by field; nested columns use dots.
        shapes: Shapes of the field values; other fields accept any type.

    Raises:
        ConfigurationError: A column is absent, or its type does not fit the field.
    """
    try:
        with open_content(path) as file:
            schema = ParquetFile(file).schema_arrow
    except (OSError, pa.ArrowException, UnicodeDecodeError):
        return
    check_schema(schema, str(path), columns, shapes)


def check_schema(
    schema: pa.Schema, place: str, columns: Mapping[str, str], shapes: Mapping[str, Shape]
) -> None:
    """Check columns by type; see :func:`check_columns`.

    Args:
        schema: The existing columns.
        place: Location of the columns, for messages.
        columns: Columns by field.
        shapes: Shapes of the field values.

    Raises:
        ConfigurationError: A column is absent, or its type does not fit the field.
    """
    for field, column in columns.items():
        found = _type_of(schema, column)
        if found is None:
            meant = nearest(column, [*_dotted(schema)])
            hint = f"; did you mean {meant!r}?" if meant else f"; found: {', '.join(schema.names)}"
            raise ConfigurationError(f"{place}: map: no column {column!r} for {field!r}{hint}")
        if field in shapes and not _holds(found, shapes[field]):
            raise ConfigurationError(
                f"{place}: map: column {column!r} is {found}, which cannot hold {field!r}"
            )


def _dotted(fields: pa.Schema | pa.StructType) -> Iterator[str]:
    """The names of all columns, nested ones with dots."""
    for field in fields:
        yield field.name
        if isinstance(field.type, pa.StructType):
            yield from (f"{field.name}.{inner}" for inner in _dotted(field.type))


def _type_of(fields: pa.Schema | pa.StructType, column: str) -> pa.DataType | None:
    """The type of a column, or of a nested column given by its dotted name."""
    by_name: dict[str, pa.DataType] = {field.name: field.type for field in fields}
    if column in by_name:
        return by_name[column]
    head, _, rest = column.partition(".")
    inside = by_name.get(head)
    return _type_of(inside, rest) if rest and isinstance(inside, pa.StructType) else None


def _holds(found: pa.DataType, shape: Shape) -> bool:
    """Whether a type fits a field; JSON text may replace a list or object."""
    if isinstance(found, pa.BaseExtensionType):
        found = found.storage_type
    if isinstance(found, pa.DictionaryType):
        found = found.value_type
    if types.is_null(found) or shape.kind == "json":
        return True
    is_text = found in (pa.string(), pa.large_string(), pa.string_view())
    is_number = types.is_integer(found) or types.is_floating(found)
    if shape.kind == "text":  # an id may be a number
        return is_text or types.is_integer(found)
    if shape.kind in ("boolean", "integer", "number"):  # a verdict may be 0 or 1
        return is_number or types.is_decimal(found) or types.is_boolean(found)
    is_list = hasattr(found, "value_field") and not types.is_map(found)
    return is_text or (is_list if shape.kind == "list" else isinstance(found, pa.StructType))
