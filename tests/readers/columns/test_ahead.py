"""Items made on a thread, their order, errors and an early end; and batches that are joined."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from trajmeter.readers._columns.ahead import ReadAhead, joined

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def _threads_end() -> Iterator[None]:
    """Check that the threads of a test have ended."""
    earlier = {*threading.enumerate()}
    yield
    names = [thread.name for thread in {*threading.enumerate()} - earlier]
    assert "trajmeter-reader" not in names


@pytest.mark.usefixtures("_threads_end")
def test_items_come_in_order() -> None:
    assert list(ReadAhead(range(100))) == list(range(100))
    assert list(ReadAhead([])) == []


@pytest.mark.usefixtures("_threads_end")
def test_an_error_comes_in_its_place() -> None:
    def items() -> Iterator[int]:
        yield 1
        yield 2
        raise KeyError("three")

    ahead = ReadAhead(items())
    assert [next(ahead), next(ahead)] == [1, 2]
    with pytest.raises(KeyError, match="three"):
        next(ahead)


@pytest.mark.usefixtures("_threads_end")
def test_few_items_are_made_ahead_and_none_after_the_end() -> None:
    made: list[int] = []

    def items() -> Iterator[int]:
        for number in range(1_000_000):
            made.append(number)
            yield number

    ahead = ReadAhead(items())
    assert next(ahead) == 0
    ahead.close()
    assert list(ahead) == []
    assert len(made) <= 5


def batch(rows: int, *, text: str = "") -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"text": [text] * rows})


def _address(rows: pa.RecordBatch) -> int:
    """Where the offsets of the texts lie in memory."""
    offsets = rows.column(0).buffers()[1]
    assert offsets is not None
    return offsets.address


def test_small_batches_are_joined_and_full_ones_are_not_copied() -> None:
    full = batch(10_000)
    sizes = [batch(rows) for rows in (0, 1, 9_998, 0, 2, 5)]
    found = [*joined([*sizes, full, batch(0), batch(3)])]
    assert [each.num_rows for each in found] == [9_999, 7, 10_000, 3]
    assert _address(found[2]) == _address(full)
    assert list(joined([batch(0)])) == []
    assert [each.num_rows for each in joined([batch(12_000)])] == [10_000, 2_000]


def test_batches_of_large_rows_are_joined_to_some_megabytes() -> None:
    each = batch(1, text="x" * (3 << 20))
    assert [found.num_rows for found in joined([each] * 7)] == [5, 2]


def test_batches_of_some_megabytes_are_not_copied() -> None:
    small, large = batch(1), batch(2, text="x" * (3 << 20))
    found = [*joined([small, small, large, large, small])]
    assert [each.num_rows for each in found] == [2, 2, 2, 1]
    assert _address(found[1]) == _address(large)


def test_a_full_batch_does_not_wait_for_the_next() -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield batch(10_000)
        raise AssertionError("asked for another")

    assert next(joined(batches())).num_rows == 10_000
