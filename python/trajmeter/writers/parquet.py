"""Results tables as Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from trajmeter.schemas import require_pyarrow
from trajmeter.writers.arrow import arrow_schema, rows_batch

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
"""Rows that lie together in memory. Row groups and pages may end where they do, so it never depends
on batches."""
_PAGE_ROWS = 128
"""Rows after which a page may end: by default it is 1,024, which may be 50 MB of JSON."""


class ParquetWriter:
    """Writes rows as Parquet, in row groups that are the same however the rows arrive.

    A row group is encoded and compressed in a thread while the next one is scored.

    Args:
        stream: Where to write.
        layout: Columns of the rows.
        about: More metadata of the file.

    Raises:
        ExtraMissingError: pyarrow is not installed.
    """

    def __init__(
        self, stream: BinaryIO, layout: RowLayout, *, about: Mapping[str, str] | None = None
    ) -> None:
        require_pyarrow("Parquet files")
        from concurrent.futures import ThreadPoolExecutor

        from pyarrow import parquet

        self._schema = arrow_schema(layout)
        self._layout = layout
        self._about = about
        self._writer = parquet.ParquetWriter(
            stream, self._schema, compression="zstd", write_batch_size=_PAGE_ROWS
        )
        self._rows: list[Sequence[Any]] = []
        self._chunk_rows = min(_CHUNK, _ROW_GROUP)
        self._chunks: list[pa.Table] = []
        self._text_bytes = 0
        self._parts: list[pa.RecordBatch] = []
        self._room = self._chunk_rows
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
        self._gather(batch)

    def finish(self) -> None:
        """Write the last rows and the footer."""
        self._gather_rows()
        if self._parts:
            self._join_parts()
        if self._chunks:
            self._encode_chunks()
        self._wait()
        self._encoder.shutdown()
        if self._about is not None:
            self._writer.add_key_value_metadata(dict(self._about))
        self._writer.close()

    def abandon(self) -> None:
        """Keep pyarrow from closing the file when it is collected, on a stream that is closed."""
        self._encoder.shutdown(cancel_futures=True)
        self._writer.is_open = False

    def _gather_rows(self) -> None:
        rows, self._rows = self._rows, []
        if rows:
            self._gather(rows_batch(self._layout, rows, self._schema))

    def _gather(self, batch: pa.RecordBatch) -> None:
        """Cut a batch into chunks, and those into row groups; what is left over is held."""
        while batch.num_rows:
            part = batch.slice(0, self._room)
            self._parts.append(part)
            self._room -= part.num_rows
            if not self._room:
                self._join_parts()
            is_full = len(self._chunks) * self._chunk_rows == _ROW_GROUP
            if is_full or self._text_bytes >= _TEXT_BYTES:
                self._encode_chunks()
            batch = batch.slice(part.num_rows)

    def _join_parts(self) -> None:
        """Make a chunk of its parts; one that comes in one piece is not copied."""
        import pyarrow as pa

        table = pa.Table.from_batches(self._parts)
        self._chunks.append(table if len(self._parts) == 1 else table.combine_chunks())
        self._text_bytes += sum(map(_text_bytes, table.columns))
        self._parts = []
        self._room = self._chunk_rows

    def _encode_chunks(self) -> None:
        import pyarrow as pa

        self._wait()
        table = pa.concat_tables(self._chunks)
        self._chunks = []
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
