"""Serialises columns of rows as JSON lines and CSV, in Rust if the extension is installed.

The Python functions here are the specification. Rust writes the same bytes directly from the
columns' memory, without an object per value, and leaves batches with unusual values to Python.
"""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from trajmeter.kernels import backend
from trajmeter.text import to_cell
from trajmeter.writers.buffers import buffers_of, parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from trajmeter.metrics.column import Column
    from trajmeter.shapes import Shape

__all__ = ["booleans", "csv_lines", "csv_row", "embedded", "json_lines", "number_json"]

_ROWS_AT_ONCE = 256
"""Rows converted to Python objects at a time; more would burden the garbage collector."""

_EXPONENT = re.compile(rb"(?<=[0-9])e(?=[0-9])")
"""Exponents without a sign: pydantic before 2.13 writes 1e16, later versions and Rust 1e+16."""


def json_lines(batch: pa.RecordBatch, columns: Sequence[Column]) -> Iterator[bytes]:
    """Serialise rows as JSON lines.

    Missing values become null; infinities and NaN, which JSON lacks, become text. A column of JSON
    is embedded as is, or as text if it is not valid.

    Args:
        batch: The rows.
        columns: Its columns.

    Yields:
        Several lines at a time.
    """
    names = [(column.name, None) for column in columns]
    shapes = [column.shape for column in columns]
    for part in parts(batch):
        pieces = None
        if backend() == "rust":
            from trajmeter.kernels import _rust

            buffers = buffers_of(part, shapes)
            if buffers is not None:
                pieces = _rust.json_lines(names, buffers, part.num_rows)
        yield from _json_lines(part, columns) if pieces is None else pieces


def csv_lines(batch: pa.RecordBatch, columns: Sequence[Column]) -> Iterator[bytes]:
    """Serialise rows as CSV; a missing value becomes an empty field.

    Args:
        batch: The rows; other columns are ignored.
        columns: Columns of scalars to write.

    Yields:
        Several lines at a time.
    """
    shapes = [column.shape for column in columns]
    for part in parts(batch.select([column.name for column in columns])):
        pieces = None
        if backend() == "rust":
            from trajmeter.kernels import _rust

            buffers = buffers_of(part, shapes)
            if buffers is not None:
                pieces = _rust.csv_lines(buffers, part.num_rows)
        yield from _csv_lines(part, columns) if pieces is None else pieces


def booleans(columns: Iterable[Column]) -> list[int]:
    """Indices of the boolean columns."""
    return [index for index, column in enumerate(columns) if column.shape.kind == "boolean"]


def csv_row(values: Iterable[Any], booleans: Iterable[int]) -> list[Any]:
    """Prepare a row for ``csv.writer``: text safe for spreadsheets, booleans as true and false.

    Args:
        values: The values.
        booleans: Indices of booleans among them.
    """
    row = [to_cell(value) if isinstance(value, str) else value for value in values]
    for index in booleans:
        if row[index] is not None:
            row[index] = "true" if row[index] else "false"
    return row


def _csv_lines(batch: pa.RecordBatch, columns: Sequence[Column]) -> Iterator[bytes]:
    truths = booleans(columns)
    for rows in _few_rows(batch):
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows(csv_row(row, truths) for row in rows)
        yield text.getvalue().encode()


def _json_lines(batch: pa.RecordBatch, columns: Sequence[Column]) -> Iterator[bytes]:
    names = [to_json(column.name) + b":" for column in columns]
    shapes = [column.shape for column in columns]
    for rows in _few_rows(batch):
        lines = [
            b",".join(
                name + _json_value(value, shape)
                for name, value, shape in zip(names, row, shapes, strict=True)
            )
            for row in rows
        ]
        yield b"".join(b"{%b}\n" % line for line in lines)


def _json_value(value: Any, shape: Shape) -> bytes:  # noqa: ANN401 - of any column
    if value is None:
        return b"null"
    if shape.kind == "json":
        written = embedded(value)
        return to_json(value) if written is None else written
    if shape.kind == "mapping":
        pairs = (to_json(key) + b":" + _json_item(item, shape.item) for key, item in value)
        return b"{%b}" % b",".join(pairs)
    return _json_scalar(value, shape.item if shape.kind == "list" else shape)


def _json_item(value: Any, shape: Shape | None) -> bytes:  # noqa: ANN401 - a scalar or a record of them
    if value is None or shape is None or shape.kind != "record":
        return _json_scalar(value, shape)
    written = to_json(value, inf_nan_mode="strings")
    if not _EXPONENT.search(written):  # the usual case
        return written
    members = (
        to_json(member.name) + b":" + _json_scalar(value[member.name], member.shape)
        for member in shape.members
    )
    return b"{%b}" % b",".join(members)


def _json_scalar(value: Any, shape: Shape | None) -> bytes:  # noqa: ANN401 - a scalar or a list of them
    if shape is not None and shape.kind == "number":
        return number_json(value)
    return to_json(value, inf_nan_mode="strings")


def number_json(value: Any) -> bytes:  # noqa: ANN401 - a number or a list of them
    """JSON of a number, or of several; infinities and NaN become text."""
    return _EXPONENT.sub(b"e+", to_json(value, inf_nan_mode="strings"))


def embedded(text: str) -> bytes | None:
    """JSON text on one line; ``None`` if it is not valid."""
    try:
        # Numbers of any size are accepted, and their values are not needed.
        json.loads(text, parse_constant=_refuse, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None
    return text.replace("\n", " ").replace("\r", " ").encode()


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _few_rows(batch: pa.RecordBatch) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the values of a few rows at a time."""
    for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
        few = batch.slice(start, _ROWS_AT_ONCE)
        yield list(zip(*(column.to_pylist() for column in few.columns), strict=True))
