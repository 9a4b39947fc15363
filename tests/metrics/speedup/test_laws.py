"""Laws of the speedup figures, over tables of any benchmarks."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.metrics.speedup import SpeedupMetric, SpeedupResult
from trajmeter.metrics.speedup.levels import level_figures
from trajmeter.metrics.speedup.table import SpeedupTable, read_table, table_of_times
from trajmeter.records import (
    Measurement,
    Measurements,
    PytestSummary,
    SnapshotSummary,
    Trajectory,
)

NAMES = st.builds(
    "{}.{}.{}{}".format,
    st.sampled_from(["m", "n.o"]),
    st.sampled_from(["A", "b"]),
    st.sampled_from(["time_x", "time_y"]),
    st.sampled_from(["", "(1)", "(2, 'a.B')"]),
)
RATIOS = st.floats(0.01, 100) | st.sampled_from([None, True, "2", math.nan, math.inf, 0, -1.0])
ENTRIES = st.fixed_dictionaries({"agent/nop": RATIOS, "oracle/nop": RATIOS})
TABLES = st.dictionaries(NAMES, ENTRIES | st.none(), max_size=12)
TIMES = st.floats(0.01, 100)


def figures(table: SpeedupTable) -> list[float]:
    (found,) = level_figures([table])
    return [found.valid, found.speedup, *found.advantage]


def same(values: list[float]) -> Any:
    return pytest.approx(values, rel=1e-9, abs=1e-9, nan_ok=True)


@given(TABLES)
def test_reverting_twice_is_reverting_once(entries: dict[str, Any]) -> None:
    once = read_table(entries).reverted()
    assert once.reverted() == once


# An oracle ratio that is not a positive number is known by its reason, not by its value.
REVERTIBLE = st.fixed_dictionaries(
    {
        "agent/nop": RATIOS,
        "oracle/nop": st.floats(0.01, 100) | st.sampled_from([None, "2", math.nan, math.inf]),
    }
)


@given(st.dictionaries(NAMES, REVERTIBLE, max_size=12), st.sampled_from([None, "fc-eval"]))
def test_an_attempt_reverted_twice_is_reverted_once(
    entries: dict[str, Any], profile: str | None
) -> None:
    def attempt(agent: str, table: Any, failures: int) -> Trajectory:
        return Trajectory(
            task_id="t",
            agent=agent,
            model="m",
            measurements=Measurements(ratios_by_agent={f"{agent}:m": table}),
            pytest_summary=PytestSummary(failed=failures),
            snapshot_summary=SnapshotSummary(status="passed"),
        )

    def failed(table: Any) -> SpeedupResult:
        oracle = attempt("oracle", {"m.f": {"agent/nop": 2.0, "oracle/nop": 2.0}}, 0)
        trial = [oracle, attempt("fixer", table, 1)]
        return SpeedupMetric(profile=profile).score_trial(None, trial)[1]

    once = failed(entries)
    twice = failed(once.per_benchmark_speedups)
    names = ("task_speedup", "agent_advantage_level1", "agent_advantage_level3", "agent_advantage")
    for name in (*names, "num_benchmarks", "num_valid_benchmarks", "outcome"):
        assert getattr(twice, name) == getattr(once, name), name


@given(TABLES)
def test_a_reverted_agent_has_a_speedup_of_1(entries: dict[str, Any]) -> None:
    valid, speedup, *_ = figures(read_table(entries).reverted())
    assert not valid or speedup == 1.0


@given(TABLES)
def test_the_oracle_has_no_advantage_over_itself(entries: dict[str, Any]) -> None:
    own = {
        name: entry and {"agent/nop": entry["oracle/nop"], "oracle/nop": entry["oracle/nop"]}
        for name, entry in entries.items()
    }
    valid, _, *advantage = figures(read_table(own))
    assert not valid or advantage == [0.0] * 4


@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_of_benchmarks_does_not_matter(entries: dict[str, Any], random: Any) -> None:
    items = list(entries.items())
    random.shuffle(items)
    assert figures(read_table(dict(items))) == same(figures(read_table(entries)))


@given(st.dictionaries(NAMES, st.tuples(TIMES, TIMES, TIMES)), st.floats(0.001, 1000))
def test_the_unit_of_time_does_not_matter(
    times: dict[str, tuple[float, float, float]], unit: float
) -> None:
    def table(scale: float) -> SpeedupTable:
        columns = [
            {name: Measurement(value=row[column] * scale) for name, row in times.items()}
            for column in range(3)
        ]
        return table_of_times(*columns)

    assert figures(table(unit)) == same(figures(table(1.0)))
