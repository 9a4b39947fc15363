"""A call in a thread, and its exception."""

from __future__ import annotations

import threading
from threading import Event, Thread

import pytest

from trajmeter.background import Background


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


def test_without_threads_the_call_runs_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    threads = []
    monkeypatch.setattr(Thread, "start", refuse)
    background = Background(lambda: threads.append(threading.current_thread()), "a call")
    assert threads == [threading.main_thread()]
    background.result()
