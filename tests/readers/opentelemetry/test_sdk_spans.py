"""Spans as the Python SDK of OpenTelemetry prints them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trajmeter.readers import read_trajectories
from trajmeter.records import Failure, Trajectory, Usage

if TYPE_CHECKING:
    from pathlib import Path

CALL = {"type": "tool_call", "id": "c1", "name": "read_file", "arguments": {"path": "a.py"}}


def span(operation: str, start: int, end: int, **about: Any) -> dict[str, Any]:
    return {
        "name": f"{operation} x",
        "context": {"trace_id": "0x0a", "span_id": f"0x0{start}", "trace_state": "[]"},
        "kind": "SpanKind.INTERNAL",
        "parent_id": None if operation == "invoke_agent" else "0x00",
        "start_time": f"2026-03-01T10:00:0{start}.000000Z",
        "end_time": f"2026-03-01T10:00:0{end}.500000Z",
        "status": {"status_code": "UNSET"},
        "attributes": {"gen_ai.operation.name": operation, **about},
        "events": [],
        "links": [],
        "resource": {"attributes": {"service.name": "x"}, "schema_url": ""},
    }


def said(*parts: Any) -> str:
    return json.dumps([{"role": "assistant", "parts": [*parts]}])


def run() -> list[dict[str, Any]]:
    usage = {"gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 20}
    looked = span("chat", 1, 2, **{"gen_ai.output.messages": said(CALL), **usage})
    tool = {"gen_ai.tool.name": "read_file", "gen_ai.tool.call.id": "c1"}
    failed = span("execute_tool", 3, 4, **tool)
    failed["status"] = {"status_code": "ERROR", "description": "OSError: no such file"}
    about = {"exception.type": "OSError", "exception.message": "no such file"}
    failed["events"] = [{"name": "exception", "timestamp": "", "attributes": about}]
    last = {"type": "text", "content": "Done."}
    ended = span("chat", 5, 6, **{"gen_ai.output.messages": said(last)})
    agent = span("invoke_agent", 0, 7, **{"gen_ai.agent.name": "heron"})
    other = {**span("GET", 8, 9), "attributes": {"http.method": "GET"}}
    return [other, failed, looked, ended, agent]


def read(path: Path, text: str) -> Trajectory:
    path.write_text(text)
    (attempt,) = read_trajectories(path)
    return attempt


def test_printed_spans_are_an_attempt(tmp_path: Path) -> None:
    spans = run()
    attempt = read(tmp_path / "spans.jsonl", "".join(f"{json.dumps(each)}\n" for each in spans))
    assert (attempt.task_id, attempt.agent, attempt.final_output) == ("0a", "heron", "Done.")
    assert (attempt.duration_seconds, attempt.failure) == (7.5, None)
    looked, ended = attempt.turns or ()
    assert looked.usage == Usage(input_tokens=100, output_tokens=20)
    assert looked.error == Failure(reason="tool_error", message="OSError: no such file")
    (call,) = looked.tool_calls
    assert (call.id, call.arguments, call.duration_seconds) == ("c1", {"path": "a.py"}, 1.5)
    assert (ended.text, ended.duration_seconds) == ("Done.", 1.5)
    assert [turn.agent for turn in (looked, ended)] == ["heron", "heron"]
    document = read(tmp_path / "spans.json", json.dumps(spans))
    assert document.turns == attempt.turns


def test_the_resource_may_name_the_task(tmp_path: Path) -> None:
    spans = run()
    spans[2]["resource"]["attributes"]["trajmeter.task_id"] = "shelf-1"
    attempt = read(tmp_path / "spans.json", json.dumps(spans))
    assert (attempt.task_id, attempt.attempt) == ("shelf-1", "0a")
