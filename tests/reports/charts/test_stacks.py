"""Counts by cause."""

from __future__ import annotations

import pytest

from tests.reports.charts.drawn import Drawn
from trajmeter.reports.charts import Stack, StackChart


def test_parts_are_as_wide_as_their_counts_and_a_cause_keeps_its_colour() -> None:
    stacks = (Stack("a", {"timed_out": 3, "missing_gold": 1}), Stack("b", {"missing_gold": 2}))
    drawn = Drawn(StackChart("What failed", stacks, "attempts"))
    wide, narrow, other = drawn.numbers("rect", "width", "part")
    assert wide == pytest.approx(3 * narrow, rel=0.01)
    assert other == pytest.approx(2 * narrow, rel=0.01)
    classes = [part.get("class") for part in drawn.all("rect", "part")]
    assert classes == ["fill part s0", "fill part s1", "fill part s1"]
    starts = drawn.numbers("rect", "x", "part")
    assert starts[1] == pytest.approx(starts[0] + wide, abs=0.02)
    assert drawn.description == "a: 4 (timed_out 3, missing_gold 1); b: 2 (missing_gold 2)"
    assert drawn.tooltips() == ["a, timed_out: 3", "a, missing_gold: 1", "b, missing_gold: 2"]


def test_rare_causes_of_many_share_a_colour_and_nothing_is_lost() -> None:
    counts = {f"cause {i}": 20 - i for i in range(12)}
    drawn = Drawn(StackChart("What failed", (Stack("a", counts),), "attempts"))
    assert len(drawn.all("rect", "part")) == 8
    rest = sum(20 - i for i in range(7, 12))
    assert drawn.tooltips()[-1] == f"a, other causes: {rest}"
    assert str(sum(counts.values())) in drawn.texts()


def test_a_system_without_failures_has_no_bar() -> None:
    stacks = (Stack("a", {}), Stack("b", {"x": 0}))
    drawn = Drawn(StackChart("What failed", stacks, "attempts"))
    assert drawn.all("rect") == []
    assert drawn.description == "a: 0; b: 0"
