"""Scales and their numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.reports.charts.scales import Scale, scale_of, tick_labels

finite = st.floats(-1e12, 1e12, allow_nan=False)


def is_apart(low: float, high: float) -> bool:
    """Whether two values differ by more than floats do anyway."""
    return high - low > 1e-6 * max(abs(low), abs(high), 1e-6)


@given(st.lists(finite, min_size=1, max_size=5))
def test_every_value_lies_on_the_axis_in_its_order(values: list[float]) -> None:
    scale = scale_of(values, 100.0, 500.0)
    places = [scale.at(value) for value in sorted(values)]
    assert places == sorted(places)
    assert scale.low <= min(values) <= max(values) <= scale.high
    assert all(100.0 <= place <= 500.0 for place in places)


@given(finite, finite, st.integers(2, 8))
def test_numbers_of_an_axis_are_distinct_and_on_it(one: float, other: float, count: int) -> None:
    low, high = min(one, other), max(one, other)
    if not is_apart(low, high):
        return
    ticks = Scale(low, high, 0.0, 100.0).ticks(count)
    labels = tick_labels(ticks)
    assert len(ticks) >= 3
    assert len(ticks) <= 3 * count + 3
    assert ticks == sorted(set(ticks))
    span = high - low
    assert low - 1e-6 * span <= ticks[0]
    assert ticks[-1] <= high + 1e-6 * span
    assert all(labels)


@given(st.floats(1e-9, 1e9), st.floats(1.001, 1e9), st.integers(2, 8))
def test_numbers_of_ratios_are_on_the_axis(low: float, factor: float, count: int) -> None:
    scale = Scale(low, low * factor, 0.0, 100.0, is_ratio=True)
    ticks = scale.ticks(count)
    assert ticks == sorted(set(ticks))
    assert all(low * (1 - 1e-6) <= tick <= low * factor * (1 + 1e-6) for tick in ticks)


def test_an_axis_of_equal_values_has_room_around_them() -> None:
    assert scale_of([2.0, 2.0], 0.0, 100.0).at(2.0) == pytest.approx(50.0, abs=20)
    assert math.isfinite(scale_of([0.0], 0.0, 100.0).at(0.0))
    assert scale_of([3.0], 0.0, 100.0, low_end=3.0, high_end=3.0).at(3.0) == 0.0


def test_ends_that_are_asked_for_are_kept_unless_a_value_lies_beyond() -> None:
    scale = scale_of([0.4, 0.6], 0.0, 100.0, low_end=0.0, high_end=1.0)
    assert (scale.low, scale.high) == (0.0, 1.0)
    assert scale_of([1.4], 0.0, 100.0, low_end=0.0, high_end=1.0).high > 1.4


def test_values_above_zero_get_no_axis_below_it() -> None:
    assert scale_of([0.01, 5.0], 0.0, 100.0).low == 0.0
    assert scale_of([-0.01, 5.0], 0.0, 100.0).low < -0.01


def test_steps_and_counts_have_whole_numbers() -> None:
    assert Scale(1.0, 3.0, 0.0, 100.0).ticks(6, is_whole=True) == [1.0, 2.0, 3.0]
    assert Scale(0.0, 1.0, 0.0, 100.0).ticks(6, is_whole=True) == [0.0, 1.0]
    assert Scale(0.0, 100.0, 0.0, 100.0).ticks(5, is_whole=True) == [0, 20, 40, 60, 80, 100]


def test_an_axis_of_the_least_numbers_is_no_shorter_than_its_steps() -> None:
    scale = scale_of([0.0, 5e-324, 6e-323], 0.0, 100.0)
    assert scale.high - scale.low >= 1e-150
    assert len(scale.ticks(5)) >= 3
    assert scale.at(0.0) == 0.0
