"""Lines of OpenHands' evaluations before its SDK."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.errors import ReadError
from trajmeter.readers import Evidence, read_trajectories
from trajmeter.readers.openhands import EVENTS, SDK_EVENTS
from trajmeter.records import Extent, Failure, Source, ToolCall, Trajectory, Turn, Usage, View

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.readers import RecordFormat

SOURCE = Source(file="output.jsonl", line=1)
FOLDER = "/workspace/widget"


def call(identity: int, action: str, args: dict[str, Any], reply: str = "") -> dict[str, Any]:
    about = {
        "function_name": {"run": "execute_bash", "read": "str_replace_editor"}.get(action, action),
        "tool_call_id": f"c{identity}",
        "model_response": {"id": reply or f"r{identity}"},
    }
    return {
        "id": identity,
        "timestamp": f"2025-01-01T00:00:{identity:02}.5",
        "source": "agent",
        "action": action,
        "args": args,
        "tool_call_metadata": about,
    }


def answer(identity: int, cause: int, kind: str, content: str, **extras: object) -> dict[str, Any]:
    return {
        "id": identity,
        "timestamp": f"2025-01-01T00:00:{identity:02}.5",
        "source": "agent",
        "cause": cause,
        "observation": kind,
        "content": content,
        "extras": extras,
    }


def ran(
    identity: int, cause: int, content: str, code: int = 0, folder: str = FOLDER
) -> dict[str, Any]:
    about = {"exit_code": code, "working_dir": folder}
    return answer(identity, cause, "run", content, metadata=about)


def orphan(identity: int, cause: object) -> dict[str, Any]:
    return {**answer(identity, 0, "run", "x"), "cause": cause}


def line(*history: Any, **more: object) -> dict[str, Any]:
    return {
        "instance_id": "acme__widget-12",
        "test_result": {"git_patch": "diff"},
        "metadata": {
            "agent_class": "CodeActAgent",
            "llm_config": {"model": "openai/toy", "api_key": "hidden"},
        },
        "history": [*history],
        "metrics": None,
        "error": None,
        **more,
    }


def read(*history: Any, **more: object) -> Trajectory:
    record = line(*history, **more)
    assert EVENTS.recognises(record) is not None
    assert SDK_EVENTS.recognises(record) is None
    return EVENTS.read(record, SOURCE)


def views(*history: Any) -> list[list[str] | None]:
    """The views of the turns but the last, as paths and lines."""
    last = call(90, "finish", {"final_thought": "Done."})
    return [
        None
        if turn.views is None
        else [f"{view.path}:{view.start}-{view.end}" for view in turn.views]
        for turn in (read(*history, last).turns or ())[:-1]
    ]


def test_a_whole_run() -> None:
    usage = {"prompt_tokens": 900, "completion_tokens": 20, "cache_read_tokens": 512}
    metrics = {
        "accumulated_cost": 0.5,
        "accumulated_token_usage": {"prompt_tokens": 1900, "completion_tokens": 30},
        "token_usages": [{**usage, "response_id": "r3"}],
    }
    trajectory = read(
        {"id": 1, "source": "user", "action": "message", "args": {"content": "Fix it."}},
        {
            "id": 2,
            "source": "environment",
            "observation": "agent_state_changed",
            "content": "",
            "extras": {"agent_state": "running"},
        },
        call(3, "run", {"command": "cat src/a.py", "thought": "Look."}, "r3"),
        call(4, "run", {"command": "cat none.py", "thought": ""}, "r3"),
        ran(5, 3, "x\ny"),
        ran(6, 4, "cat: none.py: No such file or directory", 1),
        call(7, "finish", {"final_thought": "Done.", "outputs": {}}),
        metrics=metrics,
    )
    assert (trajectory.task_id, trajectory.agent) == ("acme__widget-12", "CodeActAgent")
    assert (trajectory.model, trajectory.final_patch) == ("toy", "diff")
    assert trajectory.final_output == "Done."
    assert trajectory.usage == Usage(input_tokens=1900, output_tokens=30, cost_usd=0.5)
    assert trajectory.failure is None
    assert trajectory.duration_seconds == 4.0
    assert trajectory.leaks == ()
    failed = "cat: none.py: No such file or directory"
    assert trajectory.turns == (
        Turn(
            number=1,
            text="Look.",
            program="cat src/a.py\ncat none.py",
            success=False,
            error=Failure(reason="tool_error", message=failed),
            tool_calls=(
                ToolCall(
                    id="c3",
                    name="execute_bash",
                    arguments={"command": "cat src/a.py"},
                    result="x\ny",
                    success=True,
                    duration_seconds=2.0,
                ),
                ToolCall(
                    id="c4",
                    name="execute_bash",
                    arguments={"command": "cat none.py"},
                    result=failed,
                    success=False,
                    error=failed,
                    duration_seconds=2.0,
                ),
            ),
            views=(View(path="src/a.py", extent=Extent.LINES, start=1, end=2),),
            usage=Usage(input_tokens=900, output_tokens=20, cached_input_tokens=512),
        ),
        Turn(
            number=2,
            tool_calls=(
                ToolCall(
                    id="c7", name="finish", arguments={"final_thought": "Done.", "outputs": {}}
                ),
            ),
        ),
    )
    assert "hidden" not in trajectory.model_dump_json()


@pytest.mark.parametrize(
    ("args", "content", "expected"),
    [
        ({"start": 0, "end": -1}, "x\ny\n", ["a.py:1-2"]),
        # From 0, and the end is left out: lines 10 to 12.
        ({"start": 9, "end": 12}, "x\ny\nz\n", ["a.py:10-12"]),
        ({"view_range": [10, 40], "start": 0, "end": -1}, "    10\tx\n    11\ty\n", ["a.py:10-11"]),
        ({"view_range": [10, -1]}, "    10\tx\n    11\ty\n", ["a.py:10-11"]),
        ({}, "     1\tx\n     2\ty\n", ["a.py:1-2"]),
    ],
)
def test_views_of_files(args: dict[str, Any], content: str, expected: list[str]) -> None:
    asked = call(3, "read", {"path": f"{FOLDER}/a.py", **args})
    shown = views(
        call(1, "run", {"command": "ls"}), ran(2, 1, "a.py"), asked, answer(4, 3, "read", content)
    )
    if args.get("end") == -1 and "view_range" not in args:
        expected = ["a.py:None-None"]  # the whole file
    assert shown[1] == expected


def test_a_file_that_could_not_be_read_was_not_seen() -> None:
    asked = call(3, "read", {"path": "/x/a.py"})
    assert views(asked, answer(4, 3, "error", "No such file")) == [None]


def test_the_shell_keeps_its_folder() -> None:
    assert views(
        call(1, "run", {"command": "ls"}),
        ran(2, 1, "src"),
        call(3, "run", {"command": "cd src && cat a.py"}),
        ran(4, 3, "x", folder=f"{FOLDER}/src"),
        call(5, "run", {"command": "head -n 5 b.py"}),
        ran(6, 5, "x\ny", folder=f"{FOLDER}/src"),
        call(7, "edit", {"command": "str_replace", "path": "a.py", "old_str": "x", "new_str": "y"}),
        answer(8, 7, "edit", "     1\ty"),
    ) == [None, ["src/a.py:1-1"], ["src/b.py:1-2"], None]


def test_pairs_of_old_files() -> None:
    action = {"action": "run", "args": {"command": "cat a.py", "thought": "Look."}}
    observation = {"observation": "run", "content": "x\ny\n", "extras": {"exit_code": 0}}
    ended = {"action": "finish", "args": {}}
    trajectory = read([action, observation], [ended, {"observation": "null", "content": ""}])
    first, _ = trajectory.turns or ()
    assert first.views == (View(path="a.py", extent=Extent.LINES, start=1, end=2),)
    assert first.tool_calls[0].success is True


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (None, None),
        ("RuntimeError: Agent reached maximum iteration in headless mode.", "budget_exhausted"),
        ("RuntimeError: Agent reached maximum budget for conversation.", "budget_exhausted"),
        ("AgentStuckInLoopError: Agent got stuck in a loop", "AgentStuckInLoopError"),
        ("Something else", "error"),
    ],
)
def test_errors(error: str | None, failure: str | None) -> None:
    found = read(call(1, "finish", {}), error=error).failure
    assert (found.reason if found else None) == failure


@pytest.mark.parametrize("in_pairs", [False, True])
def test_a_state_that_an_action_caused_is_not_its_result(in_pairs: bool) -> None:
    finish = call(1, "finish", {"final_thought": "Done."})
    ended = answer(2, 1, "agent_state_changed", "", agent_state="finished")
    trajectory = read(*([[finish, ended]] if in_pairs else [finish, ended]))
    assert trajectory.metadata == {"exit_status": "finished"}
    (turn,) = trajectory.turns or ()
    assert [each.result for each in turn.tool_calls] == [None]


def test_missing_parts() -> None:
    trajectory = read(history=None, test_result=None)
    assert (trajectory.turns, trajectory.leaks) == (None, None)
    assert (trajectory.final_patch, trajectory.usage) == (None, None)
    assert read().turns == ()


def test_profile_contextbench() -> None:
    record = line(
        call(1, "read", {"path": f"{FOLDER}/a.py", "start": 9, "end": 12}),
        call(2, "run", {"command": "cat b.py && sed -n '3,9p' b.py"}),
        call(3, "run", {"command": "echo --- && cat c.py"}),
        call(4, "read", {"path": "/testbed/b.py", "view_range": [5, 20]}),
    )
    trajectory = EVENTS.profile_reads["contextbench"](record, SOURCE)
    path = "workspace/widget/a.py"
    assert [turn.views for turn in trajectory.turns or () if turn.views is not None] == [
        (View(path=path), View(path=path, extent=Extent.LINES, start=9, end=12)),
        (View(path="b.py"), View(path="b.py", extent=Extent.LINES, start=3, end=9)),
        (View(path="b.py"), View(path="b.py", extent=Extent.LINES, start=5, end=20)),
    ]
    assert trajectory.final_views == (
        View(path=path),
        View(path="b.py"),
        View(path=path, extent=Extent.LINES, start=9, end=12),
        View(path="b.py", extent=Extent.LINES, start=3, end=20),
    )


@pytest.mark.parametrize(
    ("record", "evidence"),
    [
        ({"history": [{"role": "user"}]}, None),
        ({"history": "x"}, None),
        ({"history": [], "metadata": {"llm_config": {}}}, Evidence.LIKELY),
        ({"test_result": {}, "resolved": True, "artifacts_url": "x"}, None),
    ],
)
def test_evidence(record: dict[str, Any], evidence: Evidence | None) -> None:
    assert EVENTS.recognises(record) is evidence


@pytest.mark.parametrize("odd", [["x"], {"x": 1}, 1.5, None], ids=repr)
@pytest.mark.parametrize("key", ["id", "cause", "action", "source", "timestamp"])
def test_events_with_odd_values_lose_nothing_else(key: str, odd: Any) -> None:
    events = [call(1, "run", {"command": "ls"}), ran(2, 1, "a.py")]
    finish = call(9, "finish", {"final_thought": "Done."})
    for at in (0, 1):
        history = [*events, finish]
        history[at] = {**history[at], key: odd}
        assert EVENTS.read(line(*history), SOURCE).final_output == "Done."


def test_a_result_without_a_call_is_reported() -> None:
    silent = {"id": 7, "action": "recall", "source": "user", "args": {}}
    history = [
        silent,
        answer(8, 7, "recall", "known"),  # of an action that is not a call
        call(1, "run", {"command": "ls"}),
        ran(2, 1, "a.py"),
        orphan(3, 99),
        orphan(4, None),  # which answers nothing
        orphan(5, -1),
        answer(6, 98, "agent_state_changed", "", agent_state="finished"),
    ]
    read = EVENTS.read(line(*history), SOURCE)
    assert (read.dropped_calls, read.unusable) == (1, {"history[4]": "a result without a call"})
    assert [turn.tool_calls[0].result for turn in read.turns or ()] == ["a.py"]
    assert read.metadata == {"exit_status": "finished"}


def test_events_that_are_not_objects_are_reported_and_the_others_read() -> None:
    pair = [call(1, "run", {"command": "ls"}), "lost"]
    read = EVENTS.read(line(pair, [None, ran(2, 1, "x")], 5), SOURCE)
    assert read.unusable == {
        "history[0][1]": "expected an object, got text",
        "history[2]": "expected an object, got a number",
    }
    assert len(read.turns or ()) == 1


def test_a_prompt_that_is_too_long_is_a_budget() -> None:
    error = "BadRequestError: This model's maximum context length is 8192 tokens"
    failure = EVENTS.read(line(error=error), SOURCE).failure
    assert failure == Failure(reason="budget_exhausted", message=error)


def test_a_patch_of_the_wrong_type_costs_itself_alone() -> None:
    history = (call(1, "run", {"command": "ls"}), ran(2, 1, "x"))
    read = EVENTS.read(line(*history, test_result={"git_patch": [1]}), SOURCE)
    assert read.unusable == {"final_patch": "expected text, got a list"}
    assert (read.final_patch, len(read.turns or ())) == (None, 1)


@pytest.mark.parametrize("known", [EVENTS, SDK_EVENTS])
def test_a_number_names_a_task(known: RecordFormat[Trajectory]) -> None:
    assert known.read(line(instance_id=5), SOURCE).task_id == "5"
    for identity in (None, "", [5], True, 5.5):
        with pytest.raises(ReadError, match="no id: expected instance_id"):
            known.read(line(instance_id=identity), SOURCE)


def test_a_file_may_hold_several_attempts_at_one_task(tmp_path: Path) -> None:
    path = tmp_path / "output.jsonl"
    rows = [line(call(1, "run", {"command": word}), ran(2, 1, "x")) for word in ("ls", "pwd")]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    read = list(read_trajectories(path))
    assert [each.task_id for each in read] == ["acme__widget-12"] * 2
    assert [(each.turns or ())[0].program for each in read] == ["ls", "pwd"]
    assert [str(each.source) for each in read] == [f"{path}:1", f"{path}:2"]
