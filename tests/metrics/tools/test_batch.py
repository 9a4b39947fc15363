from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from unittest import mock

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import to_json

from trajmeter import kernels
from trajmeter.kernels import _select
from trajmeter.metrics.row_records import records_of
from trajmeter.metrics.tools import ArgumentPolicies, ToolsMetric, batch
from trajmeter.records import Task, ToolCall, Trajectory, Turn
from trajmeter.schemas import trajectory_batch

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = pytest.mark.usefixtures("rust")

_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(-(2.0**52), 2.0**52).filter(lambda number: str(number) != "-0.0")
    | st.sampled_from([1.0, 2.0, 1e15, 1e-7, 0.1])
    | st.text(st.characters(codec="utf-8"), max_size=3)
    | st.sampled_from(["a", '"', "\\", "\n", "\x7f", "\u2028", "é", "😀"])
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["q", "0", "é"]), inner, max_size=2)
    ),
    max_leaves=5,
)
_OBJECTS = st.dictionaries(st.sampled_from(["q", "n", "z"]), _VALUES, max_size=3)
_FEW = st.sampled_from(
    [{}, {"q": 1}, {"q": 1.0}, {"q": 1, "n": "x"}, {"n": "x", "q": 1}, {"q": [1]}]
)
_ARGUMENTS = st.none() | _FEW | _FEW | _OBJECTS | _OBJECTS.map(json.dumps)
_CALLS = st.lists(
    st.builds(ToolCall, name=st.sampled_from("ab"), arguments=_ARGUMENTS), max_size=6
).map(tuple)
_RUNS = st.builds(
    Trajectory,
    task_id=st.just("t"),
    tool_calls=_CALLS,
    dropped_calls=st.integers(0, 3),
)


def _rows(columns: Mapping[str, pa.Array[Any]]) -> list[dict[str, Any]]:
    return pa.table(columns).to_pylist()


@given(expected=_CALLS, attempts=st.lists(_RUNS, min_size=1, max_size=5))
def test_columns_are_those_of_records_to_the_byte(
    expected: tuple[ToolCall, ...], attempts: list[Trajectory]
) -> None:
    task = Task(id="t", expected_tool_calls=expected)
    metric = ToolsMetric()
    loaded = kernels.load("rust")
    rust = mock.patch.multiple(_select, _chosen=lambda: "rust", _chosen_kernels=lambda: loaded)
    never = mock.patch.object(batch, "records_of", side_effect=AssertionError("a record"))
    with rust, never:
        rows = _rows(metric.score_batch([task] * len(attempts), trajectory_batch(attempts)))
    for row, attempt in zip(rows, records_of(trajectory_batch(attempts)), strict=True):
        result = metric.score(task, attempt).model_dump(mode="json")
        mismatches = to_json(result.pop("mismatches"), inf_nan_mode="strings").decode()
        assert row.pop("mismatches") == mismatches
        for name in ("any_order_grades", "in_order_grades"):
            group = result.pop(name)
            result |= {f"{name}.{key}": value for key, value in group.items()}
        assert row == result


def test_calls_of_the_run_go_before_those_of_its_turns() -> None:
    search, look = ToolCall(name="search"), ToolCall(name="open")
    attempts = [
        Trajectory(task_id="t", turns=(Turn(tool_calls=(search, look)),), tool_calls=(look,)),
        Trajectory(task_id="t", turns=(Turn(tool_calls=(search,)), Turn(tool_calls=(look,)))),
        Trajectory(task_id="t", turns=()),
        Trajectory(task_id="t"),
    ]
    task = Task(id="t", expected_tool_calls=(search, look))
    columns = ToolsMetric().score_batch([task] * 4, trajectory_batch(attempts))
    assert columns["exact"].to_pylist() == [False, True, False, None]
    assert columns["any_order_grades.actual_size"].to_pylist() == [1, 2, 0, None]
    assert columns["cause"].to_pylist() == [None, None, None, "missing_calls"]


@pytest.mark.parametrize("policies", [None, ArgumentPolicies("fold")])
def test_policies_of_a_task_or_of_the_metric_are_kept(policies: ArgumentPolicies | None) -> None:
    wanted = ToolCall(name="search", arguments={"q": "One  Two"})
    made = ToolCall(name="search", arguments={"q": "one two"})
    metadata = {} if policies else {"tool_policies": {"default": "fold"}}
    tasks = [
        Task(id="t", expected_tool_calls=(wanted,), metadata=metadata),
        Task(id="u", expected_tool_calls=(wanted,)),
    ]
    attempts = [Trajectory(task_id=task.id, tool_calls=(made,)) for task in tasks]
    columns = ToolsMetric(policies=policies).score_batch(tasks, trajectory_batch(attempts))
    assert columns["exact"].to_pylist() == [True, policies is not None]


def test_a_batch_without_rows_has_every_column() -> None:
    columns = ToolsMetric().score_batch([], trajectory_batch([]))
    assert pa.table(columns).num_rows == 0
    assert columns["mismatches"].type == pa.string()
