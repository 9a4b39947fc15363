"""Worker processes: run an agent in a separate process, which can be killed.

Code that blocks its event loop or holds the interpreter's lock cannot be stopped from within its
process. A worker serves one question at a time and is reused for the next; one that exceeds the
limit of a question is killed and replaced.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from trajmeter.errors import ConfigurationError
from trajmeter.frameworks.harness.agents import AgentError
from trajmeter.frameworks.harness.calls import DeadlineExceededError, call
from trajmeter.frameworks.harness.responses import Response
from trajmeter.frameworks.harness.worker import CANCEL_SECONDS, END_SECONDS, Reply, Worker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.frameworks.harness.agents import Document

__all__ = ["SETUP_SECONDS", "AgentWorkers"]

SETUP_SECONDS = 600.0
"""Deadline of an agent's ingest and cleanup, which may build an index."""
_MARGIN_SECONDS = CANCEL_SECONDS + 0.5
"""How long after its limit a worker may reply that a question timed out."""


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
        self._workers: list[Worker] = []
        self._idle: list[Worker] = []
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

    def _start(self) -> Worker:
        worker = Worker(self._reference, self._folder)
        self._workers = [*(other for other in self._workers if other.alive), worker]
        return worker

    async def _ready(self) -> Worker:
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

    async def _loaded(self, worker: Worker) -> None:
        try:
            loaded = await call(worker.read, timeout_seconds=SETUP_SECONDS)
        except BaseException:
            worker.kill()
            raise
        if loaded.error is not None:
            raise AgentError(loaded.error)

    def _take_idle(self) -> Worker | None:
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
        return None

    async def _request(
        self, worker: Worker, name: str, seconds: float, *arguments: object
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
