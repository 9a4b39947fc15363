"""One figure against another."""

from __future__ import annotations

from itertools import combinations

import pytest

from tests.reports.charts.drawn import Drawn
from trajmeter.reports.charts import Point, ScatterChart
from trajmeter.reports.charts.svg import FONT_SIZE, WIDTH, width_of


def chart(*points: Point, is_ratio: bool = False) -> ScatterChart:
    return ScatterChart("Cost", points, "USD", "f1", is_ratio)


def test_points_lie_to_the_right_by_cost_and_upwards_by_quality() -> None:
    drawn = Drawn(chart(Point("a", 1.0, 0.2), Point("b", 2.0, 0.4), Point("c", 3.0, 0.3)))
    xs, ys = drawn.numbers("circle", "cx"), drawn.numbers("circle", "cy")
    assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1], abs=0.02)
    assert ys[1] < ys[2] < ys[0]  # SVG counts downwards
    assert drawn.description.startswith("a: USD 1.000, f1 0.200; b: ")


@pytest.mark.parametrize("count", [4, 12, 30])
def test_names_cover_neither_each_other_nor_a_point(count: int) -> None:
    points = [
        Point(f"framework-{i} / a-model", 1 + 0.01 * (i * 7 % count), 0.5 + 0.01 * (i * 5 % count))
        for i in range(count)
    ]
    drawn = Drawn(chart(*points))
    boxes = [
        (x, y - FONT_SIZE, x + width_of(text), y)
        for text, x, y in zip(
            drawn.texts("name"),
            drawn.numbers("text", "x", "name"),
            drawn.numbers("text", "y", "name"),
            strict=True,
        )
    ]
    assert len(boxes) >= min(count, 10)
    centres = zip(drawn.numbers("circle", "cx"), drawn.numbers("circle", "cy"), strict=True)
    dots = [(x - 6, y - 6, x + 6, y + 6) for x, y in centres]
    for one, other in [*combinations(boxes, 2), *((box, dot) for box in boxes for dot in dots)]:
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart, (one, other)
    assert all(box[0] >= 0 and box[2] <= WIDTH for box in boxes)
    assert [each for each in points if each.label not in drawn.description] == []


def test_a_cost_of_some_attempts_is_hollow_and_says_of_how_many() -> None:
    drawn = Drawn(chart(Point("a", 1.0, 0.2), Point("b", 2.0, 0.4, part="3/8")))
    assert len(drawn.all("circle", "fill")) == len(drawn.all("circle", "hollow")) == 1
    assert drawn.texts("name") == ["a", "b (3/8)"]
    assert drawn.description == "a: USD 1.000, f1 0.200; b: USD 2.000, f1 0.400, 3/8 of it known"


def test_points_at_one_place_have_their_names_around_it() -> None:
    drawn = Drawn(chart(*(Point(name, 1.0, 0.5) for name in "abcd")))
    assert drawn.texts("name") == list("abcd")


def test_a_cost_of_zero_has_a_place_even_where_ratios_were_asked_for() -> None:
    drawn = Drawn(chart(Point("a", 0.0, 0.5), Point("b", 10.0, 0.6), is_ratio=True))
    assert len(drawn.all("circle")) == 2


def test_limits_of_quality_are_drawn() -> None:
    drawn = Drawn(chart(Point("a", 1.0, 0.5, 0.4, 0.6), Point("b", 2.0, 0.5)))
    (line,) = drawn.all("line", "interval")
    assert line.get("x1") == line.get("x2")
    assert "0.400 to 0.600" in drawn.tooltips()[0]
