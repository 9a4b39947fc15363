"""Logs of Inspect: archives and documents, and what their samples become."""

from __future__ import annotations

import json
import struct
import sys
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.inspect.archives import DEFLATED, STORED, ZSTD, archive
from tests.readers.inspect.samples import (
    CALL,
    CALLED,
    HEADER,
    SAID,
    SCRIPT,
    answered,
    begin,
    gave,
    ran,
    sample,
)
from trajmeter.errors import ExtraMissingError
from trajmeter.readers import read_trajectories
from trajmeter.readers.batches import TrajectoryBatches
from trajmeter.records import Failure, Trajectory, Usage
from trajmeter.schemas import trajectory_batch

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import ReadProblem

NAME = "samples/task-7_epoch_2.json"
USED = Usage(
    input_tokens=70,
    output_tokens=4,
    cached_input_tokens=60,
    reasoning_tokens=1,
    total_tokens=74,
    cost_usd=0.5,
)


def read(path: Path) -> tuple[list[Trajectory], list[ReadProblem]]:
    problems: list[ReadProblem] = []
    return [*read_trajectories(path, on_problem=problems.append)], problems


def attempt_of(tmp_path: Path, one: dict[str, Any]) -> Trajectory:
    """A sample read from an archive."""
    path = tmp_path / "run.eval"
    path.write_bytes(archive(("header.json", HEADER), (NAME, one)))
    (attempt,), problems = read(path)
    assert problems == []
    return attempt


@pytest.mark.parametrize("method", [STORED, DEFLATED, ZSTD])
def test_a_sample_is_an_attempt(method: int, tmp_path: Path) -> None:
    path = tmp_path / "run.eval"
    entries = [("_journal/start.json", HEADER), (NAME, sample()), ("summaries.json", [])]
    path.write_bytes(archive(*entries, ("header.json", HEADER), method=method))
    (attempt,), problems = read(path)
    assert problems == []
    assert (attempt.task_id, attempt.attempt, attempt.agent, attempt.model) == (
        "task-7",
        "2",
        "react",
        "org/m",
    )
    assert (attempt.passed, attempt.failure, attempt.duration_seconds) == (True, None, 12.5)
    assert attempt.final_output == "Done."
    assert attempt.metadata == {
        "task": "mend",
        "exit_status": "success",
        "scores": {"verify": "C"},
        "sample": {"repo": "r", "api_key": "<redacted>"},
    }
    assert attempt.usage is not None
    assert (attempt.usage.input_tokens, attempt.usage.cached_input_tokens) == (140, 120)
    looked, done = attempt.turns or ()
    (call,) = looked.tool_calls
    assert (looked.text, looked.program, done.text) == ("I look.", "cat a.py", "Done.")
    assert (call.name, call.arguments, call.id) == ("bash", {"command": "cat a.py"}, "c1")
    assert (call.result, call.success, call.duration_seconds) == (SCRIPT, True, 1.0)
    assert [(view.path, view.start, view.end) for view in looked.views or ()] == [("a.py", 1, 30)]
    assert (looked.usage, looked.duration_seconds) == (USED, 5.0)
    assert (done.usage, done.duration_seconds, done.views) == (USED, 2.5, None)
    assert str(attempt.source).endswith(f"run.eval: {NAME}")


def test_a_document_holds_the_same(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps({**HEADER, "samples": [sample(), sample(epoch=3)]}))
    attempts, problems = read(path)
    assert (len(attempts), problems) == (2, [])
    archived = attempt_of(tmp_path, sample())
    assert attempts[0] == archived.model_copy(update={"source": attempts[0].source})
    assert attempts[1].attempt == "3"


