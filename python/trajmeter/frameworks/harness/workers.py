"""Worker processes: run an agent in a separate process, which can be killed.

Code that blocks its event loop or holds the interpreter's lock cannot be stopped from within its
process. A worker serves one question at a time and is reused for the next; one that exceeds the
limit of a question is killed and replaced.
"""

from __future__ import annotations

import asyncio
import json
import pickle
import signal
import subprocess
import sys
import threading
import weakref
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from trajmeter.errors import ConfigurationError
from trajmeter.frameworks.harness.agents import AgentError
from trajmeter.frameworks.harness.calls import DeadlineExceededError, call
from trajmeter.frameworks.harness.responses import Response
from trajmeter.processes import kill_all, own_group
from trajmeter.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.frameworks.harness.agents import Document

__all__ = ["CANCEL_SECONDS", "END_SECONDS", "SETUP_SECONDS", "AgentWorkers", "Reply"]

SETUP_SECONDS = 600.0
"""Deadline of an agent's ingest and cleanup, which may build an index."""
CANCEL_SECONDS = 0.5
"""How long a worker waits for a cancelled question before it has to be killed."""
END_SECONDS = 5.0
"""How long threads that the agent leaves behind, such as an exporter's, may take to finish."""
_MARGIN_SECONDS = CANCEL_SECONDS + 0.5
"""How long after its limit a worker may reply that a question timed out."""

_PROGRAM = (
    "import json, sys; reference, path = json.loads(sys.argv.pop()); sys.path[:] = path; "
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


class _Worker:
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
        """Whether the process can receive requests."""
        return self.kill.alive and self._process.poll() is None

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
        """Let the process end by itself."""
        with suppress(OSError):
            cast("IO[bytes]", self._process.stdin).close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS + 1)

    def _write(self, data: bytes) -> None:
        stream = cast("IO[bytes]", self._process.stdin)
        with self._writing, suppress(OSError, ValueError):  # it has ended, so the reply is missing
            stream.write(data)
            stream.flush()


class AgentWorkers:
    """An agent in worker processes: one, and as many more as questions run concurrently.

    Each creates its own agent, which ingests the documents. Its working directory is the one in
    which these workers were created.

    Args:
        reference: The agent, as ``module:object``.
    """

    def __init__(self, reference: str) -> None:
        self._reference = reference
        self._folder = str(Path.cwd())
        self._workers: list[_Worker] = []
        self._idle: list[_Worker] = []
        self._setup: tuple[object, ...] | None = None
        self._starting = asyncio.Lock()

    def load(self) -> Reply:
        """Start the first worker, and wait until its agent is loaded."""
        worker = self._start()
        try:
            reply = worker.read()
        except AgentError as error:
            reply = Reply(error=f"agent {self._reference!r}: {error}")
        if reply.error is None:
            self._idle.append(worker)
        return reply

    async def ingest(self, documents: Sequence[Document], settings: Mapping[str, Any]) -> None:
        """Prepare a worker, and those started later; called once per run.

        Raises:
            AgentError: The agent raised something, or its process ended.
        """
        self._starting = asyncio.Lock()  # of this event loop
        self._setup = (documents, settings)
        for worker in self._idle:
            worker.prepared = False
        self._idle.append(await self._ready())

    async def respond(self, question: str, *, timeout_seconds: float) -> Response:
        """Ask a question; work that exceeds the limit is stopped.

        Starting and preparing a worker is not part of the response's time.

        Args:
            question: The question.
            timeout_seconds: Its limit.

        Returns:
            The response, whatever the agent does.
        """
        try:
            worker = await self._ready()
            reply = await self._request(worker, "query", timeout_seconds, question)
        except DeadlineExceededError:
            return Response(seconds=timeout_seconds, timed_out=True)
        except (AgentError, ConfigurationError) as error:
            return Response(seconds=0.0, error=str(error))
        response = reply.response
        if response is None:
            return Response(seconds=0.0, error=reply.error)
        if response.working:
            worker.kill()
        else:
            self._idle.append(worker)
        return response

    async def cleanup(self) -> None:
        """Let every agent release what it prepared; called once per run.

        Raises:
            AgentError: One of them raised something.
        """
        used = [worker for worker in self._workers if worker.alive and worker.used]
        for worker in used:
            worker.used = worker.prepared = False
        replies = await asyncio.gather(
            *(self._request(worker, "cleanup", SETUP_SECONDS) for worker in used)
        )
        for reply in replies:
            if reply.error is not None:
                raise AgentError(reply.error)

    async def close(self) -> None:
        """Let every worker end by itself."""
        idle = [worker for worker in self._idle if worker.alive]
        self._idle = []
        ending = (call(worker.end, timeout_seconds=END_SECONDS + 2) for worker in idle)
        await asyncio.gather(*ending, return_exceptions=True)

    def kill(self) -> None:
        """Kill every worker that has not ended."""
        for worker in self._workers:
            worker.kill()
        self._workers, self._idle = [], []

    def _start(self) -> _Worker:
        worker = _Worker(self._reference, self._folder)
        self._workers = [*(other for other in self._workers if other.alive), worker]
        return worker

    async def _ready(self) -> _Worker:
        """A prepared, idle worker, which then belongs to the caller."""
        worker = self._take_idle()
        if worker is not None and worker.prepared:
            return worker
        async with self._starting:  # one after the other: they may build the same index
            if worker is None:
                worker = self._start()
                await self._loaded(worker)
            if self._setup is not None and not worker.prepared:
                worker.used = True
                reply = await self._request(worker, "ingest", SETUP_SECONDS, *self._setup)
                if reply.error is not None:
                    self._idle.append(worker)
                    raise AgentError(reply.error)
            worker.used = worker.prepared = True
        return worker

    async def _loaded(self, worker: _Worker) -> None:
        try:
            loaded = await call(worker.read, timeout_seconds=SETUP_SECONDS)
        except BaseException:
            worker.kill()
            raise
        if loaded.error is not None:
            raise AgentError(loaded.error)

    def _take_idle(self) -> _Worker | None:
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
        return None

    async def _request(
        self, worker: _Worker, name: str, seconds: float, *arguments: object
    ) -> Reply:
        asking = asyncio.ensure_future(
            call(
                worker.request, name, seconds, *arguments, timeout_seconds=seconds + _MARGIN_SECONDS
            )
        )
        try:
            return cast("Reply", await asyncio.shield(asking))
        except DeadlineExceededError:
            worker.kill()
            raise
        except asyncio.CancelledError:
            asking.add_done_callback(_ignore)
            with suppress(DeadlineExceededError):
                await call(worker.cancel, timeout_seconds=CANCEL_SECONDS)
            done, _ = await asyncio.wait({asking}, timeout=2 * _MARGIN_SECONDS)
            if not done:
                worker.kill()
            raise


def _ignore(task: asyncio.Future[Any]) -> None:
    if not task.cancelled():
        task.exception()


def _ending(code: int) -> str:
    """How a process ended, in words."""
    if code < 0:
        with suppress(ValueError):
            return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a worker and the programs that it started, without waiting for them."""
    if process.poll() is None:
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
