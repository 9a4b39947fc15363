"""SIGTERM, by which schedulers and containers end a program: taken as Ctrl-C is."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

__all__ = ["Termination", "terminating_as_interrupted"]


@dataclass
class Termination:
    """Whether the program was told to end."""

    asked: bool = False
    """Whether SIGTERM has come."""


@contextmanager
def terminating_as_interrupted() -> Iterator[Termination]:
    """Let SIGTERM raise what Ctrl-C does, so that temporary files go and finished work stays.

    A handler that is there already stays, and so does the wish to ignore the signal.
    """
    termination = Termination()
    is_ours = (
        threading.current_thread() is threading.main_thread()  # others may set no handler
        and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    )

    def interrupt(_number: int, frame: FrameType | None) -> None:
        termination.asked = True
        # asyncio has one of its own while it runs, which lets coroutines tidy up.
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):
            handler(signal.SIGINT, frame)
        else:  # a program in the background ignores Ctrl-C
            raise KeyboardInterrupt

    if is_ours:
        signal.signal(signal.SIGTERM, interrupt)
    try:
        yield termination
    finally:
        if is_ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
