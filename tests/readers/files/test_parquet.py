"""Parquet files: what is read of them for their first row, and rows of several groups."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from trajmeter.errors import ReadError
from trajmeter.readers._files import parquet as parquet_files
from trajmeter.readers._files.parquet import first_row, open_parquet, row_groups
from trajmeter.readers._files.ranges import RowRange

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_ROWS = 200_000
_CUTS = [(0, 2), (1, 2), (3, 9)]


class _Counted(BytesIO):
    """A file that counts how often it is read, and the bytes that are read of it."""

    requests = 0
    bytes_read = 0

    def read(self, size: int | None = -1, /) -> bytes:
        found = super().read(size)
        self.requests += 1
        self.bytes_read += len(found)
        return found


def _wrapped(file: BytesIO) -> pa.PythonFile:
    return pa.PythonFile(file, mode="r")


def _file(table: pa.Table, *, group_rows: int = _ROWS) -> _Counted:
    written = BytesIO()
    parquet.write_table(
        table,
        written,
        use_dictionary=False,
        compression="none",
        row_group_size=group_rows,
        data_page_size=1 << 12,
    )
    return _Counted(written.getvalue())


def test_the_first_row_is_read_without_its_row_group() -> None:
    numbers = np.arange(_ROWS)
    file = _file(pa.table({"a": numbers, "b": numbers / 2.0}))
    size = len(file.getvalue())
    assert size > 2 * 8 * _ROWS
    opened = open_parquet(file)
    assert opened.num_row_groups == 1
    assert first_row(file, opened) == {"a": 0, "b": 0.0}
    # The footer, and the first pages of two columns.
    assert file.bytes_read < size / 8


@pytest.mark.parametrize(("rows", "is_remote"), [(500, False), (20_000, True)])
def test_a_small_or_remote_row_group_is_read_in_one_request(
    rows: int, is_remote: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_remote:  # pyarrow then gets another object than the file
        monkeypatch.setattr(parquet_files, "arrow_file", _wrapped)
    columns = {f"column_{number}": np.arange(rows) for number in range(60)}
    file = _file(pa.table(columns), group_rows=rows)
    opened = open_parquet(file)
    before = file.requests
    assert first_row(file, opened) == dict.fromkeys(columns, 0)
    assert file.requests - before <= 3


def test_a_file_without_rows_has_no_first_row() -> None:
    file = _file(pa.table({"a": pa.array([], pa.int64())}))
    assert first_row(file, open_parquet(file)) is None


def test_a_first_row_that_is_cut_off_is_none(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    whole = _file(pa.table({"a": np.arange(_ROWS)})).getvalue()
    path.write_bytes(whole[:4] + b"\xff" * 64 + whole[68:])
    with path.open("rb") as file:
        assert first_row(file, open_parquet(file)) is None


def _refused(_: BytesIO) -> BytesIO:
    raise OSError("gone")


def _emptied(_: BytesIO) -> BytesIO:  # opens by the footer that is known; its pages are gone
    return BytesIO()


@pytest.mark.parametrize("again", [_refused, _emptied])
def test_a_file_that_is_gone_has_no_first_row(
    again: Callable[[BytesIO], BytesIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = _file(pa.table({"a": [1]}))
    opened = open_parquet(file)
    monkeypatch.setattr(parquet_files, "arrow_file", again)
    assert first_row(file, opened) is None


@pytest.mark.parametrize(("first", "stop"), _CUTS)
def test_rows_are_read_within_a_range(first: int, stop: int) -> None:
    content = open_parquet(_file(pa.table({"a": [0, 1, 2, 3, 4]}), group_rows=2))
    found: list[int | None] = []
    for begin, rows in row_groups(content, rows=10, within=RowRange(first, stop)):
        assert not isinstance(rows, ReadError)
        assert begin == first + len(found)
        found += rows.column("a").to_pylist()
    assert found == [0, 1, 2, 3, 4][first:stop]
