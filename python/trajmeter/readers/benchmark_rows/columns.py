"""Columns of a benchmark table, grouped into attempts.

This module only handles tables whose rows can certainly all be read without a problem; all others
are left to :mod:`trajmeter.readers.benchmark_rows.attempts`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from trajmeter.arrays import Array, call_function, cast, filled, flags, numbers, present, taken
from trajmeter.arrays.text import text_bytes
from trajmeter.benchmark_tables.columns import table_column
from trajmeter.readers.benchmark_rows.attempts import (
    ENTRY_FIELDS,
    OF_A_RECORD,
    AttemptIdentity,
    plain,
)
from trajmeter.readers.benchmark_rows.batches import (
    ABOUT,
    AttemptColumns,
    AttemptIdentityColumns,
)
from trajmeter.records.measurements import agent_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from trajmeter.kernels import BoolArray, Float64Array, Int64Array

    _Codes = npt.NDArray[np.int32 | np.int64]
    _Values = Float64Array | Int64Array | BoolArray

__all__ = ["NAMES", "WANTED", "UncertainError", "attempt_columns"]

NAMES = (*AttemptIdentity._fields, "benchmark")
"""Columns of names."""
WANTED = frozenset((*NAMES, *ENTRY_FIELDS, *ABOUT))
"""Columns that affect a record."""
_EXACT = 2**53
"""Doubles up to this represent every integer exactly, so an integer can be a name."""


class UncertainError(Exception):
    """A table must be read in the record form."""


class _Names(NamedTuple):
    """A column of names, with each distinct name once."""

    texts: Array
    """The names."""
    codes: _Codes
    """Index of each row's name; -1 for none."""


def attempt_columns(
    table: pa.Table, names: Sequence[str], *, first_line: int | None = None
) -> AttemptColumns:
    """Group the rows of a table into attempts.

    Args:
        table: The columns :data:`WANTED` that the table has.
        names: Names of all columns of the file.
        first_line: Line of the first row; ``None`` if rows are records of a file.

    Raises:
        UncertainError: A row has a problem, or a value that is not plain.
    """
    if len({*names}) < len(names) or not {*names}.isdisjoint(OF_A_RECORD):
        raise UncertainError
    columns = {name: _whole(table.column(name)) for name in table.column_names}
    found = {
        name: _names(columns[name])
        if name in columns
        else _Names(pa.nulls(0, pa.string()), np.full(len(table), -1, np.int32))
        for name in NAMES
    }
    fields = {name: _field(columns[name]) for name in ENTRY_FIELDS if name in columns}
    benchmark = found["benchmark"].codes
    are_named = benchmark >= 0
    measured = (is_valid for name, (_, is_valid) in fields.items() if name != "significant")
    if (found["task_id"].codes < 0).any() or any((own & ~are_named).any() for own in measured):
        raise UncertainError
    attempts = _attempts(found, len(table))
    if attempts.order is not None:
        benchmark = benchmark[attempts.order]
    first = attempts.first
    identity = [_column(found[name], first) for name in AttemptIdentity._fields]
    keys, key = _keys(found["agent"], found["model"], first)
    if not _are_distinct(benchmark, attempts.offsets, len(found["benchmark"].texts)):
        raise UncertainError
    tables = _Tables(found["benchmark"].texts, benchmark, attempts, keys, key, fields)
    doubles = _plain_fields(columns) if are_named.all() else None
    return AttemptColumns(
        AttemptIdentityColumns(*identity),
        None if first_line is None else (first + first_line).tolist(),
        [f"[{row}]" for row in first.tolist()] if first_line is None else None,
        np.diff(attempts.offsets),
        tables.written,
        None if doubles is None else partial(tables.columns, doubles),
        {name: _firsts(columns[name], attempts) for name in ABOUT if name in columns},
    )


