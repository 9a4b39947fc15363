"""Reading ahead: batches are prepared on a thread while others are used, and small ones joined."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, Queue
from threading import Event, Thread
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

__all__ = ["joined", "read_ahead"]

_MOST_ROWS = 10_000
_MOST_BYTES = 16 << 20

_ItemT = TypeVar("_ItemT")


class _End(NamedTuple):
    """What comes after the last item."""

    error: BaseException | None
    """What the items ended with, if not by themselves."""


def read_ahead(items: Iterable[_ItemT]) -> Iterator[_ItemT]:
    """Yield the items, in order, while the two that follow are made on a thread.

    An error is raised where the item would have come. A consumer that stops early has to close the
    iterator, as a ``for`` loop in a generator does when that one is closed; the thread then ends
    once the item it is at is made.
    """
    ready: Queue[_ItemT | _End] = Queue(maxsize=1)
    is_closed = Event()

    def work() -> None:
        end = _End(None)
        try:
            for item in items:
                ready.put(item)
                if is_closed.is_set():
                    return
        except BaseException as error:  # noqa: BLE001 - raised again by the consumer
            end = _End(error)
        ready.put(end)

    thread = Thread(target=work, name="trajmeter-reader", daemon=True)
    thread.start()
    try:
        while not isinstance(item := ready.get(), _End):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        is_closed.set()
        # Room for whatever the thread waits to hand over.
        while thread.is_alive():
            with suppress(Empty):
                ready.get_nowait()
            thread.join(timeout=0.01)


def joined(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Join batches to some thousand rows, or fewer where rows are large; none is empty.

    What a batch costs whatever its size, such as a call for each of a hundred columns, is then
    spread over many rows. A batch that is large enough by itself is not copied.
    """
    from trajmeter.arrays import together

    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        if held and (rows + batch.num_rows > _MOST_ROWS or size + batch.nbytes > _MOST_BYTES):
            yield together(held)
            held, rows, size = [], 0, 0
        held.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= _MOST_ROWS or size >= _MOST_BYTES:
            yield together(held)
            held, rows, size = [], 0, 0
    if held:
        yield together(held)
