"""pass@k: worked estimates, and which k a number of attempts allows."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.errors import InputError
from trajmeter.statistics.repeats import ks_of, mean_pass_at_k, pass_at_k


@pytest.mark.parametrize(
    ("attempts", "successes", "k", "chance"),
    [
        (5, 2, 2, 0.7),  # 1 - 3/5 * 2/4
        (5, 2, 4, 1.0),  # only 3 failures to draw from
        (8, 3, 4, 0.928571),  # 1 - 5/8 * 4/7 * 3/6 * 2/5
        (4, 0, 4, 0.0),
        (1, 1, 1, 1.0),
    ],
)
def test_worked_estimates(attempts: int, successes: int, k: int, chance: float) -> None:
    assert pass_at_k(attempts, successes, k) == pytest.approx(chance, abs=5e-7)


@given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.just(n), *[st.integers(0, n)] * 2)))
def test_it_is_the_share_of_draws_that_hold_a_success(case: tuple[int, int, int]) -> None:
    attempts, successes, k = case[0], case[1], max(case[2], 1)
    draws = list(combinations(range(attempts), k))
    share = sum(min(draw) < successes for draw in draws) / len(draws)
    assert pass_at_k(attempts, successes, k) == pytest.approx(share)


@pytest.mark.parametrize(
    ("attempts", "ks"),
    [(0, []), (1, []), (3, [2]), (5, [2, 4, 5]), (10, [2, 4, 8, 5, 10])],
)
def test_fceval_chooses_no_1(attempts: int, ks: list[int]) -> None:
    assert ks_of(attempts, with_one=False) == ks
    assert ks_of(attempts) == ([1, *ks] if attempts else [])


def test_the_least_attempted_task_decides_which_k_there_are() -> None:
    # k = 2: 1 - 1/3 * 0 of (3, 2), and 1 - 3/5 * 2/4 of (5, 2)
    assert mean_pass_at_k([(3, 2), (5, 2), (0, 0)], with_one=False) == {2: pytest.approx(0.85)}
    assert mean_pass_at_k([]) == {}


@pytest.mark.parametrize("case", [(3, 4, 1), (3, -1, 1), (3, 1, 0), (3, 1, 4)])
def test_impossible_counts_are_refused(case: tuple[int, int, int]) -> None:
    with pytest.raises(InputError):
        pass_at_k(*case)
