"""Runs of mini-swe-agent 1."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.metrics import turns
from trajmeter.readers import read_trajectories
from trajmeter.readers.mini_swe_agent import VERSION_1
from trajmeter.records import (
    Extent,
    Failure,
    Source,
    ToolCall,
    Trajectory,
    Turn,
    Usage,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SOURCE = Source(file="runs/acme__widget-12/acme__widget-12.traj.json")
ASK = {"role": "system", "content": "Say <EXPLORE_CONTEXT> before you look.", "timestamp": 0.0}


def says(text: str, *, at: float = 0.0, **extra: object) -> dict[str, Any]:
    return {"role": "assistant", "content": text, "timestamp": at, "extra": extra}


def user(text: str, *, at: float = 0.0) -> dict[str, Any]:
    return {"role": "user", "content": text, "timestamp": at}


def bash(command: str) -> str:
    return f"THOUGHT: look\n\n```bash\n{command}\n```"


def claim(*pairs: tuple[str, str], tag: str = "explore_context") -> str:
    inside = "\n".join(f"File: {path}\nLines: {lines}" for path, lines in pairs)
    return f"<{tag}>\n{inside}\n</{tag}>"


def read(messages: Sequence[dict[str, Any]], **info: object) -> Trajectory:
    record: dict[str, Any] = {
        "trajectory_format": "mini-swe-agent-1",
        "info": info,
        "messages": [*messages],
    }
    assert VERSION_1.recognises(record)
    return VERSION_1.read(record, SOURCE)


def lines(path: str, *ranges: tuple[int, int]) -> tuple[View, ...]:
    return tuple(View(path=path, extent=Extent.LINES, start=a, end=b) for a, b in ranges)


def seen(path: str, *ranges: tuple[int, int]) -> tuple[View, ...]:
    return (View(path=path), *lines(path, *ranges))


def steps(trajectory: Trajectory) -> list[tuple[View, ...]]:
    return [turn.views for turn in trajectory.turns or () if turn.views is not None]


def test_a_whole_run() -> None:
    usage = {"prompt_tokens": 1500, "completion_tokens": 60, "total_tokens": 1560}
    trajectory = read(
        [
            ASK,
            user("Fix it.", at=1.0),
            says(bash("nl -ba a.py | sed -n '1,40p'"), at=4.0, response={"usage": usage}),
            user(claim(("/testbed/a.py", "1-40")) + "\n<returncode>0</returncode>", at=5.0),
            says(bash("python a.py"), at=7.0),
            user("<returncode>2</returncode>\n<output>\n</output>", at=7.5),
            says("I have no idea.", at=8.0),
            user("Please always provide EXACTLY ONE action in triple backticks.", at=8.0),
            says(claim(("/testbed/a.py", "3-9"), tag="PATCH_CONTEXT"), at=9.0),
            user("diff --git a/a.py b/a.py", at=10.0),
        ],
        config={
            "agent": {"step_limit": 50, "cost_limit": 3.0},
            "agent_type": "pkg.Agent",
            "environment": {"image": "swebench/acme"},
            "model": {"model_name": "toy-7b", "model_kwargs": {"api_key": "hidden"}},
        },
        exit_status="Submitted",
        mini_version="1.17.3",
        model_stats={"instance_cost": 0.5, "api_calls": 4},
        submission="diff --git a/a.py b/a.py",
    )
    call = ToolCall(
        name="bash", arguments={"command": "nl -ba a.py | sed -n '1,40p'"}, success=True
    )
    failed_call = ToolCall(name="bash", arguments={"command": "python a.py"}, success=False)
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
                views=seen("a.py", (1, 40)),
                usage=Usage(input_tokens=1500, output_tokens=60, total_tokens=1560),
                duration_seconds=4.0,  # from the task at 1 to the result at 5
            ),
            Turn(
                number=2,
                program="python a.py",
                success=False,
                error=Failure(reason="exit_code", message="exit code 2"),
                tool_calls=(failed_call,),
                duration_seconds=2.5,
            ),
            Turn(
                number=3, success=False, error=Failure(reason="format_error"), duration_seconds=0.5
            ),
            Turn(number=4, duration_seconds=2.0),
        ),
        final_views=seen("a.py", (3, 9)),
        final_patch="diff --git a/a.py b/a.py",
        usage=Usage(cost_usd=0.5),
        duration_seconds=10.0,
        extra={
            "exit_status": "Submitted",
            "mini_version": "1.17.3",
            "step_limit": 50,
            "cost_limit": 3.0,
        },
    )
    assert "hidden" not in trajectory.model_dump_json()


def test_a_run_that_failed_keeps_the_text_that_stands_for_its_patch() -> None:
    trajectory = read(
        [ASK], exit_status="StepResponseTimeout", submission="Step response timed out."
    )
    assert trajectory.failure == Failure(
        reason="StepResponseTimeout", message="Step response timed out."
    )
    assert trajectory.final_patch == "Step response timed out."
    assert trajectory.turns == ()


def test_a_run_ended_by_its_limits_exhausted_its_budget() -> None:
    trajectory = read([ASK], exit_status="LimitsExceeded")
    assert trajectory.failure == Failure(reason="budget_exhausted")
    assert trajectory.extra == {"exit_status": "LimitsExceeded"}
    assert turns.score(trajectory).run.budget_exhausted


def test_the_usage_of_turns_adds_up_though_some_hold_only_views() -> None:
    response: dict[str, Any] = {"usage": {"prompt_tokens": 5, "completion_tokens": 2}}
    claims = claim(("/testbed/a.py", "1-4")) + claim(("/testbed/b.py", "2-3"))
    trajectory = read([ASK, says("Look.", response=response), user(claims)])
    assert len(trajectory.turns or ()) == 2
    tokens = turns.score(trajectory).tokens
    assert (tokens.input_tokens, tokens.output_tokens, tokens.source) == (5, 2, "turns")


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ("The last command <command>sleep</command> timed out.", "command_timeout"),
        ("ERROR: This action appears to print source code content, …", "missing_context"),
        ("ERROR: The context format is incorrect.", "context_format_error"),
        ("Step response timed out after 300.0s.", "step_timeout"),
        ("Repeated read-file actions without valid EXPLORE_CONTEXT exceeded", "retry_limit"),
    ],
)
def test_the_harness_names_faults_of_the_agent(result: str, reason: str) -> None:
    (turn,) = read([says(bash("ls")), user("so"), user(result)]).turns or ()
    assert turn.error == Failure(reason=reason)
    assert turn.success is False


def test_every_block_of_claims_is_a_step() -> None:
    trajectory = read(
        [
            user(claim(("/testbed/prompt.py", "1-2"))),
            says(bash("ls") + claim(("a.py", "1-2"))),
            user(claim(("a.py", "3-4"), ("a.py", " 9 - 5, 7-8"), ("b.py", "1-1"))),
            says("no block"),
        ]
    )
    assert steps(trajectory) == [
        seen("prompt.py", (1, 2)),
        seen("a.py", (1, 2)),
        # The second range of the file is the wrong way round; what follows it does not count.
        (
            View(path="a.py"),
            View(path="b.py"),
            *lines("a.py", (3, 4), (5, 9)),
            *lines("b.py", (1, 1)),
        ),
    ]
    turns = trajectory.turns or ()
    # Blocks beyond a turn's first stand in turns of their own, without a number.
    assert [turn.number for turn in turns] == [None, 1, None, 2]


@pytest.mark.parametrize("written", ["10", "a-b", "", "-3", "$-9"])
def test_claims_without_a_range_are_none(written: str) -> None:
    trajectory = read([says(bash("cat b.py") + claim(("a.py", written)))])
    # So there is no claim at all, and the command counts.
    assert steps(trajectory) == [seen("b.py")]


def test_one_claim_anywhere_hides_all_commands() -> None:
    trajectory = read(
        [says(bash("cat b.py")), user(claim(("a.py", "1-2"))), says(bash("cat c.py"))]
    )
    assert steps(trajectory) == [seen("a.py", (1, 2))]


def test_without_claims_the_first_block_of_each_message_counts() -> None:
    trajectory = read(
        [
            says(bash("cat a.py && sed -n '1,5p' a.py; head -n 3 b.py") + bash("cat c.py")),
            says(bash("ls")),
        ]
    )
    first, second = trajectory.turns or ()
    assert first.views == (
        View(path="a.py"),
        View(path="b.py"),
        *lines("a.py", (1, 5)),
        *lines("b.py", (1, 3)),
    )
    assert first.program is None  # two blocks are a format error: neither was run
    assert second.views is None
    assert second.program == "ls"


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("/testbed/src/a.py", "src/a.py"),
        (" './src/a.py' ", "src/a.py"),
        ("/home/widget/src/a.py", "src/a.py"),
        ("/home/other/src/a.py", "other/src/a.py"),
        ("/app/a.py", "app/a.py"),
        ("`a.py` (new)", "`a.py` (new)"),
    ],
)
def test_paths_lose_the_prefixes_of_their_containers(written: str, path: str) -> None:
    environment = {"image": "mswebench/acme_m_widget:pr-12"}
    trajectory = read([user(claim((written, "1-2")))], config={"environment": environment})
    assert steps(trajectory) == [seen(path, (1, 2))]


def test_files_at_the_top_of_home_are_outside() -> None:
    trajectory = read([user(claim(("/home/fix.patch", "1-2"), ("a.py", "3-4")))])
    assert steps(trajectory) == [seen("a.py", (3, 4))]


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([], ()),
        ([[("a.py", "1-2")], [("b.py", "3-4")]], seen("b.py", (3, 4))),
        # The last block counts even where it holds no range, such as the harness's own example.
        ([[("a.py", "1-2")], [("<path>", "<start>-<end>")]], ()),
    ],
)
def test_the_last_declared_context_is_the_final_one(
    blocks: list[list[tuple[str, str]]], expected: tuple[View, ...]
) -> None:
    messages = [user(claim(*pairs, tag="PATCH_CONTEXT")) for pairs in blocks]
    assert read([ASK, *messages]).final_views == expected


def test_a_run_that_was_not_asked_for_a_context_declares_none() -> None:
    assert read([says(bash("cat a.py"))]).final_views is None


def test_published_runs_show_what_contextbench_extracts(reference_data: Path) -> None:
    folder = reference_data / "minisweagent"
    expected = map(json.loads, (folder / "expected.jsonl").read_text().splitlines())
    count = 0
    for case in expected:
        (trajectory,) = read_trajectories(folder / case["file"])
        extracted = case["extracted"]
        contexts = [
            *((step["files"], step["spans"]) for step in extracted["pred_steps"]),
            (extracted["pred_files"], extracted["pred_spans"]),
        ]
        assert trajectory.final_views is not None
        views = [*steps(trajectory), trajectory.final_views]
        for (files, spans), found in zip(contexts, views, strict=True):
            ranged = [
                View(path=path, extent=Extent.LINES, start=span["start"], end=span["end"])
                for path, found_ranges in spans.items()
                for span in found_ranges
            ]
            assert list(found) == [*(View(path=path) for path in files), *ranged]
        status = trajectory.failure.reason if trajectory.failure else "Submitted"
        assert status == case["exit_status"]
        assert "api_key" not in trajectory.model_dump_json()
        count += 1
    assert count == 15
