"""Results tables as Arrow: the schema that follows from a layout, rows as columns, and Parquet."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, BinaryIO

from pydantic_core import PydanticSerializationError, to_json

from trajmeter.errors import format_exception
from trajmeter.metrics import MetricError
from trajmeter.schemas import require_pyarrow
from trajmeter.writers.text import storable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from trajmeter.metrics import RowLayout
    from trajmeter.metrics.columns import Column, FamilyColumns

__all__ = ["ParquetWriter", "arrow_array", "arrow_schema", "family_arrays"]

_ROW_GROUP = 16_384
"""Rows of one row group: enough for columns to compress, few enough to hold in memory."""


def arrow_schema(layout: RowLayout) -> pa.Schema:
    """Arrow schema of a results table; columns carry their description and unit.

    The schema's metadata holds the version of this package, the backend, and the version and
    parameters of each metric. A structure is JSON text.

    Raises:
        ExtraMissingError: pyarrow is not installed.
    """
    require_pyarrow("columns")
    import pyarrow as pa

    fields: list[pa.Field[Any]] = []
    for column in layout.columns:
        about: dict[bytes | str, bytes | str] = {}
        if column.description:
            about["description"] = column.description
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
    }
    return pa.schema(fields, metadata=made_by)


def arrow_array(column: Column, values: Sequence[Any], arrow_type: pa.DataType) -> pa.Array[Any]:
    """One column of a results table, from the values that rows have in it.

    Args:
        column: The column.
        values: A value of each row.
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
    """Columns of a metric, from the values of its rows.

    A row that Arrow refuses counts as an error of the metric, so that the others keep their values.

    Args:
        family: The metric.
        rows: Values of each row, in the order of the family's columns.
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
            message = f"gave a value that no column holds: {format_exception(error)}"
            return family.values(MetricError(message, code=None))
        return row

    try:
        return arrays(rows)
    except refusals:
        return arrays([held(row) for row in rows])


def _prepared(column: Column, values: Sequence[Any]) -> Sequence[Any]:
    if column.shape.kind == "mapping":
        return [None if value is None else list(value.items()) for value in values]
    if column.shape.kind == "json":
        return [
            None if value is None else to_json(value, inf_nan_mode="strings").decode()
            for value in values
        ]
    return values


class ParquetWriter:
    """Writes rows as Parquet, in batches.

    Args:
        stream: Where to write.
        layout: Columns of the rows.

    Raises:
        ExtraMissingError: pyarrow is not installed.
    """

    def __init__(self, stream: BinaryIO, layout: RowLayout) -> None:
        require_pyarrow("Parquet files")
        from pyarrow import parquet

        self._schema = arrow_schema(layout)
        self._layout = layout
        self._writer = parquet.ParquetWriter(stream, self._schema, compression="zstd")
        self._rows: list[Sequence[Any]] = []

    def write(self, values: Sequence[Any]) -> None:
        """Write one row."""
        self._rows.append(values)
        if len(self._rows) == _ROW_GROUP:
            self._write_rows()

    def finish(self) -> None:
        """Write the last rows and the footer."""
        if self._rows:
            self._write_rows()
        self._writer.close()

    def abandon(self) -> None:
        """Keep pyarrow from closing the file when it is collected, on a stream that is closed."""
        self._writer.is_open = False

    def _write_rows(self) -> None:
        import pyarrow as pa

        types = {field.name: field.type for field in self._schema}
        families = self._layout.families
        own = self._layout.columns[: families[0].offset]
        arrays = [
            arrow_array(column, [row[position] for row in self._rows], types[column.name])
            for position, column in enumerate(own)
        ]
        for family in families:
            stop = family.offset + len(family.columns)
            rows = [row[family.offset : stop] for row in self._rows]
            arrays += family_arrays(family, rows, types)
        self._writer.write_batch(pa.record_batch(arrays, schema=self._schema))
        self._rows = []