def test_views_are_looked_for_where_they_are_wanted(tmp_path: Path) -> None:
    path = tmp_path / "run.eval"
    path.write_bytes(archive(("header.json", HEADER), (NAME, sample())))
    whole = attempt_of(tmp_path, sample())
    for columns, has_views in (
        (["turns.views", "turns.program"], True),
        (["turns.program", "turns.tool_calls.name"], False),
        (None, True),
    ):
        (batch,) = TrajectoryBatches(path, columns=columns)
        (row,) = batch.to_pylist()
        looked, _ = row["turns"]
        assert (looked["views"] is not None) is has_views
        assert looked["program"] == "cat a.py"
        assert (looked["duration_seconds"] is None) is (columns is not None)
        assert columns is not None or row == trajectory_batch([whole]).to_pylist()[0]


def test_samples_in_parts(tmp_path: Path) -> None:
    whole = sample(id="a/b", input="attachment://1")
    shell = {key: whole[key] for key in whole if key not in ("messages", "events", "attachments")}
    del shell["metadata"]
    folder = "samples/a/b_epoch_2"
    events = json.loads(json.dumps(whole["events"]).replace("attachment://aa", "attachment://0"))
    path = tmp_path / "run.eval"
    path.write_bytes(
        archive(
            ("header.json", HEADER),
            (f"{folder}/sample.json", {**shell, "message_refs": [[0, 1], [2, 3]]}),
            (f"{folder}/metadata.json", whole["metadata"]),
            (f"{folder}/skeleton.json", {}),
            (f"{folder}/messages/0.json", [whole["messages"][0], SAID]),
            (f"{folder}/messages/2.json", [SAID]),
            # Chunks are in the order of their numbers, not of their names.
            (f"{folder}/events/10.json", events[5:]),
            (f"{folder}/events/2.json", events[2:5]),
            (f"{folder}/events/0.json", events[:2]),
            (f"{folder}/events/stats.json", {}),
            (f"{folder}/attachments/0.json", [SCRIPT, "Mend it."]),
        )
    )
    (attempt,), problems = read(path)
    assert problems == []
    plain = attempt_of(tmp_path, sample(id="a/b"))
    assert attempt == plain.model_copy(update={"source": attempt.source})


def test_an_entry_that_was_written_again_counts_as_written_last(tmp_path: Path) -> None:
    path = tmp_path / "run.eval"
    first = sample(total_time=1.0)
    path.write_bytes(archive(("header.json", HEADER), (NAME, first), (NAME, sample())))
    (attempt,), _ = read(path)
    assert attempt.duration_seconds == 12.5


def test_a_log_of_a_run_that_crashed_has_no_header(tmp_path: Path) -> None:
    path = tmp_path / "run.eval"
    start = {"version": 2, "eval": HEADER["eval"], "plan": HEADER["plan"]}
    path.write_bytes(archive(("_journal/start.json", start), (NAME, sample())))
    (attempt,), problems = read(path)
    assert (attempt.model, attempt.metadata["exit_status"], problems) == ("org/m", None, [])
    path.write_bytes(archive((NAME, sample())))
    (attempt,), problems = read(path)
    assert (attempt.model, attempt.agent, problems) == ("m", None, [])


def test_without_events_messages_are_read(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "s"},
        CALLED,
        {"role": "tool", "tool_call_id": "c1", "function": "bash", "content": "attachment://aa"},
        SAID,
    ]
    attempt = attempt_of(tmp_path, sample(events=[], messages=messages))
    looked, done = attempt.turns or ()
    assert (looked.tool_calls[0].result, looked.usage, done.text) == (SCRIPT, None, "Done.")


def test_numbers_that_json_does_not_have(tmp_path: Path) -> None:
    text = json.dumps(sample(scores={"verify": {"value": float("nan")}}))
    assert "NaN" in text
    attempt = attempt_of(tmp_path, json.loads(text))
    assert attempt.passed is None
    assert attempt.metadata["scores"]["verify"] != attempt.metadata["scores"]["verify"]


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ("turn", "max_turns_exceeded"),
        ("message", "budget_exhausted"),
        ("token", "budget_exhausted"),
        ("time", "budget_exhausted"),
        ("operator", "operator"),
    ],
)
def test_limits_are_failures(limit: str, reason: str, tmp_path: Path) -> None:
    attempt = attempt_of(tmp_path, sample(limit={"type": limit, "limit": 14}))
    assert attempt.failure == Failure(reason=reason, message=f"{limit} limit of 14")


