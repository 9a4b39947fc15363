"""Bytes of a file up to an offset: none of them is dropped where the next cannot be read."""

from __future__ import annotations

import io
from itertools import cycle
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trajmeter.readers._files.bounded import Bounded

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Buffer

CONTENT = bytes(range(97, 123)) * 4


class _Pieces(io.RawIOBase):
    """Gives at most so many bytes at a time, and then an error in place of the rest."""

    def __init__(self, piece: int) -> None:
        self._piece = piece
        self._place = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        content = CONTENT[self._place :][: min(self._piece, len(memoryview(buffer)))]
        if not content:
            raise OSError("the disk is broken")
        memoryview(buffer)[: len(content)] = content
        self._place += len(content)
        return len(content)


@given(
    piece=st.integers(1, 120),
    ahead=st.integers(1, 120),
    taken=st.integers(0, 100),
    asked=st.lists(st.integers(1, 300), min_size=1),
)
@example(piece=120, ahead=110, taken=1, asked=[300])
def test_an_error_costs_nothing_that_was_read_before(
    piece: int, ahead: int, taken: int, asked: list[int]
) -> None:
    file: io.BufferedReader = io.BufferedReader(_Pieces(piece), ahead)
    held = Bounded(file, None, file.close)
    parts = [file.read(taken)]
    with pytest.raises(OSError, match="the disk is broken"):
        parts.extend(held.read(size) for size in cycle(asked))
    assert b"".join(parts) == CONTENT


@pytest.mark.parametrize("size", [None, 30])
def test_all_of_them_are_read_and_the_file_is_left(tmp_path: Path, size: int | None) -> None:
    path = tmp_path / "letters"
    path.write_bytes(CONTENT)
    left: list[bool] = []
    file = path.open("rb")
    file.seek(3)
    held = Bounded(file, size, lambda: left.append(True))
    assert held.readall() == CONTENT[3:][:size]
    assert held.seek(2) == 2
    assert held.read(4) == CONTENT[5:9]
    held.seek(0, io.SEEK_CUR)
    assert held.tell() == 6
    held.readall()
    held.close()
    assert (left, file.closed) == (([], True) if size is None else ([True], False))
    file.close()
