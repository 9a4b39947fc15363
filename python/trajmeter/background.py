"""Runs a call in a thread while the caller continues.

Unlike :mod:`concurrent.futures`, it imports no logging, which takes longer than scoring a small
file. An executor would also refuse new calls while a program ends, although it waits for threads
that are still scoring.
"""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Background"]


class Background:
    """A call that runs in a thread, or at once where no thread can be started.

    Args:
        call: The function to call.
        name: Name of the thread.
    """

    def __init__(self, call: Callable[[], None], name: str) -> None:
        self._call = call
        self._error: BaseException | None = None
        self._thread: Thread | None = Thread(target=self._run, name=name)
        try:
            self._thread.start()
        except RuntimeError:
            self._thread = None
            self._run()

    def join(self) -> None:
        """Wait until the call has ended, however it ended."""
        if self._thread is not None:
            self._thread.join()

    def result(self) -> None:
        """Wait until the call has ended, and raise its exception, if any."""
        self.join()
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        try:
            self._call()
        except BaseException as error:  # noqa: BLE001 - raised where the result is needed
            self._error = error
