"""Agreement of judges: the worked ratings on every scale, edges, and laws."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.statistics.agreement import agreement_of

if TYPE_CHECKING:
    from trajmeter.statistics.agreement import Agreement, Scale

WORKED = [(1, 1), (2, 3), (3, 3), (4, 5)]
Ratings = list[tuple[int | None, ...]]


def agree(items: Ratings, scale: Scale, *, shift: float = 0.0, factor: float = 1.0) -> Agreement:
    known = sorted({rating for item in items for rating in item if rating is not None})
    codes = [[-1 if r is None else known.index(r) for r in item] for item in items]
    ratings = np.array(codes, np.int64).reshape(len(items), -1)
    values = np.array(known, np.float64) * factor + shift
    tasks = np.arange(len(items))
    return agreement_of(ratings, tasks, values, scale, level=0.95, seed=0, resamples=199)


def naive_alpha(items: Ratings, scale: Scale) -> float | None:
    """The definition, over all pairs."""
    used = [[r for r in item if r is not None] for item in items]
    used = [item for item in used if len(item) > 1]
    every = [rating for item in used for rating in item]

    def distance(x: int, y: int) -> float:
        if scale == "nominal":
            return float(x != y)
        if scale == "interval":
            return float((x - y) ** 2)
        low, high = sorted((x, y))
        between = sum(low <= r <= high for r in every)
        return (between - (every.count(x) + every.count(y)) / 2.0) ** 2

    n = len(every)
    observed = sum(
        2 * distance(x, y) / (len(item) - 1) for item in used for x, y in combinations(item, 2)
    )
    expected = sum(2 * distance(x, y) for x, y in combinations(every, 2))
    return None if not expected else 1.0 - (observed / n) / (expected / (n * (n - 1)))


@pytest.mark.parametrize(
    ("scale", "alpha"),
    [
        ("interval", 1 - 0.5 / (2 * 8 * 13.5 / 56)),  # D_o = (0 + 2 + 0 + 2) / 8
        ("nominal", 0.41666666666666663),
        ("ordinal", 0.8892405063291139),
    ],
)
def test_the_worked_example(scale: Scale, alpha: float) -> None:
    found = agree(list(WORKED), scale)
    assert found.alpha.value == pytest.approx(alpha)
    assert (found.n_compared, found.n_tasks, found.exact) == (4, 4, 0.5)
    if scale == "nominal":
        assert found.kappa is None
    else:  # mean (x - y)**2 = 0.5, over all pairs 56 / 16
        assert found.kappa is not None
        assert found.kappa.value == pytest.approx(1 - 0.5 / 3.5)


def test_an_unused_scale_point_keeps_its_position() -> None:
    """Ratings of 1 and 5 are four apart, not one."""
    items: Ratings = [(1, 1), (1, 5), (5, 5), (4, 4)]
    found = agree(items, "interval")
    x, y = np.array(items, float).T
    expected = np.mean((x[:, None] - y) ** 2)
    assert found.kappa is not None
    assert found.kappa.value == pytest.approx(1 - np.mean((x - y) ** 2) / expected)


ratings = st.lists(
    st.tuples(*[st.none() | st.integers(1, 4)] * 3), min_size=1, max_size=12
)  # three judges, each of whom may leave an item out


@given(items=ratings, scale=st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_is_that_of_the_definition(items: Ratings, scale: Scale) -> None:
    found = agree(items, scale)
    expected = naive_alpha(items, scale)
    if expected is None:
        assert found.alpha == (None, None)
    else:
        assert found.alpha.value == pytest.approx(expected, abs=1e-9)
    assert found.n_compared == sum(sum(r is not None for r in item) > 1 for item in items)


@given(items=ratings, shift=st.floats(-50, 50), factor=st.floats(0.1, 10))
def test_interval_alpha_is_invariant_to_shift_and_scale(
    items: Ratings, shift: float, factor: float
) -> None:
    plain, moved = agree(items, "interval"), agree(items, "interval", shift=shift, factor=factor)
    assert (plain.alpha.value is None) == (moved.alpha.value is None)
    if plain.alpha.value is not None:
        assert moved.alpha.value == pytest.approx(plain.alpha.value, abs=1e-7)


@given(items=ratings)
def test_nominal_alpha_does_not_know_names(items: Ratings) -> None:
    renamed: Ratings = [tuple(r and {1: 3, 2: 1, 3: 4, 4: 2}[r] for r in item) for item in items]
    first, second = agree(items, "nominal").alpha, agree(renamed, "nominal").alpha
    assert (first.value is None) == (second.value is None)
    if first.value is not None:
        assert second.value == pytest.approx(first.value)


def test_no_variation_is_not_agreement() -> None:
    found = agree([(2, 2), (2, 2), (2, 2)], "ordinal")
    assert found.alpha == (None, None)
    assert found.kappa == (None, None)
    assert found.exact == 1.0


def test_nothing_to_compare() -> None:
    found = agree([(1, None), (None, 2)], "interval")
    assert (found.n_compared, found.n_tasks, found.exact) == (0, 0, None)


def test_one_task_has_no_interval() -> None:
    items = np.array([[0, 0], [0, 1], [1, 1]])
    values = np.array([1.0, 2.0])
    found = agreement_of(
        items, np.zeros(3, np.int64), values, "ordinal", level=0.95, seed=0, resamples=99
    )
    assert found.alpha.value is not None
    assert found.alpha.limits is None
    assert found.n_tasks == 1


def test_an_interval_holds_the_figure() -> None:
    random = np.random.default_rng(3)
    first = random.integers(0, 5, 60)
    second = np.clip(first + random.integers(-1, 2, 60), 0, 4)
    found = agreement_of(
        np.stack([first, second], axis=1),
        np.arange(60),
        np.arange(1.0, 6.0),
        "ordinal",
        level=0.95,
        seed=0,
        resamples=999,
    )
    limits, alpha = found.alpha.limits, found.alpha.value
    assert limits is not None
    assert alpha is not None
    assert limits.low < alpha < limits.high
