"""Serialises trajectories as JSON lines, in Rust if the extension is installed.

The Python functions here are the specification. Rust writes the same bytes directly from the
columns' memory, without an object per value, and leaves batches with unusual values to Python.
"""

from __future__ import annotations

import json
import math
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from trajmeter import json_input
from trajmeter.kernels import backend
from trajmeter.shapes import trajectory_shape
from trajmeter.writers.buffers import buffers_of, default_json, parts
from trajmeter.writers.lines import embedded, number_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import TypeAlias

    import pyarrow as pa

    from trajmeter.shapes import Shape

    _Write: TypeAlias = Callable[[Any], bytes]

__all__ = ["record_lines"]

_ROWS_AT_ONCE = 64
"""Rows converted to Python objects at a time."""


def record_lines(batch: pa.RecordBatch) -> Iterator[bytes]:
    """Serialise trajectories as JSON lines, without fields that have their default value or none.

    Infinities and NaN are written as Python's :mod:`json` writes them. A column of JSON is embedded
    as is.

    Args:
        batch: Valid rows in the columns of :func:`trajmeter.schemas.trajectory_schema`.

    Yields:
        Several lines at a time.

    Raises:
        ReadError: JSON text cannot be parsed.
    """
    members = trajectory_shape().members
    fields = [(member.name, default_json(member).decode()) for member in members]
    shapes = [member.shape for member in members]
    for part in parts(batch):
        pieces = None
        if backend() == "rust":
            from trajmeter.kernels import _rust

            buffers = buffers_of(part, shapes, omits=True)
            if buffers is not None:
                pieces = _rust.json_lines(fields, buffers, part.num_rows)
        yield from _record_lines(part) if pieces is None else pieces


def _record_lines(batch: pa.RecordBatch) -> Iterator[bytes]:
    write = _trajectory_writer()
    for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
        rows = batch.slice(start, _ROWS_AT_ONCE).to_pylist()
        yield b"".join(write(row) + b"\n" for row in rows)


@cache
def _trajectory_writer() -> _Write:
    return _writer(trajectory_shape())


def _writer(shape: Shape) -> _Write:
    """Make the function that writes a value, which is not null."""
    if shape.kind == "json":
        return _json
    if shape.kind == "record":
        return _record_writer(shape)
    if shape.item is not None:
        write = _writer(shape.item)
        return _list_writer(write) if shape.kind == "list" else _mapping_writer(write)
    return _number if shape.kind == "number" else to_json


def _record_writer(shape: Shape) -> _Write:
    members = [
        (each.name, to_json(each.name) + b":", _writer(each.shape), default_json(each))
        for each in shape.members
    ]

    def write_record(values: Mapping[str, Any]) -> bytes:
        found = []
        for name, before, write, default in members:
            value = values[name]
            if value is not None and (written := write(value)) != default:
                found.append(before + written)
        return b"{%b}" % b",".join(found)

    return write_record


def _list_writer(write: _Write) -> _Write:
    return lambda values: b"[%b]" % b",".join(_or_null(write, each) for each in values)


def _mapping_writer(write: _Write) -> _Write:
    def write_mapping(pairs: Iterable[tuple[str, Any]]) -> bytes:
        return b"{%b}" % b",".join(
            to_json(key) + b":" + _or_null(write, each) for key, each in pairs
        )

    return write_mapping


def _or_null(write: _Write, value: Any) -> bytes:  # noqa: ANN401 - of any shape
    return b"null" if value is None else write(value)


def _number(value: float) -> bytes:
    return number_json(value) if math.isfinite(value) else json.dumps(value).encode()


def _json(text: str) -> bytes:
    """JSON text on one line; what only Python takes for JSON is written as Python writes it."""
    written = embedded(text)
    if written is None:
        written = json.dumps(json_input.parse(text.encode()), ensure_ascii=False).encode()
    return written
