"""The column path gives what the record path gives: every family, column and backend."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from unittest import mock

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_core import to_json

import trajmeter
from tests.metrics.context.repositories import gold, snapshot, ten_lines
from tests.scoring import expecting
from tests.scoring.strategies import any_trajectories, measured_trajectories, trajectories
from trajmeter import kernels
from trajmeter.kernels import _select
from trajmeter.metrics import create, describe, registry
from trajmeter.metrics.rules import RulesMetric, facts
from trajmeter.metrics.speedup import batch as speedup_batch
from trajmeter.records import Assertion, Measurement, Task, ToolCall, Trajectory, Turn, Verdict
from trajmeter.schemas import trajectory_batch
from trajmeter.scoring.batches import BatchScorer
from trajmeter.scoring.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from trajmeter.kernels import BackendName
    from trajmeter.metrics import AnyMetric
    from trajmeter.metrics.column import Column
    from trajmeter.snapshots import Snapshot

FAMILIES = tuple(registry.BUILT_IN)
PROFILES = tuple(profile for name in FAMILIES for profile in describe(name).profiles)

TASKS = (
    Task(
        id="one",
        aliases=("uno",),
        gold_patch="--- a/a.py\n+++ b/a.py\n@@ -3 +3,2 @@\n-a\n+b\n",
        gold_ranges=(gold("a.py", 2, 4),),
        expected_tool_calls=(ToolCall(name="a", arguments={"q": 1}),),
        expected_answer="a b",
        max_turns=3,
        assertions=(Assertion(type="transcript_contains", check="x"),),
    ),
    Task(
        id="two",
        gold_ranges=(),
        expected_sources=("s",),
        baseline_seconds={"n.g": Measurement(value=2.0), "m.A.f(1)": Measurement(value=1.0)},
        oracle_seconds={"n.g": Measurement(value=1.0)},
    ),
    Task(id="three", repo="acme/repo", gold_ranges=(gold("b/c.py", 4, 2), gold("a.py", 3, 9))),
)


_IDENTITY = frozenset({"task_id", "agent", "model", "attempt", "instance", "source"})


class _Store:
    """Finds a snapshot for each task but one, and definitions for one."""

    def __init__(self, *lacking: str) -> None:
        self._lacking = lacking

    def find(self, task: Task) -> Snapshot | None:
        if task.id in self._lacking:
            return None
        files = {"a.py": ten_lines([("function", 0, 20, "f")]), "b/c.py": ten_lines()}
        if task.id == "three":
            files["b/c.py"] = ten_lines(None)
        return snapshot(files if task.id != "two" else {})


def _computing_with(backend: BackendName) -> AbstractContextManager[object]:
    loaded = kernels.load(backend)
    return mock.patch.multiple(_select, _chosen=lambda: backend, _chosen_kernels=lambda: loaded)


def _by_trial(attempts: Sequence[Trajectory]) -> list[Trajectory]:
    return sorted(attempts, key=lambda each: {"uno": "one"}.get(each.task_id, each.task_id))


def _cut(batch: pa.RecordBatch, borders: Sequence[int]) -> Iterator[pa.RecordBatch]:
    """The batch as several, whose memory begins above 0."""
    places = sorted({0, len(batch), *(border for border in borders if border < len(batch))})
    for start, stop in pairwise(places):
        yield batch.slice(start, stop - start)


def _with_columns(rows: pa.RecordBatch, metrics: Sequence[str | AnyMetric]) -> pa.RecordBatch:
    """The batch with those columns alone that the metrics say they read."""
    everything = frozenset(rows.schema.names)
    wanted = _IDENTITY.union(
        *(getattr(metric, "batch_columns", everything) for metric in create(metrics))
    )

    def kept(value: Any, path: str) -> Any:
        if path in wanted:
            return value
        if not any(name.startswith(f"{path}.") for name in wanted):
            return None
        if isinstance(value, list):
            return [kept(each, path) for each in value]
        if isinstance(value, dict):
            return {name: kept(each, f"{path}.{name}") for name, each in value.items()}
        return value

    listed = [{name: kept(value, name) for name, value in row.items()} for row in rows.to_pylist()]
    return pa.RecordBatch.from_pylist(listed, schema=rows.schema)


def _comparable(column: Column, value: Any) -> Any:
    """A value of a row, whichever of the two paths it comes from."""
    if value is None:
        return None
    if column.shape.kind == "mapping":
        pairs = value.items() if isinstance(value, dict) else map(dict.values, value)
        return dict(map(tuple, pairs))
    if column.shape.kind == "json":
        # As a column has it: an infinity is text.
        return json.loads(
            value if isinstance(value, str) else to_json(value, inf_nan_mode="strings")
        )
    return list(value) if column.shape.kind == "list" else value


def _assert_equal(
    attempts: Sequence[Trajectory],
    borders: Sequence[int],
    *,
    metrics: Sequence[str | AnyMetric],
    profiles: Sequence[str],
    tasks: Sequence[Task] = TASKS,
    lacking: Sequence[str] = (),
) -> None:
    store = _Store(*lacking)
    by_record = trajmeter.score(
        attempts, tasks=tasks, snapshots=store, metrics=metrics, profiles=profiles
    )
    scorer = BatchScorer(metrics, tasks=tasks, snapshots=store, profiles=profiles)
    batch = trajectory_batch(attempts)
    tables = list(scorer.score(_cut(_with_columns(batch, metrics), borders)))
    assert all(table.schema.equals(scorer.schema, check_metadata=True) for table in tables)
    columns = {column.name: column for column in by_record.layout.columns}
    found = [row for table in tables for row in table.to_pylist()]
    shown, expected = (
        [{name: _comparable(columns[name], value) for name, value in row.items()} for row in table]
        for table in (found, by_record.rows)
    )
    assert shown == expected


@pytest.fixture(params=["python", "rust"], scope="session")
def backend(request: pytest.FixtureRequest) -> BackendName:
    if request.param == "rust":
        request.getfixturevalue("rust")
        return "rust"
    return "python"


@settings(max_examples=settings().max_examples // 2)  # each scores every family twice
@given(
    profiles=st.sampled_from([(), PROFILES]),
    attempts=st.lists(trajectories(), max_size=6).map(_by_trial),
    borders=st.lists(st.integers(1, 5), max_size=3),
)
def test_every_family_gives_equal_rows(
    backend: BackendName,
    profiles: Sequence[str],
    attempts: list[Trajectory],
    borders: list[int],
) -> None:
    with _computing_with(backend):
        _assert_equal(attempts, borders, metrics=FAMILIES, profiles=profiles)


@given(
    profiles=st.sampled_from([(), ("contextbench",)]),
    attempts=st.lists(trajectories(), max_size=8),
    borders=st.lists(st.integers(1, 7), max_size=3),
    lacking=st.sets(st.sampled_from(["one", "three"])),
    groups=st.sampled_from([["context"], ["context"], ["context.final", "context.edit_location"]]),
)
def test_context_gives_equal_rows_without_a_record(
    backend: BackendName,
    profiles: Sequence[str],
    attempts: list[Trajectory],
    borders: list[int],
    lacking: set[str],
    groups: Sequence[str],
) -> None:
    never = mock.patch.object(Rows, "records", side_effect=AssertionError("a record was made"))
    with _computing_with(backend), never:
        _assert_equal(attempts, borders, metrics=groups, profiles=profiles, lacking=[*lacking])


@given(
    attempts=st.lists(any_trajectories, max_size=4),
    task_ids=st.lists(st.sampled_from(["one", "two", "unknown"]), min_size=4, max_size=4),
)
def test_context_gives_equal_rows_whatever_the_numbers(
    backend: BackendName, attempts: list[Trajectory], task_ids: list[str]
) -> None:
    named = [
        attempt.model_copy(update={"task_id": task_id})
        for attempt, task_id in zip(attempts, task_ids, strict=False)
    ]
    with _computing_with(backend):
        _assert_equal(named, [], metrics=["context"], profiles=[])


@given(
    profiles=st.sampled_from([(), ("ptcrunner",)]),
    attempts=st.lists(trajectories() | any_trajectories, max_size=8),
    borders=st.lists(st.integers(1, 7), max_size=3),
)
def test_turns_give_equal_rows_without_a_record(
    backend: BackendName,
    profiles: Sequence[str],
    attempts: list[Trajectory],
    borders: list[int],
) -> None:
    # Equal rows show nothing where the batch form left its rows to the records.
    never = mock.patch.object(Rows, "records", side_effect=AssertionError("a record was made"))
    with _computing_with(backend), never:
        _assert_equal(attempts, borders, metrics=["turns"], profiles=profiles)


@pytest.mark.filterwarnings("error::RuntimeWarning")  # of a batch that was left to the records
@given(
    profiles=st.sampled_from([(), ("transform-gym",)]),
    tasks=expecting.tasks(),
    attempts=st.lists(expecting.attempts, max_size=8),
    borders=st.lists(st.integers(1, 7), max_size=3),
    at_once=st.integers(1, 4),
)
def test_rules_give_equal_rows_by_batch(
    backend: BackendName,
    profiles: Sequence[str],
    tasks: list[Task],
    attempts: list[Trajectory],
    borders: list[int],
    at_once: int,
) -> None:
    few = mock.patch.object(facts, "ROWS_AT_ONCE", at_once)
    with _computing_with(backend), few:
        _assert_equal(attempts, borders, metrics=["rules"], profiles=profiles, tasks=tasks)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*cannot be scored:UserWarning")  # of policies that are none
@pytest.mark.parametrize("family", ["tools", "answers"])
@given(
    tasks=expecting.tasks(),
    attempts=st.lists(expecting.attempts, max_size=8),
    borders=st.lists(st.integers(1, 7), max_size=3),
)
def test_tools_and_answers_give_equal_rows_by_batch(
    backend: BackendName,
    family: str,
    tasks: list[Task],
    attempts: list[Trajectory],
    borders: list[int],
) -> None:
    with _computing_with(backend):
        _assert_equal(attempts, borders, metrics=[family], profiles=[], tasks=tasks)


@settings(max_examples=settings().max_examples // 2)
@given(tasks=expecting.tasks(), attempts=st.lists(expecting.attempts, max_size=4))
def test_a_judge_is_asked_the_same_on_both_paths(
    backend: BackendName, tasks: list[Task], attempts: list[Trajectory]
) -> None:
    asked: list[object] = []

    def judge(task: Task, trajectory: Trajectory, assertions: Sequence[Assertion]) -> list[Verdict]:
        asked.append((task, trajectory, assertions))
        if trajectory.turns == ():
            raise TimeoutError
        return [Verdict(name=each.label, result="pass") for each in assertions[:2]]

    with _computing_with(backend):
        _assert_equal(attempts, [], metrics=[RulesMetric(judge=judge)], profiles=[], tasks=tasks)
    half = len(asked) // 2
    assert sorted(map(repr, asked[:half])) == sorted(map(repr, asked[half:]))


@given(
    profiles=st.sampled_from([(), ("fc-eval",)]),
    attempts=st.lists(measured_trajectories, max_size=8).map(_by_trial),
    borders=st.lists(st.integers(1, 7), max_size=3),
    at_once=st.integers(1, 4),
)
def test_speedup_gives_equal_rows_by_batch(
    backend: BackendName,
    profiles: Sequence[str],
    attempts: list[Trajectory],
    borders: list[int],
    at_once: int,
) -> None:
    never = mock.patch.object(Rows, "records", side_effect=AssertionError("left to the records"))
    few = mock.patch.object(speedup_batch, "ROWS_AT_ONCE", at_once)
    with _computing_with(backend), never, few:
        _assert_equal(attempts, borders, metrics=["speedup"], profiles=profiles)


@pytest.mark.parametrize("profiles", [(), ("ptcrunner",)], ids=["default", "profile"])
def test_the_least_turn_number_is_none_on_both_paths(
    backend: BackendName, profiles: Sequence[str]
) -> None:
    turn = Turn(number=-(2**63), tool_calls=(ToolCall(name="x"),))
    attempts = [Trajectory(task_id="one", turns=(Turn(), turn))]
    with _computing_with(backend):
        _assert_equal(attempts, [], metrics=["turns"], profiles=profiles)
    (row,) = trajmeter.score(attempts, metrics=["turns"], profiles=profiles).rows
    assert row["turns.turns_to_first_tool_call"] == 2
