"""Runs of OpenHands' SDK: lines of its evaluations, conversations and completions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.readers import read_trajectories
from trajmeter.readers.openhands import EVENTS, SDK_EVENTS
from trajmeter.records import Extent, Failure, Leak, Source, ToolCall, Trajectory, Turn, Usage, View

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = Source(file="output.jsonl", line=1)
FOLDER = "/workspace/acme"


def text(words: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": words}]


def acted(
    tool: str, arguments: dict[str, Any], call: str, reply: str, thought: str = ""
) -> dict[str, Any]:
    return {
        "kind": "ActionEvent",
        "source": "agent",
        "timestamp": "2026-01-01T00:00:01",
        "thought": text(thought) if thought else [],
        "action": {**arguments, "kind": "Action"},
        "tool_name": tool,
        "tool_call_id": call,
        "tool_call": {"id": call, "name": tool, "arguments": json.dumps(arguments)},
        "llm_response_id": reply,
    }


def observed(
    tool: str, call: str, words: str, code: int | None = None, folder: str = FOLDER
) -> dict[str, Any]:
    observation: dict[str, Any] = {"content": text(words), "is_error": False}
    if code is not None:
        observation |= {"exit_code": code, "metadata": {"exit_code": code, "working_dir": folder}}
    return {
        "kind": "ObservationEvent",
        "timestamp": "2026-01-01T00:00:03",
        "tool_name": tool,
        "tool_call_id": call,
        "observation": observation,
    }


FINISHED = acted("finish", {"message": "Done."}, "c99", "r99")
RUN = (
    {
        "kind": "MessageEvent",
        "source": "user",
        "timestamp": "2026-01-01T00:00:00",
        "llm_message": {},
    },
    acted("terminal", {"command": "cat a.py"}, "c1", "r1", "Look."),
    acted("file_editor", {"command": "view", "path": f"{FOLDER}/b.py"}, "c2", "r1"),
    observed("terminal", "c1", "x\ny", 0),
    observed("file_editor", "c2", "     1\tx\n     2\ty\n     3\tz"),
)


def line(*history: dict[str, Any], **more: object) -> dict[str, Any]:
    return {
        "instance_id": "acme__widget-12",
        "attempt": 2,
        "test_result": {"git_patch": "diff"},
        "metadata": {"llm": {"model": "openai/toy", "api_key": "hidden"}},
        "history": [*history],
        "metrics": None,
        "error": None,
        **more,
    }


def read(*history: dict[str, Any], **more: object) -> Trajectory:
    record = line(*history, **more)
    assert SDK_EVENTS.recognises(record)
    assert EVENTS.recognises(record) is None
    return SDK_EVENTS.read(record, SOURCE)


def test_a_whole_run() -> None:
    usage = {
        "prompt_tokens": 900,
        "completion_tokens": 20,
        "cache_read_tokens": 512,
        "reasoning_tokens": 8,
    }
    metrics = {"accumulated_cost": 0.5, "token_usages": [{**usage, "response_id": "r1"}]}
    trajectory = read(*RUN, FINISHED, metrics=metrics)
    assert (trajectory.task_id, trajectory.attempt, trajectory.model) == (
        "acme__widget-12",
        "2",
        "toy",
    )
    assert (trajectory.final_patch, trajectory.final_output) == ("diff", "Done.")
    assert trajectory.usage == Usage(cost_usd=0.5)
    assert trajectory.metadata == {"exit_status": "finished"}
    assert trajectory.failure is None
    first, last = trajectory.turns or ()
    assert first == Turn(
        number=1,
        text="Look.",
        program="cat a.py",
        success=True,
        tool_calls=(
            ToolCall(
                id="c1",
                name="terminal",
                arguments={"command": "cat a.py"},
                result="x\ny",
                success=True,
                duration_seconds=2.0,
            ),
            ToolCall(
                id="c2",
                name="file_editor",
                arguments={"command": "view", "path": f"{FOLDER}/b.py"},
                result="     1\tx\n     2\ty\n     3\tz",
                success=True,
                duration_seconds=2.0,
            ),
        ),
        views=(
            View(path="a.py", extent=Extent.LINES, start=1, end=2),
            View(path="b.py", extent=Extent.LINES, start=1, end=3),
        ),
        usage=Usage(
            input_tokens=900, output_tokens=20, cached_input_tokens=512, reasoning_tokens=8
        ),
        duration_seconds=3.0,
    )
    assert last.tool_calls[0].success is None
    assert "hidden" not in trajectory.model_dump_json()


def test_a_command_that_fails_is_no_error_of_the_tool() -> None:
    failed = observed("terminal", "c1", "cat: a.py: No such file or directory", 1)
    assert failed["observation"]["is_error"] is False
    first, _ = (
        read(acted("terminal", {"command": "cat a.py"}, "c1", "r1"), failed, FINISHED).turns or ()
    )
    assert first.success is False
    assert first.views == ()  # no turn saw anything
    assert first.tool_calls[0].error == (
        "cat: a.py: No such file or directory\n"
        f"[Current working directory: {FOLDER}]\n[Command finished with exit code 1]"
    )


def test_malformed_calls() -> None:
    broken = acted("terminal", {}, "c1", "r1", "Now.")
    broken |= {"action": None, "tool_call": {"arguments": '{"command": "x'}}
    refused = {"kind": "AgentErrorEvent", "tool_call_id": "c1", "error": "Error validating tool"}
    first, _ = read(broken, refused, FINISHED).turns or ()
    assert first.tool_calls == (
        ToolCall(
            id="c1",
            name="terminal",
            arguments='{"command": "x',
            success=False,
            error="Error validating tool",
        ),
    )
    assert first.error == Failure(reason="tool_error", message="Error validating tool")


def test_what_the_last_reply_showed_was_never_sent() -> None:
    ended = {
        "kind": "ConversationErrorEvent",
        "code": "MaxIterationsReached",
        "detail": "Agent reached maximum iterations limit (1).",
    }
    trajectory = read(*RUN, ended)
    assert [turn.views for turn in trajectory.turns or ()] == [()]
    assert trajectory.metadata == {"exit_status": "error"}
    assert trajectory.failure == Failure(reason="budget_exhausted", message=ended["detail"])


def test_the_context_window_is_a_budget() -> None:
    ended = {"kind": "ConversationErrorEvent", "code": "LLMContextWindowExceedError", "detail": "x"}
    failure = read(*RUN, ended).failure
    assert failure is not None
    assert failure.reason == "budget_exhausted"
    assert read(*RUN, error="ValueError: x").failure == Failure(
        reason="ValueError", message="ValueError: x"
    )


def test_the_terminal_keeps_its_folder_and_leaks_are_told() -> None:
    trajectory = read(
        *RUN,
        acted("terminal", {"command": "cd src && git log --all"}, "c3", "r3"),
        observed("terminal", "c3", "abc fix", 0, f"{FOLDER}/src"),
        acted("terminal", {"command": "cat c.py"}, "c4", "r4"),
        observed("terminal", "c4", "x", 0, f"{FOLDER}/src"),
        FINISHED,
    )
    assert (trajectory.turns or ())[2].views == (
        View(path="src/c.py", extent=Extent.LINES, start=1, end=1),
    )
    assert trajectory.leaks == (Leak(kind="future", evidence="git log --all", turn=2),)


def test_an_answer_in_words_is_a_turn() -> None:
    said = {
        "kind": "MessageEvent",
        "source": "agent",
        "llm_message": {"role": "assistant", "content": text("All done.")},
        "llm_response_id": "r2",
    }
    trajectory = read(*RUN, said)
    assert [turn.text for turn in trajectory.turns or ()] == ["Look.", "All done."]
    assert trajectory.final_output == "All done."


def conversation(folder: Path, status: str = "finished") -> Path:
    path = folder / "conversation"
    (path / "events").mkdir(parents=True)
    metrics = {"accumulated_cost": 0.5}
    state = {
        "id": "conv-1",
        "execution_status": status,
        "agent": {"llm": {"model": "openai/toy"}},
        "workspace": {"working_dir": FOLDER},
        "stats": {"usage_to_metrics": {"agent": metrics}},
    }
    (path / "base_state.json").write_text(json.dumps(state))
    for number, event in enumerate((*RUN, FINISHED)):
        (path / "events" / f"event-{number:05}-x.json").write_text(json.dumps(event))
    return path


def test_conversations(tmp_path: Path) -> None:
    (trajectory,) = read_trajectories(conversation(tmp_path))
    assert (trajectory.task_id, trajectory.model) == ("conv-1", "toy")
    assert trajectory.usage == Usage(cost_usd=0.5)
    assert [view.path for turn in trajectory.turns or () for view in turn.views or ()] == [
        "a.py",
        "b.py",
    ]
    assert trajectory.final_patch is None


def test_a_conversation_with_a_broken_event(tmp_path: Path) -> None:
    path = conversation(tmp_path, "stuck")
    (path / "events" / "event-00009-x.json").write_text("{")
    problems: list[Any] = []
    (trajectory,) = read_trajectories(path, on_problem=problems.append)
    assert trajectory.failure == Failure(reason="stuck")
    assert [problem.file.rpartition("/")[2] for problem in problems] == ["event-00009-x.json"]


SAID = {"role": "assistant", "content": "Done.", "tool_calls": None}


def completion(time: float, *messages: dict[str, Any]) -> dict[str, Any]:
    *before, answer = messages
    usage = {"prompt_tokens": 100 + len(before), "completion_tokens": 5}
    return {
        "messages": before,
        "response": {"model": "toy", "choices": [{"message": answer}], "usage": usage},
        "cost": 0.25,
        "timestamp": time,
    }


def test_completions(tmp_path: Path) -> None:
    folder = tmp_path / "acme__widget-12"
    folder.mkdir()
    function = {"name": "terminal", "arguments": json.dumps({"command": "cat a.py"})}
    asked = {"role": "user", "content": "Fix it."}
    called = {
        "role": "assistant",
        "content": "Look.",
        "tool_calls": [{"id": "c1", "function": function}],
    }
    shown = (
        "x\ny\n[The command completed with exit code 0.]\n"
        f"[Current working directory: {FOLDER}]\n[Command finished with exit code 0]"
    )
    given = {"role": "tool", "tool_call_id": "c1", "content": shown}
    done = {"role": "assistant", "content": "Done."}
    # By the time, not by the name.
    (folder / "b.json").write_text(json.dumps(completion(1.0, asked, called)))
    (folder / "a.json").write_text(json.dumps(completion(2.0, asked, called, given, done)))
    (trajectory,) = read_trajectories(folder)
    assert (trajectory.task_id, trajectory.model) == ("acme__widget-12", "toy")
    assert trajectory.final_output == "Done."
    first, last = trajectory.turns or ()
    assert first.views == (View(path="a.py", extent=Extent.LINES, start=1, end=2),)
    assert first.tool_calls[0].success is True
    assert [turn.usage for turn in (first, last)] == [
        Usage(input_tokens=101, output_tokens=5, cost_usd=0.25),
        Usage(input_tokens=103, output_tokens=5, cost_usd=0.25),
    ]


def test_the_shell_of_completions_keeps_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "acme__widget-12"
    folder.mkdir()
    messages: list[dict[str, Any]] = []
    commands = [("ls", "a\nsrc", ""), ("cd src", "", "/src"), ("cat c.py", "x", "/src")]
    for command, output, within in commands:
        function = {"name": "terminal", "arguments": json.dumps({"command": command})}
        messages.append(
            {"role": "assistant", "tool_calls": [{"id": command, "function": function}]}
        )
        shown = f"{output}\n[Current working directory: {FOLDER}{within}]"
        messages.append({"role": "tool", "tool_call_id": command, "content": shown})
    done = {"role": "assistant", "content": "Done."}
    (folder / "a.json").write_text(json.dumps(completion(1.0, *messages, done)))
    (trajectory,) = read_trajectories(folder)
    assert [turn.views for turn in trajectory.turns or ()] == [
        None,
        None,
        (View(path="src/c.py", extent=Extent.LINES, start=1, end=1),),
        None,
    ]


@pytest.mark.parametrize("name", ["openai__toy-1795312579.838-19c6", "toy-1735689601.5012345"])
def test_completions_within_a_folder_that_is_read_are_one_run(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "llm_completions" / "acme__widget-12"
    folder.mkdir(parents=True)
    asked = {"role": "user", "content": "Fix it.", "tool_calls": None}
    (folder / f"{name}.json").write_text(json.dumps(completion(1.0, asked, SAID)))
    (folder / f"{name[:-1]}7.json").write_text(json.dumps(completion(2.0, asked, SAID, SAID)))
    (trajectory,) = read_trajectories(tmp_path)
    assert trajectory.source == Source(file=str(folder))
    assert [turn.text for turn in trajectory.turns or ()] == ["Done.", "Done."]


@pytest.mark.parametrize(
    "record",
    [{"history": [{"role": "user"}]}, {"history": None}, {"test_result": {}, "resolved": True}],
)
def test_files_that_are_not_runs(record: dict[str, Any]) -> None:
    assert SDK_EVENTS.recognises(record) is None


def test_turns_without_a_history_are_unknown() -> None:
    read_back = read(history=None, error="RuntimeError: no runtime")
    assert (read_back.turns, read_back.leaks) == (None, None)
    assert read_back.failure == Failure(reason="RuntimeError", message="RuntimeError: no runtime")
    assert read().turns == ()


def test_a_result_without_a_call_is_reported() -> None:
    error = {"kind": "AgentErrorEvent", "tool_call_id": "c8", "error": "no such call"}
    lost: Any = "lost"
    history = (*RUN, observed("terminal", "c7", "x", 0), error, lost, FINISHED)
    read = SDK_EVENTS.read(line(*history), SOURCE)
    assert read.unusable == {
        "events[5]": "a result without a call",
        "events[6]": "a result without a call",
        "events[7]": "expected an object, got text",
    }
    assert read.dropped_calls == 2
    assert read.final_output == "Done."
