"""Why calls were not matched, and how many were left out."""

from __future__ import annotations

import pytest

from trajmeter.metrics.tools import ToolsMetric
from trajmeter.records import Cause, Source, Task, ToolCall, Trajectory

TASK = Task(id="t", expected_tool_calls=(ToolCall(name="a"),))


@pytest.mark.parametrize(
    ("policies", "reason"),
    [
        (
            {"default": "fuzzy"},
            "the policy default is 'fuzzy', expected 'exact', 'ignore', 'subset', 'fold', ",
        ),
        (
            {"defualt": "fold"},
            "policies have the key 'defualt', expected default, tools or paths; did you mean 'def",
        ),
    ],
)
def test_a_policy_that_cannot_be_read_is_explained_in_a_column_and_a_warning(
    policies: dict[str, str], reason: str
) -> None:
    source = Source(file="tasks.jsonl", line=3)
    task = TASK.model_copy(update={"metadata": {"tool_policies": policies}, "source": source})
    metric = ToolsMetric()
    attempt = Trajectory(task_id="t", tool_calls=(), dropped_calls=2)
    with pytest.warns(UserWarning, match="cannot be scored") as warned:
        first, second = [metric.score(task, attempt) for _ in range(2)]
    assert first == second
    assert first.cause is Cause.INVALID_INPUT
    assert (first.reason or "").startswith(f"tool_policies: {reason}")
    assert [str(each.message) for each in warned] == [
        f"tasks.jsonl:3: task {task.id!r} cannot be scored: {first.reason}"
    ]


def test_calls_of_the_wrong_type_are_explained() -> None:
    reason = "tool_calls is an object, expected a list"
    attempt = Trajectory(task_id="t", unusable={"tool_calls": reason})
    assert ToolsMetric().score(TASK, attempt).reason == reason


def test_dropped_calls_have_a_column() -> None:
    attempt = Trajectory(task_id="t", tool_calls=(), dropped_calls=2)
    assert ToolsMetric().score(TASK, attempt).dropped_calls == 2
    assert ToolsMetric().score(None, attempt).dropped_calls == 2
