"""A simulation: how often 95 % intervals hold the truth where attempts come in tasks.

Each data set has tasks with a chance of their own, drawn from a beta distribution so that half of
the variance lies between tasks, and several attempts at each. An interval that took the attempts
for independent would hold the truth in some 74 % of these.
"""

from __future__ import annotations

import numpy as np
import pytest

from trajmeter.statistics.bootstrap import limits_of_means
from trajmeter.statistics.clusters import is_constant, standard_error
from trajmeter.statistics.intervals import (
    Interval,
    Range,
    clustered_wilson_interval,
    t_interval,
    wilson_without_variation,
)

SETS = 2_000
UNIT = Range(0.0, 1.0)


def test_the_intervals_hold_the_truth() -> None:
    """In 92 to 97 % of 2,000 data sets of 25 tasks with 4 attempts each."""
    pytest.importorskip("scipy", reason="Student's t is an extra")
    random = np.random.default_rng(11)
    rate, tasks, attempts = 0.6, 25, 4
    held = {"t": 0, "wilson_clustered": 0}
    sizes = np.full(tasks, attempts)
    for chances in random.beta(rate, 1.0 - rate, (SETS, tasks)):
        sums = random.binomial(attempts, chances).astype(np.float64)
        mean = float(sums.sum()) / (tasks * attempts)
        error = standard_error(sums, sizes, mean, tasks * attempts)
        intervals: list[Interval]
        if is_constant(error, 1.0):
            intervals = [wilson_without_variation(mean, tasks, 0.95, UNIT)] * 2
        else:
            intervals = [
                t_interval(mean, error, tasks - 1, 0.95, UNIT),
                clustered_wilson_interval(mean, error, tasks * attempts, tasks - 1, 0.95),
            ]
        for method, interval in zip(held, intervals, strict=True):
            held[method] += interval.low <= rate <= interval.high
    shares = {method: count / SETS for method, count in held.items()}
    assert all(0.92 <= share <= 0.97 for share in shares.values()), shares


def test_the_bootstrap_holds_the_truth() -> None:
    """Of continuous values, in 92 to 97 % of 400 data sets of 40 tasks."""
    random = np.random.default_rng(5)
    held = 0
    sets, tasks, attempts = 400, 40, 3
    sizes = np.full((tasks, 1), attempts)
    for seed in range(sets):
        means = random.normal(0.0, 1.0, tasks)
        values = means[:, None] + random.normal(0.0, 1.0, (tasks, attempts))
        (limits,) = limits_of_means(
            values.sum(axis=1)[:, None], sizes, level=0.95, seed=seed, resamples=399
        )
        held += limits.low <= 0.0 <= limits.high
    assert 0.92 <= held / sets <= 0.97, held / sets
