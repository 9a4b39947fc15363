"""A worker process as the harness sees it: it sends requests, reads replies, and kills it."""

from __future__ import annotations

import json
import pickle
import signal
import subprocess
import sys
import threading
import weakref
from contextlib import suppress
from typing import IO, cast

from pydantic import ValidationError

from trajmeter.errors import ConfigurationError
from trajmeter.frameworks.harness.agents import AgentError
from trajmeter.frameworks.harness.responses import Response
from trajmeter.records import Record
from trajmeter.system import locks
from trajmeter.system.processes import WITHOUT_FOLDER, kill_all, own_group

__all__ = ["CANCEL_SECONDS", "END_SECONDS", "Reply", "Worker"]

CANCEL_SECONDS = 0.5
"""How long a worker waits for a cancelled question before it has to be killed."""
END_SECONDS = 5.0
"""How long threads that the agent leaves behind, such as an exporter's, may take to finish."""

_PROGRAM = (
    f"{WITHOUT_FOLDER}import json; reference, sys.path[:] = json.loads(sys.argv.pop()); "
    "from trajmeter.frameworks.harness.worker_process import main; main(reference)"
)


class Reply(Record):
    """A worker's reply to its start or to a request."""

    error: str | None = None
    """What went wrong."""
    name: str = ""
    """Name of the agent, in reply to the start."""
    source: str | None = None
    """Source file of the agent, in reply to the start."""
    response: Response | None = None
    """Response of the agent, in reply to a question."""


class Worker:
    """One process. All methods except :meth:`kill` block."""

    used = False
    """Whether the agent may have something to clean up."""
    prepared = False
    """Whether it has ingested the documents of this run."""

    def __init__(self, reference: str, folder: str) -> None:
        # Not multiprocessing, which would run the main module of the program again.
        command = [sys.executable, "-c", _PROGRAM, json.dumps([reference, sys.path])]
        try:
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # Ctrl-C is handled by the harness, which tells the worker; its child processes end
                # with it.
                **own_group(),
            )
        except OSError as error:
            raise ConfigurationError(f"cannot start a worker process: {error}") from error
        self._writing = threading.Lock()
        self.kill = weakref.finalize(self, _kill, self._process)

    @property
    def alive(self) -> bool:
        """Whether the process can receive requests; programs left by an ended one are killed."""
        if self.kill.alive and self._process.poll() is not None:
            self.kill()  # now, before another process can have its id
        return self.kill.alive

    def read(self) -> Reply:
        """Wait for a reply.

        Raises:
            AgentError: The process ended instead.
        """
        with suppress(ValueError):  # closed, or not a reply
            line = cast("IO[bytes]", self._process.stdout).readline()
            with suppress(ValidationError):
                return Reply.model_validate_json(line)
        self.kill()
        code = self._process.wait()
        raise AgentError(f"the agent's process ended ({_ending(code)})")

    def request(self, *request: object) -> Reply:
        """Send a request to the agent, and wait for the reply.

        Raises:
            AgentError: The process ended, or the request cannot be sent.
        """
        try:
            self._write(pickle.dumps(request))
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise AgentError(f"cannot be sent to a worker process: {error}") from error
        return self.read()

    def cancel(self) -> None:
        """Let the agent end its current work; the request in progress then gets a reply."""
        self._write(pickle.dumps(None))

    def end(self) -> None:
        """Let the process end by itself, and kill what is left of it."""
        with suppress(OSError):
            cast("IO[bytes]", self._process.stdin).close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS + 1)
        self.kill()

    def _write(self, data: bytes) -> None:
        stream = cast("IO[bytes]", self._process.stdin)
        with self._writing, suppress(OSError, ValueError):  # it has ended, so the reply is missing
            stream.write(data)
            stream.flush()


def _ending(code: int) -> str:
    """How a process ended, in words."""
    if code < 0:
        with suppress(ValueError):
            return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a worker and the programs that it started, without waiting for them."""
    # Programs left by a worker that ended by itself are still in its group, and hold stderr open.
    if process.poll() is None or not locks.WINDOWS:
        with suppress(ProcessLookupError, PermissionError):
            kill_all(process)
    # A thread may be reading from the stream, and releases it only at end of file.
    with suppress(RuntimeError):  # the program is ending, and no thread can be started
        threading.Thread(target=_release, args=(process,), daemon=True).start()


def _release(process: subprocess.Popen[bytes]) -> None:
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
