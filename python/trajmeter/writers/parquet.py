"""Results tables as Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from trajmeter.schemas import require_pyarrow
from trajmeter.writers.arrow import arrow_schema, rows_batch, stored, stored_schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Future

    import pyarrow as pa

    from trajmeter.metrics import RowLayout

__all__ = ["ParquetWriter"]

_ROW_GROUP = 16_384
"""Rows of one row group: enough for columns to compress, few enough to hold in memory."""
_TEXT_BYTES = 32 << 20
"""Bytes of text after which a row group ends before that, at the end of a chunk."""

_CHUNK = 1_024
"""Rows after which a row group may end."""
_PAGE_ROWS = 128
"""Rows after which a page may end: by default it is 1,024, which may be 50 MB of JSON. As many rows
lie together in memory, or a multiple of that, so that pages never depend on batches."""


class ParquetWriter:
    """Writes rows as Parquet, in row groups that are the same however the rows arrive.

    A row group is encoded and compressed in a thread while the next one is scored.

    Args:
        stream: Where to write.
        layout: Columns of the rows.

    Raises:
        ExtraMissingError: pyarrow is not installed.
    """

    def __init__(self, stream: BinaryIO, layout: RowLayout) -> None:
        require_pyarrow("Parquet files")
        from concurrent.futures import ThreadPoolExecutor

        from pyarrow import parquet

        self._schema = arrow_schema(layout)
        self._stored = stored_schema(self._schema)
        self._layout = layout
        self._writer = parquet.ParquetWriter(
            stream, self._stored, compression="zstd", write_batch_size=_PAGE_ROWS
        )
        self._rows: list[Sequence[Any]] = []
        self._chunk_rows = min(_CHUNK, _ROW_GROUP)
        self._least_rows = min(_PAGE_ROWS, self._chunk_rows)
        self._pages: list[pa.Table] = []
        self._page_rows = 0
        self._text_bytes = 0
        self._parts: list[pa.RecordBatch] = []
        self._part_rows = 0
        self._encoder = ThreadPoolExecutor(1, "trajmeter-parquet")
        self._encoded: Future[None] | None = None

    def write(self, values: Sequence[Any]) -> None:
        """Write one row."""
        self._rows.append(values)
        if len(self._rows) == _ROW_GROUP:
            self._gather_rows()

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Write rows in the columns of the layout's Arrow schema."""
        self._gather_rows()
        self._gather(stored(batch, self._stored))

    def describe(self, metadata: Mapping[str, str]) -> None:
        """Say more of the table in its metadata."""
        self._writer.add_key_value_metadata(dict(metadata))

    def finish(self) -> None:
        """Write the last rows and the footer."""
        self._gather_rows()
        if self._parts:
            self._join_parts()
        if self._pages:
            self._encode_pages()
        self._wait()
        self._encoder.shutdown()
        self._writer.close()

    def abandon(self) -> None:
        """Keep pyarrow from closing the file when it is collected, on a stream that is closed."""
        self._encoder.shutdown(cancel_futures=True)
        self._writer.is_open = False

    def _gather_rows(self) -> None:
        rows, self._rows = self._rows, []
        if rows:
            batch = rows_batch(self._layout, rows, self._schema)
            self._gather(stored(batch, self._stored))

    def _gather(self, batch: pa.RecordBatch) -> None:
        """Cut a batch into whole pages, which are not copied, and those into row groups.

        What is left over is held until the next batch makes a page of it.
        """
        while batch.num_rows:
            least = self._least_rows
            if self._parts or batch.num_rows < least:
                part = batch.slice(0, least - self._part_rows)
            else:
                room = self._chunk_rows - self._page_rows % self._chunk_rows
                part = batch.slice(0, min(room, batch.num_rows // least * least))
            self._parts.append(part)
            self._part_rows += part.num_rows
            if self._part_rows >= least:
                self._join_parts()
            batch = batch.slice(part.num_rows)

    def _join_parts(self) -> None:
        """Make whole pages of the parts, and end the row group if it is full."""
        import pyarrow as pa

        table = pa.Table.from_batches(self._parts)
        self._pages.append(table if len(self._parts) == 1 else table.combine_chunks())
        self._page_rows += self._part_rows
        self._text_bytes += sum(map(_text_bytes, table.columns))
        self._parts = []
        self._part_rows = 0
        is_full = self._page_rows == _ROW_GROUP or self._text_bytes >= _TEXT_BYTES
        if is_full and self._page_rows % self._chunk_rows == 0:
            self._encode_pages()

    def _encode_pages(self) -> None:
        import pyarrow as pa

        self._wait()
        table = pa.concat_tables(self._pages)
        self._pages = []
        self._page_rows = 0
        self._text_bytes = 0
        self._encoded = self._encoder.submit(self._writer.write_table, table, _ROW_GROUP)

    def _wait(self) -> None:
        """Wait for the row group that is being encoded; raises what went wrong with it."""
        encoded, self._encoded = self._encoded, None
        if encoded is not None:
            encoded.result()


def _text_bytes(column: pa.ChunkedArray[Any]) -> int:
    """Bytes of a column of texts; of others 0, as they take few."""
    import pyarrow as pa

    from trajmeter.arrays import text_bytes

    if column.type != pa.string():
        return 0
    bounds = [text_bytes(chunk).offsets for chunk in column.chunks]
    return sum(int(each[-1] - each[0]) for each in bounds)
