"""A call in a thread, and its exception."""

from __future__ import annotations

import os
import signal
import threading
import time
import weakref
from threading import Event, Thread, Timer
from typing import TYPE_CHECKING

import pytest

from trajmeter.system.background import Background

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_the_caller_continues_until_it_needs_the_result() -> None:
    may_end, ended = Event(), Event()

    def call() -> None:
        may_end.wait()
        ended.set()

    background = Background(call, "a call")
    assert not ended.is_set()
    may_end.set()
    background.result()
    assert ended.is_set()


def test_an_exception_is_raised_whenever_the_result_is_requested() -> None:
    def call() -> None:
        raise KeyError("a")

    background = Background(call, "a call")
    background.join()
    for _ in range(2):
        with pytest.raises(KeyError, match="a"):
            background.result()


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Let SIGINT raise, also where the shell that started the tests ignores it."""
    earlier = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, earlier)


@pytest.mark.usefixtures("interrupts")
@pytest.mark.skipif(os.name == "nt", reason="the signal would end the process")
def test_an_interrupted_wait_can_be_repeated() -> None:
    may_end = Event()

    def call() -> None:
        may_end.wait()

    background = Background(call, "a call")
    Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        background.join()
    Timer(0.1, may_end.set).start()
    background.join()
    assert may_end.is_set()


def test_a_call_is_released_when_it_has_ended() -> None:
    numbers = {1, 2}
    held = weakref.ref(numbers)
    background = Background(numbers.clear, "a call to release")
    background.join()
    assert not numbers
    del numbers
    while any(thread.name == "a call to release" for thread in threading.enumerate()):
        time.sleep(0.01)
    assert held() is None


def test_without_threads_the_call_runs_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    threads = []
    monkeypatch.setattr(Thread, "start", refuse)
    background = Background(lambda: threads.append(threading.current_thread()), "a call")
    assert threads == [threading.main_thread()]
    background.result()
