"""Runs of mini-swe-agent 2, and what both versions have in common."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue, ValidationError

from tests.steps import assert_linear
from trajmeter.errors import ReadError
from trajmeter.readers import RecordFormat, read_trajectories
from trajmeter.readers.mini_swe_agent import VERSION_1, VERSION_2
from trajmeter.records import Extent, Failure, Source, ToolCall, Trajectory, Turn, Usage, View

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NOT_EXECUTED = "action was not executed"
SOURCE = Source(file="runs/acme__widget-12/acme__widget-12.traj.json")


def read(messages: Sequence[dict[str, Any]], **info: object) -> Trajectory:
    record: dict[str, Any] = {
        "trajectory_format": "mini-swe-agent-1.1",
        "instance_id": "acme__widget-12",
        "info": info,
        "messages": [*messages],
    }
    assert VERSION_2.recognises(record)
    assert not VERSION_1.recognises(record)
    return VERSION_2.read(record, SOURCE)


def action(command: str, identity: str | None = None) -> dict[str, JsonValue]:
    return {"command": command, "tool_call_id": identity}


def observed(code: JsonValue, identity: str | None = None, **extra: object) -> dict[str, Any]:
    more = {"raw_output": "", "returncode": code, **extra}
    return {"role": "tool", "tool_call_id": identity, "content": "…", "extra": more}


def test_a_turn_of_version_2_holds_all_its_actions() -> None:
    usage = {"prompt_tokens": 900, "completion_tokens": 20, "total_tokens": 920}
    actions = [action("cat a.py", "t1"), action("ls", "t2"), action("pwd", "t3")]
    answer = {
        "role": "assistant",
        "content": "look",
        "extra": {
            "actions": actions,
            "cost": 0.002,
            "timestamp": 7.0,
            "response": {"usage": usage},
        },
    }
    trajectory = read(
        [
            {"role": "user", "content": [{"type": "text", "text": "Fix it."}], "timestamp": 5.0},
            answer,
            observed(-1, "t2", timestamp=8.0, exception_info="timed out"),
            observed(0, "t1", timestamp=9.0),
            {"role": "exit", "content": "diff …", "extra": {"exit_status": "Submitted"}},
        ],
        exit_status="Submitted",
        submission="diff …",
    )
    assert trajectory.task_id == "acme__widget-12"
    assert trajectory.agent == "mini-swe-agent"
    assert trajectory.final_patch == "diff …"
    assert trajectory.final_output == "diff …"
    assert trajectory.final_views is None
    assert trajectory.failure is None
    assert trajectory.turns == (
        Turn(
            number=1,
            program="cat a.py\nls\npwd",
            success=False,
            error=Failure(reason="exit_code", message="timed out"),
            tool_calls=(
                ToolCall(
                    id="t1", name="bash", arguments={"command": "cat a.py"}, result="", success=True
                ),
                ToolCall(
                    id="t2",
                    name="bash",
                    arguments={"command": "ls"},
                    result="",
                    success=False,
                    error="timed out",
                ),
                # Its result was not recorded.
                ToolCall(id="t3", name="bash", arguments={"command": "pwd"}),
            ),
            text="look",
            views=(View(path="a.py", extent=Extent.WHOLE),),  # an empty file
            usage=Usage(input_tokens=900, output_tokens=20, total_tokens=920, cost_usd=0.002),
            duration_seconds=4.0,  # from the task at 5 to the last result at 9
        ),
    )


def test_omitted_parts_of_a_long_output_were_not_seen() -> None:
    output = "".join(f"line {number:4}\n" for number in range(1, 3001))  # 10 characters each
    content = json.dumps({"output_head": output[:5000], "elided_chars": len(output) - 10_000})
    answer = {"role": "assistant", "extra": {"actions": [action("cat a.py", "t1")]}}
    result = observed(0, "t1", raw_output=output) | {"content": content}
    (turn,) = read([answer, result]).turns or ()
    assert [(view.start, view.end) for view in turn.views or ()] == [(1, 500), (2501, 3000)]


def test_responses_hold_their_own_usage() -> None:
    usage = {
        "input_tokens": 900,
        "input_tokens_details": {"cached_tokens": 512},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 8},
        "total_tokens": 920,
    }
    said = {"type": "message", "content": [{"type": "output_text", "text": "A look."}]}
    answer = {
        "object": "response",
        "output": [{"type": "reasoning"}, said],
        "usage": usage,
        "extra": {"actions": [action("head -n 9 a.py", "c1")], "cost": 0.5},
    }
    shown: dict[str, Any] = {"type": "function_call_output", "call_id": "c1", "output": "{}"}
    shown["extra"] = {"raw_output": "x\ny\n", "returncode": 0}
    (turn,) = read([answer, shown]).turns or ()
    assert turn.text == "A look."
    assert turn.usage == Usage(
        input_tokens=900,
        output_tokens=20,
        cached_input_tokens=512,
        reasoning_tokens=8,
        total_tokens=920,
        cost_usd=0.5,
    )
    assert turn.views == (View(path="a.py", extent=Extent.LINES, start=1, end=2),)


@pytest.mark.parametrize("identity", ["t1", ""])
def test_calls_of_one_id_have_their_results_in_order(identity: str) -> None:
    actions = [action("ls", identity), action("x", identity), action("pwd", identity)]
    results = [observed(code, identity) for code in (0, 127)]
    (turn,) = read([{"role": "assistant", "extra": {"actions": actions}}, *results]).turns or ()
    assert [call.success for call in turn.tool_calls] == [True, False, None]
    assert {call.id for call in turn.tool_calls} == {identity or None}


def test_messages_after_a_user_command_are_not_results_of_the_answer() -> None:
    answer = {"role": "assistant", "extra": {"actions": [action("ls")]}}
    refused = {"role": "user", "content": "No.", "extra": {"interrupt_type": "UserRejection"}}
    own = {"role": "user", "content": "User command", "extra": {"actions": [action("pwd")]}}
    (turn,) = read([answer, refused, own, observed(0)]).turns or ()
    assert (turn.program, turn.tool_calls[0].success) == ("ls", None)


def test_a_call_that_ended_the_run_was_not_executed() -> None:
    answer = {"role": "assistant", "extra": {"actions": [action("cat a.py", "t1")]}}
    ended = observed(-1, "t1", exception_info="action was not executed")
    (turn,) = read([answer, ended]).turns or ()
    assert turn.tool_calls[0].success is None
    assert turn.views == ()


def test_calls_of_a_format_error_are_as_they_were_written() -> None:
    malformed = {"id": "t1", "function": {"name": "bash", "arguments": '{"command": "x'}}
    message = {"content": "Now.", "tool_calls": [malformed]}
    response = {"choices": [{"message": message}], "usage": {"prompt_tokens": 7}}
    extra = {"interrupt_type": "FormatError", "response": response}
    (turn,) = read([{"role": "user", "content": "Bad.", "extra": extra}]).turns or ()
    assert turn.text == "Now."
    assert turn.tool_calls == (
        ToolCall(id="t1", name="bash", arguments='{"command": "x', success=False, error="Bad."),
    )
    assert turn.usage == Usage(input_tokens=7)


def test_profile_contextbench_takes_views_from_commands_alone() -> None:
    answer = {"role": "assistant", "extra": {"actions": [action("sed -n '1,9p' a.py", "t1")]}}
    record: dict[str, Any] = {"messages": [answer, observed(1, "t1")]}
    (turn,) = VERSION_2.profile_reads["contextbench"](record, SOURCE).turns or ()
    assert turn.views == (
        View(path="a.py"),
        View(path="a.py", extent=Extent.LINES, start=1, end=9),
    )


def test_a_format_error_of_version_2_is_a_turn_with_its_cost() -> None:
    extra = {"interrupt_type": "FormatError", "cost": 1}
    (turn,) = read([{"role": "user", "content": "Bad.", "extra": extra}]).turns or ()
    assert turn.error == Failure(reason="FormatError", message="Bad.")
    assert turn.success is False
    assert turn.usage == Usage(cost_usd=1.0)
    assert turn.program is None


def test_an_interrupted_answer_is_not_a_separate_turn() -> None:
    answer = {"role": "assistant", "content": "Go.", "extra": {"actions": [action("ls", "t1")]}}
    extra = {"interrupt_type": "UserInterruption"}
    (turn,) = read([answer, {"role": "user", "content": "Stop.", "extra": extra}]).turns or ()
    assert (turn.text, turn.program) == ("Go.", "ls")
    assert turn.error == Failure(reason="UserInterruption", message="Stop.")


@pytest.mark.parametrize("refused", [[], [observed(-1, exception_info=NOT_EXECUTED)]])
def test_a_rejected_answer_is_not_a_separate_turn(refused: list[dict[str, Any]]) -> None:
    answer = {"role": "assistant", "content": "Go.", "extra": {"actions": [action("ls")]}}
    said = {"role": "user", "content": "Don't.", "extra": {"interrupt_type": "UserRejection"}}
    (turn,) = read([answer, *refused, said]).turns or ()
    assert turn.tool_calls[0].success is None
    assert turn.error == Failure(reason="UserRejection", message="Don't.")


def test_a_new_task_of_the_user_is_not_a_failure_of_the_last_answer() -> None:
    submit = {"role": "assistant", "extra": {"actions": [action("echo COMPLETE_TASK", "t1")]}}
    ended = observed(-1, "t1", exception_info=NOT_EXECUTED)
    task = {"role": "user", "content": "And x.", "extra": {"interrupt_type": "UserNewTask"}}
    answer = {"role": "assistant", "extra": {"actions": [action("ls", "t2")]}}
    first, second = read([submit, ended, task, answer, observed(0, "t2")]).turns or ()
    assert (first.success, first.error) == (None, None)
    assert second.success is True


def test_the_answer_that_a_format_error_repeats_is_what_the_model_said() -> None:
    extra = {"interrupt_type": "FormatError", "n_actions": 0, "model_response": "I am done."}
    (turn,) = read([{"role": "user", "content": "Bad.", "extra": extra}]).turns or ()
    assert turn.text == "I am done."


@pytest.mark.parametrize("folder", ["/testbed", "/testbed/", "/proc/runs/repo"])
def test_paths_are_those_below_the_folder(folder: str) -> None:
    command = f"cat {folder}/a.py /proc/notes.txt"  # a repository may be where others are not
    answer = {"role": "assistant", "extra": {"actions": [action(command, "t1")]}}
    environment = {"environment": {"cwd": folder}}
    (turn,) = read([answer, observed(0, "t1", raw_output="x\n")], config=environment).turns or ()
    assert [view.path for view in turn.views or ()] == ["a.py"]


def test_a_run_that_was_killed_does_not_say_how_it_ended() -> None:
    trajectory = read([{"role": "assistant", "content": "Go."}], exit_status="", submission="")
    assert trajectory.failure is None
    assert trajectory.final_patch is None
    assert trajectory.metadata == {}
    failed = read([], exit_status="LimitsExceeded", submission="")
    assert failed.final_patch == ""


def test_the_error_that_ended_a_run() -> None:
    status = "AuthenticationError"
    for raised, message in (("no key", "no key"), ("", None), (3, None)):
        last = {"role": "exit", "extra": {"exit_status": status, "exception_str": raised}}
        failure = read([last], exit_status=status, submission="").failure
        assert failure == Failure(reason=status, message=message)


def test_answers_without_a_role_and_observations_by_position() -> None:
    answer = {"object": "response", "output": [], "extra": {"actions": [action("ls"), action("x")]}}
    results = [
        {"type": "function_call_output", "call_id": "c", "extra": {"returncode": code}}
        for code in (0, 127)
    ]
    (turn,) = read([answer, *results]).turns or ()
    assert [call.success for call in turn.tool_calls] == [True, False]
    assert turn.tool_calls[1].error == "exit code 127"


def test_a_run_without_answers_has_no_turns() -> None:
    assert read([]).turns == ()
    assert read([{"role": "user", "content": "Fix it."}]).turns == ()


VERSIONS = pytest.mark.parametrize(
    ("reader", "version"), [(VERSION_1, "mini-swe-agent-1"), (VERSION_2, "mini-swe-agent-1.1")]
)


@VERSIONS
@pytest.mark.parametrize("record", [{"info": {}}, {"messages": "x"}, {"messages": None}])
def test_what_is_not_a_run_is_refused(
    record: dict[str, Any], reader: RecordFormat[Trajectory], version: str
) -> None:
    whole: dict[str, Any] = {"trajectory_format": version, **record}
    assert reader.recognises(whole)
    with pytest.raises(ValidationError, match="messages"):
        reader.read(whole, SOURCE)


@VERSIONS
def test_a_value_of_the_wrong_type_is_reported_and_the_rest_is_read(
    reader: RecordFormat[Trajectory], version: str
) -> None:
    answer = {"role": "assistant", "content": "Go.", "extra": {"cost": "a lot"}}
    info = {
        "exit_status": 3,
        "submission": "diff …",
        "model_stats": [],
        "config": {"agent": {"step_limit": -1, "cost_limit": 2.5}},
    }
    record: dict[str, Any] = {
        "trajectory_format": version,
        "instance_id": 12,
        "info": info,
        "messages": ["x", answer],
    }
    for read in (reader.read, reader.profile_reads["contextbench"]):
        trajectory = read(record, SOURCE)
        assert trajectory.task_id == "acme__widget-12"  # from the name of the file
        assert trajectory.failure is None
        assert trajectory.final_patch == "diff …"
        assert trajectory.usage is None
        assert trajectory.extra == {"cost_limit": 2.5}
        (turn,) = trajectory.turns or ()
        assert (turn.text, turn.usage) == ("Go.", None)
        assert trajectory.unusable == {
            "task_id": "instance_id: expected text, got 12",
            "failure": "info.exit_status: expected text, got 3",
            "metadata.exit_status": "info.exit_status: expected text, got 3",
            "usage.cost_usd": "info.model_stats: expected an object, got []",
            "extra.step_limit": "info.config.agent.step_limit: expected at least 0, got -1",
            "turns": 'messages[0]: expected an object, got "x"',
            "turns.usage.cost_usd": 'messages[1].extra.cost: expected a number, got "a lot"',
        }


def test_many_wrong_messages_do_not_take_long() -> None:
    def read(size: int) -> None:
        record: dict[str, Any] = {"messages": ["x"] * size, "info": 3}
        trajectory = VERSION_2.read(record, SOURCE)
        assert (trajectory.turns, len(trajectory.unusable)) == ((), 14)

    assert_linear(read)


def test_many_actions_do_not_take_long() -> None:
    def read(size: int) -> None:
        actions = [{"command": "ls", "tool_call_id": f"call {n}"} for n in range(size)]
        messages: list[Any] = [{"role": "assistant", "extra": {"actions": actions}}]
        messages += [
            {"role": "tool", "tool_call_id": f"call {n}", "extra": {"returncode": n % 2}}
            for n in range(size)
        ]
        (turn,) = VERSION_2.read({"messages": messages}, SOURCE).turns or ()
        assert [call.success for call in turn.tool_calls] == [n % 2 == 0 for n in range(size)]

    assert_linear(read)


CLAIM = "<explore_context>\nFile: a.py\nLines: 1-2\n</explore_context>"
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
KEYS = ("actions", "command", "cost", "response", "returncode", "timestamp", "usage")
ODD = st.dictionaries(
    st.sampled_from(KEYS),
    VALUES
    | st.lists(st.dictionaries(st.sampled_from(["command", "tool_call_id"]), VALUES), max_size=2),
    max_size=3,
)
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["assistant", "user", "tool", "exit", None])},
    optional={
        "content": VALUES | st.sampled_from(["```bash\ncat a.py\n```", CLAIM]),
        "extra": VALUES | ODD,
        "timestamp": VALUES,
        "tool_call_id": VALUES,
    },
)


@given(st.lists(MESSAGES, max_size=4), st.sampled_from([VERSION_1, VERSION_2]))
def test_odd_messages_are_read_or_refused(
    messages: list[JsonValue], reader: RecordFormat[Trajectory]
) -> None:
    with contextlib.suppress(ValidationError):
        assert reader.read({"messages": messages}, SOURCE).source == SOURCE


def test_files_and_folders_of_runs_are_read(tmp_path: Path) -> None:
    for name in ("b", "a"):
        run = {"trajectory_format": "mini-swe-agent-1", "info": {}, "messages": []}
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.traj.json").write_text(json.dumps(run, indent=2))
    (tmp_path / "preds.json").write_text('{"a": {"instance_id": "a", "model_patch": ""}}')
    with pytest.warns(UserWarning, match=r"preds\.json: left out, because predictions and"):
        assert [t.task_id for t in read_trajectories(tmp_path)] == ["a", "b"]


def test_a_folder_without_runs_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "preds.json").write_text("{}")
    with pytest.raises(ReadError, match="nothing to read in the folder"):
        list(read_trajectories(tmp_path))
