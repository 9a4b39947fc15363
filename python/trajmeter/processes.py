"""Processes of our own that do a part of the work, and exchange pickled objects over pipes.

They are not of :mod:`multiprocessing`, which would run the main module of the program again.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
from contextlib import suppress
from threading import Lock
from typing import IO, TYPE_CHECKING, Any, cast

from trajmeter import locks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from typing_extensions import Self

__all__ = [
    "Replies",
    "WorkerEndedError",
    "WorkerProcess",
    "kill_all",
    "own_group",
    "requests",
    "send",
]

_PROGRAM = (
    "import importlib, json, sys; name, sys.path[:] = json.loads(sys.argv.pop()); "
    "importlib.import_module(name).main()"
)


class WorkerEndedError(Exception):
    """A process ended before it replied; the message is how."""


def own_group() -> dict[str, Any]:
    """Arguments of a process that Ctrl-C does not reach: it is for the program that started it."""
    if locks.WINDOWS:
        return {"creationflags": 0x200}  # CREATE_NEW_PROCESS_GROUP, which only Windows defines
    return {"start_new_session": True}


def kill_all(process: subprocess.Popen[bytes]) -> None:
    """Kill a process of its own group, and the programs that it started."""
    if locks.WINDOWS:
        folder = os.environ.get("SYSTEMROOT", r"C:\Windows")
        command = [rf"{folder}\System32\taskkill.exe", "/F", "/T", "/PID", str(process.pid)]
        with suppress(OSError):  # without the tool, what it started lives on
            subprocess.run(command, check=False, capture_output=True)
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)


class WorkerProcess:
    """A process that runs the function ``main`` of a module; leaving the context kills it.

    It ends by itself when the program that started it does.

    Args:
        module: Full name of the module.
    """

    def __init__(self, module: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, json.dumps([module, sys.path])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            **own_group(),
        )
        self._input = cast("IO[bytes]", self._process.stdin)
        self._output = cast("IO[bytes]", self._process.stdout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._output.close()
        with suppress(BrokenPipeError):  # of what it did not read any more
            self._input.close()

    def kill(self) -> None:
        """End the process, from whatever thread; who waits for it learns that it ended."""
        self._process.kill()

    def send(self, message: object) -> None:
        """Send an object; to a process that ended, whose reply is missing then, nothing."""
        with suppress(BrokenPipeError):
            send(self._input, message)

    def receive(self) -> object:
        """Wait for an object.

        Raises:
            WorkerEndedError: The process ended instead.
        """
        try:
            return pickle.load(self._output)  # noqa: S301 - from our own process
        except (EOFError, pickle.UnpicklingError):
            raise WorkerEndedError(str(self._process.wait())) from None


def send(stream: IO[bytes], message: object) -> None:
    """Send an object at once."""
    pickle.dump(message, stream, pickle.HIGHEST_PROTOCOL)
    stream.flush()


class Replies:
    """Sends the replies of a worker process, from whatever thread.

    Args:
        stream: As :func:`requests` gives it.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lock = Lock()

    def send(self, reply: object) -> None:
        """Send an object at once."""
        with self._lock:
            send(self._stream, reply)


def requests() -> Iterator[tuple[object, IO[bytes]]]:
    """Yield the objects that a worker process is sent, each with the stream for its replies.

    What is printed while they are handled goes to stderr.
    """
    replies = os.fdopen(os.dup(1), "wb")
    try:
        os.dup2(2, 1)
    except OSError:  # stderr is closed
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    while True:
        try:
            request = pickle.load(sys.stdin.buffer)  # noqa: S301 - only who started it writes to it
        except EOFError:
            return
        yield request, replies
