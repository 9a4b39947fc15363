"""Markdown that no text can break."""

from __future__ import annotations

import pytest

from trajmeter.reports.markdown import escape, render_table
from trajmeter.reports.tables import Table


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# heading", r"\# heading"),
        ("a | b", r"a \| b"),
        ("`code` **bold**", r"\`code\` \*\*bold\*\*"),
        ("- item\n- item", r"\- item - item"),
        ("2. second", r"2\. second"),
        ("4.5 and snake_case", "4.5 and snake_case"),
        ("_em_", r"\_em\_"),
        ("<script>&", "&lt;script>&amp;"),
        ("[x](http://a.b)", r"\[x\](http\://a.b)"),
        ("WWW.a.b and www.c.d", r"WWW\.a.b and www\.c.d"),
        ("---", r"\---"),
        ("\x1b[31mred\x07", r"\\x1b\[31mred\\x07"),
        ("a\u202eb", r"a\\u202eb"),
        ("a\u200fb\u061c", r"a\\u200fb\\u061c"),
    ],
)
def test_markup_is_escaped(text: str, expected: str) -> None:
    assert escape(text) == expected


def test_numbers_are_not_escaped_at_their_beginning_but_texts_are() -> None:
    rows = (("-x", "-1.5", "$2"), ("#", "-", "a|b"))
    assert render_table(Table("", ("n_", "a", "b"), rows)).splitlines() == [
        r"| n\_ | a | b |",
        "| --- | ---: | ---: |",
        r"| \-x | -1.5 | \$2 |",
        r"| \# | - | a\|b |",
    ]
