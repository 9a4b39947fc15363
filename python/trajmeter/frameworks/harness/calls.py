"""Calls an agent with a deadline, whether its methods are coroutines or plain functions."""

from __future__ import annotations

import asyncio
import inspect
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["AgentStoppedError", "DeadlineExceededError", "call"]

_CLEANUP_SECONDS = 1.0
"""How long an interrupted coroutine may clean up."""


class DeadlineExceededError(Exception):
    """The deadline passed before the agent returned.

    Args:
        ended: Whether its work ended with its cancellation.
    """

    def __init__(self, *, ended: bool) -> None:
        super().__init__("the time limit was exceeded")
        self.ended = ended


class AgentStoppedError(RuntimeError):
    """The agent tried to end more than its own call, for example by ``sys.exit``."""


async def call(
    function: Callable[..., Any],
    *arguments: object,
    timeout_seconds: float,
    grace_seconds: float = 0.0,
) -> Any:  # noqa: ANN401 - the agent decides what it returns
    """Call an agent's method and wait for it until the deadline.

    A coroutine is cancelled at the deadline without waiting for it: one that ignores its
    cancellation delays neither the run nor its interruption. A plain function runs in a separate
    thread, which cannot be stopped: at the deadline its result is dropped, and the thread does not
    keep the process from exiting.

    Args:
        function: The method.
        arguments: Its arguments.
        timeout_seconds: The deadline.
        grace_seconds: How long to wait for a cancelled coroutine, to see whether it ends.

    Returns:
        What the method returns.

    Raises:
        DeadlineExceededError: The deadline passed.
        AgentStoppedError: The method raised something that would have ended the whole run.
        Exception: Anything else that the method raises.
    """
    threads: list[threading.Thread] = []
    task = asyncio.ensure_future(_invoke(function, arguments, threads))
    try:
        done, _ = await asyncio.wait({task}, timeout=timeout_seconds)
    except asyncio.CancelledError:
        _abandon(task)
        await asyncio.wait({task}, timeout=_CLEANUP_SECONDS)
        raise
    if not done:
        _abandon(task)
        await asyncio.wait({task}, timeout=grace_seconds)
        working = not task.done() or any(thread.is_alive() for thread in threads)
        raise DeadlineExceededError(ended=not working)
    if task.cancelled():
        raise AgentStoppedError("CancelledError")
    error = task.exception()
    if error is not None and not isinstance(error, Exception):
        raise AgentStoppedError(repr(error)) from error
    return task.result()


async def _invoke(
    function: Callable[..., Any], arguments: tuple[object, ...], threads: list[threading.Thread]
) -> Any:  # noqa: ANN401 - as above
    try:
        if inspect.iscoroutinefunction(function):
            return await function(*arguments)
        result = await _in_thread(function, arguments, threads)
        return await result if inspect.isawaitable(result) else result
    except SystemExit as error:  # asyncio would let it end the loop, and the run
        raise AgentStoppedError(repr(error)) from error


async def _in_thread(
    function: Callable[..., Any], arguments: tuple[object, ...], threads: list[threading.Thread]
) -> Any:  # noqa: ANN401 - as above
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[Any] = loop.create_future()

    def settle(method: Callable[[Any], None], value: object) -> None:
        if not outcome.done():
            method(value)

    def run() -> None:
        try:
            value = function(*arguments)
        except BaseException as error:  # noqa: BLE001 - raised where it is awaited
            # StopIteration cannot be set on a future; the others would end the run.
            ordinary = isinstance(error, Exception) and not isinstance(error, StopIteration)
            raised = error if ordinary else AgentStoppedError(repr(error))
            _report(loop, settle, outcome.set_exception, raised)
        else:
            _report(loop, settle, outcome.set_result, value)

    thread = threading.Thread(target=run, name="trajmeter-agent", daemon=True)
    threads.append(thread)
    thread.start()
    return await outcome


def _report(loop: asyncio.AbstractEventLoop, *call: Any) -> None:  # noqa: ANN401 - passed on
    if not loop.is_closed():
        loop.call_soon_threadsafe(*call)


def _abandon(task: asyncio.Task[Any]) -> None:
    """Cancel a task whose result is no longer awaited."""
    task.cancel()
    task.add_done_callback(_ignore)
    # asyncio.run waits at its end for every registered task, and this one may never end.
    asyncio.tasks._unregister_task(task)  # noqa: SLF001 - documented for extending asyncio
    task._log_destroy_pending = False  # type: ignore[attr-defined] # noqa: SLF001 - as gather


def _ignore(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()
