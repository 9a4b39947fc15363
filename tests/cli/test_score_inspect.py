"""``trajmeter score --format inspect``: one figure of each attempt, as Inspect takes scores."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from trajmeter.cli import main

CALL = {"name": "read", "arguments": {"path": "a"}}
TASKS = [
    {"id": "right", "expected_tool_calls": [CALL], "metadata": {"x": "é"}},
    {"id": "wrong", "expected_tool_calls": [{"name": "stop"}]},
    {"id": "abstains", "max_turns": 3},
]
RUNS: list[dict[str, Any]] = [
    {"task_id": "right", "attempt": "1", "turns": [{"tool_calls": [CALL]}]},
    {"task_id": "right", "attempt": "2", "turns": [{"tool_calls": []}]},
    {"task_id": "wrong", "turns": [{"tool_calls": [CALL]}]},
    {"task_id": "abstains", "attempt": "first", "turns": [{"tool_calls": [CALL]}]},
    {"task_id": "unknown", "turns": [{"tool_calls": [CALL]}]},
]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    runs, tasks = tmp_path / "runs.jsonl", tmp_path / "tasks.jsonl"
    runs.write_text("".join(f"{json.dumps(run)}\n" for run in RUNS))
    tasks.write_text("".join(f"{json.dumps(task)}\n" for task in TASKS))
    return str(runs), str(tasks)


def _lines(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def test_every_attempt_is_a_line(
    files: tuple[str, str], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    runs, tasks = files
    code = main(["score", runs, "-t", tasks, "--format", "inspect", "--figure", "tools.f1"])
    assert code == 0
    lines = _lines(capsysbinary.readouterr().out.decode())
    assert [(line["id"], line.get("epoch")) for line in lines] == [
        ("right", 1),
        ("right", 2),
        ("wrong", None),
        ("abstains", None),
        ("unknown", None),
    ]
    values = [line["value"] for line in lines]
    assert values[:3] == [1.0, 0.0, 0.0]
    assert all(math.isnan(value) for value in values[3:])
    explanations = [line["explanation"] for line in lines]
    assert explanations[0] is None
    assert "missing read" in explanations[1]
    assert [each.partition(":")[0] for each in explanations[3:]] == ["abstained", "missing_task"]
    assert lines[0]["metadata"]["trajmeter"]["tools.any_order_grades.f1"] == 1.0
    assert not {name for name in lines[0]["metadata"]["trajmeter"] if "turns." in name}


def test_two_attempts_at_one_sample_are_refused(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    runs, tasks = files
    assert main(["score", runs, runs, "-t", tasks, "-f", "inspect", "--figure", "tools.f1"]) == 0
    again = Path(runs).with_name("again.jsonl")
    again.write_bytes(Path(runs).read_bytes())
    both = [runs, str(again)]
    capsys.readouterr()
    assert main(["score", *both, "-t", tasks, "-f", "inspect", "--figure", "tools.f1"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "two attempts are at 'right' in epoch 1" in printed.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-f", "inspect"], "--format inspect and --figure NAME go together"),
        (["--figure", "tools.f1"], "--format inspect and --figure NAME go together"),
        (["-f", "inspect", "--figure", "tools.f2"], "no figure 'tools.f2'"),
        (["-f", "inspect", "--figure", "tool.f1"], "tool"),
    ],
)
def test_options_that_do_not_fit(
    options: list[str],
    message: str,
    files: tuple[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["score", files[0], *options]) == 2
    assert message in capsys.readouterr().err
