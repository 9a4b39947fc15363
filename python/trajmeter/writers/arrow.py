"""Results tables as Arrow: derives the schema from a layout, and converts rows to columns."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticSerializationError, to_json

from trajmeter.errors import format_exception
from trajmeter.metrics import MetricError
from trajmeter.metrics.figures import figure_metadata
from trajmeter.schemas import require_pyarrow
from trajmeter.writers.encodable import storable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from trajmeter.metrics import RowLayout
    from trajmeter.metrics.column import Column
    from trajmeter.metrics.columns import FamilyColumns

__all__ = [
    "arrow_array",
    "arrow_schema",
    "family_arrays",
    "loaded",
    "rows_batch",
    "stored",
    "stored_schema",
]


def arrow_schema(layout: RowLayout) -> pa.Schema:
    """Arrow schema of a results table; columns have their description and unit as metadata.

    The schema's metadata contains the version of this package, the backend, the version and
    parameters of each metric, and the meaning of each figure. Structures are JSON text.

    Raises:
        ExtraMissingError: pyarrow is not installed.
    """
    require_pyarrow("columns")
    import pyarrow as pa

    fields: list[pa.Field[Any]] = []
    for column in layout.columns:
        about: dict[bytes | str, bytes | str] = {}
        if description := column.description:
            about["description"] = description
        if column.figure and column.figure.unit:
            about["unit"] = column.figure.unit
        fields.append(pa.field(column.name, column.shape.arrow_type(), metadata=about))
    metrics = {
        family.name: {
            "version": family.metric.version,
            "parameters": dict(family.metric.parameters),
        }
        for family in layout.families
    }
    made_by: dict[bytes | str, bytes | str] = {
        "trajmeter.version": layout.package_version,
        "trajmeter.backend": layout.backend,
        "trajmeter.metrics": json.dumps(metrics, sort_keys=True),
        "trajmeter.figures": figure_metadata(layout),
    }
    return pa.schema(fields, metadata=made_by)


def stored_schema(schema: pa.Schema) -> pa.Schema:
    """The schema with mappings as lists of keys and values, which more programs can read."""
    import pyarrow as pa

    fields = [field.with_type(_stored_type(field.type)) for field in schema]
    return pa.schema(fields).with_metadata(dict(schema.metadata or {}))


def stored(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Convert mappings to lists of keys and values, without copying.

    Args:
        batch: The rows.
        schema: :func:`stored_schema` of the rows.
    """
    import pyarrow as pa

    from trajmeter.arrays import cast

    arrays = [
        column if column.type == field.type else cast(column, field.type)
        for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def loaded(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Convert rows from :func:`stored` back to their original schema.

    Args:
        batch: The rows.
        schema: The original schema.
    """
    import pyarrow as pa

    arrays = [
        column if column.type == field.type else _as_map(column)
        for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _stored_type(arrow_type: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    if pa.types.is_map(arrow_type):
        pair = [("key", arrow_type.key_type), ("value", _stored_type(arrow_type.item_type))]
        return pa.list_(pa.struct(pair))
    if pa.types.is_struct(arrow_type):
        return pa.struct([each.with_type(_stored_type(each.type)) for each in arrow_type])
    if pa.types.is_list(arrow_type):
        item = arrow_type.value_field
        return pa.list_(item.with_type(_stored_type(item.type)))
    return arrow_type


def _as_map(lists: Any) -> pa.Array[Any]:  # noqa: ANN401 - lists of keys and values
    import numpy as np
    import pyarrow as pa

    from trajmeter.arrays import present, ragged

    found, offsets = ragged(lists)
    pairs: Any = found
    absent = ~present(lists)
    # A null offset marks a null list; the stubs require 64 bits, Arrow 32.
    starts: Any = pa.array(offsets.astype(np.int32), mask=np.append(absent, False))
    keys, values = pairs.flatten()
    maps: pa.Array[Any] = pa.MapArray.from_arrays(starts, keys, values)
    return maps


def arrow_array(column: Column, values: Sequence[Any], arrow_type: pa.DataType) -> pa.Array[Any]:
    """Build one column of a results table from its values.

    Args:
        column: The column.
        values: One value per row.
        arrow_type: Type of the column in :func:`arrow_schema`.
    """
    import pyarrow as pa

    try:
        return pa.array(_prepared(column, values), arrow_type)
    except (UnicodeEncodeError, PydanticSerializationError):
        return pa.array(_prepared(column, storable(values)), arrow_type)


def family_arrays(
    family: FamilyColumns, rows: Sequence[Sequence[Any]], types: Mapping[str, pa.DataType]
) -> list[pa.Array[Any]]:
    """Build the columns of a metric from the values of its rows.

    A row that Arrow rejects counts as an error of the metric; the other rows keep their values.

    Args:
        family: The metric.
        rows: Values of each row, in order of the family's columns.
        types: Types of all columns by name.
    """
    import pyarrow as pa

    refusals = (pa.ArrowException, OverflowError, TypeError, ValueError)

    def arrays(rows: Sequence[Sequence[Any]]) -> list[pa.Array[Any]]:
        by_column = zip(*rows, strict=True) if rows else [()] * len(family.columns)
        return [
            arrow_array(column, values, types[column.name])
            for column, values in zip(family.columns, by_column, strict=True)
        ]

    def held(row: Sequence[Any]) -> Sequence[Any]:
        try:
            arrays([row])
        except refusals as error:
            message = f"returned a value that fits no column: {format_exception(error)}"
            return family.values(MetricError(message, code=None))
        return row

    try:
        return arrays(rows)
    except refusals:
        return arrays([held(row) for row in rows])


def rows_batch(
    layout: RowLayout, rows: Sequence[Sequence[Any]], schema: pa.Schema
) -> pa.RecordBatch:
    """Convert rows of a results table to columns.

    Args:
        layout: Columns of the rows.
        rows: Rows, as returned by :meth:`RowLayout.values`.
        schema: :func:`arrow_schema` of the layout.
    """
    import pyarrow as pa

    types = {field.name: field.type for field in schema}
    own = layout.columns[: layout.families[0].offset]
    arrays = [
        arrow_array(column, [row[position] for row in rows], types[column.name])
        for position, column in enumerate(own)
    ]
    for family in layout.families:
        stop = family.offset + len(family.columns)
        arrays += family_arrays(family, [row[family.offset : stop] for row in rows], types)
    return pa.record_batch(arrays, schema=schema)


def _prepared(column: Column, values: Sequence[Any]) -> Sequence[Any]:
    if column.shape.kind == "mapping":
        return [None if value is None else list(value.items()) for value in values]
    if column.shape.kind == "json":
        return [
            None if value is None else to_json(value, inf_nan_mode="strings").decode()
            for value in values
        ]
    return values