def test_an_error_is_a_failure(tmp_path: Path) -> None:
    error = {"message": "the gauge fell", "traceback": "…", "traceback_ansi": "…"}
    attempt = attempt_of(tmp_path, sample(error=error, scores=None))
    assert attempt.failure == Failure(reason="error", message="the gauge fell")
    assert (attempt.passed, attempt.metadata["scores"]) == (None, {})


@pytest.mark.parametrize(
    ("scores", "passed"),
    [
        ({"a": {"value": "C"}}, True),
        ({"a": {"value": "I"}}, False),
        ({"a": {"value": 1.0}}, True),
        ({"a": {"value": 0}}, False),
        ({"a": {"value": "P"}}, None),
        ({"a": {"value": 0.5}}, None),
        ({"a": {"value": {"x": 1}}}, None),
        ({"a": {"value": "C"}, "b": {"value": "C"}}, None),
        ({}, None),
    ],
)
def test_only_one_scorer_says_whether_it_passed(
    scores: Any, passed: bool | None, tmp_path: Path
) -> None:
    attempt = attempt_of(tmp_path, sample(scores=scores))
    assert attempt.passed is passed
    assert attempt.metadata["scores"] == {name: each["value"] for name, each in scores.items()}


def test_the_exit_code_of_a_command_is_that_of_its_sandbox(tmp_path: Path) -> None:
    calls = [{**CALL, "id": name} for name in ("c1", "c2")]
    two = {**CALLED, "tool_calls": calls}
    events = [
        begin("agent", "react", "agent"),
        answered(two, 1),
        begin("tool", "bash", "tool-1", "agent"),
        gave("x = 1\n", 5),
        begin("tool", "bash", "tool-2", "agent"),
        gave("cat: a.py: No such file or directory", 5, "c2"),
        ran(1, "tool-2"),
        ran(0, "tool-1"),
    ]
    (turn,) = attempt_of(tmp_path, sample(events=events)).turns or ()
    first, second = turn.tool_calls
    assert (first.success, second.success, second.error) == (True, False, "exit code 1")
    assert [(view.path, view.start) for view in turn.views or ()] == [("a.py", 1)]
    assert turn.error == Failure(reason="tool_error", message="exit code 1")


def test_errors_of_tools_and_malformed_arguments(tmp_path: Path) -> None:
    fault = 'Error parsing the arguments:\n\n{"command": \n\nError details: cut off'
    broken = {"id": "c1", "function": "bash", "arguments": {}, "parse_error": fault}
    events = [
        answered({**CALLED, "tool_calls": [broken]}, 1),
        gave("", 5, error={"type": "parsing", "message": fault}),
        answered(CALLED, 10),
        gave("", 15, error={"type": "timeout", "message": "too slow"}),
    ]
    parsing, slow = attempt_of(tmp_path, sample(events=events)).turns or ()
    assert parsing.tool_calls[0].arguments == '{"command": '
    assert parsing.error == Failure(reason="parse_error", message=fault)
    assert slow.error == Failure(reason="tool_error", message="too slow")


def test_what_is_not_of_the_agent(tmp_path: Path) -> None:
    refused = answered(SAID, 1, error="500")
    refused["output"] = {"model": "m", "choices": []}
    events = [
        refused,
        *sample()["events"],
        begin("scorers", "scorers", "s"),
        begin("scorer", "verify", "v", "s"),
        answered(SAID, 20, span_id="v"),
    ]
    attempt = attempt_of(tmp_path, sample(events=events))
    assert len(attempt.turns or ()) == 2
    assert attempt.usage is None  # the scorer may have a share in it


def test_a_conversation_started_for_the_agent_is_not_a_turn(tmp_path: Path) -> None:
    begun = [{"role": "user", "content": "Hi."}, SAID, {"role": "user", "content": "Mend it."}]
    attempt = attempt_of(tmp_path, sample(input=begun))
    assert len(attempt.turns or ()) == 2
    assert str(attempt.transcript).startswith("user: Hi.\n\nuser: Mend it.\n\nassistant: I look.")


