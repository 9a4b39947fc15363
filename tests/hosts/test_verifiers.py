"""Metrics and rewards of verifiers: what a trace records of them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from trajmeter.errors import UnknownNameError, UnscoredError
from trajmeter.hosts.verifiers import reward

WANTED = [{"name": "read", "arguments": {"path": "a"}}]

f1_reward = reward("tools.f1")
mild_reward = reward("tools.f1", unscored=0.25)
errors_reward = reward("rules.error_handling", unscored=0.25)
assigned_reward = reward("rules.error_handling", unscored=0.25, profiles="transform-gym")


def test_an_unknown_figure_is_reported_immediately() -> None:
    with pytest.raises(UnknownNameError, match="no figure"):
        reward("tools.f2")


def _scored(
    expected: Any,
    *,
    rewards: dict[str, str] | None = None,
    calls: bool = True,
    prompt: str = "q",
) -> Any:
    """A trace that verifiers itself has scored."""
    pytest.importorskip("verifiers", reason="verifiers is not installed")
    from verifiers.v1 import task as tasks
    from verifiers.v1 import trace as traces
    from verifiers.v1.agent import AgentConfig
    from verifiers.v1.graph import MessageNode
    from verifiers.v1.types import AssistantMessage, ToolCall, ToolMessage, UserMessage

    class Data(tasks.TaskData):
        expected_tool_calls: Any = None

    class Reading(tasks.Task[Data, tasks.TaskConfig]):
        pass

    plugged = {
        "tools": {"fn": "trajmeter.hosts.verifiers:tools"},
        "turns": {"fn": "trajmeter.hosts.verifiers:turns"},
    }
    own = {name: {"fn": path} for name, path in (rewards or {}).items()}
    config = tasks.TaskConfig(metrics=plugged, rewards=own)
    data = Data(idx=0, prompt=prompt, expected_tool_calls=expected)
    call = ToolCall(id="c1", name="read", arguments='{"path": "a"}')
    nodes = [MessageNode(message=UserMessage(content=prompt))]
    if calls:
        answer = AssistantMessage(content="", tool_calls=[call])
        nodes += [
            MessageNode(parent=0, message=answer, sampled=True),
            MessageNode(parent=1, message=ToolMessage(tool_call_id="c1", content="x")),
        ]
    trace = traces.Trace(
        task=traces.TraceTask(type="Reading", data=data, key="t"),
        agent=traces.AgentInfo(config=AgentConfig()),
        nodes=nodes,
    )
    asyncio.run(Reading(data, config).score(trace))
    return trace


def test_what_a_trace_records() -> None:
    trace = _scored(WANTED)
    assert trace.metrics["tools.f1"] == 1.0
    assert trace.metrics["turns.turn_count"] == 1.0
    assert trace.info["trajmeter"]["turns.recovered_errors"] == "abstained"
    assert None not in trace.metrics.values()


def test_a_metric_leaves_out_what_was_not_scored() -> None:
    trace = _scored(None)
    assert not [name for name in trace.metrics if name.startswith("tools")]
    assert trace.info["trajmeter"]["tools.f1"] in ("abstained", "missing_task")
    broken = _scored(3)
    assert broken.info["trajmeter"]["tools"].startswith("invalid_input")
    assert broken.metrics["turns.turn_count"] == 1.0  # which needs no reference
    assert all(name.startswith("turns.") for name in broken.metrics)


def test_rewards() -> None:
    scored = _scored(WANTED, rewards={"mild": "tests.hosts.test_verifiers:mild_reward"})
    assert scored.reward == 1.0
    unscored = _scored(None, rewards={"mild": "tests.hosts.test_verifiers:mild_reward"})
    assert unscored.reward == 0.25


class _Recorded:
    """What verifiers hands over, as far as it is read."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return self._fields


def test_a_reference_of_the_wrong_shape_is_not_scored_either() -> None:
    task, trace = _Recorded({"expected_tool_calls": 3}), _Recorded({"nodes": []})
    assert asyncio.run(_of(mild_reward, task, trace)) == 0.25
    with pytest.raises(UnscoredError, match=r"^tools.f1 has no value: invalid_input: verifiers"):
        asyncio.run(_of(f1_reward, task, trace))


async def _of(reward: Any, task: Any, trace: Any) -> Any:
    return await reward(task, trace)


def test_an_assigned_reward_is_a_reward() -> None:
    """By the rules of Transform Gym, a run without a word gets 0 for handling errors."""
    path = "tests.hosts.test_verifiers"
    by_rule = {"errors": f"{path}:assigned_reward"}
    assigned = _scored(WANTED, rewards=by_rule, prompt="", calls=False)
    assert assigned.reward == 0.0
    assert _scored(WANTED, rewards=by_rule).reward == 10.0  # no error in what was said
    unscored = _scored(WANTED, rewards={"errors": f"{path}:errors_reward"}, prompt="", calls=False)
    assert unscored.reward == 0.25


def test_a_reward_without_a_value_raises() -> None:
    pytest.importorskip("verifiers", reason="verifiers is not installed")
    with pytest.raises(Exception, match="f1 has no value") as caught:
        _scored(None, rewards={"f1": "tests.hosts.test_verifiers:f1_reward"})
    assert isinstance(caught.value, UnscoredError) or "UnscoredError" in repr(caught.value)