def _are_distinct(benchmark: _Codes, offsets: Int64Array, count: int) -> bool:
    """Whether no attempt has the same benchmark twice."""
    rises = benchmark[1:] > benchmark[:-1]  # as if all list them in one order
    rises[offsets[1:-1] - 1] = True
    if rises.all() and (benchmark[offsets[:-1]] >= 0).all():
        return True
    attempt = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    is_named = benchmark >= 0
    pairs = (attempt * count + benchmark)[is_named]
    if (np.diff(pairs) > 0).all():
        return True
    pairs.sort()
    return bool((np.diff(pairs) > 0).all())


class _Tables(NamedTuple):
    """Tables that are made on demand."""

    names: Array
    benchmark: _Codes
    attempts: _Attempts
    keys: list[str]
    key: Int64Array
    fields: dict[str, tuple[_Values, BoolArray]]

    def written(self, start: int, stop: int) -> pa.Array[Any]:
        """Some tables as JSON."""
        from trajmeter.kernels._rust import speedup_tables_as_text

        offsets = self.attempts.offsets[start : stop + 1]
        begin, end = offsets[0], offsets[-1]
        order = self.attempts.order
        rows = slice(begin, end) if order is None else order[begin:end]
        fields = self.fields.items()
        text: Any = speedup_tables_as_text(
            (
                text_bytes(self.names),
                self.benchmark[begin:end].astype(np.int64),
                offsets - begin,
                [(ENTRY_FIELDS[name], own[rows], there[rows]) for name, (own, there) in fields],
            ),
            self.keys,
            self.key[start:stop],
        )
        return pa.record_batch(text).column(0)

    def columns(self, fields: dict[str, Any], start: int, stop: int) -> pa.Array[Any]:
        """Some tables as columns, of fields that :func:`_plain_fields` returned."""
        offsets = self.attempts.offsets[start : stop + 1]
        begin, end = offsets[0], offsets[-1]
        order = self.attempts.order
        codes = self.benchmark[begin:end].astype(np.int32, copy=False)
        own = {
            name: values.slice(begin, end - begin)
            if order is None
            else taken(values, order[begin:end])
            for name, values in fields.items()
        }
        return table_column(self.names, numbers(codes), own, offsets - begin)


def _plain_fields(columns: dict[str, Any]) -> dict[str, Any] | None:
    """Fields of entries, if they are doubles and flags that can be columns; otherwise ``None``."""
    fields = {}
    for name, field in ENTRY_FIELDS.items():
        if name in columns:
            kind, values = columns[name].type, columns[name]
            is_flag = name == "significant"
            is_plain = pa.types.is_boolean(kind) if is_flag else pa.types.is_floating(kind)
            if not (is_plain or pa.types.is_null(kind)):
                return None
            fields[field] = cast(values, pa.bool_() if is_flag else pa.float64())
    return fields


def _whole(column: Any) -> Any:  # noqa: ANN401 - of any type
    if column.num_chunks == 1:  # otherwise, it would be copied
        return column.chunk(0)
    if pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries()
    whole = column.combine_chunks()
    if not isinstance(whole, pa.ChunkedArray):
        return whole
    if whole.num_chunks != 1:  # more than one array can hold
        raise UncertainError
    return whole.chunk(0)


def _names(column: Any) -> _Names:  # noqa: ANN401 - an array of any type
    """The names in a column; integers, also stored as doubles, are names too."""
    if pa.types.is_dictionary(column.type):
        if column.dictionary.type not in (pa.string(), pa.large_string()):
            raise UncertainError
        indices = column.indices
        if indices.type != pa.int32():
            indices = cast(indices, pa.int64())  # some are unsigned
        codes = filled(indices, -1)
        texts = cast(column.dictionary, pa.string())
        if texts.null_count or len(call_function("unique", [texts])) < len(texts):
            raise UncertainError
        return _Names(texts, codes)
    if pa.types.is_floating(column.type):
        values = filled(cast(column, pa.float64()), 0.0)
        if not (np.abs(values) <= _EXACT).all() or (values != np.floor(values)).any():
            raise UncertainError
        column = cast(column, pa.int64())
    is_name = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    if not (is_name or pa.types.is_integer(column.type) or pa.types.is_null(column.type)):
        raise UncertainError
    return _names(call_function("dictionary_encode", [cast(column, pa.string())]))


