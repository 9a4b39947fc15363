"""Converts the views of record batches to the columns that the kernel reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from trajmeter.arrays import call_function, filled, flags, present, ragged, raw_numbers
from trajmeter.arrays.text import coded, text_codes, text_memory, text_scalar
from trajmeter.kernels import EXTENTS, Texts, ViewArrays

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from trajmeter.arrays import Array, Ragged
    from trajmeter.kernels import BoolArray, Int64Array

__all__ = ["ViewedColumns", "in_one_step", "texts", "viewed_columns"]

_EMPTY = text_scalar("")
_UNKNOWN = EXTENTS.index("unknown")

_Number = TypeVar("_Number", bound=np.generic)

# The first letter identifies an extent; the length after any other letter is that of no text.
_LETTERS = [ord(name[0]) for name in EXTENTS]
_BY_LETTER = np.zeros(256, np.uint8)
_BY_LETTER[_LETTERS] = range(len(EXTENTS))
_LENGTHS = np.full(256, -1, np.int8)
_LENGTHS[_LETTERS] = [*map(len, EXTENTS)]


class ViewedColumns(NamedTuple):
    """Views of many attempts; the fields are the arguments of the ``context_batch`` kernel."""

    views: ViewArrays
    step_offsets: Int64Array
    row_offsets: Int64Array
    final_offsets: Int64Array
    has_final: BoolArray
    paths: Texts
    names: Texts


def viewed_columns(rows: pa.RecordBatch) -> ViewedColumns:
    """Collect the views of the steps and of the final context of every row.

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
    """Merge all steps of a row into one; their union is the same."""
    begins = viewed.row_offsets
    has_steps = np.diff(begins) > 0
    return viewed._replace(
        step_offsets=viewed.step_offsets[begins[np.append(has_steps, True)]],
        row_offsets=np.append(0, np.cumsum(has_steps)),
    )


def _views(seen: Ragged, declared: Ragged) -> tuple[ViewArrays, Texts, Texts]:
    """All views, those of final contexts last."""
    parts = [each.values for each in (seen, declared) if len(each.values)] or [seen.values]

    def fields(name: str) -> list[Array]:
        return [_field(part, name) for part in parts]

    def joined(
        make: Callable[[Array], npt.NDArray[Any]], name: str, kind: type[_Number]
    ) -> npt.NDArray[_Number]:
        # Arrow would allocate new memory on every call to join columns.
        made = [make(column) for column in fields(name)]
        is_one = len(made) == 1
        return made[0].astype(kind, copy=False) if is_one else np.concatenate(made, dtype=kind)

    path, paths = _numbered(fields("path"))
    lists = [ragged(column) for column in fields("symbols")]
    symbol, names = _numbered([each.values for each in lists])
    views = ViewArrays(
        path=path,
        extent=joined(_extents, "extent", np.int64),
        start=joined(raw_numbers, "start", np.int64),
        end=joined(raw_numbers, "end", np.int64),
        has_start=joined(present, "start", np.bool_),
        has_end=joined(present, "end", np.bool_),
        listed=joined(_listed, "listed", np.bool_),
        symbol=symbol,
        symbol_offsets=_continued([each.offsets for each in lists]),
    )
    return views, paths, names


def _extents(column: Any) -> npt.NDArray[np.uint8]:  # noqa: ANN401 - of texts
    """Index of each text in ``EXTENTS``."""
    if type(column) is pa.StringArray and not column.null_count and len(column):
        held, bounds = text_memory(column)
        letters = held.take(bounds[:-1], mode="clip")
        # Any other text would begin with another letter or have another length.
        if np.array_equal(_LENGTHS.take(letters), np.diff(bounds)):
            return _BY_LETTER.take(letters)
    found = coded(column)
    known = [EXTENTS.index(name) for name in found.texts]
    return np.array([*known, _UNKNOWN], np.uint8)[found.codes]


def _listed(column: Array) -> BoolArray:
    return flags(column) | ~present(column)


def _continued(parts: Sequence[Int64Array]) -> Int64Array:
    """Concatenate the offsets of consecutive parts."""
    if len(parts) == 1:
        return parts[0]
    first, second = parts
    whole = np.empty(len(first) + len(second) - 1, np.int64)
    whole[: len(first)] = first
    np.add(second[1:], first[-1], out=whole[len(first) :])
    return whole


def _numbered(parts: Sequence[Array]) -> tuple[Int64Array, Texts]:
    """Codes of texts, and the distinct texts; a null has the code 0."""
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
    """Texts of a column; a null becomes empty text."""
    if column.null_count:
        column = call_function("coalesce", [column, _EMPTY])
    held, bounds = text_memory(column)
    first, last = int(bounds[0]), int(bounds[-1])
    return Texts(held[first:last].tobytes(), np.subtract(bounds, first, dtype=np.int64))
