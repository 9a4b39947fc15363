"""Speedup in columns beside the record form, of trials as tables and runs of agents hold them."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.scoring.strategies import measured_trajectories
from trajmeter.arrays import concatenated_batches
from trajmeter.benchmark_tables.columns import as_measurements, table_column, with_tables
from trajmeter.metrics.speedup import SpeedupMetric, batch
from trajmeter.records import Measurements, PytestSummary, Trajectory
from trajmeter.records.measurements import agent_key
from trajmeter.schemas import trajectory_batch

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.usefixtures("rust")

PROFILES = [None, "fc-eval"]
AGENTS = (("nop", None), ("oracle", None), ("owl", "a/b"), ("wren", "c"))
NAMES = st.sampled_from(["m.A.f(1)", "m.A.f(2)", "m.B.g", "n.g", 'Ü."h"', ""])
RATIOS = st.floats(0.01, 100) | st.sampled_from([1.0, 2, 0, -1.5, 1e300, 5e-324])
ENTRIES = st.fixed_dictionaries(
    {"agent/nop": RATIOS, "oracle/nop": RATIOS},
    optional={
        "significant": st.sampled_from([True, False, None]),
        "fallback_to_baseline": st.booleans(),
        "else": st.sampled_from([1, "x", [{}], {"a": {"b": 1}}]),
    },
)
ODD_ENTRIES = st.sampled_from(
    [
        None,
        3,
        {},
        {"agent/nop": None, "oracle/nop": 2.0},
        {"agent/nop": "x", "oracle/nop": True},
        {"agent_seconds": 2.0, "oracle_seconds": 1, "nop_seconds": 4.0},
        {"agent_seconds": None, "nop_seconds": 4.0},
    ]
)
TABLES = st.dictionaries(NAMES, ENTRIES, min_size=1, max_size=4) | st.dictionaries(
    NAMES, ENTRIES | ODD_ENTRIES, max_size=4
)


@st.composite
def trials(draw: st.DrawFn) -> list[Trajectory]:
    """Attempts at one task, with tables of their own, or of all agents in the file of each."""
    chosen = draw(st.lists(st.sampled_from(AGENTS), min_size=1, max_size=4, unique=True))
    tables = {agent_key(*name): draw(TABLES) for name in chosen}
    is_shared, trial = draw(st.booleans()), draw(st.sampled_from([None, "t"]))
    attempt = draw(st.sampled_from([None, "1"]))
    return [
        draw(measured_trajectories).model_copy(
            update={
                "task_id": "a",
                "agent": name,
                "model": model,
                "trial": trial,
                "attempt": attempt,
                "measurements": Measurements(
                    ratios_by_agent=tables
                    if is_shared
                    else {agent_key(name, model): tables[agent_key(name, model)]}
                ),
            }
        )
        for name, model in chosen
    ]


def both_ways(metric: SpeedupMetric, attempts: Sequence[Trajectory]) -> None:
    rows_both_ways(metric, trajectory_batch(attempts))


def rows_both_ways(metric: SpeedupMetric, rows: pa.RecordBatch) -> None:
    tasks = [None] * len(rows)
    found = metric.score_batch(tasks, rows)
    with mock.patch.object(batch, "backend", return_value="python"):
        expected = metric.score_batch(tasks, as_measurements(rows))
    if isinstance(expected, dict):
        assert found == expected
    else:  # a count is larger than a column holds
        assert [*found] == [*expected]


@pytest.mark.parametrize("profile", PROFILES)
@given(attempts=trials())
def test_columns_equal_records(profile: str | None, attempts: list[Trajectory]) -> None:
    both_ways(SpeedupMetric(profile=profile), attempts)


@given(repetitions=st.lists(trials(), min_size=1, max_size=2), shared=trials())
def test_columns_equal_records_of_repeated_attempts(
    repetitions: list[list[Trajectory]], shared: list[Trajectory]
) -> None:
    attempts = [
        attempt.model_copy(update={"attempt": str(number), "trial": None})
        for number, repetition in enumerate(repetitions)
        for attempt in repetition
    ]
    once = [attempt.model_copy(update={"attempt": None, "trial": None}) for attempt in shared]
    for profile in PROFILES:
        both_ways(SpeedupMetric(profile=profile), [*once, *attempts])


DOUBLES = st.none() | st.floats() | st.sampled_from([1.0, 2.0, 0.5])
FIELDS = {
    **dict.fromkeys(("agent/nop", "oracle/nop"), DOUBLES),
    **dict.fromkeys(("nop_seconds", "agent_seconds", "oracle_seconds"), DOUBLES),
    "significant": st.none() | st.booleans(),
}


@st.composite
def table_columns(draw: st.DrawFn, attempts: int) -> pa.Array[Any]:
    """The tables of some attempts as columns, as a file holds them: with one set of fields."""
    names = draw(st.lists(NAMES | st.just("error"), min_size=1, max_size=4, unique=True))
    codes = st.lists(st.sampled_from(range(len(names))), max_size=4, unique=True)
    own = [draw(codes) for _ in range(attempts)]
    offsets = np.cumsum([0, *map(len, own)])
    chosen = draw(st.lists(st.sampled_from([*FIELDS]), unique=True))
    fields = {
        name: pa.array(
            [draw(FIELDS[name]) for _ in range(int(offsets[-1]))],
            pa.bool_() if name == "significant" else pa.float64(),
        )
        for name in chosen
    }
    flat = pa.array([code for each in own for code in each], pa.int32())
    return table_column(pa.array(names, pa.string()), flat, fields, offsets)


@pytest.mark.parametrize("profile", PROFILES)
@given(data=st.data())
def test_tables_in_columns_equal_records(profile: str | None, data: st.DataObject) -> None:
    """The attempts of one file have tables in columns; beside them, there are those of others."""
    parts = []
    for trial in data.draw(st.lists(trials(), min_size=1, max_size=3)):
        rows = trajectory_batch(trial)
        if data.draw(st.booleans()):
            bare = [each.model_copy(update={"measurements": Measurements()}) for each in trial]
            rows = with_tables(
                trajectory_batch(bare), data.draw(table_columns(attempts=len(trial)))
            )
        parts.append(with_tables(rows))
    rows = concatenated_batches(parts)
    begin = data.draw(st.integers(0, len(rows) - 1))
    rows_both_ways(SpeedupMetric(profile=profile), rows.slice(begin))


@pytest.mark.parametrize("profile", PROFILES)
def test_plain_tables_in_columns_need_no_record(profile: str | None) -> None:
    attempts = [
        Trajectory(task_id="a", agent=agent, measurements=Measurements())
        for agent in ("owl", "wren", "crow")
    ]
    fields: dict[str, pa.Array[Any]] = {
        "agent/nop": pa.array([4.0, None, nan, 3.0]),
        "oracle/nop": pa.array([2.0, 1.0, 1.0, 1.0]),
        "significant": pa.array([True, None, False, True]),
    }
    names, codes = pa.array(["m.f", "m.g"]), pa.array([0, 1, 1, 0], pa.int32())
    column = table_column(names, codes, fields, np.array([0, 2, 3, 4]))
    rows = with_tables(trajectory_batch(attempts), column)
    with mock.patch.object(batch, "records_of", side_effect=AssertionError("read as records")):
        found: Any = SpeedupMetric(profile=profile).score_batch([None] * 3, rows)
    assert found["num_valid_benchmarks"].to_pylist() == [1, 0, 1]
    assert found["invalid_benchmarks"].to_pylist() == [
        [("m.g", "missing")],
        [("m.g", "non_finite")],
        [],
    ]
    assert found["task_speedup"].to_pylist()[::2] == pytest.approx([4.0, 3.0])


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("is_shared", [True, False])
def test_plain_trials_need_no_record(profile: str | None, is_shared: bool) -> None:
    entries = {"m.f": {"agent/nop": 4.0, "oracle/nop": 2.0}, "m.g": {"agent/nop": None}}
    tables = {agent_key(*name): entries for name in AGENTS}
    attempts = [
        Trajectory(
            task_id=task,
            agent=name,
            model=model,
            pytest_summary=PytestSummary(failed=int(name == "owl"), status="odd"),
            measurements=Measurements(
                ratios_by_agent=tables if is_shared else {agent_key(name, model): entries}
            ),
        )
        for task in ("a", "b")
        for name, model in AGENTS
    ]
    rows = trajectory_batch(attempts)
    never = mock.patch.object(batch, "records_of", side_effect=AssertionError("read as records"))
    with never:
        found: Any = SpeedupMetric(profile=profile).score_batch([None] * len(rows), rows)
    speedups = dict(zip(rows["agent"].to_pylist(), found["task_speedup"].to_pylist(), strict=True))
    assert speedups["owl"] == 1.0
    assert speedups["wren"] == pytest.approx(4.0)
