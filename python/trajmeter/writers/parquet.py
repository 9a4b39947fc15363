"""Parquet: typed columns, written in batches of rows, with what made the file in its metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from trajmeter.schemas import require_pyarrow
from trajmeter.writers.arrow import arrow_array, arrow_schema, family_arrays

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.metrics import RowLayout

__all__ = ["ParquetWriter"]

# Rows of one row group: enough for columns to compress, little enough to hold in memory.
_BATCH = 16_384


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
        self._layout = layout
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
