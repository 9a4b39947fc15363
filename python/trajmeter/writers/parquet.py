"""Writes results tables as Parquet."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from trajmeter.schemas import require_pyarrow
from trajmeter.system.background import Background
from trajmeter.writers.arrow import arrow_schema, rows_batch, stored, stored_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from trajmeter.kernels import Int64Array
    from trajmeter.metrics import RowLayout

__all__ = ["ParquetWriter"]

_ROW_GROUP = 32_768
"""Rows per row group: enough for columns to compress well, few enough to hold in memory."""
_SINGLE_ROWS = 4_096
"""Rows written one by one that are collected before they are converted to columns."""
_TEXT_BYTES = 16 << 20
"""Bytes of text and lists after which a row group ends early, at the end of a chunk."""

_NUMBER_BYTES = 8
_CHUNK = 256
"""Rows per chunk; a row group ends only at the end of a chunk."""
_PAGE_ROWS = 128
"""Rows after which a page may end; the default, 1,024, can mean 50 MB of JSON. Tables to encode
consist of multiples of this many rows, so that pages do not depend on batches."""
_NAME_OF_ROWS = "source"
"""Column whose texts are all distinct: a dictionary would only cost space and time."""


class ParquetWriter:
    """Writes rows as Parquet, in row groups that do not depend on how the rows arrive.

    A row group is encoded and compressed in a thread while the next one is scored.

    Args:
        stream: Stream to write to.
        layout: Columns of the rows.

    Raises:
        ExtraMissingError: pyarrow is not installed.
    """

    def __init__(self, stream: BinaryIO, layout: RowLayout) -> None:
        require_pyarrow("Parquet files")
        self._schema = arrow_schema(layout)
        self._stored = stored_schema(self._schema)
        self._layout = layout
        self._writer = _file_writer(stream, self._stored)
        self._rows: list[Sequence[Any]] = []
        self._chunk_rows = min(_CHUNK, _ROW_GROUP)
        self._least_rows = min(_PAGE_ROWS, self._chunk_rows)
        self._pages: list[pa.Table] = []
        self._page_rows = 0
        self._text_bytes = 0
        self._parts: list[pa.RecordBatch] = []
        self._part_rows = 0
        self._encoding = Background("trajmeter-parquet")

    def write(self, values: Sequence[Any]) -> None:
        """Write one row."""
        self._rows.append(values)
        if len(self._rows) == min(_SINGLE_ROWS, _ROW_GROUP):
            self._gather_rows()

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Write rows in the columns of the layout's Arrow schema."""
        self._gather_rows()
        self._gather(stored(batch, self._stored))

    def describe(self, metadata: Mapping[str, str]) -> None:
        """Add metadata about the table."""
        self._writer.add_key_value_metadata(dict(metadata))

    def finish(self) -> None:
        """Write the last rows and the footer."""
        self._gather_rows()
        if self._parts:
            self._join_parts()
        if self._pages:
            self._encode_pages()
        self._encoding.result()
        self._writer.close()

    def abandon(self) -> None:
        """Keep pyarrow from closing the file at garbage collection, on a closed stream."""
        self._encoding.join()
        if hasattr(self._writer, "is_open"):
            self._writer.is_open = False

    def _gather_rows(self) -> None:
        rows, self._rows = self._rows, []
        if rows:
            batch = rows_batch(self._layout, rows, self._schema)
            self._gather(stored(batch, self._stored))

    def _gather(self, batch: pa.RecordBatch) -> None:
        """Split a batch into whole pages, without copying, and pages into row groups.

        The remaining rows are held until the next batch completes their page.
        """
        first = self._least_rows - self._part_rows
        places = [0, *range(first, batch.num_rows, self._least_rows), batch.num_rows]
        texts = dict(zip(places, _text_bytes(batch, places), strict=True))
        start = 0
        while start < batch.num_rows:
            stop = self._stop(texts, start)
            self._parts.append(batch.slice(start, stop - start))
            self._part_rows += stop - start
            self._text_bytes += texts[stop] - texts[start]
            if self._part_rows % self._least_rows == 0:
                self._join_parts()
            start = stop

    def _stop(self, texts: Mapping[int, int], start: int) -> int:
        """The row before which to split a batch next.

        Args:
            texts: Bytes of text before each row at which a page may end, and at the batch's end.
            start: The row with which the part begins.
        """
        least, rows = self._least_rows, max(texts) - start
        if self._parts or rows < least:
            return start + min(rows, least - self._part_rows)
        room = _ROW_GROUP - self._page_rows
        first = start + self._chunk_rows - self._page_rows % self._chunk_rows
        full = texts[start] + _TEXT_BYTES - self._text_bytes
        for end in range(first, start + min(rows, room), self._chunk_rows):
            if texts[end] >= full:
                return end
        return start + min(rows // least * least, room)

    def _join_parts(self) -> None:
        """Combine the parts into whole pages, and end the row group if it is full."""
        import pyarrow as pa

        table = pa.Table.from_batches(self._parts)
        self._pages.append(table if len(self._parts) == 1 else table.combine_chunks())
        self._page_rows += self._part_rows
        self._parts = []
        self._part_rows = 0
        is_full = self._page_rows == _ROW_GROUP or self._text_bytes >= _TEXT_BYTES
        if is_full and self._page_rows % self._chunk_rows == 0:
            self._encode_pages()

    def _encode_pages(self) -> None:
        import pyarrow as pa

        self._encoding.result()  # before the next pages are joined
        table = pa.concat_tables(self._pages)
        self._pages = []
        self._page_rows = 0
        self._text_bytes = 0
        self._encoding.start(partial(self._encode, table))

    def _encode(self, table: pa.Table) -> None:
        self._writer.write_table(_with_whole_lists(table), _ROW_GROUP)


def _file_writer(stream: BinaryIO, schema: pa.Schema) -> Any:  # noqa: ANN401 - of either module
    """Create the encoder of tables.

    It avoids ``pyarrow.parquet``, which imports every file system and takes longer than writing a
    small table.
    """
    import pyarrow as pa

    repeating: list[str] = []
    compression: dict[str, str] = {}
    for field in schema:
        for leaf in _leaves(field.name, field.type):
            compression[leaf.path] = "snappy" if leaf.is_measured else "zstd"
            if field.name != _NAME_OF_ROWS and not leaf.is_measured:
                repeating.append(leaf.path)
    options: dict[str, Any] = {
        # The default pool may use huge pages, which take longer to clear than encoding takes.
        "memory_pool": pa.system_memory_pool(),
        "compression": compression,
        "write_batch_size": _PAGE_ROWS,
        "use_dictionary": repeating,
    }
    try:
        from pyarrow._parquet import ParquetWriter as Encoder

        return Encoder(stream, schema, writer_engine_version="V2", **options)
    except (ImportError, TypeError):  # a private module that may change
        from pyarrow.parquet import ParquetWriter as Writer

        return Writer(stream, schema, **options)


def _with_whole_lists(table: pa.Table) -> pa.Table:
    """Combine the chunks of list columns; some versions of pyarrow end a page with each chunk."""
    import pyarrow as pa

    for index, field in enumerate(table.schema):
        column = table.column(index)
        if pa.types.is_list(field.type) and column.num_chunks > 1:
            table = table.set_column(index, field, column.combine_chunks())
    return table


class _Leaf(NamedTuple):
    """A column of a file: values without structure."""

    path: str
    is_measured: bool
    """Whether it holds the numbers of records in lists, such as the speedups of benchmarks: almost
    all are distinct, and zstd takes longer to find out than to encode them."""


def _leaves(path: str, kind: Any, *, is_member: bool = False) -> Iterator[_Leaf]:  # noqa: ANN401 - the stubs know none of its attributes
    import pyarrow as pa

    if pa.types.is_list(kind):
        yield from _leaves(f"{path}.list.element", kind.value_type)
    elif pa.types.is_struct(kind):
        for field in kind:
            yield from _leaves(f"{path}.{field.name}", field.type, is_member=True)
    else:
        yield _Leaf(path, is_member and pa.types.is_floating(kind))


def _text_bytes(batch: pa.RecordBatch, places: Sequence[int]) -> list[int]:
    """Bytes of text and lists before each of these rows of a batch; other values are small."""
    import pyarrow as pa

    rows = np.array(places)
    total = np.zeros(len(rows), np.int64)
    for column in batch.columns:
        if column.type == pa.string() or pa.types.is_list(column.type):
            total += _bytes_before(column, rows)
    counted: list[int] = total.tolist()
    return counted


def _bytes_before(column: Any, places: Int64Array) -> Int64Array | int:  # noqa: ANN401 - an array of any type
    """Approximate bytes of the values before each of these places; 0 for a column of nulls."""
    import pyarrow as pa

    from trajmeter.arrays import field, present, ragged
    from trajmeter.arrays.text import text_memory

    if column.null_count == len(column):
        return 0
    if column.type == pa.string():
        return text_memory(column)[1][places].astype(np.int64)
    if pa.types.is_list(column.type):
        values, offsets = ragged(column)
        return _bytes_before(values, offsets[places])
    if pa.types.is_struct(column.type):
        return sum(_bytes_before(field(column, each.name), places) for each in column.type)
    if not column.null_count:
        return places * _NUMBER_BYTES
    # A null counts as 0 bytes, regardless of the other values in its batch.
    before = np.zeros(len(column) + 1, np.int64)
    np.cumsum(present(column), out=before[1:])
    return before[places] * _NUMBER_BYTES
