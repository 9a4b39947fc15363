"""Deadlines hold for coroutines and functions, well-behaved or not."""

from __future__ import annotations

import asyncio
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from tests.frameworks.harness import toys
from trajmeter.frameworks.harness.calls import AgentStoppedError, DeadlineExceededError, call

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("function", [toys.plain, toys.fields])
def test_functions_and_coroutines_return(function: Callable[..., Any]) -> None:
    got = asyncio.run(call(function, "q", timeout_seconds=5))
    assert "q" in (got if isinstance(got, str) else got["text"])


@pytest.mark.parametrize("kind", ["blocking", "stubborn"])
def test_nothing_holds_up_the_run_past_its_deadline(kind: str) -> None:
    may_end = threading.Event()

    def blocking(_: str) -> None:
        may_end.wait()

    async def stubborn(_: str) -> None:
        while not may_end.is_set():
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0.01)

    async def ask() -> None:
        with pytest.raises(DeadlineExceededError):
            await call(functions[kind], "q", timeout_seconds=0.05)
        may_end.set()

    functions: dict[str, Callable[..., Any]] = {"blocking": blocking, "stubborn": stubborn}
    asyncio.run(ask())  # if it is held up, fails by the time limit of a test


def test_exceptions_of_a_function_propagate() -> None:
    def fail(_: str) -> None:
        raise LookupError("gone")

    def stop(_: str) -> None:
        raise StopIteration

    with pytest.raises(LookupError, match="gone"):
        asyncio.run(call(fail, "q", timeout_seconds=5))
    with pytest.raises(RuntimeError, match="StopIteration"):
        asyncio.run(call(stop, "q", timeout_seconds=5))


async def leave(_: str) -> None:
    sys.exit(3)


def leave_thread(_: str) -> None:
    sys.exit(3)


async def cancel(_: str) -> None:
    raise asyncio.CancelledError


async def raise_base(_: str) -> None:
    raise BaseException("odd")  # noqa: TRY002 - what is not to pass


def interrupt_thread(_: str) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("function", [leave, leave_thread, cancel, raise_base, interrupt_thread])
def test_an_agent_cannot_end_the_run(function: Callable[..., Any]) -> None:
    with pytest.raises(AgentStoppedError):
        asyncio.run(call(function, "q", timeout_seconds=5))


async def endless(_: str) -> None:
    while True:
        try:
            await asyncio.sleep(0.05)
        except asyncio.CancelledError:
            continue


def test_a_coroutine_that_never_ends_does_not_keep_the_program_from_ending() -> None:
    async def ask() -> None:
        with pytest.raises(DeadlineExceededError):
            await call(endless, "q", timeout_seconds=0.05)

    runner = threading.Thread(target=asyncio.run, args=(ask(),), daemon=True)
    runner.start()
    runner.join(timeout=60)
    assert not runner.is_alive()


async def _interrupted(function: Callable[..., Any]) -> None:
    begun = asyncio.Event()

    async def begin(question: str) -> None:
        begun.set()
        await function(question)

    asking = asyncio.ensure_future(call(begin, "q", timeout_seconds=60))
    await begun.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


def test_a_coroutine_that_never_ends_does_not_keep_the_program_from_being_interrupted() -> None:
    runner = threading.Thread(target=asyncio.run, args=(_interrupted(endless),), daemon=True)
    runner.start()
    runner.join(timeout=60)
    assert not runner.is_alive()


def test_an_interrupted_coroutine_may_tidy_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trajmeter.frameworks.harness.calls._CLEANUP_SECONDS", 60.0)
    tidied = []

    async def tidy(_: str) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.05)
            tidied.append(True)

    asyncio.run(_interrupted(tidy))
    assert tidied == [True]
