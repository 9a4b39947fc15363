"""Columns of a results table: the identity of rows, and the results of each metric."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from trajmeter import json_input
from trajmeter.arrays import ROWS_AT_ONCE, call_function, cast, concatenated, field, nulls
from trajmeter.arrays.text import repeated_text, text_scalar
from trajmeter.writers.arrow import family_arrays

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from trajmeter.arrays import Array
    from trajmeter.metrics import MetricError, Result
    from trajmeter.metrics.column import Column
    from trajmeter.metrics.columns import FamilyColumns

__all__ = [
    "columns_of_results",
    "identity_columns",
    "named_columns",
    "own_results",
    "row_values",
]


_BEFORE_LINE, _BEFORE_RECORD = text_scalar(":"), text_scalar(": ")


def identity_columns(rows: pa.RecordBatch, backend: str) -> list[Array]:
    """Identity of each row, its source as text, and the kernel backend."""
    source = rows.column("source")
    file, line, record = (field(source, name) for name in ("file", "line", "record"))
    places = [
        call_function("binary_join_element_wise", [file, cast(column, pa.string()), before])
        for column, before in ((line, _BEFORE_LINE), (record, _BEFORE_RECORD))
        if column.null_count < len(column)
    ]
    is_named = places and not places[0].null_count
    place = places[0] if is_named else call_function("coalesce", [*places, file])
    # A column that was read in Rust keeps the memory of all columns of its batch.
    identity = [
        concatenated([rows.column(name)]) for name in ("task_id", "agent", "model", "attempt")
    ]
    return [*identity, place, repeated_text(backend, len(rows))]


def own_results(family: FamilyColumns, scored: Iterable[Result], rows: int) -> list[Result]:
    """The results that a metric returned for the rows of a batch.

    Raises:
        TypeError: There is not exactly one result of the family for each row.
    """
    expected = family.metric.result_type
    results = []
    for result in scored:
        if not isinstance(result, expected):
            raise TypeError(f"gave a {type(result).__name__}, expected a {expected.__name__}")
        results.append(result)
    if len(results) != rows:
        raise TypeError(f"gave {len(results)} results for {rows} rows")
    return results


def named_columns(
    family: FamilyColumns, scored: Mapping[str, Array], types: Mapping[str, pa.DataType], rows: int
) -> list[Array]:
    """Columns of a family, from the columns that its metric returned for a batch.

    Args:
        family: The family.
        scored: Columns of the results by dotted path, and ``error`` with the errors of some rows.
        types: Types of all columns by name.
        rows: Number of rows.

    Raises:
        TypeError: A column is absent, or has another type or length.
    """
    prefix = f"{family.name}."
    columns = []
    for column in family.figures:
        array = scored.get(column.name.removeprefix(prefix))
        if array is None or array.type != types[column.name] or len(array) != rows:
            actual = None if array is None else (array.type, len(array))
            raise TypeError(
                f"column {column.name} is {actual}, expected {(types[column.name], rows)}"
            )
        columns.append(array)
    version, parameters = family.metric.version, family.parameters
    error = scored.get("error", nulls(rows, pa.string()))
    return [repeated_text(version, rows), repeated_text(parameters, rows), error, *columns]


def columns_of_results(
    family: FamilyColumns,
    results: Iterable[Result | MetricError],
    types: Mapping[str, pa.DataType],
) -> list[Array]:
    """Columns of a family from the results of rows; only a few are held at a time."""
    values = (family.fitted(result)[1] for result in results)
    parts = [family_arrays(family, list(islice(values, ROWS_AT_ONCE)), types)]
    while few := list(islice(values, ROWS_AT_ONCE)):
        parts.append(family_arrays(family, few, types))
    return [pa.concat_arrays(column) for column in zip(*parts, strict=True)]


def row_values(column: Column, array: Array) -> list[Any]:
    """Values of a column as in rows: mappings, tuples, and parsed JSON text."""
    values: list[Any] = array.to_pylist()
    of: dict[str, Callable[[Any], Any]] = {
        "mapping": dict,
        "list": tuple,
        "json": lambda text: json_input.parse(text.encode()),
    }
    make = of.get(column.shape.kind)
    if make is None:
        return values
    return [None if value is None else make(value) for value in values]