def test_bad_samples_cost_themselves_alone(tmp_path: Path) -> None:
    path = tmp_path / "run.eval"
    entries = [
        ("header.json", HEADER),
        (NAME, sample()),
        ("samples/bad_epoch_1.json", b'{"id": '),
        ("samples/list_epoch_1.json", [1]),
        ("samples/torn_epoch_1.json", sample(id="torn")),
        ("samples/odd_epoch_1.json", sample(id=True)),
        ("samples/last_epoch_1.json", sample(id="last")),
    ]
    path.write_bytes(archive(*entries, corrupt="samples/torn_epoch_1.json"))
    attempts, problems = read(path)
    assert [attempt.task_id for attempt in attempts] == ["task-7", "last"]
    said = [(str(each.record).split("/")[1].split("_")[0], each.message) for each in problems]
    assert [name for name, _ in said] == ["bad", "list", "torn", "odd"]
    assert said[0][1].startswith("invalid JSON: ")
    assert said[1][1] == "expected a sample, got a list"
    assert said[2][1] == "the entry is corrupt: its checksum is not that of its content"
    assert said[3][1] == "id: expected text or an integer, got true or false"


def test_a_broken_header_does_not_lose_the_samples(tmp_path: Path) -> None:
    path = tmp_path / "run.eval"
    path.write_bytes(archive(("header.json", b"{"), (NAME, sample())))
    (attempt,), (problem,) = read(path)
    assert attempt.task_id == "task-7"
    assert (problem.record, problem.message[:12]) == ("header", "invalid JSON")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (archive(("header.json", HEADER), (NAME, sample()))[:-40], "may be cut off"),
        (archive(("header.json", HEADER), (NAME, sample()), method=99), "compressed by method 99"),
    ],
)
def test_archives_that_cannot_be_read(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "run.eval"
    path.write_bytes(content)
    attempts, (problem, *_) = read(path)
    assert attempts == []
    assert message in problem.message


def test_documents_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    for content, message in (
        (json.dumps(HEADER), "the log has no samples"),
        (json.dumps({**HEADER, "samples": [7]}), "expected a sample, got a number"),
        (json.dumps({**HEADER, "samples": [sample()]})[:-9], "invalid JSON"),
    ):
        path.write_text(content)
        attempts, (problem,) = read(path)
        assert attempts == []
        assert message in problem.message


@pytest.mark.parametrize("method", [DEFLATED, ZSTD])
def test_an_entry_is_held_up_to_its_declared_size(method: int, tmp_path: Path) -> None:
    path, size = tmp_path / "run.eval", 67_000_321
    content = archive(("header.json", HEADER), (NAME, bytes(size)), method=method)
    path.write_bytes(content.replace(struct.pack("<L", size), struct.pack("<L", 9)))
    tracemalloc.start()
    try:
        attempts, (problem,) = read(path)
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (attempts, problem.record) == ([], NAME)
    assert held < size / 4


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="the standard library reads zstd")
def test_zstd_needs_a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.eval"
    path.write_bytes(archive(("header.json", HEADER), (NAME, sample())))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(ExtraMissingError, match=r"pip install 'trajmeter\[zstd\]'"):
        read(path)


def test_older_logs_do_not_say_when_a_call_was_completed(tmp_path: Path) -> None:
    result = gave("x = 1", 5)
    pending = gave("", 6, "c2", pending=True)
    for event in (result, pending):
        del event["completed"]
    asked = {**CALLED, "tool_calls": [CALL, {**CALL, "id": "c2"}]}
    turn, _ = (
        attempt_of(
            tmp_path, sample(events=[answered(asked, 1), result, pending, answered(SAID, 10)])
        ).turns
        or ()
    )
    assert [(call.result, call.success) for call in turn.tool_calls] == [
        ("x = 1", True),
        (None, None),
    ]
