"""Logs of coding agents with values of any kind in any place: read or refused, never a crash."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.readers.atif.steps import answer, called, observed, step, trajectory
from tests.readers.claude_code.lines import call, read_file, result, said, used
from tests.readers.logs import read, read_one
from trajmeter.errors import ReadError
from trajmeter.readers._recognition.registry import format_named
from trajmeter.records import Source, Trajectory

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.readers import FileFormat

SESSION = [
    said(1, "m1", "Hi.", call("a", "Read", file_path="/repo/a.py", offset=3), usage=used(1, 2)),
    said(1, "m1", call("b", "Bash", command="cat a.py | head -n 3"), usage=used(1, 2)),
    result(2, "a", "1\tx", toolUseResult=read_file(1, "x", 1)),
    result(2, "b", [{"type": "text", "text": "Exit code 1\nx"}], is_error=True),
    {"type": "cost-state", "sessionId": "s", "totalCostUSD": 1, "modelUsage": {"m": {}}},
]
STREAM = [
    {"type": "system", "subtype": "init", "session_id": "s", "cwd": "/repo"},
    *({**line, "session_id": "s"} for line in SESSION[:4]),
    {
        "type": "result",
        "subtype": "success",
        "session_id": "s",
        "num_turns": 1,
        "usage": used(1, 1),
    },
]
ROLLOUT = [
    {"type": kind, "timestamp": "2026-03-01T10:00:00Z", "payload": payload}
    for kind, payload in (
        ("session_meta", {"id": "s", "cwd": "/repo", "git": {"commit_hash": "a"}}),
        (
            "response_item",
            {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "a"},
        ),
        ("event_msg", {"type": "item_completed", "item": {"id": "a", "duration": {"secs": 1}}}),
        ("response_item", {"type": "function_call_output", "call_id": "a", "output": "x"}),
        ("event_msg", {"type": "token_count", "info": {"last_token_usage": {"input_tokens": 1}}}),
        ("event_msg", {"type": "task_complete", "error": {"message": "x"}}),
    )
]
EXEC = [
    {"type": "thread.started", "thread_id": "s"},
    {"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": "x"}},
    {
        "type": "item.completed",
        "item": {"id": "2", "type": "command_execution", "command": "ls", "exit_code": 1},
    },
    {"type": "turn.completed", "usage": {"input_tokens": 1}},
]
CAST: list[Any] = [
    {"version": 2, "width": 80, "height": 24},
    [0.5, "i", "ls\r"],
    [0.6, "o", "\x1b[1mx\r\n$ "],
    [0.7, "m", "turn"],
]
STEPS = [
    step(
        1,
        "x",
        tool_calls=[called("a", "bash_command", keystrokes="ls\n"), called("b", "Read")],
        metrics={"prompt_tokens": 1, "extra": {"reasoning_tokens": 1}},
        **observed(
            answer("a", "$ ls\nx\n$ "),
            answer("b", "x", tool_result_metadata={"raw_tool_result": {"content": "x"}}),
        ),
    )
]
TRIAL = {
    "task_name": "t",
    "trial_name": "t",
    "agent_info": {"model_info": {"name": "m"}},
    "agent_result": {"n_input_tokens": 1, "metadata": {"n_episodes": 1}},
    "verifier_result": {"rewards": {"reward": 1}},
    "exception_info": {"exception_type": "E"},
    "step_results": [{"step_name": "one"}],
    "config": {"agent": {"kwargs": {"max_turns": 1}}},
}
AGENTLESS = {
    "2_embedding_selected_files": ["a.py"],
    "4_related_elements": {"a.py": ["function: f"]},
    "5_sampled_edit_locs_and_patches": [{"edit_locs": {"a.py": ["line: 3"]}}],
}

ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["\x00", "\ud83d".encode(errors="replace").decode(), "user", "a", "{"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place within a value."""
    inner: list[tuple[Any, ...]] = []
    items = enumerate(value) if isinstance(value, list) else ()
    for key, each in value.items() if isinstance(value, dict) else items:
        inner += [(*path, key), *places(each, (*path, key))]
    return inner


def replaced(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    """The value with another in one place."""
    if not path:
        return odd
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], odd)
    return copy


def records_of(known: FileFormat[Trajectory], path: Path) -> list[Trajectory]:
    return list(known.records(path, lambda _: None))