def _field(column: Any) -> tuple[_Values, BoolArray]:  # noqa: ANN401 - an array of any type
    """Values of one field of entries, and which rows have one."""
    kind = column.type
    if pa.types.is_float32(kind) or pa.types.is_float64(kind):
        values = filled(cast(column, pa.float64()), 0.0)
    elif pa.types.is_integer(kind) and not pa.types.is_uint64(kind):
        values = filled(cast(column, pa.int64()), 0)
    elif pa.types.is_boolean(kind) or pa.types.is_null(kind):
        values = flags(cast(column, pa.bool_()))
    else:
        raise UncertainError
    return values, present(column)


class _Attempts(NamedTuple):
    """Assigns rows to attempts."""

    first: Int64Array
    """First row of each attempt, ascending."""
    order: Int64Array | None
    """The rows, attempt by attempt; ``None`` if already in that order."""
    offsets: Int64Array
    """Attempt i has the rows ``order[offsets[i]:offsets[i + 1]]``."""


def _attempts(found: dict[str, _Names], rows: int) -> _Attempts:
    names = [found[name] for name in AttemptIdentity._fields if len(found[name].texts)]
    is_first = np.zeros(rows, np.bool_)
    is_first[:1] = True
    for _, codes in names:
        is_first[1:] |= codes[1:] != codes[:-1]
    begins = np.flatnonzero(is_first)
    ends = np.append(begins[1:], rows)
    code = np.zeros(len(begins), np.int64)
    count = 1
    for texts, codes in names:
        count *= len(texts) + 1
        if count > np.iinfo(np.int64).max:
            raise UncertainError
        code = code * (len(texts) + 1) + codes[begins] + 1
    values, first, which = np.unique(code, return_index=True, return_inverse=True)
    rank = np.empty(len(values), np.int64)
    rank[np.argsort(first)] = np.arange(len(values))
    if len(values) == len(begins):
        return _Attempts(begins, None, np.append(begins, rows))
    attempt = np.repeat(rank[which], ends - begins)
    lengths = np.bincount(attempt, minlength=len(values))
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    return _Attempts(np.sort(begins[first]), np.argsort(attempt, kind="stable"), offsets)


def _column(names: _Names, rows: Int64Array) -> Array:
    codes = names.codes[rows]
    found: Array = taken(names.texts, numbers(codes, codes < 0))
    return found


def _keys(agents: _Names, models: _Names, first: Int64Array) -> tuple[list[str], Int64Array]:
    """Distinct ``agent:model`` texts, and the index of each attempt's."""
    agent_codes = agents.codes[first].astype(np.int64)
    pairs = (agent_codes + 1) * (len(models.texts) + 1) + models.codes[first] + 1
    values, key = np.unique(pairs, return_inverse=True)
    agent_texts = [None, *agents.texts.to_pylist()]
    model_texts = [None, *models.texts.to_pylist()]
    each = (divmod(value, len(model_texts)) for value in values.tolist())
    return [agent_key(agent_texts[agent], model_texts[model]) for agent, model in each], key


def _firsts(column: Any, attempts: _Attempts) -> list[object]:  # noqa: ANN401 - of any type
    """The first value of each attempt that is not missing; ``None`` if there is none."""
    there = present(column)
    if pa.types.is_floating(column.type):
        there &= ~np.isnan(filled(column, 0.0))
    order = attempts.order
    places = np.where(there if order is None else there[order], np.arange(len(there)), len(there))
    if not len(places):
        return []
    chosen = np.minimum.reduceat(places, attempts.offsets[:-1])
    is_none = chosen == len(there)
    chosen = np.where(is_none, 0, chosen)
    rows = chosen if order is None else order[chosen]
    return [plain(value) for value in taken(column, numbers(rows, is_none)).to_pylist()]
