"""Decides whether a table's columns are trajectories, or rows in another format."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from trajmeter.arrays import nulls
from trajmeter.conforming.casting import conform
from trajmeter.errors import ReadError
from trajmeter.readers._files.parquet import first_row
from trajmeter.readers._recognition.evidence import format_of
from trajmeter.readers._recognition.registry import record_formats, record_keys
from trajmeter.records import Trajectory
from trajmeter.schemas import trajectory_schema

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from pyarrow.parquet import ParquetFile
    from pydantic import JsonValue

    from trajmeter.readers._recognition.formats import Format

__all__ = ["foreign_columns", "holds_own", "is_own", "others_than_ours", "says_so"]

_OWN = "trajectory-records"
_BACKEND = "backend"


def is_own(file: BinaryIO, content: ParquetFile, format_of_all: Format[Trajectory] | None) -> bool:
    """Whether a file contains trajectories in columns and is to be read as such.

    Raises:
        ConfigurationError: It does, and the type of a column does not fit its field.
    """
    schema = content.schema_arrow
    if format_of_all is not None or not holds_own(schema, partial(first_row, file, content)):
        return False
    conform(pa.RecordBatch.from_arrays([nulls(0, each.type) for each in schema], schema=schema))
    return True


def holds_own(schema: pa.Schema, first: Callable[[], dict[str, JsonValue] | None]) -> bool:
    """Whether columns are those of trajectories.

    Args:
        schema: The columns.
        first: Returns the first row unconverted, if there is one.
    """
    if says_so(schema):
        return True
    names = dict.fromkeys(schema.names)
    if len(names) < len(schema.names) or "task_id" not in names:
        return False
    candidates = record_formats(Trajectory, names)
    if len(candidates) == 1 and _BACKEND not in names:  # as results have
        return True
    try:
        known = format_of(first() or names, candidates)
    except ReadError:
        return False
    return known is not None and known.name == _OWN


def foreign_columns(schema: pa.Schema) -> list[str]:
    """Columns by which a row that has a value in one of them may be in another format."""
    known = record_keys(Trajectory)
    keys = frozenset[str]().union(*(keys for name, keys in known.items() if name != _OWN))
    if any(name.endswith(".outcome") for name in schema.names):  # as in results
        keys |= {_BACKEND}
    return [name for name in dict.fromkeys(schema.names) if name in keys]


def says_so(schema: pa.Schema) -> bool:
    """Whether a file's metadata says that its columns are trajectories."""
    mark = trajectory_schema().metadata or {}
    return mark.items() <= (schema.metadata or {}).items()


def others_than_ours(schema: pa.Schema) -> list[str]:
    """Columns that are not trajectory columns."""
    return [name for name in schema.names if name not in Trajectory.model_fields]
