"""Quantiles are values, or within 1/128 of them, however the values are divided."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter import kernels
from trajmeter.statistics.histograms import Buckets, Histograms, histograms_of

if TYPE_CHECKING:
    from collections.abc import Sequence


pytestmark = pytest.mark.usefixtures("each_backend")


_PERCENTS = (0, 1, 5, 25, 50, 75, 95, 99, 100)
_VALUES = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([5e-324, -5e-324, 2.0**-1022, 1e-310, 1.7e308, -1.7e308, 0.0, -0.0]),
    st.floats(0, 1),
    st.integers(-300, 300).map(float),
)


def _of(values: Sequence[float]) -> Histograms:
    histograms = Histograms(1)
    array = np.array(values, np.float64)
    histograms.add(array, np.array([0, len(array)]), np.zeros(1, np.int64))
    return histograms


def _quantiles(values: Sequence[float]) -> list[float]:
    ((place, found),) = _of(values).quantiles(None, _PERCENTS)
    assert place == 0
    return found


@given(st.lists(_VALUES, min_size=1, max_size=60))
def test_a_quantile_is_within_a_128th_of_the_sorted_value(values: list[float]) -> None:
    ordered = sorted(values)
    for percent, found in zip(_PERCENTS, _quantiles(values), strict=True):
        # The least value that at least so many percent do not exceed, by its definition.
        at_least = [each for at, each in enumerate(ordered, 1) if at * 100 >= percent * len(values)]
        expected = at_least[0]
        assert abs(found - expected) <= abs(expected) / 128 + 5e-324
    assert _quantiles(values)[0] == ordered[0]
    assert _quantiles(values)[-1] == ordered[-1]


@given(st.lists(st.integers(-127, 127), min_size=1, max_size=60))
def test_integers_below_128_are_exact(values: list[int]) -> None:
    ranks = [max(-(-percent * len(values) // 100), 1) for percent in _PERCENTS]
    assert _quantiles(list(map(float, values))) == [sorted(values)[rank - 1] for rank in ranks]


@given(st.lists(_VALUES, max_size=60))
def test_negative_values_mirror_positive_ones(values: list[float]) -> None:
    least, counts, greatest = (_of(values).state()[at] for at in (2, 1, 3))
    mirrored = _of([-value for value in values]).state()
    assert np.array_equal(mirrored[2], -greatest[::-1])
    assert np.array_equal(mirrored[1], counts[::-1])
    assert np.array_equal(mirrored[3], -least[::-1])


def test_zero_has_its_own_bucket_and_non_finite_values_have_none() -> None:
    values = [0.0, -0.0, 5e-324, -5e-324, np.nan, np.inf, -np.inf]
    _, counts, least, greatest = _of(values).state()
    assert counts.tolist() == [1, 2, 1]
    assert least.tolist() == greatest.tolist() == [-5e-324, 0.0, 5e-324]
    assert not np.signbit(least[1])
    assert [*_of([np.nan]).quantiles(None, (50,))] == []
    assert [*Histograms(2).quantiles(None, (50,))] == []


def test_buckets_are_few() -> None:
    chance = np.random.default_rng(0)
    assert len(_of(chance.random(100_000).tolist()).state()[0]) < 1_100
    assert len(_of(chance.lognormal(0, 3, 100_000).tolist()).state()[0]) < 2_000


_GROUPS, _WIDTH = 3, 2
_ROWS = st.lists(
    st.tuples(st.integers(0, _GROUPS - 1), st.tuples(*[_VALUES | st.just(float("nan"))] * _WIDTH)),
    max_size=40,
)


def _grouped(rows: Sequence[tuple[int, tuple[float, ...]]], groups: Sequence[int]) -> Histograms:
    histograms = Histograms(_WIDTH)
    pieces = [
        [values[place] for group, values in rows if group == wanted]
        for place in range(_WIDTH)
        for wanted in groups
    ]
    offsets = np.cumsum([0, *map(len, pieces)])
    values = np.array([value for piece in pieces for value in piece], np.float64)
    histograms.add(values, offsets, np.array(groups, np.int64))
    return histograms


@given(_ROWS, st.permutations(range(_GROUPS)), st.integers(0, 40))
def test_any_division_adds_up_to_the_same(
    rows: list[tuple[int, tuple[float, ...]]], order: list[int], cut: int
) -> None:
    whole = _grouped(rows, range(_GROUPS))
    first, second = _grouped(rows[:cut], order), _grouped(rows[cut:], range(_GROUPS))
    merged = Histograms(_WIDTH)
    merged.restore(second.state())
    merged.merge(first, np.arange(_GROUPS))
    for own, expected in zip(merged.state(), whole.state(), strict=True):
        assert np.array_equal(own, expected)
    for group in range(_GROUPS):
        for place, found in whole.quantiles(group, _PERCENTS):
            own = [values[place] for each, values in rows if each == group]
            assert found == _quantiles([value for value in own if not math.isnan(value)])
    moved = Histograms(_WIDTH)
    moved.merge(whole, np.zeros(_GROUPS, np.int64))
    assert [*moved.quantiles(0, _PERCENTS)] == [*whole.quantiles(None, _PERCENTS)]
    assert [*moved.quantiles(1, _PERCENTS)] == []


@given(
    st.lists(_VALUES, max_size=40)
    | st.builds(
        list.__mul__,
        st.lists(_VALUES | st.sampled_from([math.inf, math.nan]), min_size=1, max_size=1),
        st.integers(0, 40),
    ),
    st.lists(st.integers(0, 40), max_size=4),
)
def test_rust_counts_as_its_twin(values: list[float], cuts: list[int]) -> None:
    if kernels.backend() != "rust":
        pytest.skip("beside Rust")
    from trajmeter.kernels import _rust

    offsets = np.array([0, *sorted(min(cut, len(values)) for cut in cuts), len(values)], np.int64)
    array = np.array(values, np.float64)
    found = Buckets(*_rust.histograms(array, offsets))
    for own, expected in zip(found, histograms_of(array, offsets), strict=True):
        assert np.array_equal(own, expected)
