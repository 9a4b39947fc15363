"""Dots with their intervals."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reports.charts.drawn import Drawn
from tests.steps import assert_linear
from trajmeter.reports.charts import Interval, IntervalChart, IntervalGroup
from trajmeter.reports.charts.svg import shortened, width_of


def chart(*intervals: Interval, **options: Any) -> IntervalChart:
    fields: dict[str, Any] = {
        "title": "Found",
        "groups": (IntervalGroup("f1", intervals),),
        "axis": "mean",
    }
    return IntervalChart(**(fields | options))


def test_dots_and_lines_lie_where_their_numbers_are() -> None:
    drawn = Drawn(
        chart(
            Interval("heron", 0.5, 0.25, 0.75), Interval("magpie", 1.0), low_end=0.0, high_end=1.0
        )
    )
    middle, end = drawn.numbers("circle", "cx", "fill")
    line = drawn.all("line", "interval")[0]
    low, high = float(line.get("x1", "")), float(line.get("x2", ""))
    start = 2 * middle - end  # 0.0 lies as far from 0.5 as 1.0 does
    assert low == pytest.approx((start + middle) / 2, abs=0.02)
    assert high == pytest.approx((middle + end) / 2, abs=0.02)
    assert len(drawn.all("line", "interval")) == 3  # the line and its two ends; magpie has none


def test_an_axis_need_not_begin_at_zero() -> None:
    drawn = Drawn(chart(Interval("heron", 0.9), Interval("magpie", 0.91)))
    first, second = drawn.numbers("circle", "cx", "fill")
    assert second - first > 200
    assert "0.900" in drawn.texts()
    assert "0" not in drawn.texts("quiet")


def test_a_value_that_is_not_there_has_no_dot_and_says_why() -> None:
    drawn = Drawn(
        chart(
            Interval("heron", 0.5),
            Interval("magpie", None, remark="not scored"),
            Interval("x", None),
        )
    )
    assert len(drawn.all("circle")) == 1
    assert {"not scored", "no value"} <= set(drawn.texts())
    assert drawn.description == "f1, heron: 0.500; f1, magpie: not scored; f1, x: no value"


def test_values_that_are_not_finite_have_no_place() -> None:
    drawn = Drawn(
        chart(
            Interval("a", float("nan"), float("nan"), float("nan")),
            Interval("b", float("inf"), 0.0, float("inf")),
            Interval("c", 0.5),
        )
    )
    assert len(drawn.all("circle")) == 1
    assert drawn.all("line", "interval") == []


def test_a_difference_is_read_against_no_difference() -> None:
    drawn = Drawn(chart(Interval("f1", 0.04, 0.01, 0.07), reference=0.0))
    (x,) = drawn.numbers("line", "x1", "reference")
    (dot,) = drawn.numbers("circle", "cx")
    assert x < min(drawn.numbers("line", "x1", "interval")) < dot


def test_an_interval_is_cut_where_nothing_beyond_is_possible() -> None:
    intervals = (Interval("a", -0.2, -2.7, 2.3), Interval("b", 0.5, 0.4, 0.6))
    drawn = Drawn(chart(*intervals, reference=0.0, least=-1.0, greatest=1.0))
    (zero,) = drawn.numbers("line", "x1", "reference")
    line, *ends = drawn.all("line", "interval")
    low, high = float(line.get("x1", "")), float(line.get("x2", ""))
    assert zero - low == pytest.approx(high - zero, abs=0.02)  # from -1 to 1, not from -2.7 to 2.3
    left, right = (
        [float(number) for number in each.get("points", "").split()]
        for each in drawn.all("polygon", "arrow")
    )
    assert left[0] < low == left[2]
    assert right[0] > high == right[2]
    assert len(ends) == 3  # b has a line and two strokes across its ends
    assert "a: -0.200, -2.700 to 2.300" in drawn.description


def test_a_value_alone_lies_in_the_whole_of_what_is_possible() -> None:
    drawn = Drawn(chart(Interval("a", 5.0), least=0.0, greatest=5.0))
    numbers = [float(each.text or "0") for each in drawn.all("text", "quiet")[:-1]]
    assert (numbers[0], numbers[-1]) == (0.0, 5.0)


def test_an_interval_up_to_the_end_of_what_is_possible_has_no_arrow() -> None:
    drawn = Drawn(chart(Interval("a", 0.0, -1.0, 1.0), least=-1.0, greatest=1.0))
    assert drawn.all("polygon", "arrow") == []


def test_a_difference_has_its_sign() -> None:
    values = (Interval("a", 0.25), Interval("b", -0.25), Interval("c", 0.0))
    assert {"+0.250", "-0.250", "0.000"} <= set(Drawn(chart(*values, reference=0.0)).texts())
    assert "0.250" in Drawn(chart(*values)).texts()


def test_equal_ratios_are_equally_far_apart() -> None:
    values = (Interval("a", 0.5), Interval("b", 1.0), Interval("c", 2.0), Interval("d", 0.0))
    drawn = Drawn(chart(*values, is_ratio=True, reference=1.0))
    half, one, two = drawn.numbers("circle", "cx")  # 0 has no place
    assert one - half == pytest.approx(two - one, abs=0.02)
    assert drawn.numbers("line", "x1", "reference") == [one]
    assert "2.000x" in drawn.texts()


def test_the_best_is_marked_and_remarks_stand_beside_their_value() -> None:
    drawn = Drawn(chart(Interval("a", 0.5, remark="2/3"), Interval("b", 0.6, is_best=True)))
    assert drawn.texts("best") == ["b", "0.600"]
    assert drawn.description == "f1, a: 0.500 · 2/3; f1, b: 0.600, best"
    assert "0.500 · 2/3" in drawn.texts()


def test_a_tooltip_and_the_description_hold_the_whole_truth() -> None:
    name = "a-framework-with-a-very-long-name (in-a-file-of-a-long-name.json)"
    drawn = Drawn(chart(Interval(name, 0.5, 0.4, 0.6)))
    assert name not in drawn.texts()
    assert any("…" in text for text in drawn.texts())
    assert f"f1, {name}: 0.500, 0.400 to 0.600" in drawn.tooltips()
    assert (drawn.title, drawn.caption) == ("Found", "Found")
    assert drawn.svg.get("role") == "img"


def test_the_longest_name_that_has_room_is_whole() -> None:
    for name in ("Searcher", "Chainer", "a", "heron / claude", "iiiiWWWW"):
        assert name in Drawn(chart(Interval(name, 0.5), Interval("b", 0.1))).texts()


def test_escaped_characters_count_towards_the_width_of_a_name() -> None:
    assert width_of("\u202e") == width_of(r"\u202e")
    assert shortened("a\u202eb\u202ec", 60) == r"a\u…2ec"


def test_a_long_name_is_shortened_in_linear_time() -> None:
    """Only as many letters are tried as could have room."""

    def draw(size: int) -> None:
        drawn = Drawn(chart(Interval("i" * (100 + size), 0.5)))
        assert any(text.startswith("iii") and "…" in text for text in drawn.texts())

    assert_linear(draw)