FILES: dict[str, list[Any]] = {
    "claude-code-sessions": SESSION,
    "claude-code-streams": STREAM,
    "codex-rollouts": ROLLOUT,
    "codex-exec-streams": EXEC,
    "asciinema-casts": CAST,
}
RECORDS = {"atif-trajectories": trajectory(*STEPS), "agentless-trajectories": AGENTLESS}
LENIENT = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
@LENIENT
def test_odd_values_in_lines(tmp_path: Path, name: str, data: st.DataObject) -> None:
    known: Any = format_named(name, Trajectory)
    lines = FILES[name]
    changed = lines
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(places(changed)))
        changed = replaced(changed, path, data.draw(ODD))
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, changed)), encoding="utf-8")
    for attempt in records_of(known, log):
        assert Trajectory.model_validate(attempt.model_dump()) == attempt or attempt.usage
    known.recognises(log, log.read_bytes()[: 1 << 16])


@pytest.mark.parametrize("name", FILES)
def test_marks_blank_lines_and_compression_change_nothing(tmp_path: Path, name: str) -> None:
    lines = [json.dumps(line).encode() for line in FILES[name]]
    plain, marked, packed = (tmp_path / folder / "log.jsonl" for folder in "abc")
    for path in (plain, marked, packed):
        path.parent.mkdir()
    plain.write_bytes(b"\n".join(lines))
    marked.write_bytes(b"\xef\xbb\xbf" + b"\r\n\r\n".join(lines) + b"\r\n")
    packed = packed.with_suffix(".jsonl.gz")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    whole = read_one(plain).model_copy(update={"source": None})
    for path in (marked, packed):
        assert read_one(path).model_copy(update={"source": None}) == whole


@pytest.mark.parametrize("name", FILES)
def test_a_log_that_was_cut_keeps_what_came_before(tmp_path: Path, name: str) -> None:
    lines = [json.dumps(line) for line in FILES[name]]
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join([*lines, lines[-1][:-3]]))
    (attempt,), problems = read(log)
    assert attempt.turns is not None
    assert [problem.line for problem in problems] == [len(lines) + 1]
    log.write_text("")
    attempts, problems = read(log)
    assert attempts == []
    assert "empty" in problems[0].message


@pytest.mark.parametrize("name", RECORDS)
@given(data=st.data())
@LENIENT
def test_odd_values_in_records(name: str, data: st.DataObject) -> None:
    known: Any = format_named(name, Trajectory)
    record = RECORDS[name]
    path = data.draw(st.sampled_from(places(record)))
    changed = replaced(record, path, data.draw(ODD))
    known.evidence_in(changed)
    try:
        attempt = known.read(changed, Source(file="log.json"))
    except ReadError:
        return
    assert attempt.source == Source(file="log.json")


@given(data=st.data())
@LENIENT
def test_odd_values_in_trials(tmp_path: Path, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(places(TRIAL)))
    changed = replaced(TRIAL, path, data.draw(ODD))
    (tmp_path / "result.json").write_text(json.dumps(changed))
    known: Any = format_named("harbor-trials", Trajectory)
    (attempt,) = records_of(known, tmp_path)
    assert attempt.source == Source(file=str(tmp_path))


CONTENTS = [
    *("\n".join(map(json.dumps, lines)) for lines in FILES.values()),
    "# aider chat started at 2026-03-01 10:00:00\n> Tokens: 2k sent, 8 received.  \n#### x  \ny\n",
    "TO LLM 2026-03-01T10:00:00\nUSER x\nLLM RESPONSE 2026-03-01T10:00:01\nASSISTANT y\n",
    "--- BEGIN CONTEXT ---\nFile: a.py\nLine number range: 1-2\n--- END CONTEXT ---\n",
]
TEXTS = ("aider-chat-histories", "aider-message-histories", "prometheus-logs")


@pytest.mark.parametrize("name", [*FILES, *TEXTS])
@given(
    content=st.sampled_from(CONTENTS),
    at=st.integers(0, 2000),
    odd=st.binary(max_size=6),
    length=st.integers(0, 40),
)
@LENIENT
def test_odd_bytes(
    tmp_path: Path, name: str, content: str, at: int, odd: bytes, length: int
) -> None:
    known: Any = format_named(name, Trajectory)
    whole = content.encode()
    at = at % len(whole)
    log = tmp_path / "log"
    log.write_bytes(whole[:at] + odd + whole[at + length :])
    known.recognises(log, log.read_bytes())
    for attempt in records_of(known, log):
        assert attempt.source is not None
