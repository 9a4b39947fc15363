"""Views of record batches as the columns that the kernel reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from trajmeter.arrays import (
    call_function,
    coded,
    filled,
    flags,
    present,
    ragged,
    text_codes,
    text_scalar,
)
from trajmeter.kernels import EXTENTS, Texts, ViewArrays

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.arrays import Array, Ragged
    from trajmeter.kernels import BoolArray, Int64Array

__all__ = ["ViewedColumns", "in_one_step", "texts", "viewed_columns"]

_EMPTY = text_scalar("")
_UNKNOWN = EXTENTS.index("unknown")


class ViewedColumns(NamedTuple):
    """What the context metrics score of many attempts; the fields are those of the kernel."""

    views: ViewArrays
    step_offsets: Int64Array
    row_offsets: Int64Array
    final_offsets: Int64Array
    has_final: BoolArray
    paths: Texts
    names: Texts


def viewed_columns(rows: pa.RecordBatch) -> ViewedColumns:
    """Views of the steps and of the final context of every row.

    Args:
        rows: Valid rows in the columns of :func:`trajmeter.schemas.trajectory_schema`.
    """
    # No item of a list is null in a valid row, so its fields can be read from the children.
    turns, turn_offsets = ragged(rows.column("turns"))
    of_turns = _field(turns, "views")
    is_step = present(of_turns)
    seen = ragged(of_turns)
    declared = ragged(rows.column("final_views"))
    views, paths, names = _views(seen, declared)
    return ViewedColumns(
        views=views,
        # Turns without views are not steps; the steps after them move up.
        step_offsets=seen.offsets[np.append(is_step, True)],
        row_offsets=np.append(0, np.cumsum(is_step))[turn_offsets],
        final_offsets=declared.offsets + len(seen.values),
        has_final=present(rows.column("final_views")),
        paths=paths,
        names=names,
    )


def in_one_step(viewed: ViewedColumns) -> ViewedColumns:
    """All steps of a row as one: their union is the same."""
    begins = viewed.row_offsets
    has_steps = np.diff(begins) > 0
    return viewed._replace(
        step_offsets=viewed.step_offsets[begins[np.append(has_steps, True)]],
        row_offsets=np.append(0, np.cumsum(has_steps)),
    )


def _views(seen: Ragged, declared: Ragged) -> tuple[ViewArrays, Texts, Texts]:
    """All views, those of final contexts last."""

    def parts(name: str) -> list[Array]:
        return [_field(each.values, name) for each in (seen, declared)]

    def column(name: str) -> Array:
        return _joined(parts(name))

    path, paths = _numbered(parts("path"))
    extent = coded(column("extent"))
    extents = [EXTENTS.index(name) for name in extent.texts]
    start, end, listed = column("start"), column("end"), column("listed")
    symbols, symbol_offsets = ragged(column("symbols"))
    symbol, names = _numbered([symbols])
    views = ViewArrays(
        path=path,
        extent=np.array([*extents, _UNKNOWN], np.int64)[extent.codes],
        start=filled(start, 0),
        end=filled(end, 0),
        has_start=present(start),
        has_end=present(end),
        listed=flags(listed) | ~present(listed),
        symbol=symbol,
        symbol_offsets=symbol_offsets,
    )
    return views, paths, names


def _numbered(parts: Sequence[Array]) -> tuple[Int64Array, Texts]:
    """Numbers of texts, and the different ones; a null has the number 0."""
    found = text_codes(parts)
    if found is not None:
        codes, held, bounds = found
        return codes, Texts(held, bounds)
    encoded = call_function("dictionary_encode", [_joined(parts)])
    return filled(encoded.indices, 0).astype(np.int64), texts(encoded.dictionary)


def _joined(parts: Sequence[Array]) -> Array:
    filled_parts = [part for part in parts if len(part)] or parts[:1]
    return filled_parts[0] if len(filled_parts) == 1 else pa.concat_arrays(filled_parts)


def _field(records: Any, name: str) -> Array:  # noqa: ANN401 - of an array of records
    field: Array = records.field(name)
    return field


def texts(column: Array) -> Texts:
    """Texts of a column; a null is empty."""
    if column.null_count:
        column = call_function("coalesce", [column, _EMPTY])
    _, bounds, content = column.buffers()
    if bounds is None or not len(column):
        return Texts(b"", np.zeros(len(column) + 1, np.int64))
    begin = column.offset
    offsets = np.frombuffer(memoryview(bounds), np.int32)[begin : begin + len(column) + 1].astype(
        np.int64
    )
    first, last = int(offsets[0]), int(offsets[-1])
    buffer = b"" if content is None else content.slice(first, last - first).to_pybytes()
    return Texts(buffer, offsets - first)
