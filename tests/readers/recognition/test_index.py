"""The index of formats: it names every format, and rules none out that recognises something."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter import readers
from trajmeter.kernels import backend
from trajmeter.readers import FileFormat, Format, RecordFormat, format_named, formats
from trajmeter.readers._recognition.index import INDEX, Place
from trajmeter.readers._recognition.registry import file_formats, folder_formats, record_formats
from trajmeter.records import Task, Trajectory

if TYPE_CHECKING:
    from pathlib import Path

MESSAGE = {"role": "user", "content": "hi"}
SPAN = {"type": "line", "start": 1, "end": 2}
RUN = b'{"trial_name": "a", "is_resolved": true}'
HARBOR = b'{"trial_name": "a", "task_name": "b", "agent_info": {}}'
BEGINNINGS = {
    "aider-chat-histories": b"\n# aider chat started at 2026-01-02 03:04:05\n",
    "aider-input-histories": b"\n# 2026-01-02 03:04:05.6\n+hi\n",
    "aider-message-histories": b"TO LLM 2026-01-02T03:04:05\n",
    "asciinema-casts": b'{"version": 2, "width": 80, "height": 24}\n',
    "benchmark-rows": b'{"task_id": "a", "agent_nop": 1.0}\n',
    "claude-code-sessions": b'{"type": "user", "sessionId": "a"}\n',
    "claude-code-streams": b'{"type": "system", "session_id": "a"}\n',
    "codex-exec-streams": b'{"type": "thread.started"}\n',
    "codex-rollouts": b'{"timestamp": "t", "type": "event_msg", "payload": {}}\n',
    "fc-eval-captured-output": b"$ run\nFORMULACODE_TESTS_START\n",
    "fc-eval-runs": RUN,
    "harbor-trials": HARBOR,
    "inspect-archives": b"PK\x03\x04" + b"\0" * 22 + b"\x0b\0\0\0header.json",
    "inspect-documents": b'{"version": 2, "status": "success", "eval": {}}',
    "langfuse-traces": b'{"id": "a", "observations": [{"type": "SPAN", "startTime": "t"}]}',
    "langsmith-runs": b'{"id": "a", "run_type": "llm", "inputs": {}, "trace_id": "a"}\n',
    "message-lists": json.dumps([MESSAGE]).encode(),
    "mlflow-traces": b'{"info": {"trace_id": "tr-1", "trace_metadata": {}}, "data": {}}\n',
    "openai-agents-traces": b'{"object": "trace.span"}\n',
    "opentelemetry-spans": b'{"resourceSpans": []}',
    "prometheus-logs": b"--- BEGIN CONTEXT ---\n",
    "smolagents-memories": b'[{"step_number": 1}]',
    "swe-agent-patch-contexts": b"File: a.py\nLines: 1-2\n",
    "swe-agent-checkpoints": b'{"tool": "a", "action": "b", "step": 1}\n',
    "tau2-results": b'{"info": {"agent_info": 1, "environment_info": 1, "user_info": 1}}',
    "verifiers-episodes": b'{"env": {}, "task": {"data": {}}, "traces": []}\n',
}
OTHERS = {
    "opentelemetry-spans, printed": (
        "opentelemetry-spans",
        b'{"context": {"trace_id": "0x1", "span_id": "0x2"}, "parent_id": null}\n',
    ),
    "opentelemetry-spans, a page of Phoenix": (
        "opentelemetry-spans",
        b'{"data": [{"context": {"trace_id": "1", "span_id": "2"}, "parent_id": "3"}]}',
    ),
    "opentelemetry-spans, rows of Phoenix": (
        "opentelemetry-spans",
        b'{"parent_id": null, "context.trace_id": "1"}',
    ),
    "aider-input-histories, CRLF": ("aider-input-histories", b"# 2026-01-02 03:04:05\r\n+hi\n"),
    "asciinema-casts 1": ("asciinema-casts", b'{"version": 1, "stdout": []}'),
    "asciinema-casts 3": ("asciinema-casts", b'{"version": 3, "term": {}}\n'),
    "benchmark-rows of times": ("benchmark-rows", b'{"agent_seconds": 1, "benchmark": "b"}'),
    "benchmark-rows as CSV": ("benchmark-rows", b"task_id,benchmark,agent_nop\n"),
    "claude-code-sessions, links": (
        "claude-code-sessions",
        b'{"type": "user", "parentUuid": null, "isSidechain": false}\n',
    ),
    "claude-code-streams, result": (
        "claude-code-streams",
        b'{"type": "result", "subtype": "success", "num_turns": 1}',
    ),
    "codex-exec-streams, old": ("codex-exec-streams", b'{"type": "session.created"}'),
    "codex-rollouts, bare": ("codex-rollouts", b'{"timestamp": "", "id": "", "instructions": 1}'),
    "fc-eval-captured-output in brackets": (
        "fc-eval-captured-output",
        b"[run] a\n  FORMULACODE_TESTS_START\n",
    ),
    "fc-eval-runs, metrics": ("fc-eval-runs", b'{"results": [{"parser_extra_metrics": 1}]}'),
    "langfuse-traces, observations": (
        "langfuse-traces",
        b'{"id": "a", "traceId": "b", "type": "SPAN", "startTime": "t"}\n',
    ),
    "langfuse-traces, long": (
        "langfuse-traces",
        b'{"id": "a", "timestamp": "t", "userId": null, "sessionId": null, "input": "',
    ),
    "langfuse-traces, empty": (
        "langfuse-traces",
        b'{"id": "a", "timestamp": "t", "userId": 1, "sessionId": 1, "observations": []}',
    ),
    "langfuse-traces, rows": (
        "langfuse-traces",
        b'{"id": "a", "trace_id": "b", "type": "SPAN", "start_time": "t"}\n',
    ),
    "langfuse-traces, rows of scores": (
        "langfuse-traces",
        b'{"id": "a", "trace_id": "b", "name": "n", "data_type": "NUMERIC", "value": 1}\n',
    ),
    "langfuse-traces, CSV": ("langfuse-traces", b"id,trace_id,type,start_time\n"),
    "langfuse-traces, page": (
        "langfuse-traces",
        b'{"data": [{"traceId": "b", "type": "SPAN", "startTime": "t"}], "meta": {}}',
    ),
    "langsmith-runs, long": ("langsmith-runs", b'[{"run_type": "llm", "inputs": {"a": "'),
    "langsmith-runs, nested": (
        "langsmith-runs",
        b'{"run_type": "chain", "start_time": "t", "child_runs": []}',
    ),
    "message-lists, LangChain": ("message-lists", b'[{"type": "human", "data": {}}]'),
    "message-lists, lc": ("message-lists", b'[{"lc": 1, "kwargs": {}}]'),
    "message-lists, pydantic-ai": ("message-lists", b'[{"kind": "request", "parts": []}]'),
    "message-lists, Responses": ("message-lists", b'[{"type": "x_call", "call_id": "a"}]'),
    "message-lists, escapes": ("message-lists", rb'[{"r\u006fle": "user", "content": ""}]'),
    "mlflow-traces, MLflow 2": (
        "mlflow-traces",
        b'{"info": {"request_id": "1"}, "data": {"spans": []}}',
    ),
    "mlflow-traces, a page": (
        "mlflow-traces",
        b'{"traces": [{"info": {"trace_id": "tr-1", "trace_metadata": {}}}]}',
    ),
    "mlflow-traces, spans": (
        "mlflow-traces",
        b'{"spans": [{"attributes": {"mlflow.spanType": "LLM"}}]}',
    ),
    "mlflow-traces, rows": (
        "mlflow-traces",
        b'{"request_id": "1", "trace": "", "request_metadata": {}}\n',
    ),
    "mlflow-traces, a long row": ("mlflow-traces", b'{"trace_id": "tr-1", "trace": "{'),
    "smolagents-memories, task": ("smolagents-memories", b'[{"task": "", "task_images": null}]'),
    "smolagents-memories, plan": ("smolagents-memories", b'[{"plan": "", "timing": {}}]'),
    "swe-agent-checkpoints, end": ("swe-agent-checkpoints", b'{"type": "patch_context"}\n'),
}
CASES = {name: (name, head) for name, head in BEGINNINGS.items()} | OTHERS
FOLDERS = {
    "agentless-folders": ("edit_location_individual/a.txt", ""),
    "fc-eval-runs": ("results.json", '{"trial_name": "t", "failure_mode": "unset"}'),
    "harbor-trials": ("result.json", HARBOR.decode()),
    "langfuse-traces": (
        "observations_v2/1.jsonl",
        '{"id": "a", "trace_id": "b", "type": "SPAN", "start_time": "t"}',
    ),
    "openhands-completions": ("1.json", '{"messages": [], "response": {}, "timestamp": 1}'),
    "openhands-conversation": ("base_state.json", "{}"),
    "tau2-results": ("results.json", BEGINNINGS["tau2-results"].decode()),
}


def test_every_format_of_the_package_is_in_the_index_and_no_other() -> None:
    package = readers.__name__
    found = {}
    for module in iter_modules(readers.__path__):
        if not module.name.startswith("_"):
            for known in vars(import_module(f"{package}.{module.name}")).values():
                if isinstance(known, Format):
                    found[known.name] = module.name
    assert {name: place.module for name, place in INDEX.items()} == found
    assert [*INDEX] == sorted(INDEX)


@pytest.mark.parametrize("name", INDEX)
def test_the_index_says_what_the_format_says(name: str) -> None:
    place = INDEX[name]
    known: Format[Any] = format_named(name, place.makes)
    assert known.makes is place.makes
    if isinstance(known, RecordFormat):
        assert place == Place(place.module, place.makes, keys=known.keys)
        assert known in record_formats(place.makes, [*known.keys][:1])
        assert known not in record_formats(place.makes, ["song"])
    else:
        assert isinstance(known, FileFormat)
        assert place.makes is Trajectory
        assert not place.keys
        assert place.marks.folder is not None or not known.folder_files


def test_the_cases_are_of_all_formats_of_files() -> None:
    files = {known.name for known in formats() if isinstance(known, FileFormat)}
    assert files == {*BEGINNINGS, *FOLDERS}
    assert {*FOLDERS} == {name for name, place in INDEX.items() if place.marks.folder}


@pytest.mark.parametrize("case", CASES)
def test_a_file_is_recognised_by_a_format_that_the_index_gives(case: str, tmp_path: Path) -> None:
    name, head = CASES[case]
    path = tmp_path / "log"
    path.write_bytes(head)
    known: Any = format_named(name, Trajectory)
    assert known.recognises(path, head) is not None
    assert known in file_formats(Trajectory, head)


def test_a_table_in_parquet_is_recognised_by_a_format_that_the_index_gives() -> None:
    found = [known.name for known in file_formats(Trajectory, b"PAR1\x15")]
    assert found == ["benchmark-rows", "langfuse-traces", "mlflow-traces", "opentelemetry-spans"]


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_is_recognised_by_a_format_that_the_index_gives(name: str, tmp_path: Path) -> None:
    inside, content = FOLDERS[name]
    for beside in ("events", "simulations"):
        if name != "langfuse-traces":  # whose folders hold nothing else
            (tmp_path / beside).mkdir()
    (tmp_path / inside).parent.mkdir(exist_ok=True)
    (tmp_path / inside).write_text(content)
    known: Any = format_named(name, Trajectory)
    assert known.recognises(tmp_path, b"") is not None
    assert known in folder_formats(Trajectory, tmp_path)


def test_a_folder_is_recognised_by_its_own_name(tmp_path: Path) -> None:
    folder = tmp_path / "task.1-of-1.run.agent-1-a"
    folder.mkdir()
    known = format_named("fc-eval-runs", Trajectory)
    assert isinstance(known, FileFormat)
    assert known.recognises(folder, b"") is not None
    assert folder_formats(Trajectory, folder) == (known,)


def test_a_link_may_be_the_folder_that_a_format_needs(tmp_path: Path) -> None:
    for name in ("runs", "elsewhere"):
        (tmp_path / name).mkdir()
    (tmp_path / "elsewhere" / "run.lock").touch()
    (tmp_path / "runs" / "latest").symlink_to(tmp_path / "elsewhere")
    assert format_named("fc-eval-runs", Trajectory) in folder_formats(Trajectory, tmp_path / "runs")


@pytest.mark.parametrize("content", ['{"messages": [', '["messages"]', '{"a": 1}', ""])
def test_a_folder_whose_first_document_is_not_plain_is_not_ruled_out(
    content: str, tmp_path: Path
) -> None:
    (tmp_path / "1.json").write_text(content)
    found = folder_formats(Trajectory, tmp_path)
    assert [known.name for known in found] == ["openhands-completions"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    """A pipe waits for a writer, and a device may never end."""
    completions = format_named("openhands-completions", Trajectory)
    os.mkfifo(tmp_path / "1.json")
    assert completions not in folder_formats(Trajectory, tmp_path)
    (tmp_path / "1.json").unlink()
    (tmp_path / "1.json").symlink_to(os.devnull)
    assert completions not in folder_formats(Trajectory, tmp_path)


def test_no_format_reads_tasks_from_whole_files() -> None:
    assert file_formats(Task, b"{}") == ()


PROGRAM = """
import sys
from trajmeter.readers import read_trajectories
(attempt,) = read_trajectories(sys.argv[1])
assert attempt.task_id == "a", attempt
found = {name.split(".")[2] for name in sys.modules if name.startswith("trajmeter.readers.")}
print(*sorted(name for name in found - {"patterns"} if not name.startswith("_")))
"""


@pytest.mark.parametrize(
    ("record", "modules"),
    [
        ({"task_id": "a", "turns": [{"tool_calls": [{"name": "read"}]}]}, "own_records"),
        ({"instance_id": "a", "model_patch": ""}, "contextbench swe_bench"),
        ({"instance_id": "a", "traj_data": {"pred_spans": {"f": [SPAN]}}}, "contextbench"),
    ],
)
def test_only_formats_that_a_file_may_be_of_are_imported(
    record: dict[str, Any], modules: str, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps(record))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(log)], capture_output=True, check=True, text=True
    )
    assert done.stdout.split() == modules.split()


def test_a_folder_of_logs_imports_no_format_of_folders(tmp_path: Path) -> None:
    log = {"messages": [{"role": "user", "content": "hi"}], "task_id": "a", "turns": []}
    (tmp_path / "a.json").write_text(json.dumps(log))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, check=True, text=True
    )
    ruled_out = {"agentless", "fceval", "harbor"}
    if backend() == "rust":  # which looks at the keys of the first document
        ruled_out.add("openhands")
    assert ruled_out.isdisjoint(done.stdout.split())
