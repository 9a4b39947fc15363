"""Views of record batches: what the kernel reads of an attempt, without the record around it."""

from __future__ import annotations

from itertools import pairwise, repeat
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trajmeter.metrics.arrays import ROWS_AT_ONCE, coded, filled, flags, ragged
from trajmeter.records import Extent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trajmeter.metrics.arrays import Array

__all__ = ["ViewedRow", "viewed_rows"]


class _View(NamedTuple):
    """A view as the columns have it; the fields are those of :class:`trajmeter.records.View`."""

    path: str
    extent: str
    start: int | None
    end: int | None
    symbols: tuple[str, ...]
    listed: bool


class _Step(NamedTuple):
    """A turn that recorded views."""

    views: tuple[_View, ...]


class ViewedRow(NamedTuple):
    """What the context metrics score of an attempt."""

    steps: list[_Step]
    """The turns that recorded views, in their order."""
    final_views: tuple[_View, ...] | None
    """The context declared in the end, if there is one."""
    final_patch: str | None
    """The patch in the end, if there is one."""


def viewed_rows(rows: pa.RecordBatch) -> Iterator[ViewedRow]:
    """Yield the views and the final patch of every row.

    Args:
        rows: Valid rows in the columns of :func:`trajmeter.schemas.trajectory_schema`.
    """
    for start in range(0, rows.num_rows, ROWS_AT_ONCE):
        part = rows.slice(start, ROWS_AT_ONCE)
        yield from map(
            ViewedRow,
            _steps(part.column("turns")),
            _views(part.column("final_views")),
            part.column("final_patch").to_pylist(),
        )


def _steps(column: Array) -> Iterator[list[_Step]]:
    """Steps of each row, from its turns."""
    turns, offsets = ragged(column)
    views = pc.struct_field(turns, "views")
    is_step = flags(views.is_valid())
    # Turns without views are not steps; the steps after them move up.
    places = np.concatenate([[0], np.cumsum(is_step)])[offsets]
    steps = [_Step(seen) for seen in _views(views) if seen is not None]
    return (steps[start:stop] for start, stop in pairwise(places.tolist()))


def _views(column: Array) -> list[tuple[_View, ...] | None]:
    """Views of each list; ``None`` for a null."""
    values, offsets = ragged(column)
    path, extent, start, end, symbols, listed = (
        pc.struct_field(values, name) for name in _View._fields
    )
    fields = (
        _texts(path),
        _texts(extent.fill_null(Extent.UNKNOWN.value)),
        start.to_pylist(),
        end.to_pylist(),
        _symbols(symbols),
        listed.fill_null(pa.scalar(value=True)).to_pylist(),
    )
    # The symbols may be endless, where no view has any.
    views = list(map(_View._make, zip(*fields, strict=False)))
    listed_views = [tuple(views[start:stop]) for start, stop in pairwise(offsets.tolist())]
    if not column.null_count:
        return [*listed_views]
    is_there = flags(column.is_valid()).tolist()
    return [seen if there else None for seen, there in zip(listed_views, is_there, strict=True)]


def _texts(column: Array) -> list[str]:
    """Texts of a column without nulls; equal ones are one object, whose hash is known."""
    texts, codes = coded(column)
    return [texts[code] for code in codes.tolist()]


def _symbols(column: Array) -> Iterable[tuple[str, ...]]:
    """Names that each view asks for; endless where no view asks for any."""
    if not filled(pc.list_value_length(column), 0).any():
        return repeat(())
    values, offsets = ragged(column)
    names = _texts(values)
    return [tuple(names[start:stop]) for start, stop in pairwise(offsets.tolist())]
