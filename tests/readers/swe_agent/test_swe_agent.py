"""Trajectories of SWE-agent, and the files that ContextBench adds to them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from trajmeter.errors import ReadError
from trajmeter.readers import Evidence, read_trajectories
from trajmeter.readers.swe_agent import CHECKPOINTS, CONTEXT, TRAJECTORY
from trajmeter.records import Extent, Failure, Leak, Source, ToolCall, Turn, Usage, View

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import ReadProblem, Trajectory

SOURCE = Source(file="runs/acme__widget-12/acme__widget-12.traj")
NUMBERED = (
    "Here's the result of running `cat -n` on /acme/a.py:\n    10\tdef f():\n    11\t    pass\n"
)
LAST = {"action": "submit", "observation": "diff", "response": "Done.", "state": {}}


def step(action: str, observation: str = "", **more: object) -> dict[str, Any]:
    return {"action": action, "observation": observation, "response": "Look.", **more}


def run(*steps: dict[str, Any], **more: object) -> dict[str, Any]:
    config = {
        "agent": {"model": {"name": "openai/toy", "api_key": "hidden"}},
        "env": {"repo": {"repo_name": "acme"}},
        "problem_statement": {"id": "acme__widget-12"},
    }
    return {
        "environment": "main",
        "trajectory": [*steps, LAST],
        "history": [],
        "replay_config": json.dumps(config),
        "info": {"exit_status": "submitted", "submission": "diff"},
        **more,
    }


def read(*steps: dict[str, Any], **more: object) -> Trajectory:
    record = run(*steps, **more)
    assert TRAJECTORY.recognises(record) is Evidence.CERTAIN
    return TRAJECTORY.read(record, SOURCE)


def views(*steps: dict[str, Any]) -> list[list[str] | None]:
    found = []
    for turn in (read(*steps).turns or ())[:-1]:
        shown = turn.views
        found.append(
            None
            if shown is None
            else [f"{view.path}:{view.start}-{view.end}{'*' * view.searched}" for view in shown]
        )
    return found


def test_a_whole_run() -> None:
    edited = step(
        "str_replace_editor view /acme/a.py --view_range 10 11\n", NUMBERED, execution_time=0.3
    )
    function = {
        "name": "str_replace_editor",
        "arguments": '{"command": "view", "path": "/acme/a.py"}',
    }
    history = [
        {"role": "assistant", "action": "ls", "is_demo": True},
        {"role": "user", "content": "Fix it."},
        {
            "role": "assistant",
            "action": edited["action"],
            "tool_calls": [{"id": "c1", "function": function}],
        },
    ]
    statistics = {"instance_cost": 0.5, "tokens_sent": 900, "tokens_received": 20, "api_calls": 3}
    trajectory = read(
        edited,
        {"action": "", "observation": "", "response": "Two calls at once."},
        history=history,
        info={
            "exit_status": "submitted (exit_cost)",
            "submission": "\ndiff",
            "model_stats": statistics,
            "swe_agent_version": "1.1.0",
        },
    )
    assert trajectory.task_id == "acme__widget-12"
    assert (trajectory.agent, trajectory.model) == ("swe-agent", "toy")
    assert trajectory.final_patch == "\ndiff"
    assert trajectory.usage == Usage(input_tokens=900, output_tokens=20, cost_usd=0.5)
    assert trajectory.failure == Failure(reason="budget_exhausted")
    assert trajectory.metadata == {"exit_status": "submitted (exit_cost)"}
    assert trajectory.extra == {"swe_agent_version": "1.1.0", "api_calls": 3}
    assert trajectory.leaks == ()
    assert trajectory.turns == (
        Turn(
            number=1,
            program="str_replace_editor view /acme/a.py --view_range 10 11",
            text="Look.",
            tool_calls=(
                ToolCall(
                    id="c1",
                    name="str_replace_editor",
                    arguments={"command": "view", "path": "/acme/a.py"},
                    result=NUMBERED,
                    duration_seconds=0.3,
                ),
            ),
            views=(View(path="a.py", extent=Extent.LINES, start=10, end=11),),
        ),
        Turn(
            number=2,
            text="Two calls at once.",
            success=False,
            error=Failure(reason="format_error"),
        ),
        Turn(
            number=3,
            program="submit",
            text="Done.",
            tool_calls=(ToolCall(name="bash", arguments={"command": "submit"}, result="diff"),),
        ),
    )
    assert "hidden" not in trajectory.model_dump_json()


@pytest.mark.parametrize(
    ("status", "failure"),
    [
        ("submitted", None),
        ("submitted (exit_format)", None),
        ("submitted (exit_context)", "budget_exhausted"),
        ("exit_cost", "budget_exhausted"),
        ("exit_total_execution_time", "budget_exhausted"),
        ("exit_format", "exit_format"),
        ("early_exit", "early_exit"),
        ("skipped (exists)", "skipped (exists)"),
    ],
)
def test_statuses(status: str, failure: str | None) -> None:
    read_failure = read(info={"exit_status": status, "submission": None}).failure
    assert (read_failure.reason if read_failure else None) == failure


def test_a_killed_run_does_not_say_how_it_ended() -> None:
    killed = read(info={"exit_status": None})
    assert (killed.failure, killed.metadata) == (None, {})
    assert TRAJECTORY.read(run(info={}), SOURCE).failure is None


@pytest.mark.parametrize(
    ("environment", "expected"), [("acme__gear-3", "acme__gear-3"), ("main", "acme__widget-12")]
)
def test_the_task(environment: str, expected: str) -> None:
    assert read(environment=environment).task_id == expected
    assert read(environment="main", replay_config="{").task_id == "acme__widget-12"  # the file


def test_views_of_commands_in_a_shell_that_keeps_its_folder() -> None:
    assert views(
        step("cd src && cat a.py", "x\ny\n", state={"working_dir": "/acme/src"}),
        step("head -n 9 b.py", "x\n", state='{"working_dir": "/acme/src"}'),
        step("cat /acme/c.py", "x\n"),
        step("cat d.py", "cat: d.py: No such file or directory\n"),
    ) == [["src/a.py:1-2"], ["src/b.py:1-1"], ["c.py:1-1"], None]


def test_views_of_the_editor() -> None:
    whole = NUMBERED + "    12\t\n"  # the viewer numbers one line more than there are
    assert views(
        step(
            "str_replace_editor view /acme/a.py",
            whole.replace("10", " 1").replace("11", " 2").replace("12", " 3"),
        ),
        step("str_replace_editor view /acme/a.py --view_range 10 -1", whole),
        step("str_replace_editor str_replace /acme/a.py --old_str x --new_str y", NUMBERED),
        step("str_replace_editor view /acme", "/acme/a.py\n/acme/b.py\n"),
    ) == [["a.py:1-2"], ["a.py:10-11"], None, None]


def test_views_of_tools_with_a_window() -> None:
    window = (
        "[File: /acme/a.py (90 lines total)]\n(9 more lines above)\n10:x\n11:y\n"
        "(79 more lines below)\n"
    )
    found = 'Found 2 matches for "x" in /acme/a.py:\nLine 3:x\nLine 9:x\nEnd of matches\n'
    assert views(
        step("open a.py 10", window),
        step("scroll_down", window.replace("10:", "12:").replace("11:", "13:")),
        step("edit 1:2\ny\nend_of_edit", window),
        step("search_file x a.py", found),
    ) == [["a.py:10-11"], ["a.py:12-13"], None, ["a.py:3-3*", "a.py:9-9*"]]


def test_what_the_last_step_showed_was_never_sent() -> None:
    trajectory = TRAJECTORY.read(run() | {"trajectory": [step("cat a.py", "x\n")]}, SOURCE)
    assert [turn.views for turn in trajectory.turns or ()] == [()]


def test_what_ended_the_run_is_not_an_answer() -> None:
    ended = {"action": "", "observation": "", "response": "Exit due to cost limit"}
    trajectory = TRAJECTORY.read(run() | {"trajectory": [step("ls"), ended]}, SOURCE)
    assert (trajectory.turns or ())[-1] == Turn(
        number=2,
        success=False,
        error=Failure(reason="exit", message="Exit due to cost limit"),
    )


def test_leaks() -> None:
    assert read(step("ls"), step("git log --all", "abc fix\n")).leaks == (
        Leak(kind="future", evidence="git log --all", turn=2),
    )


def test_profile_contextbench_takes_the_declared_context_alone() -> None:
    record = run(step("cat a.py", "x\n"))
    record["info"]["patch_context"] = "File: /testbed/a.py\nLines: 3-9\nFile: b.py\nLines: 5"
    trajectory = TRAJECTORY.profile_reads["contextbench"](record, SOURCE)
    assert all(turn.views is None for turn in trajectory.turns or ())
    assert trajectory.final_views == (
        View(path="a.py"),
        View(path="b.py"),
        View(path="a.py", extent=Extent.LINES, start=3, end=9),
    )


@pytest.mark.parametrize(
    "record",
    [{"trajectory": "x"}, {"trajectory": [], "info": {}}, {"trajectory": [3], "info": {}}],
)
def test_what_is_no_run(record: dict[str, Any]) -> None:
    assert TRAJECTORY.recognises(record) is None


CALLS = (
    {
        "tool": "view",
        "step": 1,
        **step("str_replace_editor view /testbed/a.py --view_range 10 11", NUMBERED),
    },
    {"tool": "bash", "step": 2, **step("cat b.py", "x\n")},
    {"type": "patch_context", "patch_context": "File: a.py\nLines: 10-11", "step": 3},
)


def checkpoints(folder: Path, *lines: object) -> Path:
    path = folder / "acme__widget-12.checkpoints.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def test_checkpoints(tmp_path: Path) -> None:
    (trajectory,) = read_trajectories(checkpoints(tmp_path, *CALLS))
    assert trajectory.task_id == "acme__widget-12"
    shown = [turn.views for turn in trajectory.turns or ()]
    assert [[(view.start, view.end) for view in found or ()] for found in shown] == [
        [(10, 11)],
        [(1, 1)],
    ]
    assert trajectory.final_views == (
        View(path="a.py"),
        View(path="a.py", extent=Extent.LINES, start=10, end=11),
    )


def test_checkpoints_report_lines_of_another_kind(tmp_path: Path) -> None:
    path = checkpoints(tmp_path, *CALLS)
    path.write_text(path.read_text() * 10 + "{\n[]\n")
    problems: list[Any] = []
    (trajectory,) = read_trajectories(path, on_problem=problems.append)
    assert len(trajectory.turns or ()) == 20
    assert [problem.line for problem in problems] == [31, 32]
    with pytest.raises(ReadError, match="31"):
        list(read_trajectories(path))


def test_checkpoints_under_the_profile(tmp_path: Path) -> None:
    read_under = CHECKPOINTS.profile_records["contextbench"]
    problems: list[ReadProblem] = []
    (trajectory,) = read_under(checkpoints(tmp_path, *CALLS[:2]), problems.append)
    assert not problems
    step_views = (
        View(path="a.py"),
        View(path="a.py", extent=Extent.LINES, start=10, end=11),
    )
    assert [turn.views for turn in trajectory.turns or ()] == [step_views]
    assert trajectory.final_views == step_views  # of the last step, as none was declared


def test_context_summary() -> None:
    record: dict[str, Any] = {
        "viewed_files": ["/testbed/a.py", "/testbed/b.py"],
        "edited_files": ["/testbed/a.py"],
        "file_line_ranges": {
            "/testbed/a.py": [
                {"start": 1, "end": 9, "type": "view"},
                {"start": 3, "end": 4, "type": "edit"},
            ]
        },
        "info": {"exit_status": "submitted", "submission": "diff"},
    }
    assert CONTEXT.recognises(record)
    source = Source(file="acme__widget-12.context.json")
    files = (View(path="a.py"), View(path="b.py"))
    viewed = View(path="a.py", extent=Extent.LINES, start=1, end=9)
    edited = View(path="a.py", extent=Extent.LINES, start=3, end=4)
    trajectory = CONTEXT.read(record, source)
    assert trajectory.final_views == (*files, viewed)
    assert (trajectory.task_id, trajectory.final_patch) == ("acme__widget-12", "diff")
    ended = {status: {**record, "info": {"exit_status": status}} for status in ("exit_cost", None)}
    failures = [CONTEXT.read(each, source).failure for each in ended.values()]
    assert failures == [Failure(reason="budget_exhausted"), None]
    under = CONTEXT.profile_reads["contextbench"](record, source)
    assert under.final_views == (*files, viewed, edited)


def test_a_value_of_the_wrong_type_costs_itself_alone() -> None:
    looked = {"action": "cat a.py", "observation": "x", "response": [None], "state": {}}
    lost: Any = "lost"
    record = run(looked, lost, info={"exit_status": 5, "submission": "diff", "model_stats": []})
    record["history"] = [""]
    read = TRAJECTORY.read(record, SOURCE)
    assert read.unusable == {
        "trajectory[0].response": "expected text, got a list",
        "trajectory[1]": "expected an object, got text",
        "history[0]": "expected an object, got text",
        "info.exit_status": "expected text, got a number",
        "info.model_stats": "expected an object, got a list",
    }
    assert (read.final_patch, read.failure, read.usage) == ("diff", None, None)
    first, *_ = read.turns or ()
    assert (first.program, first.text) == ("cat a.py", None)
    with pytest.raises(ValidationError, match="trajectory"):
        TRAJECTORY.read({**record, "trajectory": 5}, SOURCE)


def test_attempts_that_were_not_chosen_are_no_turns() -> None:
    chosen = {"action": "ls", "observation": "a.py", "response": "Look.", "state": {}}
    other = {**run({**chosen, "action": "rm a.py"}), "environment": "main"}
    record = run(chosen, info={"exit_status": "submitted", "best_attempt_idx": 1})
    read = TRAJECTORY.read({**record, "attempts": [other, record]}, SOURCE)
    assert read == TRAJECTORY.read(record, SOURCE)
    assert (read.turns or ())[0].program == "ls"
