"""Bands of curves: intervals of the mean at each step."""

from __future__ import annotations

import numpy as np
import pytest

from trajmeter.reports.results.bands import Band, band_of


def test_a_step_has_the_interval_of_its_mean_clustered_by_task() -> None:
    pytest.importorskip("scipy")
    # t1: 0.2, 0.4; t2: 0.9; t3: 0.5, 0.7: mean 0.54, error 0.14988, t(0.975, 2) = 4.3027
    shares = np.array([[0.2], [0.4], [0.9], [0.5], [0.7]])
    wide = band_of(shares, np.array([7, 7, 2, 5, 5]), 0.95)
    assert wide == Band((0.0,), (1.0,))  # 0.54 ± 0.645, cut to 0 to 1
    narrow = band_of(shares, np.array([7, 7, 2, 5, 5]), 0.5)  # t(0.75, 2) = 0.8165
    assert narrow.lows == pytest.approx((0.54 - 0.8165 * 0.14988,), abs=1e-4)
    assert narrow.highs == pytest.approx((0.54 + 0.8165 * 0.14988,), abs=1e-4)


def test_a_step_at_which_all_are_alike_is_not_certain() -> None:
    pytest.importorskip("scipy")
    band = band_of(np.ones((4, 2)), np.arange(4), 0.95)
    assert band.highs == (1.0, 1.0)
    assert band.lows == pytest.approx((0.5101, 0.5101), abs=1e-4)  # 4 / (4 + 1.96²)


def test_one_task_has_no_band() -> None:
    assert band_of(np.array([[0.5], [0.7]]), np.array([3, 3]), 0.95) == Band()


def test_without_scipy_there_is_no_band(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trajmeter.reports.results.bands.has_t", lambda: False)
    assert band_of(np.array([[0.5], [0.7]]), np.array([1, 2]), 0.95) == Band()
