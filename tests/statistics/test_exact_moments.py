"""Exact sums of units and of their squares, batch by batch, on both backends."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter import kernels
from trajmeter.statistics.exact_moments import Moments, slot_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.statistics.exact_moments import UnitSums

_VALUES = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1.0, 1.0),
    st.integers(-3, 3).map(float),
    st.sampled_from([0.0, -0.0, math.nan, math.inf, -math.inf, 5e-324, 1e-40, 1e20]),
)
_BATCHES = st.lists(st.lists(st.tuples(st.integers(0, 9), _VALUES), max_size=20), max_size=4)
_UNITS = 10


def _added(
    batches: Sequence[Sequence[tuple[int, float]]], *, squares: bool
) -> tuple[Moments, list[tuple[list[int], list[float]]]]:
    moments = Moments(squares=squares)
    found = []
    for batch in batches:
        slots = np.array([slot for slot, _ in batch], np.int64)
        values = np.array([value for _, value in batch], np.float64)
        units = np.arange(_UNITS)[::-1].copy()  # slot i is that of unit 9 - i
        own = moments.add(values, slot_order(slots, _UNITS), units)
        found.append((own.counts.tolist(), own.greatest.tolist()))
    return moments, found


def _exact(sums: UnitSums, units: Sequence[int]) -> Fraction:
    total = sums.total(np.array(units, np.int64))
    return total.multiples[0] * Fraction(2) ** total.exponent


@pytest.mark.usefixtures("each_backend")
@given(slots=st.lists(st.integers(0, 9)))
def test_positions_of_each_slot(slots: list[int]) -> None:
    held = np.array(slots, np.int64)
    order, offsets = slot_order(held, _UNITS)
    for slot in range(_UNITS):
        assert order[offsets[slot] : offsets[slot + 1]].tolist() == (
            np.flatnonzero(held == slot).tolist()
        )


@pytest.mark.usefixtures("each_backend")
@given(batches=_BATCHES)
def test_moments_are_the_counts_and_sums_of_each_unit(
    batches: list[list[tuple[int, float]]],
) -> None:
    moments, found = _added(batches, squares=True)
    for slot in range(_UNITS):
        every: list[float] = []
        for batch, (counts, greatest) in zip(batches, found, strict=True):
            own = [value for place, value in batch if place == slot and math.isfinite(value)]
            assert counts[slot] == len(own)
            assert greatest[slot] == max(map(abs, own), default=0.0)
            every += own
        unit = _UNITS - 1 - slot
        assert _exact(moments.sums, [unit]) == sum(map(Fraction, every), Fraction(0))
        squares = sum((Fraction(value) ** 2 for value in every), Fraction(0))
        assert _exact(moments.squares, [unit]) == squares
    finite = [value for batch in batches for _, value in batch if math.isfinite(value)]
    assert _exact(moments.sums, range(_UNITS)) == sum(map(Fraction, finite), Fraction(0))


@pytest.mark.usefixtures("each_backend")
@given(batches=_BATCHES)
def test_doubles_are_the_nearest_float_and_the_rest(
    batches: list[list[tuple[int, float]]],
) -> None:
    moments, _ = _added(batches, squares=True)
    for sums in (moments.sums, moments.squares):
        high, low = sums.doubles(np.arange(_UNITS))
        for unit in range(_UNITS):
            exact = _exact(sums, [unit])
            try:
                nearest = float(exact)
            except OverflowError:
                continue
            if math.isfinite(high[unit]):
                assert abs(high[unit] - nearest) <= math.ulp(nearest)
                rest = exact - Fraction(float(high[unit])) - Fraction(float(low[unit]))
                assert abs(rest) <= max(abs(exact) * Fraction(2) ** -100, Fraction(2) ** -1074)


@pytest.mark.usefixtures("rust")
@given(batches=_BATCHES)
def test_backends_give_the_same_doubles(batches: list[list[tuple[int, float]]]) -> None:
    found = []
    backends: tuple[kernels.BackendName, ...] = ("python", "rust")
    for backend in backends:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kernels, "backend", lambda backend=backend: backend)
            moments, own = _added(batches, squares=True)
        doubles = [sums.doubles(np.arange(_UNITS)) for sums in (moments.sums, moments.squares)]
        found.append((own, [[*map(repr, each.tolist())] for pair in doubles for each in pair]))
    assert found[0] == found[1]


@pytest.mark.usefixtures("each_backend")
def test_a_unit_that_nothing_was_added_to_has_no_sum() -> None:
    moments, _ = _added([[(9, 2.0)]], squares=False)
    high, low = moments.sums.doubles(np.array([0, 5, 1_000_000]))
    assert (high.tolist(), low.tolist()) == ([2.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    assert moments.squares.total(np.arange(_UNITS)).multiples == [0]
    empty, _ = _added([], squares=True)
    assert empty.sums.doubles(np.array([3])).high.tolist() == [0.0]
    assert empty.sums.total(np.array([3])).multiples == [0]
