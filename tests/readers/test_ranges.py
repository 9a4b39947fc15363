"""Ranges of lines of files."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

from trajmeter.readers._files import ranges
from trajmeter.readers._files.ranges import LineRange, open_range

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


class _Shared(list[Any]):
    """Files that another thread takes before this one does."""

    def pop(self, *_: Any) -> Any:
        self.clear()
        return super().pop()


def test_another_thread_may_continue_in_the_file_that_was_left_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "lines.jsonl.gz"
    file.write_bytes(gzip.compress(b"1\n2\n3\n"))
    left = _Shared()
    monkeypatch.setattr(ranges, "_left", left)
    with open_range(file, LineRange(0, 2, 1)) as first:
        assert first.read() == b"1\n"
    file_left = left[0].file
    with open_range(file, LineRange(2, None, 2)) as rest:
        assert rest.read() == b"2\n3\n"
    file_left.close()
