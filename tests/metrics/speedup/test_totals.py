"""Totals from columns are those of the naive aggregator, wherever the attempts are divided."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.metrics.speedup.naive import NaiveAggregator
from trajmeter.metrics import MetricError
from trajmeter.metrics.columns import FamilyColumns
from trajmeter.metrics.scored_columns import GroupedRows
from trajmeter.metrics.scored_rows import ScoredRows, attempted, place_columns
from trajmeter.metrics.speedup import PROFILES, SpeedupMetric, SpeedupResult
from trajmeter.records import Outcome, Task, Trajectory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.metrics import Result
    from trajmeter.metrics.speedup.totals import SpeedupTotals

_NUMBERS = st.none() | st.floats(-1e9, 1e9)
_RATIOS = st.sampled_from([None, 0.1, 0.5, 1.0, 1 / 3, 7.0])
_KEYS = st.sampled_from(["a:m", "b:m", "c:"])
_RESULTS = st.builds(
    SpeedupResult,
    outcome=st.sampled_from([Outcome.SCORED, Outcome.ASSIGNED, Outcome.NOT_SCORED]),
    cause=st.none(),
    key=_KEYS,
    instance=st.sampled_from([None, "1", "2"]),
    trial=st.sampled_from([None, "", "t", "u"]),
    trial_resolved=st.sampled_from([None, True, False]),
    success=st.sampled_from([None, True, False]),
    task_speedup=_RATIOS,
    agent_advantage=_NUMBERS,
    agent_advantage_level2=_NUMBERS,
    task_cost_usd=_NUMBERS,
    trajectory_length=st.none() | st.integers(0, 10**6),
    num_benchmarks=st.integers(0, 5),
    num_valid_benchmarks=st.integers(0, 5),
    num_regressions=st.none() | st.integers(0, 5),
    worst_speedup=_RATIOS,
    worst_benchmark=st.sampled_from([None, "f", "g"]),
    fallback_to_baseline=st.booleans(),
    priced=st.sampled_from([None, True, False]),
    costs_by_agent_model=st.dictionaries(_KEYS, st.floats(0, 100), max_size=2),
    warnings=st.lists(st.sampled_from(["w", "v"]), max_size=3).map(tuple),
)
_ATTEMPTS = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.sampled_from([None, Task(id="one", aliases=("uno",))]),
        st.builds(
            Trajectory,
            task_id=st.sampled_from(["one", "uno", "two"]),
            agent=st.sampled_from([None, "a"]),
            model=st.sampled_from([None, "m"]),
            instance=st.sampled_from([None, "1"]),
            attempt=st.sampled_from([None, "1", "t"]),
        ),
        st.just(MetricError("it went off", code=None)) | _RESULTS,
    ),
    max_size=16,
)

_Attempt = tuple[int, "Task | None", Trajectory, "Result | MetricError"]


def _totals(metric: SpeedupMetric, attempts: Sequence[_Attempt]) -> SpeedupTotals:
    """Two groups, the first of which has the number 1."""
    totals = metric.column_aggregator()
    family = FamilyColumns(metric, offset=0)
    if attempts:
        columns = ScoredRows(
            place_columns(family.columns),
            [family.values(result) for *_, result in attempts],
            [attempted(task, trajectory) for _, task, trajectory, _ in attempts],
        )
        groups = np.array([group for group, *_ in attempts])
        totals.add(columns, GroupedRows(groups, np.array([1, 0])))
    return totals


@pytest.mark.parametrize("profile", [each.name for each in PROFILES])
@given(_ATTEMPTS, st.data())
def test_columns_give_the_figures_of_the_naive_aggregator(
    profile: str | None, attempts: list[_Attempt], data: st.DataObject
) -> None:
    metric = SpeedupMetric(profile=profile)
    (chosen,) = (each for each in PROFILES if each.name == profile)
    naive = {group: NaiveAggregator(chosen) for group in (0, 1, None)}
    for group, task, trajectory, result in attempts:
        for own in (1 - group, None):
            if isinstance(result, MetricError):
                naive[own].add_error(task, trajectory)
            else:
                naive[own].add(task, trajectory, result)
    cut = data.draw(st.integers(0, len(attempts)))
    totals = _totals(metric, attempts[:cut])
    totals.merge(_totals(metric, attempts[cut:]), np.arange(2))
    found = {None, *(1 - group for group, *_ in attempts)}
    for number in found:
        assert totals.figures(number) == naive[number].figures()


def test_the_mean_of_three_attempts_at_the_only_task_keeps_its_fraction() -> None:
    metric = SpeedupMetric()
    aggregator = metric.aggregator()
    for speedup in (2.25, 2.25, 1.0):
        result = SpeedupResult(key="a:m", outcome=Outcome.SCORED, cause=None, task_speedup=speedup)
        aggregator.add(None, Trajectory(task_id="t"), result)
    assert aggregator.figures().mean_speedup.value == 5.5 / 3
