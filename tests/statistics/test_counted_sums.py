"""Counts and sums of columns by group are those of exact arithmetic, of the rows that count."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.statistics.counted_sums import CountedColumn, count_columns
from trajmeter.statistics.exact_sums import ExactSums
from trajmeter.statistics.group_counts import GroupCounts

if TYPE_CHECKING:
    from collections.abc import Sequence

_GROUPS, _WIDTH = 3, 2


pytestmark = pytest.mark.usefixtures("each_backend")


def _counted(
    columns: Sequence[CountedColumn], rows: Sequence[int]
) -> tuple[GroupCounts, ExactSums]:
    counts, sums = GroupCounts(len(columns)), ExactSums(len(columns))
    own = np.array(rows, np.int64)
    count_columns(columns, own, np.arange(_GROUPS), counts=counts, sums=sums)
    return counts, sums


# Integers at the end of what is summed up as integers, and a fraction now and then.
_VALUES = st.one_of(
    st.integers(-5, 5).map(float),
    st.sampled_from([0.25, -0.0, 2.0**31, 2.0**31 - 1, -(2.0**53), 1e300, 5e-324, 1 / 3]),
)
_ROW = st.tuples(
    st.integers(0, _GROUPS - 1),
    st.tuples(*[st.tuples(_VALUES, st.booleans())] * _WIDTH),
)


@given(st.lists(_ROW, max_size=30))
def test_any_rows_are_counted_and_added_up(
    rows: list[tuple[int, tuple[tuple[float, bool], ...]]],
) -> None:
    columns = [
        CountedColumn(
            np.array([cells[at][0] for _, cells in rows], np.float64),
            np.array([cells[at][1] for _, cells in rows], np.bool_),
        )
        for at in range(_WIDTH)
    ]
    counts, sums = _counted(columns, [group for group, _ in rows])
    for group in range(_GROUPS):
        totals = sums.totals(group)
        for at in range(_WIDTH):
            own = [cells[at][0] for each, cells in rows if each == group and cells[at][1]]
            held = Fraction(totals.multiples[at]) * Fraction(2) ** totals.exponent
            assert counts.counts(group)[at] == len(own)
            assert held == sum(map(Fraction, own), Fraction(0))


@given(
    _VALUES,
    st.lists(st.tuples(st.integers(0, _GROUPS - 1), st.booleans()), max_size=30),
    st.booleans(),
)
def test_a_value_that_is_the_same_in_all_rows_counts_as_often_as_rows_do(
    value: float, rows: list[tuple[int, bool]], counts_all: bool
) -> None:
    counted = np.array([counts_all or counts for _, counts in rows], np.bool_)
    column = CountedColumn(np.full(len(rows), value), counted)
    groups = [group for group, _ in rows]
    counts, sums = _counted([column], groups)
    found = np.bincount(np.array(groups, np.int64)[counted], minlength=_GROUPS)
    for group, count in enumerate(found.tolist()):
        totals = sums.totals(group)
        assert counts.counts(group)[0] == count
        held = Fraction(totals.multiples[0]) * Fraction(2) ** totals.exponent
        assert held == count * Fraction(value)


def test_a_remainder_is_added_and_uncounted_rows_are_ignored() -> None:
    values = np.array([2.0**60, np.nan, 3.0])
    counted = np.array([True, False, True])
    rest = np.array([1.0, 5.0, 0.0])
    counts, sums = _counted([CountedColumn(values, counted, rest)], [0, 0, 2])
    totals = sums.totals(None)
    assert counts.counts(None) == [2]
    assert totals.multiples[0] * 2**totals.exponent == 2**60 + 1 + 3


def test_a_non_finite_value_makes_its_sum_non_finite() -> None:
    values = np.array([1.0, np.inf, 2.0, np.nan, 4.0])
    counted = np.array([True, True, True, True, True])
    counts, sums = _counted([CountedColumn(values, counted)], [0, 1, 1, 2, 2])
    assert [counts.counts(group) for group in range(_GROUPS)] == [[1], [2], [2]]
    assert sums.totals(0).mean(0, 1) == 1.0
    assert sums.totals(1).mean(0, 2) == np.inf
    assert np.isnan(sums.totals(2).mean(0, 2))


def test_no_columns_add_up_to_nothing() -> None:
    counts, sums = _counted([], [0, 2])
    assert counts.counts(None) == []
    assert sums.totals(None).multiples == []
