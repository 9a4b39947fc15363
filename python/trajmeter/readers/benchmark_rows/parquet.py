"""Benchmark tables in Parquet as record batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow.parquet import ParquetFile

from trajmeter.readers.benchmark_rows.batches import attempt_batches
from trajmeter.readers.benchmark_rows.columns import NAMES, WANTED, UncertainError, attempt_columns
from trajmeter.remote import is_named_in_utf8

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

__all__ = ["read_parquet"]


def read_parquet(path: Path, columns: Collection[str]) -> Iterator[pa.RecordBatch] | None:
    """Read every attempt; ``None`` if the file must be read in the record form.

    Args:
        path: The file.
        columns: Names of the columns to fill.
    """
    if not is_named_in_utf8(path):  # as the columns contain the name of the file
        return None
    try:
        schema = ParquetFile(path).schema_arrow
        texts = [name for name in NAMES if name in schema.names and _is_text(schema, name)]
        file = ParquetFile(path, read_dictionary=texts)
        wanted = [name for name in schema.names if name in WANTED]
        attempts = attempt_columns(file.read(columns=wanted), schema.names)
    except (pa.ArrowException, OSError, UnicodeDecodeError, UncertainError):
        return None
    return attempt_batches(str(path), attempts, columns)


def _is_text(schema: pa.Schema, name: str) -> bool:
    kinds = [schema.field(place).type for place in schema.get_all_field_indices(name)]
    return all(pa.types.is_string(kind) or pa.types.is_large_string(kind) for kind in kinds)
