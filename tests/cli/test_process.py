from __future__ import annotations

import signal
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from trajmeter.cli import _main
from trajmeter.cli._process import terminating_as_interrupted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType


@pytest.fixture
def handle() -> Iterator[Callable[..., object]]:
    """Set a handler until the end of the test."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield signal.signal
    for number, handler in before.items():
        signal.signal(number, handler)


def _raised() -> tuple[bool, bool]:
    """Whether SIGTERM raised what Ctrl-C does, and whether it is known to have come."""
    raised = False
    with terminating_as_interrupted() as termination:
        try:
            signal.raise_signal(signal.SIGTERM)
        except KeyboardInterrupt:
            raised = True
    return raised, termination.requested


@pytest.mark.parametrize("interrupts", [signal.default_int_handler, signal.SIG_IGN])
def test_it_is_taken_as_an_interrupt_even_where_those_are_ignored(
    handle: Callable[..., object], interrupts: object
) -> None:
    handle(signal.SIGTERM, signal.SIG_DFL)
    handle(signal.SIGINT, interrupts)
    assert _raised() == (True, True)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) is interrupts


def test_another_handler_stays(handle: Callable[..., object]) -> None:
    seen: list[int] = []

    def own(number: int, _frame: FrameType | None) -> None:
        seen.append(number)

    handle(signal.SIGTERM, own)
    assert _raised() == (False, False)
    assert seen == [signal.SIGTERM]
    handle(signal.SIGTERM, signal.SIG_IGN)
    assert _raised() == (False, False)


@pytest.mark.parametrize(
    ("message", "is_terminated", "code"),
    [
        ('Error building "enum" validator:\n  KeyboardInterrupt: ', False, 130),
        ('Error building "enum" validator:\n  KeyboardInterrupt: ', True, 143),
        ("", True, 143),
        ("", False, 3),
    ],
)
def test_an_interrupt_that_a_library_turned_into_an_error_is_one(
    monkeypatch: pytest.MonkeyPatch, message: str, is_terminated: bool, code: int
) -> None:
    def run(_: object, _settings: object) -> int:
        if is_terminated:
            with suppress(KeyboardInterrupt):
                signal.raise_signal(signal.SIGTERM)
        raise RuntimeError(message)

    monkeypatch.setattr(_main, "_run", run)
    assert _main.main([]) == code
