"""Worker processes that exchange pickled objects with this process over pipes.

They do not use :mod:`multiprocessing`, which would run the program's main module again.
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

from trajmeter.system import locks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from typing_extensions import Self

__all__ = [
    "WITHOUT_FOLDER",
    "Replies",
    "WorkerEndedError",
    "WorkerProcess",
    "kill_all",
    "own_group",
    "portable",
    "requests",
    "send",
]

WITHOUT_FOLDER = "import sys; sys.path[:] = filter(None, sys.path); "
"""Begins a program that imports nothing from the folder it runs in, which may be anyone's."""

_PROGRAM = (
    f"{WITHOUT_FOLDER}import importlib, json; name, sys.path[:] = json.loads(sys.argv.pop()); "
    "importlib.import_module(name).main()"
)


class WorkerEndedError(Exception):
    """A process ended before it replied; the message says how it ended."""


def own_group() -> dict[str, Any]:
    """Arguments to start a process that Ctrl-C does not reach; the parent handles it."""
    if locks.WINDOWS:
        return {"creationflags": 0x200}  # CREATE_NEW_PROCESS_GROUP, defined on Windows only
    return {"start_new_session": True}


def kill_all(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that has its own group, together with its child processes."""
    if locks.WINDOWS:
        folder = os.environ.get("SYSTEMROOT", r"C:\Windows")
        command = [rf"{folder}\System32\taskkill.exe", "/F", "/T", "/PID", str(process.pid)]
        with suppress(OSError):  # without taskkill, its children live on
            subprocess.run(command, check=False, capture_output=True)
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)


class WorkerProcess:
    """A process that runs the function ``main`` of a module; leaving the context kills it.

    It ends on its own when the program that started it ends.

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
        with suppress(BrokenPipeError):  # for data it has not read
            self._input.close()

    def kill(self) -> None:
        """Kill the process, from any thread; threads waiting for it see that it ended."""
        self._process.kill()

    def send(self, message: object) -> None:
        """Send an object; ignored if the process has ended, which receive() reports."""
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


def portable(error: Exception) -> Exception:
    """An exception in a form that can be pickled."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - written right here
    except Exception:  # noqa: BLE001 - whatever its class does
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def send(stream: IO[bytes], message: object) -> None:
    """Send an object and flush it."""
    pickle.dump(message, stream, pickle.HIGHEST_PROTOCOL)
    stream.flush()


class Replies:
    """Sends the replies of a worker process; thread-safe.

    Args:
        stream: The stream yielded by :func:`requests`.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lock = Lock()

    def send(self, reply: object) -> None:
        """Send an object and flush it."""
        with self._lock:
            send(self._stream, reply)


def requests() -> Iterator[tuple[object, IO[bytes]]]:
    """Yield the objects sent to a worker process, each with the stream for its replies.

    Anything printed while they are handled goes to stderr.
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
