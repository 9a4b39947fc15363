"""Runs calls in a thread while the caller continues.

Unlike :mod:`concurrent.futures`, it imports no logging, which takes longer than scoring a small
file. An executor would also refuse new calls while a program ends, although it waits for threads
that are still scoring.
"""

from __future__ import annotations

import os
from queue import SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Background"]


class Background:
    """Runs one call after another in a thread, or at once where no thread can be started.

    The thread waits for the next call, because starting another can take as long as a short call:
    the caller would wait until it runs. A call and what it holds are released when it has ended.
    A program that ends does not wait for a call; :meth:`result` or :meth:`join` does.

    Args:
        name: Name of the thread.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._calls: _Calls | None = None
        self._process = 0
        self._latest: _Call | None = None

    def __del__(self) -> None:
        if self._calls is not None:
            self._calls.put(None)

    def start(self, function: Callable[[], None]) -> None:
        """Wait until the earlier call has ended, raise its exception, if any, and run this one."""
        self.result()
        call = _Call(function)
        if self._calls is None or self._process != os.getpid():  # a fork does not copy the thread
            calls: _Calls = SimpleQueue()
            thread = Thread(target=_run, args=(calls,), name=self._name, daemon=True)
            try:
                thread.start()
            except RuntimeError:
                call.run()
                self._latest = call
                return
            self._calls, self._process = calls, os.getpid()
        self._latest = call  # last, because join() would wait forever for a call that never runs
        self._calls.put(call)

    def join(self) -> None:
        """Wait until the latest call has ended, however it ended."""
        if self._latest is not None:
            self._latest.has_ended.wait()

    def result(self) -> None:
        """Wait until the latest call has ended, and raise its exception, if any."""
        self.join()
        if self._latest is not None and self._latest.error is not None:
            raise self._latest.error


class _Call:
    """A call, and how it ended."""

    def __init__(self, function: Callable[[], None]) -> None:
        self._function: Callable[[], None] | None = function
        self.error: BaseException | None = None
        # Until Python 3.13, an interrupted Thread.join() does not wait when it is called again.
        self.has_ended = Event()

    def run(self) -> None:
        function, self._function = self._function, None
        try:
            if function is not None:
                function()
        except BaseException as error:  # noqa: BLE001 - raised where the result is needed
            self.error = error
        finally:
            del function
            self.has_ended.set()


_Calls: TypeAlias = "SimpleQueue[_Call | None]"
"""Calls to run; ``None`` ends the thread."""


def _run(calls: _Calls) -> None:
    while (call := calls.get()) is not None:
        call.run()
        del call
