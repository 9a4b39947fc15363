"""Benchmark tables in CSV as record batches.

:func:`trajmeter.readers.benchmark_rows.csv.csv_rows` is the definition. This module handles plain
files only, without blank lines, ragged rows or quotes within values; all others are left to the
record form.
"""

from __future__ import annotations

import csv
from codecs import BOM_UTF8
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from trajmeter.readers.benchmark_rows.attempts import ENTRY_FIELDS, TEXT_COLUMNS
from trajmeter.readers.benchmark_rows.batches import attempt_batches
from trajmeter.readers.benchmark_rows.columns import WANTED, UncertainError, attempt_columns
from trajmeter.readers.benchmark_rows.csv import cell, header_fault

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from trajmeter.kernels import Int64Array

__all__ = ["read_csv"]

_Bytes: TypeAlias = "np.ndarray[Any, np.dtype[np.uint8]]"

_NEWLINE = 10
_BEFORE, _AFTER = (np.isin(np.arange(256), list(found)) for found in (b",\n", b",\r\n"))
"""Whether each byte may precede a quoted value, and follow it."""
_AT_ONCE = 1 << 18
"""Bytes to examine at a time: few enough that the results stay in the cache."""
_LONGEST_HEADER = 1 << 16
_NUMBERS = frozenset(ENTRY_FIELDS) - {"significant"}
_FIRST_ROW = 2
"""Line of the first row."""


def read_csv(path: Path, columns: Collection[str]) -> Iterator[pa.RecordBatch] | None:
    """Read every attempt; ``None`` if the file must be read in the record form.

    Args:
        path: The file.
        columns: Names of the columns to fill.
    """
    try:
        held = np.memmap(path, np.uint8, mode="r")
        names = _names(held)
        lines = _lines(held)
        table = _table(path, names)
        if table.num_rows != lines - 1:  # blank lines, or values that span several lines
            return None
        attempts = attempt_columns(table, [*filter(None, names)], first_line=_FIRST_ROW)
    except (pa.ArrowException, OSError, ValueError, csv.Error, UncertainError):
        return None
    return attempt_batches(str(path), attempts, columns)


def _names(held: _Bytes) -> list[str]:
    """Column names in the header.

    Raises:
        UncertainError: The header is not plain, or does not belong to such a table.
        UnicodeDecodeError: It is not UTF-8.
        csv.Error: Its quotes do not match.
    """
    line, end, _ = held[:_LONGEST_HEADER].tobytes().partition(b"\n")
    text = line.removeprefix(BOM_UTF8).removesuffix(b"\r").decode()
    names = next(csv.reader([text], strict=True), [])
    if not end or any(name != name.strip() for name in names) or header_fault(names):
        raise UncertainError
    return names


def _lines(held: _Bytes) -> int:
    """Number of lines in a plain file.

    Raises:
        UncertainError: It is not plain, or a line is longer than a value may be.
    """
    count, last, quoted = 0, -1, 0
    for start in range(0, len(held), _AT_ONCE):
        part = held[start : start + _AT_ONCE]
        ends, returns, quotes = (np.flatnonzero(part == byte) + start for byte in b'\n\r"')
        if not part.all() or (held[np.minimum(returns + 1, len(held) - 1)] != _NEWLINE).any():
            raise UncertainError  # NUL, or a line with another ending
        bounds = np.concatenate([[last], ends, [min(start + _AT_ONCE, len(held))]])
        if np.diff(bounds).max() > csv.field_size_limit():
            raise UncertainError
        count, last = count + len(ends), int(bounds[-2])
        _check_quotes(held, quotes[quoted % 2 :: 2], quotes[(quoted + 1) % 2 :: 2])
        quoted += len(quotes)
    if quoted % 2:
        raise UncertainError
    return count + (last + 1 < len(held))


def _check_quotes(held: _Bytes, begins: Int64Array, ends: Int64Array) -> None:
    """Raise ``UncertainError`` unless these quotes are at the ends of values."""
    is_begin = _BEFORE[held[np.maximum(begins - 1, 0)]] | (begins == 0)
    is_end = _AFTER[held[np.minimum(ends + 1, len(held) - 1)]] | (ends == len(held) - 1)
    if not (is_begin.all() and is_end.all()):
        raise UncertainError


def _table(path: Path, names: Sequence[str]) -> pa.Table:
    """The columns that affect a record, as :func:`attempt_columns` takes them."""
    wanted = [name for name in names if name in WANTED]
    codes = pa.dictionary(pa.int32(), pa.string())
    file: Any  # because the stubs accept only Python files
    with pa.memory_map(str(path)) as file:  # a map is not mistaken for a compressed file
        read = arrow_csv.read_csv(
            file,
            convert_options=arrow_csv.ConvertOptions(
                include_columns=wanted,
                column_types={name: pa.float64() if name in _NUMBERS else codes for name in wanted},
                null_values=[""],
                strings_can_be_null=True,
            ),
        )
    return pa.table({name: _column(read.column(name), name) for name in wanted})


def _column(column: Any, name: str) -> Any:  # noqa: ANN401 - chunks of any type
    """A column as JSON values: text as text, otherwise numbers or booleans.

    Raises:
        UncertainError: They are of several kinds, or there is more to a text or a number.
    """
    if name in _NUMBERS:
        if not pc.all(pc.is_finite(column)).as_py() and column.null_count < len(column):
            raise UncertainError
        return column
    whole = column.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        if whole.num_chunks != 1:  # none, or more than one array can hold
            raise UncertainError
        whole = whole.chunk(0)
    texts = whole.dictionary.to_pylist()
    if name in TEXT_COLUMNS:
        if any(text != text.strip() for text in texts):
            raise UncertainError
        return whole
    values = [cell(text.strip(), is_text=False) for text in texts]
    kinds = {type(value) for value in values}
    if len(kinds) > 1 or not kinds <= {float, bool}:
        raise UncertainError
    own: Any = pa.array(values, pa.bool_() if bool in kinds else pa.float64())
    return own.take(whole.indices)
