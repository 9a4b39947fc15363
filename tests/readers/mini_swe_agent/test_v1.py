"""Runs of mini-swe-agent 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.mini_swe_agent.version_1_runs import (
    ASK,
    SOURCE,
    bash,
    claim,
    lines,
    says,
    seen,
    steps,
    user,
)
from trajmeter.metrics import turns
from trajmeter.readers import read_trajectories
from trajmeter.readers.mini_swe_agent import VERSION_1
from trajmeter.records import (
    Extent,
    Failure,
    Leak,
    ToolCall,
    Trajectory,
    Turn,
    Usage,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def read(messages: Sequence[dict[str, Any]], **info: object) -> Trajectory:
    record: dict[str, Any] = {
        "trajectory_format": "mini-swe-agent-1",
        "info": info,
        "messages": [*messages],
    }
    assert VERSION_1.recognises(record)
    return VERSION_1.read(record, SOURCE)


def test_a_whole_run() -> None:
    declared = claim(("/testbed/a.py", "3-9"), tag="PATCH_CONTEXT")
    usage = {"prompt_tokens": 1500, "completion_tokens": 60, "total_tokens": 1560}
    trajectory = read(
        [
            ASK,
            user("Fix it.", at=1.0),
            says(bash("nl -ba a.py | sed -n '1,40p'"), at=4.0, response={"usage": usage}),
            user(
                claim(("/testbed/a.py", "1-40"))
                + "\n<returncode>0</returncode>\n<output>\n     1\timport os\n     2\t\n</output>",
                at=5.0,
            ),
            says(bash("python a.py"), at=7.0),
            user("<returncode>2</returncode>\n<output>\n</output>", at=7.5),
            says("I have no idea.", at=8.0),
            user("Please always provide EXACTLY ONE action in triple backticks.", at=8.0),
            says(declared, at=9.0),
            user("diff --git a/a.py b/a.py", at=10.0),
        ],
        config={
            "agent": {"step_limit": 50, "cost_limit": 3.0},
            "agent_type": "pkg.Agent",
            "environment": {"image": "swebench/acme", "cwd": "/testbed"},
            "model": {"model_name": "hosted_vllm/toy-7b", "model_kwargs": {"api_key": "hidden"}},
        },
        exit_status="Submitted",
        mini_version="1.17.3",
        model_stats={"instance_cost": 0.5, "api_calls": 4},
        submission="diff --git a/a.py b/a.py",
    )
    call = ToolCall(
        name="bash",
        arguments={"command": "nl -ba a.py | sed -n '1,40p'"},
        result="     1\timport os\n     2\t\n",
        success=True,
    )
    failed_call = ToolCall(
        name="bash",
        arguments={"command": "python a.py"},
        result="",
        success=False,
        error="<returncode>2</returncode>\n<output>\n</output>",
    )
    assert trajectory == Trajectory(
        task_id="acme__widget-12",  # by the file's name
        agent="pkg.Agent",
        model="toy-7b",
        source=SOURCE,
        turns=(
            Turn(
                number=1,
                program="nl -ba a.py | sed -n '1,40p'",
                success=True,
                tool_calls=(call,),
                text=bash("nl -ba a.py | sed -n '1,40p'"),
                views=lines("a.py", (1, 2)),  # what was printed, not what was claimed
                usage=Usage(input_tokens=1500, output_tokens=60, total_tokens=1560),
                duration_seconds=4.0,  # from the task at 1 to the result at 5
            ),
            Turn(
                number=2,
                program="python a.py",
                success=False,
                error=Failure(reason="exit_code", message="exit code 2"),
                text=bash("python a.py"),
                tool_calls=(failed_call,),
                duration_seconds=2.5,
            ),
            Turn(
                number=3,
                success=False,
                error=Failure(reason="format_error"),
                text="I have no idea.",
                duration_seconds=0.5,
            ),
            Turn(number=4, text=declared, duration_seconds=2.0),
        ),
        final_views=seen("a.py", (3, 9)),
        final_patch="diff --git a/a.py b/a.py",
        final_output="diff --git a/a.py b/a.py",
        usage=Usage(cost_usd=0.5),
        duration_seconds=10.0,
        leaks=(),
        metadata={"exit_status": "Submitted"},
        extra={
            "mini_version": "1.17.3",
            "step_limit": 50,
            "cost_limit": 3.0,
        },
    )
    assert "hidden" not in trajectory.model_dump_json()


def test_a_failed_run_keeps_the_text_in_place_of_its_patch() -> None:
    trajectory = read([ASK], exit_status="ExploreContextEnforcementExceeded", submission="No more.")
    assert trajectory.failure == Failure(
        reason="ExploreContextEnforcementExceeded", message="No more."
    )
    assert trajectory.final_patch == "No more."
    assert trajectory.turns == ()


@pytest.mark.parametrize(
    "status",
    ["LimitsExceeded", "TimeExceeded", "StepResponseTimeout", "ContextWindowExceededError"],
)
def test_a_run_ended_by_its_limits_exhausted_its_budget(status: str) -> None:
    trajectory = read([ASK], exit_status=status)
    assert trajectory.failure == Failure(reason="budget_exhausted")
    assert trajectory.metadata == {"exit_status": status}
    assert turns.score(trajectory).run.budget_exhausted


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ("The last command <command>sleep</command> timed out.", "command_timeout"),
        ("ERROR: This action appears to print source code content, …", "missing_context"),
        ("ERROR: The context format is incorrect.", "context_format_error"),
        ("Step response timed out after 300.0s.", "step_timeout"),
        ("Repeated read-file actions without valid EXPLORE_CONTEXT exceeded", "retry_limit"),
        ("Command not executed. The user rejected your command with: No.", "UserRejection"),
        ("Interrupted by user: Stop.", "UserInterruption"),
    ],
)
def test_the_harness_names_faults_of_the_agent(result: str, reason: str) -> None:
    (turn,) = read([says(bash("ls")), user("so"), user(result)]).turns or ()
    assert turn.error == Failure(reason=reason)
    assert turn.success is False


def result(output: str, code: int = 0) -> dict[str, Any]:
    return user(f"<returncode>{code}</returncode>\n<output>\n{output}</output>")


def test_a_command_may_print_the_words_of_a_format_error() -> None:
    words = "Please always provide EXACTLY ONE action in triple backticks.\n"
    echo = "<explore_context>\nFile: a.py\nLines: 1-1\n</explore_context>\n"
    echoed = user(echo + str(result(words, 1)["content"]))
    answers = [says(bash("cat a.py")), result(words), says(bash("cat b.py")), echoed]
    plain, failed = (read([*answers, says(bash("ls"))]).turns or ())[:2]
    assert (plain.success, plain.error) == (True, None)
    assert (failed.success, failed.error) == (
        False,
        Failure(reason="exit_code", message="exit code 1"),
    )


def test_views_are_the_printed_lines() -> None:
    trajectory = read(
        [
            says(bash("cat src/a.py")),
            result("x\ny\n"),
            says(bash("cat src/none.py")),
            result("cat: src/none.py: No such file or directory\n", 1),
            says(bash("cd src && grep -n x a.py")),
            result("1:x\n"),
            says(bash("cat b.py")),  # nothing came back
        ]
    )
    assert [turn.views for turn in trajectory.turns or ()] == [
        lines("src/a.py", (1, 2)),
        None,
        (View(path="src/a.py", extent=Extent.LINES, start=1, end=1, searched=True),),
        None,
    ]
    assert trajectory.final_views is None


def test_turns_that_ran_commands_are_steps_though_none_shows_anything() -> None:
    trajectory = read([says(bash("ls")), result("a.py\n"), says("Hm.")])
    assert [turn.views for turn in trajectory.turns or ()] == [(), None]


def test_a_long_output_is_seen_at_its_beginning() -> None:
    output = (
        "<returncode>0</returncode>\n<warning>\nlong\n</warning>\n<output_head>\nx\ny\nhal\n"
        "</output_head>\n<elided_chars>\n90 characters elided\n</elided_chars>\n"
        "<output_tail>\nz\n</output_tail>"
    )
    trajectory = read([says(bash("cat a.py")), user(output)])
    assert steps(trajectory) == [lines("a.py", (1, 2))]


def test_output_may_hold_the_tags_itself() -> None:
    trajectory = read([says(bash("cat a.py")), result("</output>\n<returncode>1</returncode>\n")])
    assert steps(trajectory) == [lines("a.py", (1, 2))]


def test_commands_begin_in_the_folder_of_the_environment() -> None:
    environment = {"image": "mswebench/acme_m_widget:pr-12", "cwd": "/home"}
    trajectory = read(
        [
            says(bash("cat widget/a.py /home/widget/b.py")),
            result(""),
            says(bash("cat fix.patch")),
            result("diff\n"),
        ],
        config={"environment": environment},
    )
    assert steps(trajectory)[0] == (
        View(path="a.py", extent=Extent.WHOLE),
        View(path="b.py", extent=Extent.WHOLE),
    )
    assert trajectory.leaks == (Leak(kind="gold_patch", evidence="cat fix.patch", turn=2),)


def test_the_model_saw_no_output_printed_after_its_limits() -> None:
    messages = [says(bash("cat a.py")), result("x\n"), says(bash("cat b.py")), result("x\n")]
    assert len(steps(read(messages))) == 2
    assert steps(read(messages, exit_status="LimitsExceeded")) == [lines("a.py", (1, 1))]


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([], None),
        ([[("a.py", "1-2")], [("b.py", "3-4")]], seen("b.py", (3, 4))),
        # A block that holds no range declares nothing.
        ([[("a.py", "1-2")], [("<path>", "<start>-<end>")]], seen("a.py", (1, 2))),
    ],
)
def test_the_last_context_that_the_agent_declares_is_the_final_one(
    blocks: list[list[tuple[str, str]]], expected: tuple[View, ...] | None
) -> None:
    declared = [says(claim(*pairs, tag="PATCH_CONTEXT")) for pairs in blocks]
    asked = user(claim(("prompt.py", "1-2"), tag="PATCH_CONTEXT"))
    assert read([asked, *declared]).final_views == expected


def test_recorded_runs_hold_no_keys(reference_data: Path) -> None:
    for file in (reference_data / "minisweagent").glob("*.traj.json"):
        (trajectory,) = read_trajectories(file)
        assert "api_key" not in trajectory.model_dump_json()


def test_a_run_without_an_answer_has_no_turns() -> None:
    asked = [ASK, user("Fix it: ```bash\nls\n```"), user("RateLimitError: slow down")]
    trajectory = read(asked, exit_status="RateLimitError", submission="RateLimitError: slow down")
    assert (trajectory.turns, trajectory.final_views) == ((), None)
    said = "RateLimitError: slow down"
    assert trajectory.failure == Failure(reason="RateLimitError", message=said)
    assert trajectory.final_patch == "RateLimitError: slow down"
    assert trajectory.usage is None


@pytest.mark.parametrize("count", [0, 1, 2, 663])
def test_the_program_of_a_turn_is_its_only_block(count: int) -> None:
    example = user("Answer so: ```bash\nyour command\n```")  # which is nobody's program
    answer = says("THOUGHT: look\n" + "\n".join([bash("ls")] * count))
    (turn,) = read([ASK, example, answer, result("a.py")]).turns or ()
    assert turn.program == ("ls" if count == 1 else None)
    assert len(turn.tool_calls) == (count == 1)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("```bash\ngrep -n '```' a.md\nls\n```", "grep -n '```' a.md\nls"),
        ("```bash\nls```", "ls"),
        ("```bash\n```", ""),
        ("```bash\ncat <<E\n```python\nE\n```", "cat <<E"),  # as the harness cuts it
    ],
)
def test_a_block_ends_at_a_fence_that_begins_a_line(text: str, command: str) -> None:
    (turn,) = read([says(text)]).turns or ()
    assert turn.program == command


@pytest.mark.parametrize(
    "draft",
    [
        "<think>Perhaps <PATCH_CONTEXT>\nFile: b.py\nLines: 8-9\n</PATCH_CONTEXT>, or\n",
        "<patch_context>\nFile: b.py\nLines: 8-9\n</patch_context>\n",
    ],
    ids=["in an unclosed thought", "in lower case"],
)
def test_the_last_declared_context_counts_regardless_of_drafts(draft: str) -> None:
    answer = claim(("a.py", "1-2"), tag="PATCH_CONTEXT")
    for messages in ([says(draft), says(answer)], [says(draft + answer)]):
        assert read([ASK, *messages]).final_views == seen("a.py", (1, 2))


def test_a_long_run_with_a_long_message_is_read_whole() -> None:
    text = "x\u0000\U0001f600" * 400_000
    messages = [each for _ in range(300) for each in (says(bash("ls")), result("a.py"))]
    trajectory = read([ASK, user(text), *messages, says(text)])
    assert len(trajectory.turns or ()) == 301
    assert (trajectory.turns or ())[-1].text == text


def test_a_run_of_before_files_named_their_format() -> None:
    statistics = {"instance_cost": 0.5, "api_calls": 1}
    info = {"exit_status": "Submitted", "submission": "diff …", "model_stats": statistics}
    answer = {"role": "assistant", "content": bash("cat a.py")}
    record: dict[str, Any] = {"info": info, "messages": [ASK, answer, result("a.py")]}
    assert VERSION_1.recognises(record)
    trajectory = VERSION_1.read(record, SOURCE)
    assert trajectory.usage == Usage(cost_usd=0.5)
    assert trajectory.final_patch == "diff …"
    assert [turn.program for turn in trajectory.turns or ()] == ["cat a.py"]
    for other in ({**record, "messages": None}, {**record, "info": {"model_stats": {}}}):
        assert not VERSION_1.recognises(other)


@pytest.mark.parametrize(
    ("pattern", "command"),
    [
        ("<bash_code>(.*?)</bash_code>", "cat a.py"),
        (r"```bash\s*\n(.*?)\n```", "ls"),
        ("<bash_code>.*</bash_code>", "ls"),  # is not run
        ("(.*?)", "ls"),  # is everywhere
        ("<bash_code>(.*?)", "ls"),
    ],
)
def test_commands_are_in_the_configured_tags(pattern: str, command: str) -> None:
    answer = says("<bash_code>\ncat a.py\n</bash_code> is not " + bash("ls"))
    (turn,) = read([answer], config={"agent": {"action_regex": pattern}}).turns or ()
    assert turn.program == command


def test_tags_in_a_long_output_are_part_of_it() -> None:
    cut = "\n</output_head>\n<elided_chars>\n7 characters elided\n</elided_chars>\n<output_tail>\n"
    head = "<returncode>0</returncode>\n<output_head>\nx\n<output>\ny\n</output>\nz"
    text = f"{head}{cut}w\n</output_tail>"
    (turn,) = read([says(bash("cat a.py")), user(text)]).turns or ()
    assert turn.tool_calls[0].result == "x\n<output>\ny\n</output>\nz<elided_chars>\nw"
