"""Calling an agent under a deadline, whether its methods are coroutines or plain functions."""

from __future__ import annotations

import asyncio
import inspect
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["DeadlineExceededError", "call"]


class DeadlineExceededError(Exception):
    """The deadline passed before the agent returned."""


async def call(function: Callable[..., Any], *arguments: object, timeout_seconds: float) -> Any:  # noqa: ANN401 - the agent decides what it returns
    """Call an agent's method and wait for it until the deadline.

    A coroutine is cancelled at the deadline, and not waited for: one that swallows its cancellation
    cannot hold up the run. A plain function runs in a thread of its own, which nothing can stop: at
    the deadline its result is dropped, and the thread never keeps the process from ending.

    Args:
        function: The method.
        arguments: Its arguments.
        timeout_seconds: The deadline.

    Returns:
        What the method returns.

    Raises:
        DeadlineExceededError: The deadline passed.
        Exception: Whatever the method raises.
    """
    task = asyncio.ensure_future(_invoke(function, arguments))
    try:
        done, _ = await asyncio.wait({task}, timeout=timeout_seconds)
    except asyncio.CancelledError:
        task.cancel()
        raise
    if not done:
        task.cancel()
        task.add_done_callback(_ignore)
        raise DeadlineExceededError
    return task.result()


async def _invoke(function: Callable[..., Any], arguments: tuple[object, ...]) -> Any:  # noqa: ANN401 - as above
    if inspect.iscoroutinefunction(function):
        return await function(*arguments)
    result = await _in_thread(function, arguments)
    return await result if inspect.isawaitable(result) else result


async def _in_thread(function: Callable[..., Any], arguments: tuple[object, ...]) -> Any:  # noqa: ANN401 - as above
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[Any] = loop.create_future()

    def settle(method: Callable[[Any], None], value: object) -> None:
        if not outcome.done():
            method(value)

    def run() -> None:
        try:
            value = function(*arguments)
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever awaits
            # StopIteration cannot be set on a future.
            raised = RuntimeError(repr(error)) if isinstance(error, StopIteration) else error
            _report(loop, settle, outcome.set_exception, raised)
        else:
            _report(loop, settle, outcome.set_result, value)

    threading.Thread(target=run, name="trajmeter-agent", daemon=True).start()
    return await outcome


def _report(loop: asyncio.AbstractEventLoop, *call: Any) -> None:  # noqa: ANN401 - passed on
    if not loop.is_closed():
        loop.call_soon_threadsafe(*call)


def _ignore(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()
