"""Reads single rows of a Parquet file with all columns, beside a reader of some columns."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from trajmeter.errors import ReadError
from trajmeter.readers._files.parquet import row_groups
from trajmeter.readers._files.ranges import RowRange

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    from trajmeter.readers._files.parquet import Rows

__all__ = ["WholeRows"]

_ROWS = 64
"""Maximum number of rows in memory."""


class WholeRows:
    """The rows of a file with all columns; they must be requested in ascending order.

    A row group can only be read from its beginning, so it is read once, as far as it is needed.
    """

    def __init__(self, content: ParquetFile) -> None:
        self._content = content
        groups = map(content.metadata.row_group, range(content.num_row_groups))
        self._begins = [0, *accumulate(group.num_rows for group in groups)]
        self._end = 0
        """The row after the row group that is being read."""
        self._rows: Iterator[Rows] = iter(())
        self._current: Rows = (0, ReadError(""))
        self._next: Rows | None = None

    def row(self, number: int) -> pa.RecordBatch | ReadError:
        """Read the row of a number; an error if its row group cannot be read."""
        if number >= self._end:
            self._end = self._begins[bisect_right(self._begins, number)]
            within = RowRange(number, self._end)
            self._rows = row_groups(self._content, rows=_ROWS, within=within)
            self._next = next(self._rows, None)
        while self._next is not None and self._next[0] <= number:
            self._current = self._next
            self._next = next(self._rows, None)
        first, rows = self._current
        return rows if isinstance(rows, ReadError) else rows.slice(number - first, 1)
