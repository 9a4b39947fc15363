"""Rows of messages read into columns in Rust, beside reading them as records."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.readers.both_ways import as_batches, as_records
from tests.readers.messages.any_messages import (
    INTERPRETERS,
    READERS,
    SHELLS,
    anything,
    conversations,
    texts,
)
from tests.readers.messages.test_cases import asks
from tests.readers.messages.test_turns import ONE_CALL
from tests.readers.test_ingest_lines import SUBSTITUTIONS
from trajmeter.schemas import trajectory_schema

pytestmark = pytest.mark.usefixtures("rust")

COLUMNS = tuple(trajectory_schema().names)

identities = st.one_of(texts, texts, st.integers(-3, 2**70), st.booleans(), st.just(-0.0), anything)
ODD = st.fixed_dictionaries(
    {},
    optional={
        "task_id": identities,
        "instance_id": identities,
        "id": identities,
        "agent": identities,
        "model": identities,
        "model_name": identities,
        "run_id": identities,
        "model_patch": identities,
        "passed": identities,
        "resolved": st.sampled_from([0, 1, 1.0, True, None, "yes", 2]),
        "exit_status": identities,
        "api_key": identities,
        "note": anything,
        "auth": texts,
        "author": texts,
        "conversation": anything,
        "stop_reason": texts,
        "history": anything,
    },
)
PLAIN = st.fixed_dictionaries(
    {"task_id": texts},
    optional={
        "model": texts,
        "passed": st.booleans(),
        "note": texts | st.just("Bearer s3cr3t-t0ken"),
    },
)
rows = st.builds(
    lambda messages, about: {**about, "messages": messages},
    conversations() | conversations().map(json.dumps),
    PLAIN | PLAIN | PLAIN | ODD,
)


def read(row: dict[str, Any], columns: tuple[str, ...] | None = COLUMNS) -> int:
    """Hold both readers to the same rows and problems; how many were read as records."""
    return same(json.dumps(row).encode(), columns)


def same(content: bytes, columns: tuple[str, ...] | None = COLUMNS) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "runs.jsonl")
        path.write_bytes(content)
        found, as_record = as_batches(path, columns)
        assert found == as_records(path, columns)
    return as_record


def call(name: str, arguments: Any, result: Any = "x = 1") -> list[dict[str, Any]]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return [
        {"role": "user", "content": "Look."},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [{"id": "c", "function": function}],
        },
        {"role": "tool", "tool_call_id": "c", "content": result},
    ]


@pytest.mark.parametrize("program", ONE_CALL)
def test_every_program_is_read_in_rust(program: str) -> None:
    row = {"task_id": "t", "model": "m", "messages": ONE_CALL[program]}
    assert read(row) == (program in ONLY_AS_RECORDS)


ONLY_AS_RECORDS = {"pydantic-ai"}


@pytest.mark.parametrize("name", [*SHELLS, *INTERPRETERS, *READERS, "web_search"])
def test_tools_are_known_by_the_same_names(name: str) -> None:
    messages = call(name, {"command": "cat a.py", "code": "1", "path": "a.py"}, "[exit code 2]")
    for spelt in (name, name.upper(), f"mcp__x__{name}"):
        renamed = json.loads(json.dumps(messages).replace(json.dumps(name), json.dumps(spelt)))
        assert read({"messages": renamed}) == 0


def test_the_last_value_of_a_key_counts() -> None:
    row = json.dumps({"task_id": "t", "messages": call("f", {})})
    for first, last in (("1", "null"), ("null", "1"), ("1", "2")):
        assert same(f'{row[:-1]}, "note": {first}, "note": {last}}}'.encode()) == 1
        item = f'{{"type": "x_call", "id": "c", "note": {first}, "note": {last}}}'
        assert same(f'{{"task_id": "t", "messages": [{item}]}}'.encode()) == 1


@given(st.lists(rows, min_size=1, max_size=3), st.data())
@example([{"messages": call("bash", {"command": ["ls", "it's"]})}], None)
@example([{"messages": call("bash", {"command": ["bash", "-lc", "ls"]})}], None)
@example([{"messages": call("f", {}, "\ud800")}], None)
@example([{"messages": [asks(("c", "f", r'{"INVALID\u005fJSON": "x"}'))]}], None)
@example([{"messages": [{"role": "assistant", "content": ["a", "", {"type": "text"}]}]}], None)
@example([{"messages": [{"role": "developer", "type": "program_output", "result": "a"}]}], None)
def test_same_rows_and_problems_as_records(found: list[Any], data: st.DataObject | None) -> None:
    text = "\n".join(map(json.dumps, found))
    columns: tuple[str, ...] | None = COLUMNS
    if data is not None:
        for old, new in data.draw(st.lists(st.sampled_from(SUBSTITUTIONS), max_size=1)):
            text = text.replace(old, new, 1)
        some = st.lists(st.sampled_from(COLUMNS), max_size=4).map(tuple)
        columns = data.draw(st.sampled_from([COLUMNS, None]) | some)
    same(text.encode(), columns)


def test_reference_messages(reference_data: Path) -> None:
    paths = sorted((reference_data / "logs" / "langchain").glob("*.messages.json"))
    assert paths
    rows = [{"task_id": path.name, "messages": json.loads(path.read_bytes())} for path in paths]
    assert same("\n".join(map(json.dumps, rows)).encode()) == 0
