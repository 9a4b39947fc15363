"""Unit states as files: nested values, with arrays stored separately, in one Parquet file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from trajmeter.errors import ReadError
from trajmeter.remote import arrow_source

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["read_state", "write_state"]

_ARRAY = "__array__"
"""Key of an array's placeholder, which holds its number."""

_SCHEMA = pa.schema(
    [("type", pa.string()), ("shape", pa.list_(pa.int64())), ("content", pa.large_binary())]
)
"""The first row is JSON text, every other row an array."""


def write_state(state: Mapping[str, Any], stream: BinaryIO) -> None:
    """Write a state: JSON values and numpy arrays."""
    arrays: list[np.ndarray[Any, Any]] = []
    text = json.dumps(_without_arrays(state, arrays))
    rows = [{"type": "json", "shape": [], "content": text.encode()}]
    rows += [
        {"type": each.dtype.str, "shape": list(each.shape), "content": each.tobytes()}
        for each in arrays
    ]
    table = pa.Table.from_pylist(rows, schema=_SCHEMA)
    parquet.write_table(table, stream, compression="zstd")


def read_state(file: Path) -> dict[str, Any]:
    """Read a state written by :func:`write_state`.

    Raises:
        ReadError: It cannot be read.
    """
    try:
        with arrow_source(file) as source:
            first, *others = parquet.read_table(source, schema=_SCHEMA).to_pylist()
        arrays = [
            np.frombuffer(row["content"], np.dtype(row["type"])).reshape(row["shape"]).copy()
            for row in others
        ]
        state: dict[str, Any] = _with_arrays(json.loads(first["content"]), arrays)
    except (OSError, pa.ArrowException, ValueError, TypeError, IndexError, KeyError) as error:
        raise ReadError(f"{file}: not the state of a unit: {error}") from error
    return state


def _without_arrays(value: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {_ARRAY: len(arrays) - 1}
    if isinstance(value, dict):
        return {key: _without_arrays(each, arrays) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_arrays(each, arrays) for each in value]
    return value


def _with_arrays(value: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return [_with_arrays(each, arrays) for each in value]
    if isinstance(value, dict):
        if _ARRAY in value:
            return arrays[value[_ARRAY]]
        return {key: _with_arrays(each, arrays) for key, each in value.items()}
    return value
