"""Memory of columns, as the writers of lines in Rust borrow it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pydantic_core import to_json

from trajmeter.shapes import Shape

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt
    import pyarrow as pa

    from trajmeter.shapes import Member

__all__ = ["Buffers", "buffers_of", "default_json", "parts"]

_PART_BYTES = 16 << 20

_KEY = Shape("text")


class Buffers(NamedTuple):
    """Memory of a column in Arrow's layout."""

    kind: str
    """Kind of its values; see :attr:`Shape.kind`."""
    valid: npt.NDArray[np.uint8] | None
    """Validity bitmap; ``None`` if no value is null."""
    first_bit: int
    """Index of the first value's bit."""
    offsets: npt.NDArray[np.int32] | None
    """Offsets of texts, lists and mappings."""
    values: npt.NDArray[Any] | None
    """Numbers, bits of booleans, or bytes of texts."""
    children: tuple[Buffers, ...]
    """Items of lists, keys and values of mappings, or members of records."""
    fields: tuple[tuple[str, str | None], ...]
    """The name of each member, and the JSON of its default where members are left out."""


def parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Split rows into parts of about ``_PART_BYTES``, whose text is held in memory."""
    rows = max(batch.num_rows * _PART_BYTES // max(batch.nbytes, 1), 1)
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


def buffers_of(
    batch: pa.RecordBatch, shapes: Sequence[Shape], *, omits: bool = False
) -> list[Buffers] | None:
    """Memory of every column; ``None`` if the type of one does not match its shape.

    Args:
        batch: The rows.
        shapes: The shape of each column.
        omits: Whether members that have their default or no value are left out.
    """
    if batch.schema.types != [shape.arrow_type() for shape in shapes]:
        return None
    columns = zip(batch.columns, shapes, strict=True)
    return [_buffers(array, shape, omits=omits) for array, shape in columns]


def default_json(member: Member) -> bytes:
    """JSON of the value that the absence of a member means."""
    return to_json(member.default)


def _buffers(array: Any, shape: Shape, *, omits: bool) -> Buffers:  # noqa: ANN401 - of any type
    valid, second, *rest = array.buffers()
    first, stop = array.offset, array.offset + len(array)
    offsets = values = None
    children: tuple[Buffers, ...] = ()
    if shape.kind == "record":
        children = tuple(
            _buffers(array.field(member.name), member.shape, omits=omits)
            for member in shape.members
        )
    elif shape.item is not None:
        offsets = _memory(second, np.int32)[first : stop + 1]
        is_list = shape.kind == "list"
        items = _buffers(array.values if is_list else array.items, shape.item, omits=omits)
        children = (items,) if is_list else (_buffers(array.keys, _KEY, omits=omits), items)
    elif shape.kind == "boolean":
        values = _memory(second, np.uint8)
    elif shape.kind == "integer":
        values = _memory(second, np.int64)[first:stop]
    elif shape.kind == "number":
        values = _memory(second, np.float64)[first:stop]
    else:
        offsets = _memory(second, np.int32)[first : stop + 1]
        values = _memory(rest[0], np.uint8)
    bits = _memory(valid, np.uint8) if array.null_count else None
    fields = tuple(
        (member.name, default_json(member).decode() if omits else None) for member in shape.members
    )
    return Buffers(shape.kind, bits, first, offsets, values, children, fields)


def _memory(buffer: Any, dtype: Any) -> npt.NDArray[Any]:  # noqa: ANN401 - stubs are imprecise
    if buffer is None or not buffer.size:
        return np.empty(0, dtype)
    count = buffer.size // np.dtype(dtype).itemsize
    return np.require(np.frombuffer(buffer, dtype, count), requirements=["ALIGNED"])
