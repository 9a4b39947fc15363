"""What notebooks show of summaries, comparisons and agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import trajmeter
from tests.summaries.tables import F1, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

HOSTILE = "<script>\u202e"
OLD = rows_of({f"t{n}": [n / 10] for n in range(4)}, agent=HOSTILE)
NEW = rows_of({f"t{n}": [n / 8] for n in range(4)}, agent="b")


@pytest.mark.parametrize(
    ("make", "title"),
    [
        (lambda: trajmeter.summarize([*OLD, *NEW], interval="bootstrap"), ""),
        (
            lambda: trajmeter.compare_scores({HOSTILE: OLD, "b": NEW}, interval="bootstrap"),
            "b against &lt;script&gt;\\u202e, paired by task",
        ),
        (
            lambda: trajmeter.agreement({HOSTILE: OLD, "b": NEW}, figures=F1),
            "agreement of 2 judges: &lt;script&gt;\\u202e, b",
        ),
    ],
)
def test_a_notebook_shows_the_tables_of_the_terminal(make: Callable[[], Any], title: str) -> None:
    shown = make()._repr_html_()
    heading = f"<p><strong>{title}</strong></p>" if title else ""
    assert shown.startswith(f"<div>{heading}<table><thead><tr><th")
    assert F1 in shown
    assert "&lt;script&gt;\\u202e" in shown
    assert "<script>" not in shown
    assert shown.endswith("</p></div>")
