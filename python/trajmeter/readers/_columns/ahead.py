"""Reads ahead: a thread prepares batches while others are used, and small ones are joined."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, Queue
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

__all__ = ["MOST_ROWS", "ReadAhead", "joined"]

MOST_ROWS = 10_000
"""Default number of rows in a batch."""
_MOST_BYTES = 16 << 20
_ENOUGH_BYTES = 4 << 20
"""From this size on, copying a batch costs more than its fixed overhead."""

_PATIENCE_SECONDS = 2.0
"""Seconds to wait for the thread to end; a blocked thread is left to end with the process."""

_ItemT = TypeVar("_ItemT")


class _End(NamedTuple):
    """Marks the end of the items."""

    error: BaseException | None
    """The error that ended the items, if any."""


class ReadAhead(Generic[_ItemT]):
    """Yields items in order while a thread prepares the next two.

    The thread starts immediately. An error is raised in place of the item it concerns. A consumer
    that stops early must call :meth:`close`; the thread then ends after its current item.
    """

    def __init__(self, items: Iterable[_ItemT]) -> None:
        self._ready: Queue[_ItemT | _End] = Queue(maxsize=1)
        self._is_closed = Event()
        self._thread = Thread(
            target=self._work, args=(items,), name="trajmeter-reader", daemon=True
        )
        self._thread.start()

    def __iter__(self) -> Iterator[_ItemT]:
        return self

    def __next__(self) -> _ItemT:
        if self._is_closed.is_set():
            raise StopIteration
        item = self._ready.get()
        if not isinstance(item, _End):
            return item
        self.close()
        raise item.error or StopIteration

    def close(self) -> None:
        """Stop the thread and wait briefly for it, as it may be blocked on a pipe."""
        self._is_closed.set()
        given_up = monotonic() + _PATIENCE_SECONDS
        # Make room for the item that the thread is waiting to hand over.
        while self._thread.is_alive() and monotonic() < given_up:
            with suppress(Empty):
                self._ready.get_nowait()
            self._thread.join(timeout=0.01)

    def _work(self, items: Iterable[_ItemT]) -> None:
        end = _End(None)
        try:
            for item in items:
                self._ready.put(item)
                if self._is_closed.is_set():
                    return
        except BaseException as error:  # noqa: BLE001 - raised again in the consumer
            end = _End(error)
        self._ready.put(end)


def joined(batches: Iterable[pa.RecordBatch], most: int = MOST_ROWS) -> Iterator[pa.RecordBatch]:
    """Join batches into some thousand rows, fewer if rows are large; none is empty.

    This spreads the fixed cost of a batch, such as a call for each of a hundred columns, over many
    rows. A batch that is large enough already is not copied.

    Args:
        batches: The batches.
        most: Maximum number of rows in a batch.
    """
    from trajmeter.arrays import concatenated_batches

    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in _sliced(batches, most):
        own = batch.nbytes  # nbytes adds up the buffers of a hundred columns on every call
        is_enough = own >= _ENOUGH_BYTES
        if held and (is_enough or rows + batch.num_rows > most or size + own > _MOST_BYTES):
            yield concatenated_batches(held)
            held, rows, size = [], 0, 0
        held.append(batch)
        rows += batch.num_rows
        size += own
        if is_enough or rows >= most or size >= _MOST_BYTES:
            yield concatenated_batches(held)
            held, rows, size = [], 0, 0
    if held:
        yield concatenated_batches(held)


def _sliced(batches: Iterable[pa.RecordBatch], most: int) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for start in range(0, batch.num_rows, most):
            yield batch.slice(start, most)
