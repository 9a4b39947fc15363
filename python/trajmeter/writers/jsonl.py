"""JSON lines: one object for each attempt, with every column, missing values as null."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from pydantic_core import PydanticSerializationError, to_json

from trajmeter.writers.table import storable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.metrics import RowLayout

__all__ = ["JsonLinesWriter"]


class JsonLinesWriter:
    """Writes rows as JSON lines in UTF-8; infinities and NaN, which JSON lacks, as text.

    Args:
        stream: Where to write.
        layout: Columns of the rows.
    """

    def __init__(self, stream: BinaryIO, layout: RowLayout) -> None:
        self._stream = stream
        self._names = layout.names

    def write(self, values: Sequence[Any]) -> None:
        """Write one row."""
        row = dict(zip(self._names, values, strict=True))
        try:
            line = to_json(row, inf_nan_mode="strings")
        except PydanticSerializationError:
            line = to_json(storable(row), inf_nan_mode="strings")
        self._stream.write(line + b"\n")

    def finish(self) -> None:
        """Nothing is held back."""

    def abandon(self) -> None:
        """Nothing is held back."""
