"""Completions and events of OpenHands under the profile ``contextbench``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.both_ways import as_batches, as_records
from tests.readers.logs import ranges, read_as_contextbench
from trajmeter.readers.openhands import EVENTS
from trajmeter.records import Source

if TYPE_CHECKING:
    from pathlib import Path


def call(name: str, arguments: object) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": "1", "type": "function", "function": {"name": name, "arguments": text}}


def bash(command: str) -> dict[str, Any]:
    return call("execute_bash", {"command": command})


def view(path: str, *lines: object) -> dict[str, Any]:
    asked = {"view_range": lines} if lines else {}
    return call("str_replace_editor", {"command": "view", "path": path, **asked})


def completions(folder: Path, *calls: dict[str, Any], name: str = "m-1.0.json") -> Path:
    folder = folder / "llm_completions" / "acme__fix-1"
    folder.mkdir(parents=True, exist_ok=True)
    messages = [
        {"role": "user", "content": "Mend it."},
        {"role": "assistant", "content": "I look.", "tool_calls": calls},
        {"role": "assistant", "content": "No call.", "tool_calls": None},
        {"role": "tool", "tool_call_id": "1", "content": "ERROR: not found"},
    ]
    (folder / name).write_text(json.dumps({"messages": messages}))
    return folder


@pytest.mark.parametrize(
    ("called", "shown"),
    [
        (view("/workspace/w/a.py", 3, 9), [("w/a.py", None), ("w/a.py", 3)]),
        (view("/testbed/a.py", 3, -1), [("testbed/a.py", None)]),
        (view("a.py", "3", "9"), [("a.py", None), ("a.py", 3)]),
        (view("/"), []),
        (bash("cat src/a.py"), [("src/a.py", None)]),
        (bash("cat a.py"), []),
        (bash("cat -n 'src/a.py'; ls"), [("src/a.py';", None)]),
        (bash("sed -n '3,9p' a.py"), [("a.py", None), ("a.py", 3)]),
        (bash("head -n 9 a.py && head -5 b.py"), [("a.py", None), ("a.py", 1)]),
        (bash("nl -ba src/a.py | sed -n '3,9p'; grep -n x src/a.py"), []),
        (bash("transform x; cat src/a.py"), []),
        (call("execute_bash", "{"), []),
        (call("execute_bash", "[]"), []),
        (call("finish", {"command": "cat src/a.py"}), []),
    ],
)
def test_what_a_call_requests(
    tmp_path: Path, called: dict[str, Any], shown: list[tuple[str, int | None]]
) -> None:
    attempt = read_as_contextbench(completions(tmp_path, called))
    steps = [ranges(turn.views) for turn in attempt.turns or () if turn.views is not None]
    assert [[found[:2] for found in step] for step in steps] == ([shown] if shown else [])
    assert [found[:2] for found in ranges(attempt.final_views)] == shown


def test_the_union_of_the_steps_of_the_last_file_is_the_final_context(tmp_path: Path) -> None:
    completions(tmp_path, view("z.py", 1, 2), name="m-1.0.json")
    folder = completions(
        tmp_path, view("a.py", 5, 9), bash("sed -n 10,12p a.py"), view("b.py"), name="m-2.0.json"
    )
    attempt = read_as_contextbench(folder)
    assert (attempt.task_id, attempt.leaks) == ("acme__fix-1", None)
    assert [turn.text for turn in attempt.turns or () if turn.text] == ["I look.", "No call."]
    assert ranges(attempt.final_views) == [
        ("a.py", None, None),
        ("b.py", None, None),
        ("a.py", 5, 12),
    ]


def test_a_line_with_the_original_id_of_its_task() -> None:
    record: dict[str, Any] = {"original_inst_id": "acme__fix-1", "history": [], "test_result": {}}
    assert EVENTS.read(record, Source(file="output.jsonl")).task_id == "acme__fix-1"


@pytest.mark.parametrize("args", [{"view_range": [10**30, 10**40]}, {"start": 1, "end": 10**30}])
def test_lines_of_events_beyond_64_bits_can_be_scored_from_columns(
    args: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "output.jsonl"
    asked = {"id": 1, "source": "agent", "action": "read", "args": {"path": "a.py", **args}}
    given = {"id": 2, "cause": 1, "observation": "read", "content": "a\nb"}
    record = {"instance_id": "t", "history": [asked, given], "test_result": {}}
    path.write_text(json.dumps(record))
    for profiles in ((), ("contextbench",)):
        assert as_batches(path, profiles=profiles)[0] == as_records(path, profiles=profiles)
