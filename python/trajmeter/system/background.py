"""Runs a call in a thread while the caller continues.

Unlike :mod:`concurrent.futures`, it imports no logging, which takes longer than scoring a small
file. An executor would also refuse new calls while a program ends, although it waits for threads
that are still scoring.
"""

from __future__ import annotations

from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Background"]


class Background:
    """A call that runs in a thread, or at once where no thread can be started.

    The call and what it holds are released when it has ended.

    Args:
        call: The function to call.
        name: Name of the thread.
    """

    def __init__(self, call: Callable[[], None], name: str) -> None:
        self._error: BaseException | None = None
        # Until Python 3.13, an interrupted Thread.join() does not wait when it is called again.
        self._has_ended = Event()
        thread = Thread(target=self._run, args=(call,), name=name)
        try:
            thread.start()
        except RuntimeError:
            self._run(call)

    def join(self) -> None:
        """Wait until the call has ended, however it ended."""
        self._has_ended.wait()

    def result(self) -> None:
        """Wait until the call has ended, and raise its exception, if any."""
        self.join()
        if self._error is not None:
            raise self._error

    def _run(self, call: Callable[[], None]) -> None:
        try:
            call()
        except BaseException as error:  # noqa: BLE001 - raised where the result is needed
            self._error = error
        finally:
            self._has_ended.set()
