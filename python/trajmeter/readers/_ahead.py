"""Reading ahead: the next item is prepared on a thread while the current one is used."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, Queue
from threading import Event, Thread
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["read_ahead"]

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
