"""Reports in a file or a pipe are those that rich would write there."""

from __future__ import annotations

import io
from typing import TextIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from trajmeter.reports.plain import plain_tables, takes_plain
from trajmeter.reports.tables import Table
from trajmeter.reports.terminal import print_tables

CELLS = st.text("ab1._/-()[]{} \\'\"#", max_size=24)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    columns = draw(st.integers(1, 5))
    row = st.tuples(*[CELLS] * columns)
    texts = draw(st.sets(st.integers(0, columns - 1)))
    title = draw(CELLS.filter(bool))
    rows = draw(st.lists(row, min_size=1, max_size=3))
    return Table(title, draw(row), tuple(rows), texts=tuple(sorted(texts)))


@given(st.lists(tables(), max_size=3))
def test_text_is_what_rich_writes_to_a_file(reports: list[Table]) -> None:
    file = io.StringIO()
    console = Console(file=file, width=100_000)
    console.print(Text("2 attempts · context (version 1)"))
    print_tables(reports, console)
    assert plain_tables("2 attempts · context (version 1)", reports) == file.getvalue()


def test_characters_that_may_be_wide_are_left_to_rich() -> None:
    assert plain_tables("h", [Table("t", ("agent",), (("漢字",),))]) is None


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("variable", ["FORCE_COLOR", "TTY_COMPATIBLE", None])
def test_a_terminal_and_what_stands_for_one_are_left_to_rich(
    variable: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "JPY_PARENT_PID"):
        monkeypatch.delenv(name, raising=False)
    if variable is not None:
        monkeypatch.setenv(variable, "1")
    assert takes_plain(encoded("UTF-8")) is (variable is None)
    assert takes_plain(Terminal()) is False
    assert takes_plain(encoded("ascii")) is False


def encoded(encoding: str) -> TextIO:
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding)
