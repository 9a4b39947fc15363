"""Laws of tables that are fitted to a terminal."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from trajmeter.reports.sections import Section, print_sections
from trajmeter.reports.tables import GAP, Table, fitting, with_values
from trajmeter.reports.terminal import print_table

WORDS = st.text("abc_-./ ", min_size=1, max_size=24).map(str.strip).filter(bool)
NUMBERS = st.sampled_from(["-", "1.000", "0.667 (2/3)", "-1,234.5 (957/957)", "- (0/3)"])


@st.composite
def tables(draw: st.DrawFn) -> Table:
    columns = draw(st.integers(1, 8))
    rows = st.tuples(WORDS, *[NUMBERS] * columns)
    header = draw(st.tuples(WORDS, *[WORDS] * columns))
    return Table("title", header, tuple(draw(st.lists(rows, min_size=1, max_size=4))))


@given(tables(), st.integers(20, 200))
def test_no_column_is_lost_and_each_part_has_the_texts(table: Table, width: int) -> None:
    parts = list(fitting(table, width))
    assert [name for part in parts for name in part.header[1:]] == list(table.header[1:])
    for row, *pieces in zip(table.rows, *(part.rows for part in parts), strict=True):
        assert {piece[0] for piece in pieces} == {row[0]}
        assert tuple(cell for piece in pieces for cell in piece[1:]) == row[1:]
    sizes = {len(part.header) for part in parts}
    assert max(sizes) - min(sizes) <= 1
    assert [part.title for part in parts] == ["title"] + ["title (continued)"] * (len(parts) - 1)


@given(tables(), st.integers(20, 200))
def test_a_part_fits_unless_it_is_one_column(table: Table, width: int) -> None:
    for part in fitting(table, width):
        assert len(part.header) == 2 or sum(part.narrow_widths()) - GAP <= width


@given(tables(), st.integers(60, 200))
def test_numbers_are_printed_whole(table: Table, width: int) -> None:
    for part in fitting(table, width):
        stream = io.StringIO()
        print_table(part, Console(file=stream, width=width))
        lines = stream.getvalue().splitlines()
        assert max(map(len, lines)) <= width
        for cell in (cell for row in part.rows for cell in row[1:]):
            assert any(cell in line for line in lines)


ANY_WORDS = st.text("ab _日本モデル😀é", min_size=1, max_size=24).map(str.strip).filter(bool)


@given(st.lists(st.tuples(ANY_WORDS, NUMBERS), min_size=1, max_size=4), ANY_WORDS)
def test_a_file_has_one_line_for_each_row(rows: list[tuple[str, str]], heading: str) -> None:
    stream = io.StringIO()
    print_table(Table("", ("agent", heading), tuple(rows)), Console(file=stream, width=100_000))
    head, _, *lines = stream.getvalue().splitlines()
    assert head.endswith(heading)
    assert len(lines) == len(rows)
    for line, (text, number) in zip(lines, rows, strict=True):
        assert line.startswith(text)
        assert line.endswith(number)


@given(tables())
def test_columns_in_which_nobody_has_a_number_are_left_out(table: Table) -> None:
    kept = with_values(table)
    empty = [
        column
        for column in range(1, len(table.header))
        if all(row[column] in ("-", "- (0/3)") for row in table.rows)
    ]
    if len(empty) == len(table.header) - 1:
        assert kept.rows == ()
    else:
        assert len(kept.header) == len(table.header) - len(empty)
        assert len(kept.rows) == len(table.rows)


def test_the_name_of_an_omitted_row_goes_to_the_next_row_without_one() -> None:
    rows = (("f1", "a", "0.5", ""), ("", "b", "0.6", "0.4"), ("", "c", "0.7", "0.8"))
    table = Table("", ("figure", "system", "mean", "micro"), rows, texts=(0, 1))
    *_, last = fitting(table, 16)
    assert last.header == ("figure", "system", "micro")
    assert last.rows == (("f1", "b", "0.4"), ("", "c", "0.8"))


def test_a_section_that_is_too_wide_is_printed_in_parts() -> None:
    header = ("figure", *(f"column {n}" for n in range(8)))
    row = ("context.line.f1", *(f"-0.{n}00…+1.{n}00" for n in range(8)))
    stream = io.StringIO()
    section = Section("a against b", Table("", header, (row,)), ("a note",))
    print_sections([section], Console(file=stream, width=80))
    shown = stream.getvalue()
    assert shown.count("a against b (continued)") == 1
    assert shown.count("context.line.f1") == 2
    assert all(cell in shown for cell in row)
    assert shown.endswith("a note\n")
