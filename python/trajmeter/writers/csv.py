"""CSV: one line for each attempt; columns of lists and structures are left out."""

from __future__ import annotations

import csv
import io
from operator import itemgetter
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.metrics import RowLayout

__all__ = ["CsvWriter"]


class CsvWriter:
    """Writes rows as CSV in UTF-8, with a header; a missing value is an empty field.

    Args:
        stream: Where to write.
        layout: Columns of the rows.
    """

    def __init__(self, stream: BinaryIO, layout: RowLayout) -> None:
        kept = [
            position for position, column in enumerate(layout.columns) if column.shape.is_scalar
        ]
        self._booleans = [
            index
            for index, position in enumerate(kept)
            if layout.columns[position].shape.kind == "boolean"
        ]
        self._pick = itemgetter(*kept)
        self._text = io.TextIOWrapper(
            stream, encoding="utf-8", errors="backslashreplace", newline="", write_through=False
        )
        self._writer = csv.writer(self._text, lineterminator="\n")
        self._writer.writerow(self._pick(layout.names))

    def write(self, values: Sequence[Any]) -> None:
        """Write one row."""
        row = list(self._pick(values))
        for index in self._booleans:
            if row[index] is not None:
                row[index] = "true" if row[index] else "false"
        self._writer.writerow(row)

    def finish(self) -> None:
        """Write what is buffered, and leave the stream open."""
        self._text.flush()
        self._text.detach()

    def abandon(self) -> None:
        """What is buffered goes with the stream."""
