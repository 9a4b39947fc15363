"""The details of attempts as the page holds them."""

from __future__ import annotations

from typing import Any

import pytest

import trajmeter
from tests.reports.page.reports_of_attempts import details_of_page

_ROWS = [
    {"task_id": f"t{number % 4}", "agent": 'a"</script>\\', "attempt": f"{number}\n",
     "context.final.line.f1": number / 8}
    for number in range(7)
]  # fmt: skip


def _details(rows: list[dict[str, Any]]) -> list[Any]:
    return details_of_page(trajmeter.report(rows).html())


@pytest.mark.parametrize("at_once", [1, 2, 7, 100])
def test_details_do_not_depend_on_how_many_are_made_at_once(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    expected = _details(_ROWS)
    monkeypatch.setattr("trajmeter.reports.results.attempt_details._ROWS", at_once)
    assert _details(_ROWS) == expected
    assert len(expected) == len(_ROWS)
    assert dict(expected[3][0]["facts"])["task_id"] == "t3"


def test_values_stand_once_beside_the_labels_of_all_attempts() -> None:
    """A value that is missing, or outside the mean, is that of its own label."""
    rows: list[dict[str, Any]] = [
        {"task_id": "t1", "context.final.line.f1": 0.5, "context.final.line.gold_size": None},
        {"task_id": "t2", "context.final.line.f1": None, "context.final.line.gold_size": 7},
        {"task_id": "t3", "context.final.line.f1": None, "context.final.line.gold_size": None},
        {"task_id": "t4", "context.final.line.f1": 1.0, "context.final.line.outcome": "abstained"},
    ]
    figures = {"title": "context", "header": ["figure", "value"], "numbers": [1]}
    counts = {"title": "context: counts and descriptions", "header": ["column", "value"],
              "folded": True}  # fmt: skip
    outside = [["final.line.f1", "1 (outside the mean)"]]
    assert [detail[1:] for detail in _details(rows)] == [
        [{**figures, "rows": [["final.line.f1", "0.5"]]}],
        [{**counts, "rows": [["final.line.gold_size", "7"]]}],
        [],
        [{**figures, "facts": [["final.line", "abstained"]], "rows": outside}],
    ]
    table = trajmeter.report(rows).document.attempts
    assert table is not None
    assert [each.labels for each in table.tables] == [("final.line.f1",), ("final.line.gold_size",)]
