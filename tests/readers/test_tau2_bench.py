"""Results of tau2-bench, whole and one simulation at a time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.readers import ReadProblem, read_trajectories
from trajmeter.records import Failure, Usage

if TYPE_CHECKING:
    from pathlib import Path

CALL = {"id": "c1", "name": "get_order", "arguments": {"id": "W1"}, "requestor": "assistant"}
SIMULATION: dict[str, Any] = {
    "id": "s",
    "task_id": "7",
    "trial": 2,
    "seed": 300,
    "duration": 12.5,
    "termination_reason": "user_stop",
    "agent_cost": 0.25,
    "user_cost": 0.1,
    "reward_info": {"reward": 1.0},
    "messages": [
        {"role": "assistant", "content": "Hi!", "cost": 0.0, "usage": None},
        {"role": "user", "content": None, "tool_calls": [{**CALL, "requestor": "user"}]},
        {"role": "tool", "id": "c1", "content": "mine", "requestor": "user", "error": False},
        {"role": "user", "content": "Where is W1?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [CALL],
            "cost": 0.25,
            "usage": {"prompt_tokens": 90, "completion_tokens": 8},
        },
        {"role": "tool", "id": "c1", "content": "lost", "requestor": "assistant", "error": True},
        {"role": "assistant", "content": "It is lost.", "cost": 0.0},
    ],
}
RESULTS: dict[str, Any] = {
    "timestamp": "2026-01-01T00:00:00",
    "info": {
        "agent_info": {"implementation": "llm_agent", "llm": "m-1", "llm_args": {}},
        "user_info": {"implementation": "user_simulator", "llm": "u-1"},
        "environment_info": {"domain_name": "retail"},
    },
    "tasks": [{"id": "7"}],
    "simulations": [SIMULATION],
}


def test_a_simulation_is_an_attempt_of_the_agent(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(RESULTS, indent=2))
    (attempt,) = read_trajectories(path)
    assert (attempt.task_id, attempt.attempt, attempt.agent) == ("7", "2", "llm_agent")
    assert (attempt.model, attempt.passed, attempt.failure) == ("m-1", True, None)
    assert attempt.duration_seconds == 12.5
    assert attempt.usage is not None
    assert attempt.usage.cost_usd == 0.25
    assert attempt.metadata == {"termination_reason": "user_stop", "reward": 1.0, "seed": 300}
    assert attempt.final_output == "It is lost."
    assert attempt.source is not None
    assert attempt.source.record == "simulations[0]"
    assert attempt.turns is not None
    assert [len(turn.tool_calls) for turn in attempt.turns] == [0, 1, 0]
    second = attempt.turns[1]
    (call,) = second.tool_calls
    assert (call.name, call.arguments, call.result, call.success) == (
        "get_order",
        {"id": "W1"},
        "lost",
        False,
    )
    assert second.usage is not None
    assert (second.usage.input_tokens, second.usage.cost_usd) == (90, 0.25)


def test_a_simulation_may_have_its_own_file(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    over = {**SIMULATION, "termination_reason": "max_steps", "reward_info": None}
    path.write_text(json.dumps(over))
    (attempt,) = read_trajectories(path)
    assert (attempt.task_id, attempt.model, attempt.passed) == ("7", None, None)
    assert attempt.failure is not None
    assert attempt.failure.reason == "budget_exhausted"


def test_numbers_that_are_none_cost_themselves_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps({**SIMULATION, "duration": "long", "agent_cost": []}))
    (attempt,) = read_trajectories(path)
    assert (attempt.duration_seconds, attempt.usage, len(attempt.turns or ())) == (None, None, 3)
    assert attempt.unusable == {
        "agent_cost": "expected a number, got a list",
        "duration": "expected a number, got text",
    }


def test_one_broken_simulation_loses_no_other(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    simulations = [5, {**SIMULATION, "task_id": None}, {"task_id": "a"}, SIMULATION]
    path.write_text(json.dumps({**RESULTS, "simulations": simulations}))
    problems: list[ReadProblem] = []
    assert len([*read_trajectories(path, on_problem=problems.append)]) == 1
    assert [(problem.record, problem.message.split(",")[0]) for problem in problems] == [
        ("simulations[0]", "expected an object"),
        ("simulations[1]", "task_id: expected text"),
        ("simulations[2]", "messages: expected a list"),
    ]
    path.write_text(json.dumps({**RESULTS, "simulations": None}))
    assert [*read_trajectories(path, on_problem=problems.append)] == []
    assert problems[-1].message == "simulations: expected a list, got null"


def test_tokens_costs_and_times_of_turns(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 90, "completion_tokens": 8}
    answer = {"role": "assistant", "content": "It is lost.", "cost": 0.0, "usage": usage}
    messages = [SIMULATION["messages"][0], {**answer, "generation_time_seconds": 1.5}, answer]
    path = tmp_path / "s.json"
    path.write_text(json.dumps({**SIMULATION, "messages": messages, "agent_cost": 0.0}))
    (attempt,) = read_trajectories(path)
    assert attempt.usage is None
    assert attempt.turns is not None
    assert [(turn.usage, turn.duration_seconds) for turn in attempt.turns] == [
        (Usage(input_tokens=0, output_tokens=0, cost_usd=0.0), None),
        (Usage(input_tokens=90, output_tokens=8), 1.5),
        (Usage(input_tokens=90, output_tokens=8), None),
    ]


@pytest.mark.parametrize(
    ("reason", "info", "failure"),
    [
        (
            "infrastructure_error",
            {"error": "no route to host"},
            Failure(reason="infrastructure_error", message="no route to host"),
        ),
        (
            "context_window_exceeded",
            None,
            Failure(reason="budget_exhausted", message="context_window_exceeded"),
        ),
    ],
)
def test_why_a_simulation_failed(reason: str, info: Any, failure: Failure, tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    ended = {"messages": [], "termination_reason": reason, "info": info, "reward_info": None}
    path.write_text(json.dumps({**SIMULATION, **ended}))
    (attempt,) = read_trajectories(path)
    assert (attempt.failure, attempt.passed, attempt.turns) == (failure, None, ())


def test_simulations_in_files_of_their_own_have_the_agent_of_their_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "runs" / "one"
    (run / "simulations").mkdir(parents=True)
    (run / "simulations" / "a.json").write_text(json.dumps(SIMULATION, indent=2))
    (run / "simulations" / "b.json").write_text("{")
    about = {key: RESULTS[key] for key in ("timestamp", "info", "tasks")}
    (run / "results.json").write_text(json.dumps({**about, "simulation_index": []}, indent=2))
    for path in (run, run / "results.json", run.parent, tmp_path):
        problems: list[ReadProblem] = []
        (attempt,) = read_trajectories(path, on_problem=problems.append)
        assert (attempt.task_id, attempt.agent, attempt.model) == ("7", "llm_agent", "m-1")
        assert attempt.source is not None
        assert attempt.source.file == str(run / "simulations" / "a.json")
        assert [problem.file for problem in problems] == [str(run / "simulations" / "b.json")]
    (run / "simulations" / "b.json").unlink()
    monkeypatch.chdir(run / "simulations")
    for path in (run / "simulations", run / "simulations" / "a.json"):
        (attempt,) = read_trajectories(path)
        assert (attempt.agent, attempt.model) == ("llm_agent", "m-1")
    (attempt,) = read_trajectories("a.json")
    assert (attempt.agent, attempt.model) == ("llm_agent", "m-1")
    (run / "results.json").write_text("{")
    (attempt,) = read_trajectories(run / "simulations" / "a.json")
    assert (attempt.agent, attempt.task_id) == (None, "7")


def test_the_folder_of_a_run_is_read(tmp_path: Path) -> None:
    run = tmp_path / "simulations" / "run"
    run.mkdir(parents=True)
    (run / "results.json").write_text(json.dumps(RESULTS, indent=2))
    assert [len([*read_trajectories(path)]) for path in (run, run.parent, tmp_path)] == [1, 1, 1]


def test_unusable_messages_are_named_by_their_position(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps({**SIMULATION, "messages": [*SIMULATION["messages"], 5]}))
    (attempt,) = read_trajectories(path)
    assert [*attempt.unusable] == ["messages[7]"]
