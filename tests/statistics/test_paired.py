"""Tests of differences: worked p-values, Holm, and what they must not depend on."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.errors import InputError
from trajmeter.statistics.multiple import holm
from trajmeter.statistics.paired import (
    differences_of,
    equivalence,
    mcnemar,
    mean_difference,
    minimal_detectable_effect,
    sign_flip_test,
    t_test,
)

if TYPE_CHECKING:
    from trajmeter.statistics.paired import PValue

A = [0.3, 0.3, 0.6, 0.1, 0.7, 0.2]
B = [0.4, 0.2, 0.6, 0.2, 0.6, 0.4]


def flips(a: list[float], b: list[float], **draws: int) -> PValue:
    options = {"seed": 0, "resamples": 999} | draws
    return sign_flip_test(np.array(a), np.array(b), np.arange(len(a)), **options)


def test_the_worked_example() -> None:
    """Five differ, |S| = 0.2, and 24 of 32 patterns reach it."""
    assert flips(A, B) == (0.75, "sign_flip_exact")


@given(values=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=9))
def test_all_patterns_are_tried(values: list[tuple[int, int]]) -> None:
    differing = [b - a for a, b in values if a != b]
    total = abs(sum(differing))
    signs = [*product((1, -1), repeat=len(differing))]
    reached = [abs(sum(s * d for s, d in zip(p, differing, strict=True))) >= total for p in signs]
    found = flips([float(a) for a, _ in values], [float(b) for _, b in values])
    assert found == (sum(reached) / len(signs), "sign_flip_exact")


def test_more_than_sixteen_clusters_are_drawn() -> None:
    a, b = [0.0] * 17, [1.0] * 17
    assert flips(a, b) == (1 / 1000, "sign_flip"), "no pattern of 999 has equal signs throughout"
    assert flips(a[:16], b[:16]).value == 2 / 2**16


@given(seed=st.integers(0, 2**32), size=st.integers(17, 40))
def test_the_other_way_round_is_as_likely(seed: int, size: int) -> None:
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, size)).tolist()
    assert flips(a, b, seed=seed) == flips(b, a, seed=seed)


def test_nothing_differs() -> None:
    assert flips(A, A).value == 1.0
    assert flips([0.1 + 0.2], [0.3]).value == 1.0, "but for rounding"
    a, b = np.array([0.1 + 0.2, 1.0]), np.array([0.3, 1.5])
    assert differences_of(a, b).tolist() == [0.0, 0.5]


def test_a_difference_counts_however_many_tasks_are_equal() -> None:
    a = np.full(1_000, 1e9)
    assert mean_difference(a, a + (np.arange(1_000) == 0)) == 0.001
    assert mean_difference(np.array([0.1, 0.3]), np.array([0.1 + 0.2, 0.1])) == 0.0


def test_clusters_change_sign_together() -> None:
    """Two tasks of one repository and one of another: of four patterns two reach 2."""
    found = sign_flip_test(
        np.zeros(3), np.array([1.0, 1.0, 0.0]), np.array([0, 0, 1]), seed=0, resamples=9
    )
    assert found == (1.0, "sign_flip_exact")


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    [
        (6, 1, 0.125),  # 2 * (1 + 7) / 2**7
        (6, 5, 1.0),
        (5, 0, 2 / 2**5),
        (0, 0, 1.0),
    ],
)
def test_mcnemar_p_values_are_exact(better: int, worse: int, p: float) -> None:
    assert mcnemar(better, worse) == (p, "mcnemar")
    assert mcnemar(worse, better).value == p


@pytest.mark.parametrize(("better", "worse"), [(0, 2100), (690, 810), (8000, 8200), (50000, 50400)])
def test_mcnemar_of_many_tasks(better: int, worse: int) -> None:
    """Both tails of the binomial: twice the smaller, as its terms are symmetric."""
    stats: Any = pytest.importorskip("scipy.stats", reason="scipy is an extra")
    expected = stats.binomtest(better, better + worse).pvalue
    assert mcnemar(better, worse).value == pytest.approx(expected, rel=1e-10, abs=0.0)


@given(better=st.integers(0, 8), worse=st.integers(0, 8))
def test_mcnemar_is_the_exact_test_of_signs(better: int, worse: int) -> None:
    a = [0.0] * better + [1.0] * worse + [1.0]
    b = [1.0] * better + [0.0] * worse + [1.0]
    assert mcnemar(better, worse).value == pytest.approx(flips(a, b).value, abs=1e-15)


def test_student_of_the_worked_example() -> None:
    """Mean 0.2 / 6, error sqrt(0.07333 / 5 / 6) = 0.04944."""
    error = 0.04944132324730442
    assert t_test(0.2 / 6, error, 5) == pytest.approx(0.5300916186704534)
    assert minimal_detectable_effect(error, 5, 0.95) == pytest.approx(0.1725564287482792)
    test = equivalence(0.2 / 6, error, 5, margin=0.1, level=0.95)
    assert test.p_value == pytest.approx(0.11769373863909503)
    assert not test.is_equivalent
    assert equivalence(0.0, 0.001, 5, margin=0.1, level=0.95).is_equivalent


@pytest.mark.parametrize(("margin", "p"), [(0.2, 0.0), (0.1, 0.5), (0.05, 1.0)])
def test_without_variation_only_the_difference_counts(margin: float, p: float) -> None:
    assert equivalence(0.1, 0.0, 5, margin=margin, level=0.95) == (p, p == 0.0)


def test_holm_in_the_order_given() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.6, 0.7]) == [1.0, 1.0]


@given(values=st.lists(st.floats(0.0, 1.0), max_size=12))
def test_holm_never_helps(values: list[float]) -> None:
    adjusted = holm(values)
    assert all(p <= q <= 1.0 for p, q in zip(values, adjusted, strict=True))
    order = sorted(range(len(values)), key=values.__getitem__)
    assert [adjusted[i] for i in order] == sorted(adjusted)


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_holm_refuses_values_that_are_not_probabilities(value: float) -> None:
    with pytest.raises(InputError, match="p-value 1 is"):
        holm([0.5, value])
