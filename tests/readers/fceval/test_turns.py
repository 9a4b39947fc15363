"""Turns of trials, from what lies beside their results."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.both_ways import as_batches, as_records
from tests.readers.fceval.runs import read
from tests.readers.logs import turns_of, write_lines
from trajmeter.records import Failure, Usage

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import Trajectory

HEADER = {"version": 2, "width": 160, "height": 40}
SCREEN = "New Terminal Output:\nroot@box:/app# cat a.py\nx = 1\nroot@box:/app#\n"


def trial(tmp_path: Path, **fields: Any) -> Path:
    """Write a run of terminal-bench with one trial; gives the folder of the trial."""
    run = tmp_path / "run"
    folder = run / "fix-1" / "fix-1.1-of-1.run"
    folder.mkdir(parents=True)
    about = {"run_id": "run", "agent_name": "terminus", "model_name": "m-1"}
    (run / "run_metadata.json").write_text(json.dumps(about))
    result = {
        "id": "0",
        "trial_name": folder.name,
        "task_id": "fix-1",
        "instruction": "Fix it.",
        "is_resolved": True,
        "failure_mode": "unset",
        "parser_results": {"test_a": "passed"},
        "total_input_tokens": 900,
        "total_output_tokens": 40,
        "agent_started_at": "2026-03-01T10:00:00+00:00",
        "agent_ended_at": "2026-03-01T10:00:30+00:00",
        **fields,
    }
    (folder / "results.json").write_text(json.dumps(result))
    return folder


def read_run(tmp_path: Path) -> Trajectory:
    ((attempt,), problems) = read(tmp_path / "run")
    assert problems == []
    return attempt


def test_a_trial_of_terminal_bench(tmp_path: Path) -> None:
    trial(tmp_path)
    attempt = read_run(tmp_path)
    assert (attempt.task_id, attempt.agent, attempt.model) == ("fix-1", "terminus", "m-1")
    assert attempt.passed is True
    assert attempt.failure is None
    assert attempt.duration_seconds == 30.0
    assert attempt.usage == Usage(input_tokens=900, output_tokens=40)
    assert attempt.turns is None
    assert attempt.metadata == {"exit_status": "unset"}


def test_a_timeout_exhausts_the_budget_and_the_tests_still_run(tmp_path: Path) -> None:
    trial(tmp_path, failure_mode="agent_timeout")
    attempt = read_run(tmp_path)
    assert attempt.failure == Failure(reason="budget_exhausted")
    assert attempt.metadata == {"exit_status": "agent_timeout"}
    assert attempt.passed is True


def test_other_failures_keep_their_reason(tmp_path: Path) -> None:
    trial(tmp_path, failure_mode="agent_installation_failed", is_resolved=None)
    assert read_run(tmp_path).failure == Failure(reason="agent_installation_failed")


def test_the_recording_of_the_agent_counts_not_that_of_the_tests(tmp_path: Path) -> None:
    folder = trial(tmp_path)
    write_lines(folder / "sessions" / "tests.cast", HEADER, [1, "i", "pytest\r"])
    write_lines(folder / "sessions" / "agent.cast", HEADER, [1, "i", "ls\r"], [2, "o", "a.py\r\n"])
    (folder / "commands.txt").write_text("'pwd'\n")
    (turn,) = turns_of(read_run(tmp_path))
    assert turn.program == "ls"
    assert turn.tool_calls[0].result == "a.py\n"


def test_commands_without_a_recording_have_no_results(tmp_path: Path) -> None:
    folder = trial(tmp_path)
    (folder / "commands.txt").write_text("['ls -a', 'Enter']\n'cat a.py\\n'\nopen(\n1\n['C-c']\n")
    attempt = read_run(tmp_path)
    turns = turns_of(attempt)
    assert [turn.program for turn in turns] == ["ls -a", "cat a.py", None]
    assert [turn.tool_calls[0].result for turn in turns] == [None, None, None]
    path = tmp_path / "run" / "fix-1" / "fix-1.1-of-1.run" / "commands.txt"
    assert attempt.unusable == {
        "turns": f"{path}:3: expected keys as a Python literal, got 'open('; "
        f"{path}:4: expected keys as a Python literal, got '1'"
    }


def test_episodes_of_terminus_are_turns(tmp_path: Path) -> None:
    folder = trial(tmp_path)
    said = {"explanation": "look", "commands": [{"keystrokes": "cat a.py\n"}, {"keystrokes": "q"}]}
    for number, text in ((10, "not JSON {"), (2, json.dumps(said))):
        episode = folder / "agent-logs" / f"episode-{number}"
        episode.mkdir(parents=True)
        (episode / "response.txt").write_text(text)
        (episode / "prompt.txt").write_text(SCREEN)
    first, second = turns_of(read_run(tmp_path))
    assert first.text == json.dumps(said)
    assert first.program == "cat a.py"
    assert [call.result for call in first.tool_calls] == ["x = 1\n", None]
    assert (second.text, second.tool_calls) == ("not JSON {", ())


def test_episodes_of_terminus_1_show_the_whole_screen(tmp_path: Path) -> None:
    folder = trial(tmp_path)
    prompt = "root@box:/app# "
    first = f"{prompt}ls; tmux wait -S done\na.py\n{prompt}"
    second = f"{first}ls; tmux wait -S done\na.py  b.py\n{prompt}sleep 9 &\n{prompt}"
    listed = {"keystrokes": "ls\n", "is_blocking": True, "timeout_sec": 5}
    left = {"keystrokes": "sleep 9 &\n", "is_blocking": True, "timeout_sec": 5}
    gone = {"keystrokes": "pwd\n", "is_blocking": False, "timeout_sec": 5}
    screens = ["Fix it.", first, second, second]
    for number, commands in enumerate(([listed], [listed, left], [gone], [])):
        episode = folder / "agent-logs" / f"episode-{number}"
        episode.mkdir(parents=True)
        said = {"state_analysis": "", "explanation": "", "commands": commands}
        (episode / "response.json").write_text(json.dumps(said, indent=4))
        (episode / "prompt.txt").write_text(screens[number])
    turns = turns_of(read_run(tmp_path))
    assert [[call.result for call in turn.tool_calls] for turn in turns] == [
        ["a.py\n"],
        ["a.py  b.py\n", ""],
        [None],
        [],
    ]
    assert [turn.program for turn in turns] == ["ls", "ls\nsleep 9 &", "pwd", None]


def test_a_reply_that_terminus_2_could_not_parse(tmp_path: Path) -> None:
    folder = trial(tmp_path)
    refused = "Previous response had parsing errors:\nERROR: No valid JSON found in response"
    for number, (prompt, text) in enumerate((("Fix it.", "I look."), (refused, "{}"))):
        episode = folder / "agent-logs" / f"episode-{number}"
        episode.mkdir(parents=True)
        (episode / "prompt.txt").write_text(prompt)
        (episode / "response.txt").write_text(text)
    first, second = turns_of(read_run(tmp_path))
    assert (first.success, second.success) == (False, None)
    assert first.error == Failure(reason="parse_error", message=refused)


def test_an_episode_that_cannot_be_read_is_a_turn_without_text(tmp_path: Path) -> None:
    (trial(tmp_path) / "agent-logs" / "episode-0").mkdir(parents=True)
    attempt = read_run(tmp_path)
    assert turns_of(attempt)[0].text is None
    assert attempt.unusable["turns"].endswith("response.txt: No such file or directory")


@pytest.mark.parametrize("columns", [["usage"], ["usage", "turns.views"], None])
def test_turns_are_read_only_if_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: list[str] | None
) -> None:
    folder = trial(tmp_path)
    write_lines(folder / "sessions" / "agent.cast", HEADER, [1, "i", "cat a.py\r"])
    found, _ = as_batches(tmp_path / "run", columns)
    assert found == as_records(tmp_path / "run", columns)
    asked: list[Path] = []

    def replies_of(path: Path, _: object) -> tuple[None, None]:
        asked.append(path)
        return None, None

    monkeypatch.setattr("trajmeter.readers.fceval.turns.replies_of", replies_of)
    as_batches(tmp_path / "run", columns)
    assert len(asked) == (columns != ["usage"])
