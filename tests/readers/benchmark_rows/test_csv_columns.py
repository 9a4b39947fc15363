"""Tables of benchmarks in CSV as record batches, beside reading them as records."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.readers.benchmark_rows.reading_columns import assert_never_as_records
from tests.readers.both_ways import as_batches, as_records
from trajmeter.readers.benchmark_rows import csv_columns

pytest.importorskip("pyarrow")

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.usefixtures("rust")

HEADER = ["task_id", "agent", "benchmark", "agent_nop", "significant", "test_failed", "tests"]
PLAIN = [
    ["t", "owl", "m.f(1, 'x')", "1.5", "True", "2", "passed"],
    ["t", "owl", "m.g", "3", "false", "", ""],
    ["t", "", "m.f(1, 'x')", "", "", "", "1"],
    ["u", "7", "é", "1e-3", "TRUE", "0", "passed"],
    ["t", "owl", "m.h", "2.25", "", "", ""],
]


def write(path: Path, rows: Sequence[Sequence[str]], *, end: str = "\n") -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator=end).writerows([HEADER, *rows])
    return path


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_plain_rows_become_columns(end: str, tmp_path: Path) -> None:
    path = write(tmp_path / "rows.csv", PLAIN, end=end)
    assert_never_as_records(path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().removesuffix(end.encode()))
    assert_never_as_records(path)


def test_a_header_in_quotes(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('"task_id","benchmark","agent_nop"\n"t","m.f(1, 2)",1.5\n"t","m.g",2\n')
    assert_never_as_records(path)


def test_columns_that_nothing_depends_on_and_one_without_a_name(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(",task_id,benchmark,agent_nop,note\n0,t,m.f,1,a b\n1,t,m.g,2,\n")
    assert_never_as_records(path)


def test_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [[str(n // 50), "owl", f"m.f({n}, 1)", str(n / 7), "", "", ""] for n in range(1, 400)]
    monkeypatch.setattr(csv_columns, "_AT_ONCE", 61)
    assert_never_as_records(write(tmp_path / "rows.csv", rows))


@pytest.mark.parametrize(
    "text",
    [
        "t,owl,m.f,1,,,\n\nt,owl,m.g,2,,,\n",  # a blank line
        "t,owl,m.f,1\n",
        "t,owl,m.f,1,,,,\n",
        "t,owl,m.f,nan,,,\n",
        "t,owl,m.f,1e400,,,\n",
        "t,owl,m.f,true,,,\n",
        "t,owl,m.f,1_0,,,\n",
        "t, owl ,m.f,1,,,\n",
        't, "owl, x",m.f,1,,,\n',
        't,"owl"x,m.f,1,,,\n',
        't,owl,m"f,1,,,\n',
        't,"o""wl",m.f,1,,,\n',
        't,"o\nwl",m.f,1,,,\n',
        't,"owl,m.f,1,,,\n',
        "t,owl,m.f,1,,,\rt,owl,m.g,1,,,\n",
        "t,owl,m.f,1,,\0,\n",
        "t,owl,m.f,1,maybe,,\n",
        "t,owl,m.f,1,true,,\nt,owl,m.g,1,1,,\n",
        "t,owl,m.f,1,,x,\n",
        "t,owl,m.f,1,,,\nt,owl,m.f,2,,,\n",  # one benchmark twice
        ",owl,m.f,1,,,\n",
        "t,owl,,1,,,\n",
        f"t,owl,{'x' * 140_000},1,,,\n",
    ],
)
def test_other_rows_are_read_as_records(text: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(f"{','.join(HEADER)}\n{text}".encode())
    assert csv_columns.read_csv(path, ["task_id", "measurements"]) is None
    assert as_batches(path)[0] == as_records(path)


def test_invalid_text_is_read_as_records(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.csv", PLAIN)
    path.write_bytes(path.read_bytes().replace(b"owl", b"o\xffl"))
    assert csv_columns.read_csv(path, ["task_id", "measurements"]) is None
    assert as_batches(path)[0] == as_records(path)


CELLS = st.sampled_from(
    ["", "1", "1.5", "-0", "true", "False", "a", '"a"', '"a,b"', " a", "é", "nan", "0x1", '"', "\t"]
)
LINES = st.lists(
    st.tuples(st.sampled_from(["t", "u", "t"]), CELLS, st.sampled_from("fgh"), CELLS, CELLS, CELLS)
    .map(list)
    .flatmap(lambda cells: CELLS.map(lambda last: ",".join([*cells, last]))),
    max_size=4,
)


@pytest.mark.parametrize(
    "header",
    ['"task_id"x,benchmark,agent_nop', '"task_id,benchmark', " task_id,benchmark,agent_nop"],
)
def test_headers_that_are_read_as_records(header: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(f"{header}\nt,m.f,1\n")
    assert csv_columns.read_csv(path, ["task_id", "measurements"]) is None


@given(rows=LINES, end=st.sampled_from(["\n", "\r\n", "\r"]), is_ended=st.booleans())
def test_both_ways_of_reading_agree(rows: list[str], end: str, is_ended: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        text = end.join([",".join(HEADER), *rows]) + (end if is_ended else "")
        path.write_bytes(text.encode())
        assert as_batches(path)[0] == as_records(path)
