"""Runs and memories of smolagents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.readers import read_trajectories
from trajmeter.records import Extent, Failure, Usage

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import Trajectory

TASK = {"task": "Mend it.", "task_images": None}
RAW = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "prompt_tokens_details": {"cached_tokens": 60},
}
TOKENS = {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}


def call(identity: str, name: str, arguments: Any) -> dict[str, Any]:
    return {
        "id": identity,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def step(number: int, *calls: Any, **fields: Any) -> dict[str, Any]:
    return {
        "step_number": number,
        "timing": {"start_time": 1.0, "end_time": 1.5, "duration": 0.5},
        "model_input_messages": None,
        "tool_calls": list(calls),
        "error": None,
        "model_output_message": {
            "role": "assistant",
            "content": "I look.",
            "raw": {"model": "m", "usage": RAW},
        },
        "model_output": "I look.",
        "code_action": None,
        "observations": "x = 1",
        "action_output": None,
        "token_usage": TOKENS,
        "is_final_answer": False,
        **fields,
    }


READ = call("c1", "read_file", {"path": "a.py"})
LAST = step(
    2,
    call("c2", "final_answer", {"answer": "Done."}),
    observations="Done.",
    is_final_answer=True,
)


def memory(tmp_path: Path, *steps: Any) -> Trajectory:
    path = tmp_path / "run.memory.json"
    path.write_text(json.dumps([TASK, *steps]))
    (attempt,) = read_trajectories(path)
    return attempt


def test_a_memory_is_an_attempt(tmp_path: Path) -> None:
    attempt = memory(tmp_path, step(1, READ), LAST)
    assert (attempt.task_id, attempt.model, attempt.final_output) == ("run.memory", "m", "Done.")
    assert (attempt.failure, attempt.usage) == (None, None)
    looked, _ = attempt.turns or ()
    (made,) = looked.tool_calls
    assert (looked.number, looked.text, looked.duration_seconds) == (1, "I look.", 0.5)
    assert (made.name, made.arguments, made.id) == ("read_file", {"path": "a.py"}, "c1")
    assert (made.result, made.success) == ("x = 1", True)
    assert [view.path for view in looked.views or ()] == ["a.py"]
    assert looked.usage == Usage(input_tokens=100, output_tokens=20, cached_input_tokens=60)


def test_an_answer_given_in_code(tmp_path: Path) -> None:
    code = call("c1", "python_interpreter", "final_answer(7)")
    last = step(1, code, observations="Execution logs:\n", is_final_answer=True)
    assert memory(tmp_path, {**last, "action_output": 7}).final_output == "7"
    assert memory(tmp_path, last).final_output is None


def test_a_run_adds_how_it_ended(tmp_path: Path) -> None:
    run = {
        "output": "Done.",
        "state": "success",
        "steps": [TASK, step(1, READ), LAST],
        "token_usage": TOKENS,
        "timing": {"start_time": 1.0, "end_time": 4.0, "duration": 3.0},
    }
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run))
    (attempt,) = read_trajectories(path)
    assert (attempt.task_id, attempt.final_output) == ("run", "Done.")
    assert attempt.usage == Usage(input_tokens=100, output_tokens=20, total_tokens=120)
    assert (attempt.duration_seconds, attempt.failure) == (3.0, None)
    assert attempt.metadata == {"exit_status": "success"}
    assert attempt.turns == memory(tmp_path, step(1, READ), LAST).turns
    path.write_text(json.dumps({**run, "output": None, "state": "max_steps_error"}))
    (attempt,) = read_trajectories(path)
    assert attempt.failure == Failure(reason="max_turns_exceeded")


def test_the_limit_of_steps_is_a_failure(tmp_path: Path) -> None:
    error = {"type": "AgentMaxStepsError", "message": "Reached max steps."}
    over = step(
        2,
        error=error,
        model_output=None,
        model_output_message=None,
        observations=None,
        action_output="Once more.",
    )
    attempt = memory(tmp_path, step(1, READ), over)
    assert attempt.failure == Failure(reason="max_turns_exceeded", message="Reached max steps.")
    (_, last) = attempt.turns or ()
    assert (last.text, last.success, last.error) == ("Once more.", None, None)
    assert last.usage == Usage(input_tokens=100, output_tokens=20, total_tokens=120)
    assert attempt.final_output == "Once more."


@pytest.mark.parametrize(
    ("kind", "message", "reason"),
    [
        ("AgentGenerationError", "Error: maximum context length is 8192", "budget_exhausted"),
        ("AgentGenerationError", "Error: connection lost", "AgentGenerationError"),
        ("AgentExecutionError", "the context window is closed", None),  # of a tool
    ],
)
def test_an_error_of_the_model_ends_a_run(
    tmp_path: Path, kind: str, message: str, reason: str | None
) -> None:
    error = {"type": kind, "message": message}
    failure = memory(tmp_path, step(1, READ), step(2, error=error)).failure
    assert failure == (None if reason is None else Failure(reason=reason, message=message))


@pytest.mark.parametrize(
    ("code", "fields", "expected"),
    [
        ("final_answer(7)", {}, "7"),
        ("look(7)", {}, None),
        ("final_answer(7)", {"is_final_answer": False}, None),
    ],
)
def test_code_may_give_the_final_answer(
    code: str, fields: dict[str, Any], expected: str | None, tmp_path: Path
) -> None:
    call = {"id": "c1", "function": {"name": "python_interpreter", "arguments": code}}
    older = {"step": 1, "model_output": "So.", "tool_calls": [call], "action_output": 7}
    assert memory(tmp_path, {**older, **fields}).final_output == expected


def test_a_step_without_an_answer_is_not_a_turn(tmp_path: Path) -> None:
    nothing = {"step_number": 2, "timing": {"duration": 0.1}, "tool_calls": [], "error": None}
    attempt = memory(tmp_path, step(1, READ), {**nothing, "model_output": None})
    assert len(attempt.turns or ()) == 1
    assert attempt.failure == Failure(reason="no_answer")
    assert memory(tmp_path, {**nothing, "model_output": None}, step(3, READ)).failure is None


def test_several_calls_share_one_result(tmp_path: Path) -> None:
    range_ = {"path": "b.py", "start_line": 3, "end_line": 9}
    both = step(1, READ, call("c2", "read_file", range_), observations="x = 1\n\ny = 2")
    (turn,) = memory(tmp_path, both).turns or ()
    assert [(each.result, each.success) for each in turn.tool_calls] == [(None, None)] * 2
    assert [(view.path, view.extent, view.start) for view in turn.views or ()] == [
        ("a.py", Extent.WHOLE, None),
        ("b.py", Extent.LINES, 3),
    ]


def test_agents_that_write_code(tmp_path: Path) -> None:
    code = "print(run('ls'))"
    broken = {"type": "AgentExecutionError", "message": "never closed"}
    parsing = {"type": "AgentParsingError", "message": "no code"}
    attempt = memory(
        tmp_path,
        step(1, call("call_1", "python_interpreter", code), code_action=code),
        step(2, call("call_2", "python_interpreter", code), code_action=code, error=broken),
        step(3, error=parsing, observations=None),
    )
    fine, failed, unread = attempt.turns or ()
    assert (fine.program, fine.tool_calls[0].arguments, fine.success) == (code, code, True)
    assert failed.error == Failure(reason="AgentExecutionError", message="never closed")
    assert (failed.success, failed.tool_calls[0].error) == (False, "never closed")
    assert unread.error == Failure(reason="parse_error", message="no code")
    assert [turn.views for turn in attempt.turns or ()] == [None, None, None]


def test_plans_are_turns(tmp_path: Path) -> None:
    plan = {
        "plan": "First look.",
        "model_output_message": None,
        "timing": {"duration": 0.25},
        "token_usage": TOKENS,
    }
    planned, _ = memory(tmp_path, plan, step(1, READ)).turns or ()
    assert (planned.text, planned.number, planned.duration_seconds) == ("First look.", None, 0.25)


def test_calls_of_a_step_that_failed_are_those_of_the_answer(tmp_path: Path) -> None:
    called = {"role": "assistant", "content": "I look.", "tool_calls": [READ]}
    error = {"type": "AgentToolExecutionError", "message": "no such tool"}
    failed = step(1, model_output_message=called, observations=None, error=error)
    (turn,) = memory(tmp_path, failed).turns or ()
    (call_,) = turn.tool_calls
    assert (call_.id, call_.name, call_.success, call_.error) == (
        "c1",
        "read_file",
        False,
        "no such tool",
    )


def test_a_line_for_each_memory(tmp_path: Path) -> None:
    path = tmp_path / "memories.jsonl"
    lines = [[TASK, step(1, READ)], [TASK, step(1, READ), LAST]]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    attempts = [*read_trajectories(path)]
    assert [len(attempt.turns or ()) for attempt in attempts] == [1, 2]
    assert [attempt.source and attempt.source.line for attempt in attempts] == [1, 2]


def test_the_layout_of_earlier_versions(tmp_path: Path) -> None:
    older = {"step": 1, "duration": 0.5, "start_time": 1.0, "end_time": 1.5, "observations": "x"}
    said = {"model_output": "I look.", "model_output_message": "ChatMessage(...)", "error": None}
    plan = {"plan": "Look.", "model_input_messages": [], "model_output_message": {"content": "I"}}
    attempt = memory(tmp_path, plan, {"tool_calls": [READ], **older, **said})
    (planned, turn) = attempt.turns or ()
    assert (planned.text, turn.text, turn.number) == ("I", "I look.", 1)
    assert (turn.duration_seconds, [each.result for each in turn.tool_calls]) == (0.5, ["x"])
