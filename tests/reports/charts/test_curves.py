"""Lines over a common axis."""

from __future__ import annotations

import re

import pytest

from tests.reports.charts.drawn import Drawn
from trajmeter.reports.charts import Curve, CurveChart


def corners(drawn: Drawn, place: int = 0) -> list[tuple[float, float]]:
    path = drawn.all("path", "curve")[place].get("d", "")
    return [(float(x), float(y)) for x, y in re.findall(r"[ML]([\d.-]+) ([\d.-]+)", path)]


def test_a_line_goes_through_its_points() -> None:
    drawn = Drawn(CurveChart("Coverage", (Curve("a", (0, 1, 3), (0, 1, 0.5)),), "step", "seen"))
    (x0, y0), (x1, y1), (x3, y3) = corners(drawn)
    assert x3 - x0 == pytest.approx(3 * (x1 - x0), abs=0.2)
    assert y3 - y1 == pytest.approx((y0 - y1) / 2, abs=0.2)
    assert drawn.description == "a: 0 at step 0, 0.500 at 3"


def test_a_cumulative_share_holds_until_the_next_turn() -> None:
    curve = Curve("a", (0, 2, 5), (0.0, 0.5, 1.0))
    drawn = Drawn(CurveChart("Solved", (curve,), "turns", "share", is_step=True))
    found = corners(drawn)
    assert [x for x, _ in found][1:3] == [found[1][0]] * 2  # up at turn 2, at once
    assert [y for _, y in found][:2] == [found[0][1]] * 2  # nothing before it


def test_a_band_goes_forth_above_and_back_below() -> None:
    curve = Curve("a", (0, 1), (0.5, 0.6), (0.4, 0.5), (0.6, 0.7))
    drawn = Drawn(CurveChart("Coverage", (curve,), "step", "seen"))
    (band,) = drawn.all("path", "band")
    path = band.get("d", "")
    assert path.endswith("Z")
    ys = [float(y) for y in re.findall(r"[ML][\d.-]+ ([\d.-]+)", path)]
    assert ys[1] < ys[0] < ys[2] < ys[3]  # 0.7, 0.6, then 0.5 and 0.4


def test_curves_differ_by_more_than_colour_and_are_named() -> None:
    curves = tuple(Curve(f"system {i}", (0, 1), (0, 1), series=i) for i in range(3))
    drawn = Drawn(CurveChart("Coverage", curves, "step", "seen"))
    assert [line.get("class") for line in drawn.all("line", "curve")] == [
        "curve s0",
        "curve s1",
        "curve s2",
    ]
    assert {"system 0", "system 1", "system 2"} <= set(drawn.texts())


def test_a_value_that_is_not_finite_is_left_out() -> None:
    curve = Curve("a", (0, 1, 2), (0.0, float("nan"), 1.0))
    assert len(corners(Drawn(CurveChart("Coverage", (curve,), "step", "seen")))) == 2
