"""Trials of Harbor."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.atif.steps import answer, called, observed, step, trajectory
from tests.readers.logs import read, read_one, seen, turns_of
from trajmeter.records import Failure, Source, Usage

if TYPE_CHECKING:
    from pathlib import Path

SCREEN = """New Terminal Output:
root@box:/repo# cd /repo && ls
src
root@box:/repo# head -n 2 src/a.py
x = 1
y = 2
root@box:/repo#
"""


def write(folder: Path, *steps: dict[str, Any], **fields: Any) -> Path:
    """Write a trial; without steps it has no trajectory."""
    result = {
        "task_name": "acme__fix-1",
        "trial_name": "acme__fix-1__a",
        "task_checksum": "0",
        "agent_info": {"name": "terminus-2", "version": "2.0", "model_info": {"name": "m-1"}},
        "agent_result": None,
        "verifier_result": None,
        "exception_info": None,
        **fields,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "result.json").write_text(json.dumps(result, indent=1))
    if steps:
        (folder / "agent").mkdir()
        (folder / "agent" / "trajectory.json").write_text(json.dumps(trajectory(*steps)))
    return folder


def test_a_trial_with_its_trajectory(tmp_path: Path) -> None:
    keys = [
        called("c1", "bash_command", keystrokes="cd /repo && ls\n", duration=0.1),
        called("c2", "bash_command", keystrokes="head -n 2 src/a.py\n", duration=0.1),
    ]
    folder = write(
        tmp_path / "trial",
        step(1, "Fix it.", "user"),
        step(2, "look", tool_calls=keys, **observed(answer(None, SCREEN))),
        step(3, "done", tool_calls=[called("c3", "mark_task_complete")]),
        agent_result={
            "n_input_tokens": 900,
            "n_cache_tokens": 500,
            "n_output_tokens": 40,
            "cost_usd": 0.5,
        },
        verifier_result={"rewards": {"reward": 1.0}},
        started_at="2026-03-01T10:00:00Z",
        finished_at="2026-03-01T10:01:00Z",
        agent_execution={
            "started_at": "2026-03-01T10:00:10Z",
            "finished_at": "2026-03-01T10:00:30.5Z",
        },
        config={"agent": {"kwargs": {"api_key": "sk-1", "max_turns": 9}, "env": {"HF_TOKEN": "t"}}},
    )
    attempt = read_one(folder)
    assert (attempt.task_id, attempt.attempt) == ("acme__fix-1", "acme__fix-1__a")
    assert (attempt.agent, attempt.model) == ("terminus-2", "m-1")
    assert attempt.passed is True
    assert attempt.failure is None
    assert attempt.duration_seconds == 20.5  # the agent's time, not the trial's
    assert attempt.usage == Usage(
        input_tokens=900, cached_input_tokens=500, output_tokens=40, cost_usd=0.5
    )
    assert attempt.metadata["rewards"] == {"reward": 1.0}
    assert "sk-1" not in attempt.model_dump_json()
    assert attempt.extra["config"] == {
        "agent": {
            "kwargs": {"api_key": "<redacted>", "max_turns": 9},
            "env": {"HF_TOKEN": "<redacted>"},
        }
    }
    first, second = turns_of(attempt)
    assert first.program == "cd /repo && ls\nhead -n 2 src/a.py"
    assert seen(first) == [("/repo/src/a.py", 1, 2)]
    assert [call.result for call in first.tool_calls] == [None, SCREEN]
    assert second.tool_calls[0].name == "mark_task_complete"
    assert read_one(folder / "result.json").turns == attempt.turns


@pytest.mark.parametrize(
    ("verified", "passed"),
    [
        (None, None),
        ({"rewards": None}, None),
        ({"rewards": {}}, None),
        ({"rewards": {"reward": 1}}, True),
        ({"rewards": {"reward": 0.5}}, False),
        ({"rewards": {"style": 1.0}}, True),
        ({"rewards": {"style": 1.0, "tests": 1.0}}, None),
        ({"rewards": {"style": 0.0, "reward": 1.0}}, True),
    ],
)
def test_a_full_reward_is_a_pass(tmp_path: Path, verified: Any, passed: bool | None) -> None:
    assert read_one(write(tmp_path / "t", verifier_result=verified)).passed is passed


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("AgentTimeoutError", "budget_exhausted"),
        ("ContextWindowExceededError", "budget_exhausted"),
        ("OutputTokenExceededError", "budget_exhausted"),
        ("ContextLengthExceededError", "budget_exhausted"),
        ("OutputLengthExceededError", "budget_exhausted"),
        ("EnvironmentStartTimeoutError", "EnvironmentStartTimeoutError"),
    ],
)
def test_an_exception_may_come_with_a_reward(tmp_path: Path, kind: str, reason: str) -> None:
    raised = {"exception_type": kind, "exception_message": "after 60 s"}
    attempt = read_one(
        write(
            tmp_path / "t",
            exception_info=raised,
            verifier_result={"rewards": {"reward": 1.0}},
        )
    )
    assert attempt.failure == Failure(reason=reason, message="after 60 s")
    assert attempt.metadata["exit_status"] == kind
    assert attempt.passed is True
    assert attempt.turns is None
    assert attempt.usage is None


@pytest.mark.parametrize(
    ("last", "episodes", "failure"),
    [
        ("bash_command", 4, Failure(reason="max_turns_exceeded", message="stopped at max_turns 4")),
        ("mark_task_complete", 4, None),
        ("bash_command", 3, None),
    ],
)
def test_an_agent_that_stops_at_its_limit_raises_nothing(
    tmp_path: Path, last: str, episodes: int, failure: Failure | None
) -> None:
    folder = write(
        tmp_path / "t",
        step(1, "look", tool_calls=[called("c1", last)]),
        agent_result={"metadata": {"n_episodes": episodes}},
        config={"agent": {"kwargs": {"max_turns": 4}}},
    )
    assert read_one(folder).failure == failure


def test_segments_and_steps_are_one_trajectory(tmp_path: Path) -> None:
    steps = [{"step_name": "one"}, {"step_name": "two"}, {"step_name": "../three"}]
    folder = write(tmp_path / "t", step_results=steps)
    for name, text in (("one", "a"), ("two", "c")):
        (folder / "steps" / name / "agent").mkdir(parents=True)
        first = trajectory(step(1, text), continued_trajectory_ref="more.json")
        (folder / "steps" / name / "agent" / "trajectory.json").write_text(json.dumps(first))
    copied = step(1, "a", is_copied_context=True)
    more = trajectory(copied, step(2, "b"))
    (folder / "steps" / "one" / "agent" / "more.json").write_text(json.dumps(more))
    attempt = read_one(folder)
    assert [turn.text for turn in turns_of(attempt)] == ["a", "b", "c"]
    assert [turn.number for turn in turns_of(attempt)] == [1, 2, 3]


def test_a_trajectory_that_refers_to_itself_comes_to_an_end(tmp_path: Path) -> None:
    folder = write(tmp_path / "t", step(1, "a"))
    path = folder / "agent" / "trajectory.json"
    path.write_text(json.dumps(trajectory(step(1, "a"), continued_trajectory_ref=path.name)))
    assert len(turns_of(read_one(folder))) == 1


def _delegating(number: int, *files: str) -> dict[str, Any]:
    """A step whose result refers to the trajectories of sub-agents."""
    refs = [{"session_id": "s", "trajectory_path": file} for file in files]
    result = {"source_call_id": "c", "content": "ok", "subagent_trajectory_ref": refs}
    return step(number, "ask", tool_calls=[called("c", "delegate")], **observed(result))


def _sub_agent(name: str, *steps: dict[str, Any]) -> str:
    return json.dumps(trajectory(*steps, agent={"name": name, "version": "1"}))


def test_files_of_sub_agents_are_turns_of_the_trial(tmp_path: Path) -> None:
    folder = write(tmp_path / "t", _delegating(1, "summary.json", "more/b.json"), step(2, "Done."))
    agent = folder / "agent"
    (agent / "more").mkdir()
    (agent / "summary.json").write_text(_sub_agent("summary", _delegating(1, "more/c.json")))
    (agent / "more" / "b.json").write_text(_sub_agent("b", step(1, "I am b.")))
    (agent / "more" / "c.json").write_text(_sub_agent("c", step(1, "I am c.")))
    for place in (folder, tmp_path):
        attempt = read_one(place)
        assert [(turn.agent, turn.text) for turn in turns_of(attempt)] == [
            (None, "ask"),
            ("summary", "ask"),
            ("c", "I am c."),
            ("b", "I am b."),
            (None, "Done."),
        ]
        assert (attempt.final_output, attempt.unusable) == ("Done.", {})


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("../outside.json", "outside the folder of the trajectory"),
        ("link.json", "outside the folder of the trajectory"),
        ("missing.json", "no such file in the folder of the trajectory"),
        (".", "no such file in the folder of the trajectory"),
        ("broken.json", "invalid JSON"),
        ("list.json", "expected an object, got a list"),
        ("empty.json", "steps: expected a list, got null"),
        ("\0", ""),
    ],
)
def test_a_file_of_a_sub_agent_that_cannot_be_read_is_named(
    file: str, reason: str, tmp_path: Path
) -> None:
    folder = write(tmp_path / "t", _delegating(1, file), step(2, "Done."))
    outside = folder / "outside.json"
    outside.write_text(_sub_agent("b", step(1, "Mine.")))
    (folder / "agent" / "link.json").symlink_to(outside)
    for name, content in (("broken", "{"), ("list", "[]"), ("empty", "{}")):
        (folder / "agent" / f"{name}.json").write_text(content)
    attempt = read_one(folder)
    assert [turn.text for turn in turns_of(attempt)] == ["ask", "Done."]
    (place, told), *others = attempt.unusable.items()
    assert (place, others) == (f"trajectory_path {file}", [])
    assert told.startswith(reason)


def test_sub_agents_that_refer_to_each_other_come_to_an_end(tmp_path: Path) -> None:
    folder = write(tmp_path / "t", _delegating(1, "a.json"))
    for name in "ab":
        (folder / "agent" / f"{name}.json").write_text(
            _sub_agent(name, _delegating(1, "a.json", "./b.json", "trajectory.json"))
        )
    assert [turn.agent for turn in turns_of(read_one(folder))] == [None, "a", "b"]


def test_sub_agents_are_not_nested_without_end(tmp_path: Path) -> None:
    folder = write(tmp_path / "t", _delegating(1, "0.json"))
    for number in range(60):
        (folder / "agent" / f"{number}.json").write_text(
            _sub_agent(str(number), _delegating(1, f"{number + 1}.json"))
        )
    attempt = read_one(folder)
    assert len(turns_of(attempt)) == 51
    assert list(attempt.unusable.values()) == ["sub-agents are nested more than 50 deep"]


def test_files_with_nested_sub_agents_are_not_nested_without_end(tmp_path: Path) -> None:
    folder = write(tmp_path / "t", _delegating(1, "0.json"))
    for number in range(10):
        nested = json.loads(_sub_agent("0", _delegating(1, f"{number + 1}.json")))
        for level in range(1, 90):
            outer = json.loads(_sub_agent(str(level), step(1, "ask")))
            nested = outer | {"subagent_trajectories": [nested]}
        (folder / "agent" / f"{number}.json").write_text(json.dumps(nested))
    attempt = read_one(folder)
    assert len(turns_of(attempt)) == 1 + 90
    assert attempt.unusable == {"trajectory_path 1.json": "sub-agents are nested more than 50 deep"}


def test_a_trajectory_that_cannot_be_read_does_not_lose_the_trial(tmp_path: Path) -> None:
    folder = write(tmp_path / "t", step(1, "a"), verifier_result={"rewards": {"reward": 0}})
    for content, message in (("{", "invalid JSON"), ("[]", "expected an object"), ("{}", "steps:")):
        (folder / "agent" / "trajectory.json").write_text(content)
        (attempt,), problems = read(folder)
        assert (attempt.passed, attempt.turns) == (False, None)
        assert [problem.file for problem in problems] == [str(folder / "agent" / "trajectory.json")]
        assert problems[0].message.startswith(message)


def test_a_result_with_counts_that_are_not_numbers(tmp_path: Path) -> None:
    folder = write(tmp_path / "t", agent_result={"n_input_tokens": "many"})
    (attempt,), problems = read(folder)
    assert attempt.usage is None
    assert attempt.source == Source(file=str(folder))
    assert problems[0].message == 'agent_result.input_tokens: expected an integer, got "many"'


def test_what_a_result_leaves_open_is_as_in_the_trajectory(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "trial",
        agent_result={"n_input_tokens": 900, "n_output_tokens": 40, "cost_usd": None},
        step_results=[{"step_name": "build"}],
    )
    totals = {"total_prompt_tokens": 1, "total_completion_tokens": 1, "total_cost_usd": 0.25}
    (folder / "agent").mkdir()
    record = trajectory(step(1, "Done."), final_metrics=totals)
    # Of a task of several steps, but with the agent's folder where it is of others.
    (folder / "agent" / "trajectory.json").write_text(json.dumps(record))
    attempt = read_one(folder)
    assert attempt.usage == Usage(input_tokens=900, output_tokens=40, cost_usd=0.25)
    assert attempt.final_output == "Done."
