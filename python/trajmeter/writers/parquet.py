"""Parquet: typed columns, written in batches of rows, with what made the file in its metadata."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, BinaryIO

from pydantic_core import PydanticSerializationError, to_json

from trajmeter.schemas import require_pyarrow
from trajmeter.writers.table import storable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from trajmeter.metrics import RowLayout
    from trajmeter.metrics.rows import Column

__all__ = ["ParquetWriter", "arrow_schema"]

# Rows of one row group: enough for columns to compress, little enough to hold in memory.
_BATCH = 16_384


def arrow_schema(layout: RowLayout) -> pa.Schema:
    """Arrow schema of a results table; columns carry their description and unit.

    The schema's metadata tells the version of this package, the backend, and the version and
    parameters of each metric. A structure is JSON text.

    Raises:
        ExtraMissingError: pyarrow is not installed.
    """
    require_pyarrow("Parquet files")
    import pyarrow as pa

    scalars: dict[str, pa.DataType] = {
        "boolean": pa.bool_(),
        "integer": pa.int64(),
        "number": pa.float64(),
        "string": pa.string(),
        "json": pa.string(),
    }
    fields: list[pa.Field[Any]] = []
    for column in layout.columns:
        arrow_type: pa.DataType = scalars[column.kind]
        if column.shape == "list":
            arrow_type = pa.list_(arrow_type)
        elif column.shape == "mapping":
            arrow_type = pa.map_(pa.string(), arrow_type)
        about: dict[bytes | str, bytes | str] = {}
        if column.description:
            about["description"] = column.description
        if column.figure and column.figure.unit:
            about["unit"] = column.figure.unit
        fields.append(pa.field(column.name, arrow_type, metadata=about))
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


class ParquetWriter:
    """Writes rows as Parquet.

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
        self._columns = layout.columns
        self._writer = parquet.ParquetWriter(stream, self._schema, compression="zstd")
        self._rows: list[Sequence[Any]] = []

    def write(self, values: Sequence[Any]) -> None:
        """Write one row."""
        self._rows.append(values)
        if len(self._rows) == _BATCH:
            self._write_rows()

    def finish(self) -> None:
        """Write the last rows and the footer."""
        if self._rows:
            self._write_rows()
        self._writer.close()

    def _write_rows(self) -> None:
        import pyarrow as pa

        arrays = [
            _array(column, values, field.type)
            for column, values, field in zip(
                self._columns, zip(*self._rows, strict=True), self._schema, strict=True
            )
        ]
        self._writer.write_batch(pa.record_batch(arrays, schema=self._schema))
        self._rows = []


def _array(column: Column, values: Sequence[Any], arrow_type: pa.DataType) -> pa.Array[Any]:
    import pyarrow as pa

    try:
        return pa.array(_prepared(column, values), arrow_type)
    except (UnicodeEncodeError, PydanticSerializationError):
        return pa.array(_prepared(column, storable(values)), arrow_type)


def _prepared(column: Column, values: Sequence[Any]) -> Sequence[Any]:
    if column.shape == "mapping":
        return [None if value is None else list(value.items()) for value in values]
    if column.kind == "json":
        return [
            None if value is None else to_json(value, inf_nan_mode="strings").decode()
            for value in values
        ]
    return values
