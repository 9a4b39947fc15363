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

    background = Background("a call")
    background.start(call)
    assert not ended.is_set()
    may_end.set()
    background.result()
    assert ended.is_set()


def test_an_exception_is_raised_whenever_the_result_is_requested() -> None:
    def call() -> None:
        raise KeyError("a")

    background = Background("a call")
    background.start(call)
    background.join()
    for _ in range(2):
        with pytest.raises(KeyError, match="a"):
            background.result()
    with pytest.raises(KeyError, match="a"):
        background.start(call)


def test_calls_run_one_after_another_in_one_thread() -> None:
    threads = []

    def call() -> None:
        time.sleep(0.01)
        threads.append(threading.current_thread())

    background = Background("a call")
    for _ in range(3):
        background.start(call)
    background.result()
    assert len(threads) == 3
    assert len({*threads}) == 1
    assert threads[0] is not threading.main_thread()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_starts_its_own_thread() -> None:
    background = Background("a call")
    background.start(lambda: None)
    background.result()
    child = os.fork()
    if not child:
        background.start(lambda: None)
        background.join()
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


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

    def wait() -> None:  # the interrupt may also come while its timer starts
        Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        background.join()

    background = Background("a call")
    background.start(call)
    with pytest.raises(KeyboardInterrupt):
        wait()
    Timer(0.1, may_end.set).start()
    background.join()
    assert may_end.is_set()


def test_a_call_is_released_when_it_has_ended() -> None:
    numbers = {1, 2}
    held = weakref.ref(numbers)
    background = Background("a call to release")
    background.start(numbers.clear)
    background.join()
    assert not numbers
    del numbers
    while held() is not None:  # fails by the time limit of a test
        time.sleep(0.01)


def test_the_thread_ends_with_its_owner() -> None:
    background = Background("a thread to end")
    background.start(lambda: None)
    background.result()
    del background
    while any(thread.name == "a thread to end" for thread in threading.enumerate()):
        time.sleep(0.01)


def test_without_threads_the_call_runs_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    threads = []
    monkeypatch.setattr(Thread, "start", refuse)
    background = Background("a call")
    background.start(lambda: threads.append(threading.current_thread()))
    assert threads == [threading.main_thread()]
    background.result()


def test_an_interrupted_start_leaves_no_call_to_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: Thread) -> None:
        raise KeyboardInterrupt

    background = Background("a call")
    with monkeypatch.context() as patched:
        patched.setattr(Thread, "start", interrupt)
        with pytest.raises(KeyboardInterrupt):
            background.start(lambda: None)
    background.join()  # fails by the time limit of a test
    background.start(lambda: None)
    background.result()
