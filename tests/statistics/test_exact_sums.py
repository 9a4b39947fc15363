"""Sums are those of exact arithmetic, rounded once, however the values are divided."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.statistics.error_free import exact_products, exact_squares
from trajmeter.statistics.exact_sums import ExactSums, rounded_sum

if TYPE_CHECKING:
    from collections.abc import Sequence


pytestmark = pytest.mark.usefixtures("each_backend")


_GROUPS = 3
_VALUES = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([5e-324, -5e-324, 1e308, -1e308, 2.0**900, 1 / 3, 2.0**53 - 1]),
    st.floats(0, 1),
    st.integers(-(2**53), 2**53).map(float),
)
_PAIRS = st.lists(st.tuples(st.integers(0, _GROUPS - 1), _VALUES), max_size=40)


def _sums(pairs: Sequence[tuple[int, float]], *, squared: bool = False) -> ExactSums:
    sums = ExactSums(1)
    values = np.array([value for _, value in pairs], np.float64)
    groups = np.array([group for group, _ in pairs], np.int64)
    sums.add(values, groups, np.arange(_GROUPS), squared=squared)
    return sums


def _rounded(values: Sequence[float], count: int) -> float:
    exact = sum(map(Fraction, values), Fraction(0)) / count
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


@given(_PAIRS, st.data())
def test_any_partition_gives_the_exact_sum_rounded_once(
    pairs: list[tuple[int, float]], data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(pairs)), max_size=4)))
    bounds = [0, *cuts, len(pairs)]
    parts = [_sums(pairs[a:b]) for a, b in pairwise(bounds)]
    while len(parts) > 1:
        place = data.draw(st.integers(0, len(parts) - 2))
        parts[place].merge(parts.pop(place + 1), np.arange(_GROUPS))
    (sums,) = parts
    count = data.draw(st.integers(1, 10**6))
    for group in (None, *range(_GROUPS)):
        values = [value for own, value in pairs if group in (None, own)]
        assert sums.totals(group).mean(0, count) == _rounded(values, count)


@given(_PAIRS)
def test_squares_are_exact_too(pairs: list[tuple[int, float]]) -> None:
    sums = _sums(pairs, squared=True)
    for group in range(_GROUPS):
        totals = sums.totals(group)
        exact = sum((Fraction(value) ** 2 for own, value in pairs if own == group), Fraction(0))
        assert totals.multiples[0] * Fraction(2) ** totals.exponent == exact


def test_sums_that_no_float_holds_are_infinite() -> None:
    sums = _sums([(0, 1.7e308), (0, 1.7e308), (1, -1.7e308), (1, -1.7e308), (2, 1e308)])
    assert sums.doubles(np.arange(_GROUPS)).high.tolist() == [math.inf, -math.inf, 1e308]
    assert [sums.totals(group).mean(0, 2) for group in range(2)] == [1.7e308, -1.7e308]


def test_infinities_have_squares() -> None:
    sums = _sums([(0, -math.inf), (0, 2.0), (1, math.nan), (2, 3.0)], squared=True)
    found = [sums.totals(group).mean(0, 1) for group in range(_GROUPS)]
    assert found[0] == math.inf
    assert math.isnan(found[1])
    assert found[2] == 9.0


def test_infinities_and_nan_are_those_of_floats() -> None:
    sums = _sums([(0, math.inf), (0, 1.0), (1, math.inf), (1, -math.inf), (2, math.nan)])
    found = [sums.totals(group).mean(0, 1) for group in range(_GROUPS)]
    assert found[0] == math.inf
    assert math.isnan(found[1])
    assert math.isnan(found[2])


def test_groups_are_numbered_as_the_other_table_is_reported() -> None:
    sums, others = _sums([(0, 1.0), (1, 2.0)]), _sums([(0, 4.0), (2, 8.0)])
    sums.merge(others, np.array([1, 5, 3]))
    totals = [sums.totals(group).mean(0, 1) for group in range(6)]
    assert totals == [1.0, 2.0 + 4.0, 0.0, 8.0, 0.0, 0.0]


_MODEST = st.floats(-1e9, 1e9).filter(lambda value: value == 0.0 or abs(value) > 1e-9)
_MODEST_PAIRS = st.lists(st.tuples(st.integers(0, _GROUPS - 1), _MODEST), max_size=30)


@given(pairs=_MODEST_PAIRS, cut=st.integers(0, 30))
def test_doubles_hold_twice_the_digits(pairs: Sequence[tuple[int, float]], cut: int) -> None:
    """And the same bits, however the values are divided."""
    divided = _sums(pairs[:cut])
    divided.merge(_sums(pairs[cut:]), np.arange(_GROUPS))
    groups = np.arange(_GROUPS)
    found, again = _sums(pairs).doubles(groups), divided.doubles(groups)
    assert found.high.tobytes() == again.high.tobytes()
    assert found.low.tobytes() == again.low.tobytes()
    for group in range(_GROUPS):
        exact = sum((Fraction(value) for own, value in pairs if own == group), Fraction(0))
        assert found.high[group] == float(exact)
        error = Fraction(float(found.high[group])) + Fraction(float(found.low[group])) - exact
        assert abs(error) <= abs(exact) * Fraction(1, 2**90)


@given(pairs=_PAIRS)
def test_the_total_of_some_groups(pairs: Sequence[tuple[int, float]]) -> None:
    found = _sums(pairs).total(np.array([0, 2]))
    values = [value for group, value in pairs if group != 1]
    if values:
        assert found.mean(0, len(values)) == _rounded(values, len(values))


@given(left=st.lists(_MODEST, min_size=1), right=_MODEST)
def test_products_and_their_rounding_errors(left: list[float], right: float) -> None:
    values, factor = np.array(left), np.full(len(left), right)
    for (product, rest), pairs in (
        (exact_products(values, factor), [(x, right) for x in left]),
        (exact_squares(values), [(x, x) for x in left]),
    ):
        for place, (x, y) in enumerate(pairs):
            exact = Fraction(float(product[place])) + Fraction(float(rest[place]))
            assert exact == Fraction(x) * Fraction(y)


@given(values=st.lists(_VALUES | st.floats(-1e300, 1e300), max_size=12), times=st.integers(0, 90))
def test_one_sum_is_rounded_once(values: list[float], times: int) -> None:
    many = np.array(values * times, np.float64)
    try:
        expected = math.fsum(many.tolist())
    except OverflowError:
        return
    assert rounded_sum(many) == expected
