"""Reading ahead: batches are prepared on a thread while others are used, and small ones joined."""

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
"""Rows of a batch, where nobody says otherwise."""
_MOST_BYTES = 16 << 20
_ENOUGH_BYTES = 4 << 20
"""From here on, to copy a batch costs more than what a batch costs whatever its size."""

_PATIENCE_SECONDS = 2.0
"""A thread that has not ended by then waits for what may never come, and ends with the process."""

_ItemT = TypeVar("_ItemT")


class _End(NamedTuple):
    """What comes after the last item."""

    error: BaseException | None
    """What the items ended with, if not by themselves."""


class ReadAhead(Generic[_ItemT]):
    """Yields items in order, while the two that follow are made on a thread.

    The thread begins at once. An error is raised where the item would have come. A consumer that
    stops early has to call :meth:`close`; the thread then ends once the item it is at is made.
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
        """End the thread, and wait for that; not for long, as it may wait for a pipe."""
        self._is_closed.set()
        given_up = monotonic() + _PATIENCE_SECONDS
        # Room for whatever the thread waits to hand over.
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
        except BaseException as error:  # noqa: BLE001 - raised again by the consumer
            end = _End(error)
        self._ready.put(end)


def joined(batches: Iterable[pa.RecordBatch], most: int = MOST_ROWS) -> Iterator[pa.RecordBatch]:
    """Join batches to some thousand rows, or fewer where rows are large; none is empty.

    What a batch costs whatever its size, such as a call for each of a hundred columns, is then
    spread over many rows. A batch that is large enough by itself is not copied.

    Args:
        batches: The batches.
        most: Rows of a batch, at most.
    """
    from trajmeter.arrays import together

    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in _sliced(batches, most):
        own = batch.nbytes  # which adds up the buffers of a hundred columns at each call
        is_enough = own >= _ENOUGH_BYTES
        if held and (is_enough or rows + batch.num_rows > most or size + own > _MOST_BYTES):
            yield together(held)
            held, rows, size = [], 0, 0
        held.append(batch)
        rows += batch.num_rows
        size += own
        if is_enough or rows >= most or size >= _MOST_BYTES:
            yield together(held)
            held, rows, size = [], 0, 0
    if held:
        yield together(held)


def _sliced(batches: Iterable[pa.RecordBatch], most: int) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for start in range(0, batch.num_rows, most):
            yield batch.slice(start, most)
