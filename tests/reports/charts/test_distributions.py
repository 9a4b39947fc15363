"""How values are spread."""

from __future__ import annotations

from math import dist

import pytest

from tests.reports.charts.drawn import Drawn
from trajmeter.reports.charts import DistributionChart, Series


def test_a_few_values_are_a_dot_each_with_its_task() -> None:
    series = Series("heron", (0.1, 0.1, 0.9), ("t1", "t2", "t3"))
    drawn = Drawn(DistributionChart("f1", (series,), "f1 of a task", low_end=0.0, high_end=1.0))
    assert drawn.tooltips() == ["t1: 0.100", "t2: 0.100", "t3: 0.900"]
    xs, ys = drawn.numbers("circle", "cx"), drawn.numbers("circle", "cy")
    assert xs[0] == xs[1] < xs[2]
    assert ys[1] < ys[0] == ys[2]  # the second stands on the first
    assert drawn.description == "heron: 3 tasks, median 0.100, from 0.100 to 0.900"


@pytest.mark.parametrize("count", [5, 6, 7])
def test_no_dot_covers_another(count: int) -> None:
    values = (*(1.0 for _ in range(count)), 0.0, 0.25, 0.26)
    drawn = Drawn(DistributionChart("passed", (Series("heron", values),), "passed"))
    radius = drawn.numbers("circle", "r")[0]
    places = [*zip(drawn.numbers("circle", "cx"), drawn.numbers("circle", "cy"), strict=True)]
    assert len(places) == count + 3
    for number, one in enumerate(places):
        assert all(dist(one, other) >= 2 * radius - 0.11 for other in places[:number])
    assert max(y for _, y in places) - min(y for _, y in places) < 46


def test_equal_values_that_leave_no_room_for_a_dot_each_are_counted() -> None:
    series = Series("heron", (*(1.0 for _ in range(8)), 0.0))
    drawn = Drawn(DistributionChart("passed", (series,), "passed"))
    assert drawn.all("circle") == []
    assert [tooltip.split()[:2] for tooltip in drawn.tooltips()] == [["1", "task"], ["8", "tasks"]]


def test_many_values_are_counted() -> None:
    values = (*(0.05 for _ in range(300)), *(0.95 for _ in range(100)))
    drawn = Drawn(
        DistributionChart("f1", (Series("heron", values),), "f1", low_end=0.0, high_end=1.0)
    )
    assert drawn.all("circle") == []
    assert [tooltip.partition(" from")[0] for tooltip in drawn.tooltips()] == [
        "300 tasks",
        "100 tasks",
    ]
    high, low = drawn.numbers("rect", "height")
    assert high / low == pytest.approx(3.0, rel=0.01)


def test_systems_share_an_axis_and_a_height() -> None:
    few, many = Series("few", (1.0,) * 50), Series("many", (2.0,) * 100, series=1)
    drawn = Drawn(DistributionChart("turns", (few, many), "turns", noun="attempts"))
    low, high = drawn.numbers("rect", "height")
    assert high / low == pytest.approx(2.0, rel=0.01)
    assert "100 attempts" in drawn.texts()


def test_values_that_are_not_finite_are_left_out_and_not_counted() -> None:
    drawn = Drawn(
        DistributionChart(
            "f1",
            (Series("a", (0.5, float("nan"), float("inf")), ("t1", "t2", "t3")), Series("b", ())),
            "f1",
        )
    )
    assert drawn.tooltips() == ["t1: 0.500"]
    assert {"1 task", "no values"} <= set(drawn.texts())
