"""What other versions of OpenHands write into their lines and folders."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.logs import read as read_files
from tests.readers.logs import read_one, seen, turns_of
from tests.readers.openhands.test_events import answer, call, line, ran
from tests.readers.openhands.test_sdk import FINISHED, acted, observed
from tests.readers.openhands.test_sdk import line as sdk_line
from trajmeter.readers.openhands import EVENTS, SDK_EVENTS
from trajmeter.records import Failure, Leak, Source, Trajectory, Usage

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = Source(file="output.jsonl", line=1)


def read(*history: Any, **more: object) -> Trajectory:
    return EVENTS.read(line(*history, **more), SOURCE)


def read_sdk(*history: Any, **more: object) -> Trajectory:
    return SDK_EVENTS.read(sdk_line(*history, **more), SOURCE)


def early(identity: str, **observation: object) -> dict[str, Any]:
    """An observation of the first versions of the SDK."""
    return {"kind": "ObservationEvent", "tool_call_id": identity, "observation": observation}


def test_the_program_of_a_notebook() -> None:
    read_back = read(call(1, "run_ipython", {"code": "print(1)"}), answer(2, 1, "run_ipython", "1"))
    (turn,) = turns_of(read_back)
    assert turn.program == "print(1)"


def test_actions_of_the_program_itself_are_not_turns() -> None:
    def own(identity: int, action: str, args: dict[str, Any]) -> dict[str, Any]:
        return {"id": identity, "source": "agent", "action": action, "args": args}

    attempt = read(
        call(1, "run", {"command": "ls"}),
        ran(2, 1, "a.py"),
        own(3, "condensation", {"forgotten_event_ids": [1, 2]}),
        own(4, "loop_recovery", {"option": 1}),
        # Unlike the others, the model called a tool for this one.
        call(5, "condensation_request", {}),
        own(6, "stop", {}),
    )
    assert [turn.tool_calls[0].name for turn in turns_of(attempt)] == [
        "execute_bash",
        "condensation_request",
    ]


def test_tokens_of_versions_that_keep_them_with_the_events() -> None:
    action = call(1, "run", {"command": "ls"})
    action["tool_call_metadata"]["model_response"]["usage"] = {
        "prompt_tokens": 10,
        "completion_tokens": 3,
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    counted = {"response_id": "r1", "prompt_tokens": 12, "completion_tokens": 3}
    for usages, expected in (([], 10), ([counted], 12)):
        metrics = {"accumulated_cost": 0.5, "token_usages": usages}
        (turn,) = turns_of(read(action, ran(2, 1, "a.py"), metrics=metrics))
        assert turn.usage is not None
        assert turn.usage.input_tokens == expected


def test_replies_with_an_empty_id_are_several() -> None:
    first, second = call(1, "run", {"command": "ls"}), call(3, "run", {"command": "pwd"})
    for each in (first, second):
        each["tool_call_metadata"]["model_response"]["id"] = ""
    assert len(turns_of(read(first, ran(2, 1, "a"), second, ran(4, 3, "b")))) == 2
    attempt = read_sdk(
        acted("terminal", {"command": "ls"}, "c1", ""),
        observed("terminal", "c1", "a", 0),
        acted("terminal", {"command": "pwd"}, "c2", ""),
    )
    assert len(turns_of(attempt)) == 2


def test_an_agent_that_was_stopped_by_its_state() -> None:
    def state(name: str, reason: str = "") -> dict[str, Any]:
        extras = {"agent_state": name, "reason": reason}
        return {"id": 9, "source": "environment", "observation": "agent_state_changed"} | {
            "content": "",
            "extras": extras,
        }

    limit = "RuntimeError: Agent reached maximum iteration in headless mode."
    call_and_result = (call(1, "run", {"command": "ls"}), ran(2, 1, "a.py"))
    stopped = read(*call_and_result, state("error", limit))
    assert stopped.failure == Failure(reason="budget_exhausted", message=limit)
    assert read(*call_and_result, state("error", limit), state("running")).failure is None
    assert read(*call_and_result, state("finished")).failure is None


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"final_thought": "A", "outputs": {"content": "B"}, "thought": "C"}, "A"),
        ({"final_thought": "", "outputs": {"content": "B"}, "thought": "C"}, "B"),
        ({"outputs": {}, "thought": "C"}, "C"),
    ],
)
def test_the_last_words_of_a_run(args: dict[str, Any], expected: str) -> None:
    assert read(call(1, "finish", args)).final_output == expected


def test_a_call_that_the_user_rejected_failed() -> None:
    rejected = answer(2, 1, "user_rejected", "The user rejected it.")
    (turn,) = turns_of(read(call(1, "run", {"command": "rm a.py"}), rejected))
    assert turn.success is False
    assert turn.tool_calls[0].error == "The user rejected it."


def test_a_clock_set_back_gives_no_duration() -> None:
    result = {**ran(2, 1, "a.py"), "timestamp": "2024-12-31T23:59:59"}
    (turn,) = turns_of(read(call(1, "run", {"command": "ls"}), result))
    assert turn.tool_calls[0].duration_seconds is None


def test_observations_of_the_first_versions_of_the_sdk() -> None:
    attempt = read_sdk(
        acted("str_replace_editor", {"command": "view", "path": "/no.py"}, "c1", "r1"),
        early("c1", command="view", output="", error="No such file"),
        acted("execute_bash", {"command": "ls"}, "c2", "r2"),
        early("c2", output="a.py", exit_code=0, error=False, metadata={}),
        acted("execute_bash", {"command": "ls /x"}, "c3", "r3"),
        early("c3", output="none", exit_code=2, error=True, metadata={}),
    )
    calls = [turn.tool_calls[0] for turn in turns_of(attempt)]
    assert [each.success for each in calls] == [False, True, False]
    assert calls[0].error == calls[0].result == "No such file"


def test_a_conversation_that_went_on_after_an_error_did_not_fail() -> None:
    error = {"kind": "ConversationErrorEvent", "code": "LLMError", "detail": "try again"}
    assert read_sdk(FINISHED, error).failure == Failure(reason="LLMError", message="try again")
    attempt = read_sdk(error, FINISHED)
    assert attempt.failure is None
    assert attempt.metadata == {"exit_status": "finished"}
    on = read_sdk(error, acted("terminal", {"command": "ls"}, "c1", "r1"))
    assert (on.failure, on.metadata) == (None, {})


@pytest.mark.parametrize(
    ("offset", "shown", "expected"),
    [
        *((9, [10, 11], (10, 11)), (78, None, (79, 80))),
        *((78, odd, (79, 80)) for odd in ([], [79], [1, 2, 3], ["1", 2], 3)),
    ],
)
def test_lines_that_geminis_tool_read(
    offset: int, shown: object, expected: tuple[int, int]
) -> None:
    arguments = {"file_path": "/workspace/acme/a.py", "offset": offset, "limit": 2}
    result = observed("read_file", "c1", "Read file: /workspace/acme/a.py\n\n    10  x\n    11  y")
    result["observation"] |= {"lines_shown": shown, "total_lines": 80}
    attempt = read_sdk(acted("read_file", arguments, "c1", "r1"), result, FINISHED)
    assert seen(turns_of(attempt)[0]) == [("/workspace/acme/a.py", *expected)]


@pytest.mark.parametrize("cost", [10**400, float("nan"), True, "free"])
def test_an_invalid_cost_loses_nothing_else(cost: object) -> None:
    tokens = {"prompt_tokens": 5, "completion_tokens": 2}
    metrics = {"accumulated_cost": cost, "accumulated_token_usage": tokens}
    attempt = read_sdk(FINISHED, metrics=metrics)
    assert attempt.usage == Usage(input_tokens=5, output_tokens=2)


@pytest.mark.parametrize(
    ("name", "metrics_of"), [("main", "main"), (["x"], "agent"), ({"x": 1}, "agent"), (3, "agent")]
)
def test_metrics_by_the_name_that_the_model_has(
    name: object, metrics_of: str, tmp_path: Path
) -> None:
    counts = {"prompt_tokens": 7, "completion_tokens": 2}
    metrics = {
        metrics_of: {"accumulated_cost": 0.25, "accumulated_token_usage": counts},
        "condenser": {"accumulated_cost": 9.0},
    }
    state = {
        "id": "c-1",
        "agent": {"llm": {"model": "toy", "usage_id": name}},
        "stats": {"usage_to_metrics": metrics},
    }
    folder = tmp_path / "conversation"
    (folder / "events").mkdir(parents=True)
    (folder / "base_state.json").write_text(json.dumps(state))
    (folder / "events" / "event-00000-a.json").write_text(json.dumps(FINISHED))
    assert read_one(folder).usage == Usage(input_tokens=7, output_tokens=2, cost_usd=0.25)


def completion(
    folder: Path, number: int, messages: list[Any], message: dict[str, Any], **more: object
) -> None:
    folder.mkdir(exist_ok=True)
    usage = {"prompt_tokens": 10 * number, "completion_tokens": number}
    about = {
        "messages": messages,
        "response": {"choices": [{"message": message}], "usage": usage},
        "timestamp": 1700000000.0 + number,
        "cost": 0.25,
    }
    (folder / f"toy-170000000{number}.5.json").write_text(json.dumps(about | more))


def asks(command: str, identity: str) -> dict[str, Any]:
    function = {"name": "execute_bash", "arguments": json.dumps({"command": command})}
    named = {"id": identity, "type": "function", "function": function}
    return {"role": "assistant", "content": "", "tool_calls": [named]}


TASK = {"role": "user", "content": "Fix it."}


def test_completions_of_a_history_that_was_shortened(tmp_path: Path) -> None:
    folder = tmp_path / "acme__widget-12"
    completion(folder, 1, [TASK], asks("ls", "c1"))
    completion(folder, 2, [TASK, asks("ls", "c1")], asks("pwd", "c2"))
    completion(folder, 3, [TASK], {"role": "assistant", "content": "Done."})
    attempt = read_one(folder)
    # The last completion has one answer of the three, whose tokens are all known.
    assert len(turns_of(attempt)) == 1
    assert attempt.usage == Usage(input_tokens=60, output_tokens=6, cost_usd=0.75)


def test_completions_in_their_usual_place_may_have_any_names_and_only_messages(
    tmp_path: Path,
) -> None:
    said = {"role": "assistant", "content": "Done."}
    place = tmp_path / "llm_completions"
    for task in ("acme__widget-12", "acme__widget-13"):
        (place / task).mkdir(parents=True)
        (place / task / "1.json").write_text(json.dumps({"messages": [TASK]}))
        (place / task / "2.json").write_text(json.dumps({"messages": [TASK, said]}))
    attempts, problems = read_files(tmp_path)
    assert (attempts, problems) == read_files(place)
    assert problems == []
    assert [attempt.task_id for attempt in attempts] == ["acme__widget-12", "acme__widget-13"]
    assert read_one(place / "acme__widget-13") == attempts[1]
    (turn,) = turns_of(attempts[0])
    assert (turn.text, turn.usage, attempts[0].usage) == ("Done.", None, None)


def test_the_first_completion_may_be_cut_off(tmp_path: Path) -> None:
    folder = tmp_path / "acme__widget-12"
    completion(folder, 1, [TASK], asks("ls", "c1"))
    completion(folder, 2, [TASK, asks("ls", "c1")], {"role": "assistant", "content": "Done."})
    (folder / "toy-1700000001.5.json").write_text('{"messages": [')
    (attempt,), problems = read_files(tmp_path)
    assert (attempt.task_id, len(turns_of(attempt))) == ("acme__widget-12", 2)
    assert [problem.file for problem in problems] == [str(folder / "toy-1700000001.5.json")]


def test_sums_and_times_that_are_too_large(tmp_path: Path) -> None:
    folder = tmp_path / "acme__widget-12"
    used = {"prompt_tokens": 2**62, "completion_tokens": 1}
    said = {"role": "assistant", "content": "Done."}
    more = {"response": {"choices": [{"message": said}], "usage": used}, "cost": 1e308}
    completion(folder, 1, [TASK], said, **more, timestamp=10**400)
    completion(folder, 2, [TASK], said, **more)
    assert read_one(folder).usage == Usage(output_tokens=2)


def test_a_result_of_completions_that_says_that_its_call_failed(tmp_path: Path) -> None:
    folder = tmp_path / "acme__widget-12"
    told = "[An error occurred during execution.]\nno such file"
    said = [asks("cat a.py", "c1"), {"role": "tool", "tool_call_id": "c1", "content": told}]
    completion(folder, 1, [TASK], said[0])
    completion(folder, 2, [TASK, *said], {"role": "assistant", "content": "Done."})
    turn, _ = turns_of(read_one(folder))
    (call,) = turn.tool_calls
    assert (call.success, call.error, turn.success) == (False, told, False)


def test_completions_of_a_model_without_tools(tmp_path: Path) -> None:
    folder = tmp_path / "acme__widget-12"
    text = {"role": "assistant", "content": "<function=execute_bash>"}
    called = {"choices": [{"message": asks("ls", "c1")}]}
    completion(folder, 1, [TASK], text, fncall_messages=[TASK], fncall_response=called)
    (turn,) = turns_of(read_one(folder))
    assert turn.program == "ls"
    assert turn.usage == Usage(input_tokens=10, output_tokens=1, cost_usd=0.25)


@pytest.mark.parametrize(
    ("key", "value"), [("execution_status", "stuck"), ("full_state", {"execution_status": "stuck"})]
)
def test_a_run_that_was_stuck_in_the_end_failed(key: str, value: object) -> None:
    state = {"kind": "ConversationStateUpdateEvent", "key": key, "value": value}
    attempt = read_sdk(acted("terminal", {"command": "ls"}, "c1", "r1"), state)
    assert attempt.failure == Failure(reason="stuck")
    assert attempt.metadata == {"exit_status": "stuck"}
    # What the harness says of it goes first.
    late = read_sdk(state, error="Agent reached maximum iterations limit (3).")
    assert late.failure is not None
    assert late.failure.reason == "budget_exhausted"


def test_the_view_of_a_folder_shows_no_file() -> None:
    listing = "Here's the files and directories up to 2 levels deep in /workspace/widget"
    attempt = read(
        call(1, "read", {"path": "/workspace/widget", "start": 0, "end": -1}),
        answer(2, 1, "read", listing),
        call(3, "finish", {"final_thought": "A"}),
    )
    assert not any(turn.views for turn in turns_of(attempt))


def test_the_solution_is_a_leak_for_any_tool() -> None:
    path = "/home/fix.patch"
    read_back = read(
        call(1, "read", {"path": path}), answer(2, 1, "read", "diff"), call(3, "finish", {})
    )
    viewed = read_sdk(
        acted("file_editor", {"command": "view", "path": path}, "c1", "r1"),
        observed("file_editor", "c1", "     1\tdiff"),
        FINISHED,
    )
    for attempt in (read_back, viewed):
        assert attempt.leaks == (Leak(kind="gold_patch", evidence=path, turn=1),)
