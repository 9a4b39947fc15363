"""Results of tau-bench."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.readers import ReadProblem, read_trajectories

if TYPE_CHECKING:
    from pathlib import Path


def _call(number: int, arguments: str) -> dict[str, Any]:
    function = {"name": "get_order", "arguments": arguments}
    return {"id": f"c{number}", "type": "function", "function": function}


def _result(number: int, content: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"c{number}", "name": "get_order", "content": content}


ATTEMPT: dict[str, Any] = {
    "task_id": 12,
    "reward": 1.0,
    "info": {
        "task": {"user_id": "u", "actions": [], "instruction": "Ask for W1.", "outputs": []},
        "source": "user",
        "user_cost": 0.01,
        "reward_info": {"reward": 1.0, "info": {"r_actions": True}, "actions": []},
    },
    "traj": [
        {"role": "system", "content": "Serve the user."},
        {"role": "user", "content": "Where is W1?"},
        {"role": "assistant", "content": None, "tool_calls": [_call(1, '{"id": "W"}')]},
        _result(1, "Error: order not found"),
        {"role": "assistant", "content": None, "tool_calls": [_call(2, '{"id": "W1"}')]},
        _result(2, '{"status": "shipped"}'),
        {"role": "assistant", "content": "It is on its way."},
        {"role": "user", "content": "###STOP###"},
    ],
    "trial": 3,
}


def test_an_attempt(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps([ATTEMPT, {**ATTEMPT, "trial": 4, "reward": 0.0}], indent=2))
    attempt, other = read_trajectories(path)
    assert (attempt.task_id, attempt.attempt, attempt.passed) == ("12", "3", True)
    assert (other.task_id, other.attempt, other.passed) == ("12", "4", False)
    assert attempt.metadata == {"reward": 1.0}
    assert attempt.failure is None
    assert attempt.final_output == "It is on its way."
    assert attempt.turns is not None
    calls = [(call.arguments, call.success) for turn in attempt.turns for call in turn.tool_calls]
    assert calls == [({"id": "W"}, False), ({"id": "W1"}, True)]


@pytest.mark.parametrize(
    ("reward", "passed"), [(1.0, True), (1 - 1e-7, True), (0.5, False), (True, None), (None, None)]
)
def test_only_a_reward_of_1_is_a_success(
    reward: object, passed: bool | None, tmp_path: Path
) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps([{**ATTEMPT, "reward": reward}]))
    (attempt,) = read_trajectories(path)
    assert attempt.passed is passed


def test_an_attempt_that_ended_with_an_exception_failed(tmp_path: Path) -> None:
    info = {"error": "rate limit", "traceback": "…"}
    path = tmp_path / "results.json"
    path.write_text(json.dumps([{**ATTEMPT, "reward": 0.0, "info": info, "traj": []}]))
    (attempt,) = read_trajectories(path)
    assert attempt.failure is not None
    assert (attempt.failure.reason, attempt.failure.message) == ("error", "rate limit")
    assert (attempt.passed, attempt.turns) == (False, ())


def test_an_attempt_without_an_id_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(f"{json.dumps({**ATTEMPT, 'task_id': None})}\n{json.dumps(ATTEMPT)}\n")
    problems: list[ReadProblem] = []
    assert len([*read_trajectories(path, on_problem=problems.append)]) == 1
    assert "task_id" in problems[0].message


def test_an_unknown_tool_failed(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    called = {"role": "assistant", "content": None, "tool_calls": [_call(1, "{}")]}
    path.write_text(
        json.dumps([{**ATTEMPT, "traj": [called, _result(1, "Unknown action get_order")]}])
    )
    (attempt,) = read_trajectories(path)
    assert attempt.turns is not None
    assert attempt.turns[0].tool_calls[0].success is False


def test_calls_in_the_text_of_an_agent(tmp_path: Path) -> None:
    def acts(name: str, **arguments: str) -> dict[str, Any]:
        action = json.dumps({"name": name, "arguments": arguments})
        return {"role": "assistant", "content": f"Thought:\nI look.\nAction:\n{action}"}

    path = tmp_path / "results.json"
    messages = [
        {"role": "user", "content": "Where is W1?"},
        acts("get_order", id="W"),
        {"role": "user", "content": "API output: Error: order not found"},
        acts("get_order", id="W1"),
        {"role": "user", "content": "API output: shipped"},
        {"role": "assistant", "content": "Action:\nnot JSON"},
        {"role": "user", "content": "What?"},
        acts("respond", content="It is on its way."),
    ]
    path.write_text(json.dumps([{**ATTEMPT, "traj": messages}]))
    (attempt,) = read_trajectories(path)
    assert attempt.turns is not None
    calls = [
        (call.name, call.arguments, call.result, call.success)
        for turn in attempt.turns
        for call in turn.tool_calls
    ]
    assert calls == [
        ("get_order", {"id": "W"}, "Error: order not found", False),
        ("get_order", {"id": "W1"}, "shipped", True),
    ]
    assert [turn.text for turn in attempt.turns] == [
        None,
        None,
        "Action:\nnot JSON",
        "It is on its way.",
    ]


def test_an_agent_may_leave_out_what_precedes_its_call(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    call = json.dumps({"name": "get_order", "arguments": {"id": "W1"}})
    messages = [
        {"role": "assistant", "content": call},
        {"role": "user", "content": "API output: shipped"},
        {"role": "assistant", "content": call},
        {"role": "user", "content": "What is that?"},
        {"role": "assistant", "content": "Your order."},
        {"role": "user", "content": "API output: is all I see."},
    ]
    path.write_text(json.dumps([{**ATTEMPT, "traj": messages}]))
    (attempt,) = read_trajectories(path)
    assert attempt.turns is not None
    assert [len(turn.tool_calls) for turn in attempt.turns] == [1, 0, 0]
    assert attempt.turns[0].tool_calls[0].result == "shipped"
    assert [turn.text for turn in attempt.turns] == [None, call, "Your order."]
    assert (attempt.dropped_calls, attempt.unusable) == (0, {})
