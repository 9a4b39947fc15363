"""Columns of a results table: whose rows they are, and what each metric says of them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from trajmeter.metrics.arrays import ROWS_AT_ONCE, nulls
from trajmeter.writers.arrow import family_arrays

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajmeter.metrics import MetricError, Result
    from trajmeter.metrics.arrays import Array
    from trajmeter.metrics.columns import FamilyColumns

__all__ = ["columns_of_batch", "columns_of_results", "identity_columns"]


def identity_columns(rows: pa.RecordBatch, backend: str) -> list[Array]:
    """Identity of each row, its source as one text, and the backend that computes."""
    source = rows.column("source")
    file, line, record = (pc.struct_field(source, name) for name in ("file", "line", "record"))
    place = pc.coalesce(
        pc.binary_join_element_wise(file, line.cast(pa.string()), ":"),
        pc.binary_join_element_wise(file, record, ": "),
        file,
    )
    own = [rows.column(name) for name in ("task_id", "agent", "model", "attempt")]
    return [*own, place, _constant(backend, len(rows))]


def columns_of_batch(
    family: FamilyColumns,
    scored: Mapping[str, Array] | Iterable[Result],
    types: Mapping[str, pa.DataType],
    rows: int,
) -> list[Array]:
    """Columns of a family, from what its metric gave for a batch.

    Args:
        family: The family.
        scored: Columns of the results by their dotted paths, and ``error`` with what was raised for
            some rows; or a result of each row.
        types: Types of all columns by name.
        rows: Number of rows.

    Raises:
        TypeError: A column is absent, or is of another type or length; or there is not a result of
            the family for each row.
    """
    if isinstance(scored, Mapping):
        return _named(family, scored, types, rows)
    columns = columns_of_results(family, (_own(family, each) for each in scored), types)
    if len(columns[0]) != rows:
        raise TypeError(f"gave {len(columns[0])} results for {rows} rows")
    return columns


def _own(family: FamilyColumns, result: Result) -> Result:
    expected = family.metric.result_type
    if not isinstance(result, expected):
        raise TypeError(f"gave a {type(result).__name__}, expected a {expected.__name__}")
    return result


def _named(
    family: FamilyColumns, columns: Mapping[str, Array], types: Mapping[str, pa.DataType], rows: int
) -> list[Array]:
    *about, error = _about(family, rows)
    error = columns.get("error", error)
    prefix = f"{family.name}."
    found = []
    for column in family.figures:
        array = columns.get(column.name.removeprefix(prefix))
        if array is None or array.type != types[column.name] or len(array) != rows:
            given = None if array is None else (array.type, len(array))
            raise TypeError(
                f"column {column.name} is {given}, expected {(types[column.name], rows)}"
            )
        found.append(array)
    return [*about, error, *found]


def columns_of_results(
    family: FamilyColumns,
    results: Iterable[Result | MetricError],
    types: Mapping[str, pa.DataType],
) -> list[Array]:
    """Columns of a family, from a result of each row, of which few are alive at a time."""
    values = (family.fitted(result)[1] for result in results)
    parts = [family_arrays(family, list(islice(values, ROWS_AT_ONCE)), types)]
    while few := list(islice(values, ROWS_AT_ONCE)):
        parts.append(family_arrays(family, few, types))
    return [pa.concat_arrays(column) for column in zip(*parts, strict=True)]


def _about(family: FamilyColumns, rows: int) -> list[Array]:
    """Version, parameters and error of a family without errors."""
    version, parameters = family.metric.version, family.parameters
    return [_constant(version, rows), _constant(parameters, rows), nulls(rows, pa.string())]


def _constant(text: str, rows: int) -> Array:
    return pa.repeat(pa.scalar(text, pa.string()), rows)
