"""What results say of themselves, beside a slow reading of the same rules."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.readers.tool_views.evidence import numbered, window

LINE = re.compile(r" *(\d{1,9})(?:\t|→|│ ?|\| ?|: ?)(.*)", re.DOTALL)


def line_by_line(text: str, first: int | None, last: int | None) -> list[tuple[int, int]]:
    runs: list[list[int]] = []
    is_empty = False
    for line in text.split("\n"):
        if found := LINE.fullmatch(line):
            number, is_empty = int(found[1]), not found[2]
            if runs and runs[-1][-1] + 1 == number:
                runs[-1].append(number)
            else:
                runs.append([number])
    if runs and is_empty and len(runs[-1]) > 1 and (last is None or runs[-1][-1] < last):
        runs[-1].pop()
    begin = first or 1
    return [(run[0], run[-1]) for run in runs if run[0] == begin or len(run) > 2]


@pytest.mark.parametrize(
    ("text", "first", "last", "ranges"),
    [
        ("     7\tx\n     8\ty\n", 7, None, [(7, 8)]),
        ("1\tx\n2\t", None, None, [(1, 1)]),  # a line too many
        ("1\tx\n2\t", None, 2, [(1, 2)]),  # which was asked for
        ("1\tx\n2\t\n\n(end)\n", None, None, [(1, 1)]),
        ("1: x\n2: \n", None, None, [(1, 1)]),
        ("1: x\n2:  \n", None, None, [(1, 2)]),  # which holds a blank
        ("1\t", None, None, [(1, 1)]),
        ("4│a\n5│b\n6│c\n9│d", None, None, [(4, 6)]),
        ("1|a\n5|b\n2|c\n3|d\n4|e", None, None, [(1, 1), (2, 4)]),
        ("3\n4\n5", None, None, []),
        ("", None, None, []),
        ("1234567890\tx\n12\u2028\t", None, None, []),
    ],
)
def test_numbered_lines(
    text: str, first: int | None, last: int | None, ranges: list[tuple[int, int]]
) -> None:
    assert numbered(text, first, last) == ranges
    assert line_by_line(text, first, last) == ranges


pieces = st.sampled_from(
    [*"123459\t→│|: x\r", "10", "11", "\n", "\n", "\n ", "\n    ", "\u0663", "\u2028"]
)
lines = st.builds(
    lambda start, rows: "\n".join(
        f"{' ' * pad}{start + at + skip}{sign}{content}"
        for at, (pad, skip, sign, content) in enumerate(rows)
    ),
    st.integers(0, 4),
    st.lists(
        st.tuples(
            st.integers(0, 6),
            st.sampled_from([0, 0, 0, 3]),
            st.sampled_from(["\t", "→", "│ ", "│", "| ", ": ", ":", "."]),
            st.sampled_from(["", "x", " ", "\n", "\nnot numbered"]),
        ),
        max_size=6,
    ),
)


@given(
    st.lists(pieces, max_size=20).map("".join) | lines,
    st.sampled_from([None, 0, 1, 2, 4]),
    st.sampled_from([None, -1, 3, 5]),
)
def test_numbered_lines_are_those_found_line_by_line(
    text: str, first: int | None, last: int | None
) -> None:
    assert numbered(text, first, last) == line_by_line(text, first, last)


def test_a_window_is_that_of_the_last_file() -> None:
    one, other = "[File: a.py (3 lines total)]\n1:x\n2:y", "[File: b c.py (9 lines total)]\n4:z"
    assert window(f"{one}\n{other}\n(5 more lines below)") == ("b c.py", 4, 4)
    assert window(f"{one}\n[File: b.py (0 lines total)]\n") is None
    assert window("4:z") is None
