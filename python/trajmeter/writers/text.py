"""Text formats: JSON lines and CSV, one line per attempt."""

from __future__ import annotations

import csv
import io
from operator import itemgetter
from typing import TYPE_CHECKING, Any, BinaryIO

from pydantic_core import PydanticSerializationError, to_json

from trajmeter.writers.encodable import storable
from trajmeter.writers.lines import booleans, csv_lines, csv_row, json_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

    from trajmeter.metrics import RowLayout

__all__ = ["CsvWriter", "JsonLinesWriter", "csv_text", "json_lines_text"]


class JsonLinesWriter:
    """Writes rows as JSON lines in UTF-8, with every column.

    Missing values become null; infinities and NaN, which JSON lacks, become text.

    Args:
        stream: Stream to write to.
        layout: Columns of the rows.
    """

    def __init__(self, stream: BinaryIO, layout: RowLayout) -> None:
        self._stream = stream
        self._names = layout.names
        self._columns = layout.columns

    def write(self, values: Sequence[Any]) -> None:
        """Write one row."""
        row = dict(zip(self._names, values, strict=True))
        try:
            line = to_json(row, inf_nan_mode="strings")
        except PydanticSerializationError:
            line = to_json(storable(row), inf_nan_mode="strings")
        self._stream.write(line + b"\n")

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Write rows in the columns of the layout's Arrow schema."""
        for lines in json_lines(batch, self._columns):
            self._stream.write(lines)

    def finish(self) -> None:
        """Do nothing, because nothing is buffered."""

    def abandon(self) -> None:
        """Do nothing, because nothing is buffered."""


class CsvWriter:
    """Writes rows as CSV in UTF-8, with a header; a missing value is an empty field.

    Columns of lists and structures are omitted. Control characters are escaped, and text that a
    spreadsheet would run gets a leading ``'``, which :func:`trajmeter.text.from_cell` removes.

    Args:
        stream: Stream to write to.
        layout: Columns of the rows.
    """

    def __init__(self, stream: BinaryIO, layout: RowLayout) -> None:
        kept = [
            position for position, column in enumerate(layout.columns) if column.shape.is_scalar
        ]
        self._pick = itemgetter(*kept)
        self._columns = self._pick(layout.columns)
        self._booleans = booleans(self._columns)
        self._stream = stream
        self._text = io.TextIOWrapper(
            stream, encoding="utf-8", errors="backslashreplace", newline="", write_through=False
        )
        self._writer = csv.writer(self._text, lineterminator="\n")
        self._writer.writerow(self._pick(layout.names))

    def write(self, values: Sequence[Any]) -> None:
        """Write one row."""
        self._writer.writerow(csv_row(self._pick(values), self._booleans))

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Write rows in the columns of the layout's Arrow schema."""
        self._text.flush()
        for lines in csv_lines(batch, self._columns):
            self._stream.write(lines)

    def finish(self) -> None:
        """Write what is buffered and leave the stream open."""
        self._text.flush()
        self._text.detach()

    def abandon(self) -> None:
        """Do nothing; what is buffered is lost with the stream."""


def json_lines_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """Serialise rows as JSON lines."""
    return "".join(to_json(storable(row)).decode() + "\n" for row in rows)


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Serialise rows as CSV with a header and all columns; lists are joined by semicolons."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer.writerow(names)
    for row in rows:
        values = [row.get(name) for name in names]
        listed = [";".join(map(str, v)) if isinstance(v, (list, tuple)) else v for v in values]
        truths = [index for index, value in enumerate(listed) if isinstance(value, bool)]
        writer.writerow(csv_row(storable(listed), truths))
    return text.getvalue()
