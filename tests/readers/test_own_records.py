"""Trajectories and tasks in the package's own form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trajmeter.errors import ReadError
from trajmeter.readers import read_tasks, read_trajectories
from trajmeter.records import (
    Extent,
    Failure,
    GoldRange,
    GoldRole,
    Record,
    Source,
    Task,
    ToolCall,
    Trajectory,
    Turn,
    Usage,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TEXT = st.text(max_size=8)
MAYBE_TEXT = st.none() | TEXT
NUMBER = st.integers(-(2**63), 2**63 - 1)
SECONDS = st.none() | st.floats()
SCALARS = st.none() | st.booleans() | NUMBER | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    SCALARS | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
FREE = st.dictionaries(TEXT, JSON, max_size=2)


def tuples(items: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(items, max_size=3).map(tuple)


SOURCES = st.builds(Source, file=TEXT, line=st.none() | NUMBER, record=MAYBE_TEXT)
VIEWS = st.builds(
    View,
    path=TEXT,
    extent=st.sampled_from(Extent),
    start=st.none() | NUMBER,
    end=st.none() | NUMBER,
    symbols=tuples(TEXT),
    listed=st.booleans(),
)
CALLS = st.builds(
    ToolCall,
    name=TEXT,
    arguments=JSON,
    success=st.none() | st.booleans(),
    error=MAYBE_TEXT,
    id=MAYBE_TEXT,
    result=JSON,
)
USAGES = st.builds(Usage, input_tokens=st.none() | NUMBER, cost_usd=SECONDS, credits=SECONDS)
FAILURES = st.builds(Failure, reason=MAYBE_TEXT, message=MAYBE_TEXT)
TURNS = st.builds(
    Turn,
    number=st.none() | NUMBER,
    program=MAYBE_TEXT,
    error=st.none() | FAILURES,
    tool_calls=tuples(CALLS),
    views=st.none() | tuples(VIEWS),
    usage=st.none() | USAGES,
    duration_seconds=SECONDS,
    extra=FREE,
)
TRAJECTORIES = st.builds(
    Trajectory,
    task_id=TEXT,
    agent=MAYBE_TEXT,
    model=MAYBE_TEXT,
    attempt=MAYBE_TEXT,
    source=SOURCES,
    turns=st.none() | tuples(TURNS),
    final_views=st.none() | tuples(VIEWS),
    final_patch=MAYBE_TEXT,
    sources=st.none() | tuples(TEXT),
    usage=st.none() | USAGES,
    failure=st.none() | FAILURES,
    passed=st.none() | st.booleans(),
    metadata=FREE,
    extra=FREE,
)
RANGES = st.builds(
    GoldRange, path=TEXT, first_line=NUMBER, last_line=NUMBER, role=st.sampled_from(GoldRole)
)
TASKS = st.builds(
    Task,
    id=TEXT,
    aliases=tuples(TEXT),
    question=MAYBE_TEXT,
    repo=MAYBE_TEXT,
    commit=MAYBE_TEXT,
    gold_ranges=st.none() | tuples(RANGES),
    gold_patch=MAYBE_TEXT,
    expected_tool_calls=st.none() | tuples(CALLS),
    source=SOURCES,
    metadata=FREE,
    extra=FREE,
)


def write(path: Path, records: Sequence[Record]) -> Path:
    path.write_bytes(b"".join(record.model_dump_json().encode() + b"\n" for record in records))
    return path


# NaN equals nothing, itself included, so records are compared by how they are written.
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(records=st.lists(TRAJECTORIES, min_size=1, max_size=3))
def test_trajectories_come_back_as_they_were(tmp_path: Path, records: list[Trajectory]) -> None:
    path = write(tmp_path / "t.jsonl", records)
    read = list(read_trajectories(path))
    assert [repr(record) for record in read] == [repr(record) for record in records]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(records=st.lists(TASKS, min_size=1, max_size=3))
def test_tasks_come_back_as_they_were(tmp_path: Path, records: list[Task]) -> None:
    path = write(tmp_path / "t.jsonl", records)
    read = list(read_tasks(path))
    assert [repr(record) for record in read] == [repr(record) for record in records]


def test_a_record_by_hand_needs_little(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"task_id": "i", "turns": [{"views": [{"path": "a.py"}]}]}\n')
    (trajectory,) = read_trajectories(path)
    assert trajectory == Trajectory(
        task_id="i",
        turns=(Turn(views=(View(path="a.py"),)),),
        source=Source(file=str(path), line=1),
    )


CALL = '{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{\\"q\\": 1}"}}'


def test_calls_in_openai_format_are_read_everywhere(tmp_path: Path) -> None:
    path, tasks = tmp_path / "t.jsonl", tmp_path / "tasks.jsonl"
    path.write_text(
        f'{{"task_id": "i", "turns": [{{"tool_calls": [{CALL}]}}], "tool_calls": [{CALL}]}}\n'
    )
    tasks.write_text(f'{{"id": "i", "expected_tool_calls": [{CALL}]}}\n')
    (trajectory,), (task,) = read_trajectories(path), read_tasks(tasks)
    call = ToolCall(name="f", arguments={"q": 1})
    assert task.expected_tool_calls == (call,)
    made = call.model_copy(update={"id": "c"})
    assert trajectory.tool_calls == (made,)
    assert [turn.tool_calls for turn in trajectory.turns or ()] == [(made,)]


def test_calls_and_turns_keep_text_and_results(tmp_path: Path) -> None:
    call = ToolCall(
        name="read",
        id="c1",
        result=[{"type": "text", "text": "x = 1"}, {"type": "image"}],
        duration_seconds=0.5,
    )
    usage = Usage(input_tokens=9, cached_input_tokens=4, cache_write_tokens=3, reasoning_tokens=2)
    turn = Turn(text="I look.", tool_calls=(call, ToolCall(name="ls", result="")), usage=usage)
    path = tmp_path / "t.jsonl"
    path.write_text(Trajectory(task_id="i", turns=(turn,)).model_dump_json() + "\n")
    (trajectory,) = read_trajectories(path)
    assert trajectory.turns == (turn,)
    silent = Turn(tool_calls=(ToolCall(name="ls"),), usage=Usage(input_tokens=9))
    assert (silent.text, silent.tool_calls[0].result, silent.tool_calls[0].id) == (None, None, None)
    assert silent.usage is not None
    assert silent.usage.cached_input_tokens is None


def test_unknown_keys_at_the_top_are_kept_as_extra(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"id": "i", "split": "test", "extra": {"a": 1}}\n{"id": "j", "b": null}\n')
    first, second = read_tasks(path)
    assert first.extra == {"split": "test", "a": 1}
    assert second.extra == {"b": None}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            '{"task_id": "i", "turns": [{"vews": []}]}',
            r"turns\[0\]\.vews: unknown key, with ",
        ),
        ('{"task_id": "i", "turns": {}}', r"turns: expected a list, got \{\}"),
        ('{"task_id": 7}', r"task_id: expected text, got 7"),
        ('{"task_id": "i", "x": 1, "extra": 2}', r"extra: expected an object, got 2"),
        (
            '{"task_id": "i", "final_views": [{"path": "a", "extent": "all"}]}',
            "expected 'lines'",
        ),
    ],
)
def test_a_wrong_field_is_reported_with_its_place(
    tmp_path: Path, record: str, message: str
) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(record)
    with pytest.raises(ReadError, match=rf"t\.jsonl:1: .*{message}"):
        list(read_trajectories(path))
