"""Intervals and errors of clustered means: worked numbers, scipy's, and the limits of each rule."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.errors import ExtraMissingError
from trajmeter.statistics import distributions
from trajmeter.statistics.bootstrap import limits_of_means, percentile_limits
from trajmeter.statistics.clusters import is_constant, standard_error, variance_components
from trajmeter.statistics.intervals import (
    Range,
    clustered_wilson_interval,
    t_interval,
    wilson_interval,
    wilson_without_variation,
)

if TYPE_CHECKING:
    from collections.abc import Callable

shares = st.floats(0.0, 1.0)


def test_the_worked_example() -> None:
    """t1: 0.2, 0.4; t2: 0.9; t3: 0.5, 0.7. e = 0.6 - 1.08 = -0.48, 0.36 and 0.12."""
    error = standard_error(np.array([0.6, 0.9, 1.2]), np.array([2, 1, 2]), 0.54, 5)
    assert error == pytest.approx(sqrt(1.5 * 0.3744) / 5, rel=1e-12)
    interval = t_interval(0.54, error, 2, 0.95, Range(0.0, 1.0))
    # 0.54 - 4.3027 * 0.14988 is below 0, 0.54 + the same above 1.
    assert interval == ("t", 0.0, 1.0)
    assert t_interval(0.54, error, 2, 0.95, Range()).low == pytest.approx(0.54 - 0.6449, abs=1e-4)


def test_components_of_the_worked_example() -> None:
    """MSW = 0.04 / 2; MSB = (2 * 0.24**2 + 0.36**2 + 2 * 0.06**2) / 2 = 0.126; n0 = 1.6."""
    found = variance_components(
        np.array([0.6, 0.9, 1.2]), np.array([2, 1, 2]), np.array([0.02, 0.0, 0.02]), 0.9
    )
    assert found == pytest.approx((0.02, 0.106 / 1.6, 0.06625 / 0.08625, sqrt(0.004)))


def test_components_need_two_tasks_and_a_repeat() -> None:
    assert variance_components(np.array([1.0]), np.array([2]), np.array([0.5]), 1.0) is None
    once = np.array([1, 1])
    assert variance_components(np.array([1.0, 2.0]), once, np.zeros(2), 2.0) is None
    same = variance_components(np.array([2.0, 2.0]), np.array([2, 2]), np.zeros(2), 1.0)
    assert same == (0.0, 0.0, None, 0.0)


def test_wilson_of_one_in_ten() -> None:
    """Centre (0.1 + z**2 / 20) / (1 + z**2 / 10) with z = 1.95996: 0.0179 to 0.4042."""
    assert wilson_interval(0.1, 10, 0.95) == pytest.approx(
        ("wilson", 0.017876213095072896, 0.40415002679523837)
    )


def test_wilson_of_none_begins_at_zero() -> None:
    """z**2 / (n + z**2) with n = 15: 0.2039; the range scales it."""
    interval = wilson_without_variation(0.0, 15, 0.95, Range(0.0, 10.0))
    assert interval.low == 0.0
    assert interval.high == pytest.approx(2.0388330103584854)
    full = wilson_without_variation(10.0, 15, 0.95, Range(0.0, 10.0))
    assert full.low == pytest.approx(10.0 - 2.0388330103584854)
    assert full.high == 10.0


def test_clustered_wilson_uses_at_most_the_actual_count() -> None:
    """A tiny error would make thousands of values out of 20."""
    tiny = clustered_wilson_interval(0.5, 1e-6, 20, 9, 0.95)
    plain = clustered_wilson_interval(0.5, sqrt(0.25 / 20), 20, 9, 0.95)
    assert tiny == pytest.approx(plain)


@given(share=shares, count=st.integers(1, 10_000), level=st.floats(0.5, 0.999))
def test_wilson_holds_the_share(share: float, count: int, level: float) -> None:
    _, low, high = wilson_interval(share, count, level)
    assert 0.0 <= low <= share + 1e-12
    assert share - 1e-12 <= high <= 1.0


@given(values=st.lists(st.floats(-100, 100), min_size=2, max_size=30))
def test_one_value_a_cluster_is_the_classical_error(values: list[float]) -> None:
    array = np.array(values)
    mean = float(array.mean())
    error = standard_error(array, np.ones(len(array), np.int64), mean, len(array))
    classical = float(array.std(ddof=1)) / sqrt(len(array))
    assert error == pytest.approx(classical, rel=1e-9, abs=1e-12)


def test_repeating_every_attempt_leaves_the_error() -> None:
    sums, sizes = np.array([0.6, 0.9, 1.2]), np.array([2, 1, 2])
    once = standard_error(sums, sizes, 0.54, 5)
    assert standard_error(7 * sums, 7 * sizes, 0.54, 35) == pytest.approx(once)


def test_rounding_errors_are_not_variation() -> None:
    assert is_constant(1e-17, 0.1)
    assert is_constant(0.0, 0.0)
    assert not is_constant(1e-9, 0.1)


def test_percentiles_are_linear_between_order_statistics() -> None:
    """Of 0 to 10, the 2.5 % are at place 0.25."""
    assert percentile_limits(np.arange(11.0)[::-1].copy(), 0.95) == pytest.approx((0.25, 9.75))
    assert percentile_limits(np.array([3.0]), 0.95) == (3.0, 3.0)


def test_bootstrap_of_equal_clusters_has_no_width() -> None:
    (limits,) = limits_of_means(
        np.full((6, 1), 1.5), np.full((6, 1), 3), level=0.95, seed=0, resamples=99
    )
    assert limits == (0.5, 0.5)


@pytest.mark.parametrize("share", [0.5, 0.9, 0.975, 0.9995])
@pytest.mark.parametrize("df", [1, 2, 19, 1000])
def test_student_is_that_of_scipy(share: float, df: int) -> None:
    stats: Any = pytest.importorskip("scipy.stats", reason="scipy is an extra")
    quantile = distributions.t_quantile(share, df)
    assert quantile == pytest.approx(float(stats.t.ppf(share, df)), rel=1e-10, abs=1e-12)
    assert distributions.t_probability(quantile, df) == pytest.approx(share)


@pytest.fixture
def without_scipy(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def hide() -> None:
        for name in ("scipy", "scipy.special"):
            monkeypatch.setitem(__import__("sys").modules, name, None)

    return hide


def test_without_scipy_the_error_names_what_to_do(without_scipy: Callable[[], None]) -> None:
    without_scipy()
    assert not distributions.has_t()
    with pytest.raises(ExtraMissingError, match=r"trajmeter\[stats\].*--interval bootstrap"):
        t_interval(0.5, 0.1, 5, 0.95, Range())
    assert wilson_interval(0.5, 10, 0.95).low < 0.5, "the others need nothing"
