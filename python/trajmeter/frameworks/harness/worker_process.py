"""The worker process: loads one agent, and executes the harness's requests.

Requests are pickles on stdin, replies are lines of JSON on what was stdout. Both are moved out of
the agent's reach before it is loaded: its output goes to stderr, and it has no input.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from trajmeter.errors import ConfigurationError
from trajmeter.frameworks.harness.agents import error_text
from trajmeter.frameworks.harness.calls import call
from trajmeter.frameworks.harness.loading import load_agent_here
from trajmeter.frameworks.harness.responses import respond
from trajmeter.frameworks.harness.worker import CANCEL_SECONDS, END_SECONDS, Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.frameworks.harness.agents import Agent

__all__ = ["main"]

_STDIN, _STDOUT, _STDERR = 0, 1, 2
_WAKING_SECONDS = 0.05
"""How often the loop wakes by itself: a process that an agent forked shares the pipe that wakes it,
and can take the byte that announces a request."""


def main(reference: str) -> None:
    """Serve one agent until the requests end.

    Args:
        reference: The agent, as ``module:object``.
    """
    requests, replies = _private_streams()
    worker = os.getpid()

    def write(reply: Reply) -> None:
        if os.getpid() != worker:  # the agent forked, and its copy would reply a second time
            os._exit(0)
        replies.write(reply.model_dump_json().encode() + b"\n")
        replies.flush()

    try:
        framework = load_agent_here(reference)
    except ConfigurationError as error:
        write(Reply(error=str(error)))
        return
    write(Reply(name=framework.name, source=str(framework.source) if framework.source else None))
    agent: Any = framework.agent  # of this process, not of workers
    asyncio.run(_serve(agent, requests, write))


async def _serve(agent: Agent, requests: BinaryIO, write: Callable[[Reply], None]) -> None:
    """Answer requests, several at once, until they end."""
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    working: set[asyncio.Task[Reply]] = set()

    def begin(request: tuple[Any, ...]) -> None:
        task = asyncio.ensure_future(_reply(agent, *request))
        working.add(task)
        task.add_done_callback(working.discard)
        task.add_done_callback(lambda done: write(_reply_of(done)))

    def cancel() -> None:
        for task in working:
            task.cancel()

    def read() -> None:
        with suppress(EOFError):
            while True:
                request = pickle.load(requests)  # noqa: S301 - from the parent process
                call_soon = loop.call_soon_threadsafe
                call_soon(cancel) if request is None else call_soon(begin, request)
        loop.call_soon_threadsafe(ended.set)
        _end()  # an agent that blocks the loop or leaves threads running is not waited for

    threading.Thread(target=read, name="trajmeter-requests", daemon=True).start()
    ending = asyncio.ensure_future(ended.wait())
    while not ending.done():
        await asyncio.wait({ending}, timeout=_WAKING_SECONDS)


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """The streams of requests and replies; stdin becomes empty, and stdout stderr."""
    requests, replies = os.fdopen(os.dup(_STDIN), "rb"), os.fdopen(os.dup(_STDOUT), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, _STDIN)
    os.close(nothing)
    os.dup2(_STDERR, _STDOUT)
    sys.stdout = sys.stderr  # unbuffered, so output of a killed process is not lost
    return requests, replies


async def _reply(agent: Agent, name: str, timeout_seconds: float, *arguments: Any) -> Reply:  # noqa: ANN401 - what the method takes
    if name == "query":
        asked = partial(respond, timeout_seconds=timeout_seconds, grace_seconds=CANCEL_SECONDS)
        return Reply(response=await asked(agent, *arguments))
    method = getattr(agent, name, None)
    if method is not None:
        try:
            await call(method, *arguments, timeout_seconds=timeout_seconds)
        except Exception as error:  # noqa: BLE001 - whatever the agent raises, and its deadline
            return Reply(error=error_text(error))
    return Reply()


def _reply_of(task: asyncio.Task[Reply]) -> Reply:
    return Reply(error="cancelled") if task.cancelled() else task.result()


def _end() -> NoReturn:
    time.sleep(END_SECONDS)
    os._exit(0)
