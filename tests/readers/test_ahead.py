"""Items made on a thread: order, errors, and an end before the last."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from trajmeter.readers._ahead import read_ahead

if TYPE_CHECKING:
    from collections.abc import Iterator


def readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "trajmeter-reader"]


def test_items_come_in_order() -> None:
    assert list(read_ahead(range(100))) == list(range(100))
    assert list(read_ahead([])) == []
    assert readers() == []


def test_an_error_comes_in_its_place() -> None:
    def items() -> Iterator[int]:
        yield 1
        yield 2
        raise KeyError("three")

    ahead = read_ahead(items())
    assert [next(ahead), next(ahead)] == [1, 2]
    with pytest.raises(KeyError, match="three"):
        next(ahead)
    assert readers() == []


def test_few_items_are_made_ahead_and_none_after_the_end() -> None:
    made: list[int] = []

    def items() -> Iterator[int]:
        for number in range(1_000_000):
            made.append(number)
            yield number

    ahead = read_ahead(items())
    assert next(ahead) == 0
    ahead.close()  # type: ignore[attr-defined] # a generator
    assert readers() == []
    assert len(made) <= 5
