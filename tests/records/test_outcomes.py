from __future__ import annotations

from pathlib import Path

from trajmeter.records import Cause

RESULTS_PAGE = Path(__file__).parents[2] / "docs" / "results.md"


def test_every_cause_is_explained() -> None:
    page = RESULTS_PAGE.read_text()
    assert [each.value for each in Cause if f"| `{each.value}` |" not in page] == []
