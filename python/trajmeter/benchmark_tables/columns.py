"""Makes the column of benchmark tables, and reads it."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from trajmeter.arrays import filled, flags, nulls, numbers, present, ragged
from trajmeter.arrays.members import with_member
from trajmeter.arrays.text import TextBytes, text_array, text_bytes
from trajmeter.benchmark_tables import BENCHMARK_TABLES
from trajmeter.records.measurements import agent_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trajmeter.arrays import Array
    from trajmeter.kernels import BoolArray, Float64Array, Int64Array

__all__ = [
    "TableArrays",
    "as_measurements",
    "table_arrays",
    "table_column",
    "with_tables",
]

_BENCHMARK, _FLAG = "benchmark", "significant"
_FIELDS = ("agent/nop", "oracle/nop", _FLAG, "nop_seconds", "agent_seconds", "oracle_seconds")


@cache
def _table_type() -> pa.StructType:
    """Type of the column: a list per field, with an item per benchmark; null without the field."""
    kinds: dict[str, Any] = {_BENCHMARK: pa.dictionary(pa.int32(), pa.string()), _FLAG: pa.bool_()}
    names = (_BENCHMARK, *_FIELDS)
    return pa.struct([pa.field(name, pa.list_(kinds.get(name, pa.float64()))) for name in names])


def table_column(
    names: Array, codes: Array, fields: Mapping[str, Array], offsets: Int64Array
) -> Array:
    """Make the column from the tables of attempts, without copying.

    Args:
        names: Distinct names of benchmarks.
        codes: Index of the name of each benchmark, 32 bits each.
        fields: Values of the benchmarks: doubles, or booleans for ``significant``.
        offsets: Attempt i has the benchmarks ``[offsets[i], offsets[i + 1])``.
    """
    bounds: Any = numbers(offsets.astype(np.int32))
    given = {_BENCHMARK: pa.DictionaryArray.from_arrays(codes, names), **fields}
    kind = _table_type()
    lists = [
        pa.ListArray.from_arrays(bounds, given[each.name])
        if each.name in given
        else nulls(len(offsets) - 1, each.type)
        for each in kind
    ]
    column: Array = pa.StructArray.from_arrays(lists, fields=list(kind))
    return column


def with_tables(batch: pa.RecordBatch, tables: Array | None = None) -> pa.RecordBatch:
    """Add the column to trajectories that lack it; null if there are no tables."""
    if BENCHMARK_TABLES in batch.schema.names:
        return batch
    column = nulls(len(batch), _table_type()) if tables is None else tables
    schema = batch.schema.append(pa.field(BENCHMARK_TABLES, column.type))
    return pa.RecordBatch.from_arrays([*batch.columns, column], schema=schema)


class TableArrays(NamedTuple):
    """Tables as flat arrays."""

    names: TextBytes
    """Distinct names of benchmarks."""
    benchmark: Int64Array
    """Index of each benchmark's name."""
    offsets: Int64Array
    """Attempt i has the benchmarks ``[offsets[i], offsets[i + 1])``."""
    fields: list[tuple[str, Float64Array | BoolArray, BoolArray]]
    """Name of each field, its values, and a mask of those that are present."""


def table_arrays(batch: pa.RecordBatch) -> TableArrays:
    """Return the tables of trajectories as flat arrays; one without a table has no benchmarks."""
    if BENCHMARK_TABLES not in batch.schema.names:
        none = np.zeros(len(batch) + 1, np.int64)
        return TableArrays(text_bytes(nulls(0, pa.string())), none[:0], none, [])
    lists = _lists(batch)
    names: Any
    names, offsets = ragged(lists.pop(_BENCHMARK))
    fields = [
        (name, *_padded(column, offsets))
        for name, column in lists.items()
        if column.null_count < len(column)
    ]
    codes = filled(names.indices, 0).astype(np.int64)
    return TableArrays(text_bytes(names.dictionary), codes, offsets, fields)


def _padded(column: Array, offsets: Int64Array) -> tuple[Float64Array | BoolArray, BoolArray]:
    """Values of all benchmarks, and a mask of those present, for a field that tables may lack."""
    values, _ = ragged(column)
    held = flags(values) if pa.types.is_boolean(values.type) else filled(values, 0.0)
    is_there = present(values)
    if not column.null_count:
        return held, is_there
    is_held = np.repeat(present(column), np.diff(offsets))
    padded = np.zeros(len(is_held), held.dtype)
    padded[is_held] = held
    valid = np.zeros(len(is_held), np.bool_)
    valid[is_held] = is_there
    return padded, valid


def as_measurements(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Convert the column to JSON in ``measurements.ratios_by_agent``, as in the usual schema."""
    names = batch.schema.names
    if BENCHMARK_TABLES not in names:
        return batch
    texts = _texts(batch)
    batch = batch.remove_column(names.index(BENCHMARK_TABLES))
    if all(text is None for text in texts):
        return batch

    def whole(column: Array) -> Array:
        pairs = zip(texts, column.to_pylist(), strict=True)
        return text_array(given if text is None else text for text, given in pairs)

    place = names.index("measurements")
    column = with_member(batch.column(place), ("ratios_by_agent",), whole)
    return batch.set_column(place, batch.schema.field(place), column)


def _texts(batch: pa.RecordBatch) -> list[str | None]:
    """Each table as JSON, under the name of its agent; ``None`` if there is none."""
    lists = _lists(batch)
    columns = [column.to_pylist() for column in lists.values()]
    agents, models = (batch.column(name).to_pylist() for name in ("agent", "model"))
    texts: list[str | None] = []
    for agent, model, *fields in zip(agents, models, *columns, strict=True):
        held = {name: values for name, values in zip(lists, fields, strict=True) if values}
        benchmarks = held.pop(_BENCHMARK, None)
        if benchmarks is None:
            texts.append(None if fields[0] is None else "{}")
            continue
        entries = [dict(zip(held, each, strict=True)) for each in zip(*held.values(), strict=True)]
        table = dict(zip(benchmarks, entries or [{} for _ in benchmarks], strict=True))
        texts.append(json.dumps({agent_key(agent, model): table}))
    return texts


def _lists(batch: pa.RecordBatch) -> dict[str, Any]:
    """The lists of each field; null where an attempt has no table."""
    column: Any = batch.column(BENCHMARK_TABLES)
    return dict(zip([field.name for field in column.type], column.flatten(), strict=True))
