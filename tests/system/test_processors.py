"""Processors of a process, and the threads it computes on."""

from __future__ import annotations

import pytest

from trajmeter.system.processors import THREADS, limited_threads, processors, threads


def test_there_is_a_processor() -> None:
    assert processors() >= 1


@pytest.mark.parametrize("said", [None, "", "0", "-1", "many"])
def test_threads_are_the_processors_unless_a_number_is_said(
    monkeypatch: pytest.MonkeyPatch, said: str | None
) -> None:
    monkeypatch.delenv(THREADS, raising=False)
    if said is not None:
        monkeypatch.setenv(THREADS, said)
    assert threads() == processors()
    with limited_threads(3):
        assert threads() == 3
