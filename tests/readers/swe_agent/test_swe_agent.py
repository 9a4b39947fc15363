"""Trajectories of SWE-agent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from tests.readers.swe_agent.runs import NUMBERED, SOURCE, run, step
from trajmeter.readers import Evidence, read_trajectories
from trajmeter.readers.swe_agent import TRAJECTORY
from trajmeter.records import Extent, Failure, Leak, ToolCall, Turn, Usage, View

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import Trajectory


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
    assert (trajectory.final_patch, trajectory.final_output) == ("\ndiff", "\ndiff")
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


@pytest.mark.parametrize("steps", [(), (step("ls"),)])
def test_a_killed_run_is_recognised(steps: tuple[dict[str, Any], ...], tmp_path: Path) -> None:
    """Its history is a list of messages as well."""
    asked = [{"role": "user", "content": "Fix it."}, {"role": "assistant", "content": "Look."}]
    record = run(history=asked, info={"swe_agent_version": "1.1.0"}) | {"trajectory": steps}
    path = tmp_path / "acme__widget-12.traj"
    path.write_text(json.dumps(record))
    (killed,) = read_trajectories(path)
    assert (killed.agent, len(killed.turns or ())) == ("swe-agent", len(steps))


@pytest.mark.parametrize(
    "others",
    [
        {"trajectory": [{"action": "click", "observation": "", "reward": 0}]},
        {"task_id": "t"},
        {"instance_id": "a"},
    ],
)
def test_a_record_of_another_kind_with_steps_is_not_certain(others: dict[str, Any]) -> None:
    record = run(step("ls"), info={}, history=[]) | {"environment": "main"}
    assert TRAJECTORY.recognises(record) is Evidence.CERTAIN
    assert TRAJECTORY.recognises(record | others) is Evidence.LIKELY


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


def test_views_of_an_outline() -> None:
    outline = "     1 import os\n     2 \n     3 ... eliding lines 3-30 ...\n    31     return 5\n"
    note = (
        "<NOTE>This file is too large to display entirely. Showing abbreviated version. Please use "
        "`str_replace_editor view` with the `view_range` parameter next.</NOTE>\n"
    )
    assert views(
        step("str_replace_editor view /acme/a.py", note + outline),
        step("filemap src/a.py", outline, state={"working_dir": "/acme"}),
        step("filemap 'src/my a.py'", "no such file"),
        step("filemap b.py", "0 lines\n     1 x\n"),
        step("filemap c.py", "     1\tx\n     2\t... eliding lines 2-9 ...\n    10\ty\n"),
    ) == [
        ["a.py:1-2", "a.py:31-31"],
        ["src/a.py:1-2", "src/a.py:31-31"],
        None,
        ["b.py:1-1"],
        ["c.py:1-1", "c.py:10-10"],
    ]


def test_views_of_lines_that_a_terminal_ended() -> None:
    window = "[File: /acme/a.py (9 lines total)]\n(1 more lines above)\n2:x\n3:y\n"
    shown = [
        ("str_replace_editor view /acme/a.py --view_range 10 -1", NUMBERED + "    12\t\n"),
        ("open a.py 2", window),
        ("cat a.py", "x\ny\n"),
    ]
    expected = views(*(step(action, text) for action, text in shown))
    assert expected == [["a.py:10-11"], ["a.py:2-3"], ["a.py:1-2"]]
    assert views(*(step(action, text.replace("\n", "\r\n")) for action, text in shown)) == expected


def test_a_cancelled_command_showed_nothing() -> None:
    cancelled = (
        "The command 'cat a.py' was cancelled because it took more than 30 seconds. Please try a "
        "different command that completes more quickly."
    )
    assert views(step("cat a.py", cancelled), step("cat b.py", "x\n")) == [None, ["b.py:1-1"]]


def test_output_beyond_the_longest_observation_was_not_sent() -> None:
    templates = {"max_observation_length": 6}
    agents = [{"templates": templates}, {"agent_configs": [{"templates": templates}]}]
    for agent in agents:
        config = json.dumps({"agent": agent})
        (first, _) = read(step("cat a.py", "1\n" * 9), replay_config=config).turns or ()
        assert [(view.start, view.end) for view in first.views or ()] == [(1, 3)]


@pytest.mark.parametrize(
    ("repo", "root"),
    [
        ({"type": "github", "github_url": "https://github.com/acme/widget"}, "/acme__widget"),
        ({"type": "local", "path": "/home/me/my widget/"}, "/my-widget"),
        ({"type": "preexisting", "repo_name": "testbed"}, "/testbed"),
        ({"type": "local", "path": "."}, ""),  # nobody knows
    ],
)
def test_the_folder_of_the_repository(repo: dict[str, str], root: str) -> None:
    config = json.dumps({"env": {"repo": repo}})
    (first, _) = read(step(f"cat {root}/a.py", "x\n"), replay_config=config).turns or ()
    assert [view.path for view in first.views or ()] == ["a.py" if root else "/a.py"]


def test_the_folder_of_a_run_without_a_configuration() -> None:
    state = '{"open_file": "n/a", "working_dir": "/acme__widget/src"}'
    first, second, _ = (
        read(
            step("cat src/a.py", "x\n", state=state),
            step("cat b.py", "x\n", state=state),
            replay_config=None,
        ).turns
        or ()
    )
    shown = [view.path for turn in (first, second) for view in turn.views or ()]
    assert shown == ["src/a.py", "src/b.py"]


@pytest.mark.parametrize(("other", "model"), [("openai/toy", "toy"), ("toy-2", None)])
def test_the_model_of_several_attempts(other: str, model: str | None) -> None:
    agents = [{"model": {"name": name}} for name in ("openai/toy", other)]
    config = json.dumps({"agent": {"type": "retry", "agent_configs": agents}})
    assert read(replay_config=config).model == model


def test_the_output_of_the_last_step_was_never_sent() -> None:
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


@pytest.mark.parametrize(
    ("action", "response", "text"),
    [
        ("exit_cost", "Exit due to cost limit", None),
        ("exit_format", "No command.", "No command."),
    ],
)
def test_actions_that_ended_early_versions_are_not_calls(
    action: str, response: str, text: str | None
) -> None:
    ended = {"action": action, "observation": "Exited", "response": response, "thought": "Exit."}
    trajectory = TRAJECTORY.read(run() | {"trajectory": [step("ls"), ended]}, SOURCE)
    error = Failure(reason="exit", message="Exit.")
    assert (trajectory.turns or ())[-1] == Turn(number=2, text=text, success=False, error=error)


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
def test_files_that_are_not_runs(record: dict[str, Any]) -> None:
    assert TRAJECTORY.recognises(record) is None


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


def test_attempts_that_were_not_chosen_are_not_turns() -> None:
    chosen = {"action": "ls", "observation": "a.py", "response": "Look.", "state": {}}
    other = {**run({**chosen, "action": "rm a.py"}), "environment": "main"}
    record = run(chosen, info={"exit_status": "submitted", "best_attempt_idx": 1})
    read = TRAJECTORY.read({**record, "attempts": [other, record]}, SOURCE)
    assert read == TRAJECTORY.read(record, SOURCE)
    assert (read.turns or ())[0].program == "ls"
