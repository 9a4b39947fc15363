"""A broken line of a log costs that line alone, wherever it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers import test_autogen as autogen
from tests.readers import test_smolagents as smolagents
from tests.readers import test_verifiers as verifiers
from tests.readers.langfuse import test_observations as langfuse
from tests.readers.langsmith import test_runs as langsmith
from tests.readers.messages.test_turns import ONE_CALL
from tests.readers.mlflow import examples as mlflow
from tests.readers.openhands import test_events as events
from tests.readers.openhands import test_sdk as sdk
from tests.readers.test_data_sets import SWE_AGENT
from trajmeter.readers import read_trajectories

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import ReadProblem


def claude_line(number: int, kind: str, key: str = "sessionId", **message: Any) -> dict[str, Any]:
    about = {"uuid": f"u{number}", key: "s-1"}
    return {"type": kind, **about, "message": {"role": kind, **message}}


def codex_line(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-03-01T10:00:00Z", "type": kind, "payload": payload}


def span(identity: str) -> dict[str, Any]:
    value = {"stringValue": "chat"}
    about = {"traceId": "01", "spanId": identity, "name": "chat m"}
    times = {"startTimeUnixNano": identity, "endTimeUnixNano": identity}
    said = [{"role": "assistant", "parts": [{"type": "text", "content": identity}]}]
    attributes = [
        {"key": "gen_ai.operation.name", "value": value},
        {"key": "gen_ai.output.messages", "value": {"stringValue": json.dumps(said)}},
    ]
    whole = {**about, **times, "attributes": attributes}
    return {"resourceSpans": [{"scopeSpans": [{"spans": [whole]}]}]}


TOOL = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
MESSAGE = {"type": "message", "role": "assistant", "content": "Done."}
VIEW = {"tool": "bash", "action": "cat a.py", "observation": "x", "state": {}}

LOGS: dict[str, list[Any]] = {
    "claude-code-sessions": [
        claude_line(1, "user", content="Mend it."),
        claude_line(2, "assistant", id="m1", content=[TOOL]),
        claude_line(3, "assistant", id="m2", content=[{"type": "text", "text": "Done."}]),
    ],
    "claude-code-streams": [
        {"type": "system", "subtype": "init", "session_id": "s-1", "model": "m"},
        claude_line(2, "assistant", "session_id", id="m1", content=[TOOL]),
        {"type": "result", "subtype": "success", "session_id": "s-1", "num_turns": 1},
    ],
    "codex-rollouts": [
        codex_line("session_meta", id="c-1"),
        codex_line("turn_context", model="m"),
        codex_line("response_item", **MESSAGE),
    ],
    "codex-exec-streams": [
        {"type": "thread.started", "thread_id": "x"},
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": "Done."}},
        {"type": "turn.completed", "usage": {"input_tokens": 9}},
    ],
    "opentelemetry-spans": [span("1"), span("2"), span("3")],
    "swe-agent-checkpoints": [
        {**VIEW, "step": 1},
        {**VIEW, "step": 2},
        {"type": "patch_context", "patch_context": "File: a.py\nLines: 1-2\n", "step": 3},
    ],
}


@pytest.mark.parametrize("broken", ['{"type": "user", "mess', "null", "7", "starting …"])
@pytest.mark.parametrize("name", LOGS)
def test_a_broken_line_costs_that_line_alone(tmp_path: Path, name: str, broken: str) -> None:
    path = tmp_path / "x.jsonl"  # so that an id which comes from the name is the same
    lines = [json.dumps(line) for line in LOGS[name]]
    path.write_text("\n".join(lines))
    (whole,) = read_trajectories(path)
    for place in range(len(lines) + 1):
        path.write_text("\n".join([*lines[:place], broken, *lines[place:]]))
        problems: list[ReadProblem] = []
        (attempt,) = read_trajectories(path, on_problem=problems.append)
        assert [problem.line for problem in problems] == [place + 1]
        assert attempt.turns == whole.turns


@pytest.mark.parametrize("other", [{}, {"level": "info", "message": "starting"}])
@pytest.mark.parametrize("name", LOGS)
def test_a_line_of_another_program_costs_nothing(
    tmp_path: Path, name: str, other: dict[str, str]
) -> None:
    path = tmp_path / "x.jsonl"
    lines = [json.dumps(line) for line in LOGS[name]]
    path.write_text("\n".join(lines))
    (whole,) = read_trajectories(path)
    for place in range(len(lines) + 1):
        path.write_text("\n".join([*lines[:place], json.dumps(other), *lines[place:]]))
        problems: list[ReadProblem] = []
        (attempt,) = read_trajectories(path, on_problem=problems.append)
        assert {problem.line for problem in problems} <= {place + 1}
        assert attempt.turns == whole.turns


@pytest.mark.parametrize("name", ["claude-code-sessions", "codex-exec-streams"])
def test_a_record_before_a_log_is_not_lost(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(map(json.dumps, [SWE_AGENT, *LOGS[name]])))
    problems: list[ReadProblem] = []
    (attempt,) = read_trajectories(path, on_problem=problems.append)
    assert attempt.task_id == SWE_AGENT["instance_id"]
    assert [problem.line for problem in problems] == [*range(2, len(LOGS[name]) + 2)]


@pytest.mark.parametrize("second", LOGS)
# Checkpoints are recognised by most of the lines.
@pytest.mark.parametrize("first", sorted(LOGS.keys() - {"swe-agent-checkpoints"}))
def test_a_log_is_read_as_the_one_it_begins_with(tmp_path: Path, first: str, second: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(map(json.dumps, LOGS[first])))
    whole = next(iter(read_trajectories(path)))
    path.write_text("\n".join(map(json.dumps, [*LOGS[first], *LOGS[second]])))
    problems: list[ReadProblem] = []
    attempts = list(read_trajectories(path, on_problem=problems.append))
    assert attempts, problems
    assert attempts[0].agent == whole.agent


SEVERAL: dict[str, Any] = {
    "langfuse-traces": langfuse.trace(*langfuse.OBSERVATIONS),
    "langsmith-runs": langsmith.nested(langsmith.RUNS),
    "message-lists": ONE_CALL["openai"],
    "mlflow-traces": mlflow.TRACE,
    "smolagents-memories": [smolagents.TASK, smolagents.step(1, smolagents.READ)],
    "verifiers-episodes": verifiers.episode(verifiers.trace()),
}
"""A line of each format whose lines are whole attempts."""


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("name", SEVERAL)
def test_an_attempt_beside_a_line_that_is_none_is_read(
    tmp_path: Path, name: str, is_first: bool
) -> None:
    path = tmp_path / "x.jsonl"
    line = json.dumps(SEVERAL[name])
    path.write_text("\n".join(['{"note": 1}', line] if is_first else [line, '{"note": 1}']))
    problems: list[ReadProblem] = []
    (attempt,) = read_trajectories(path, on_problem=problems.append)
    assert attempt.turns
    assert [problem.line for problem in problems] == [1 if is_first else 2]


BY_ITEMS: dict[str, tuple[dict[str, Any], str]] = {
    "autogen-results": ({"messages": autogen.EVENTS, "stop_reason": "done"}, "messages"),
    "openhands": (events.line(events.call(1, "run", {"command": "ls"})), "history"),
    "openhands-sdk": (sdk.line(*sdk.RUN, sdk.FINISHED), "history"),
    "smolagents-runs": (
        {"output": "x", "state": "success", "steps": [smolagents.step(1, smolagents.READ)]},
        "steps",
    ),
    "swe-agent-rows": (SWE_AGENT, "trajectory"),
}
"""A record of each format that is recognised by the first item of a list, and the list's name."""


@pytest.mark.parametrize("other", [None, 7, {}])
@pytest.mark.parametrize("name", BY_ITEMS)
def test_a_first_item_that_is_none_costs_itself_alone(
    tmp_path: Path, name: str, other: Any
) -> None:
    path = tmp_path / "x.jsonl"
    record, key = BY_ITEMS[name]
    path.write_text(json.dumps(record))
    (whole,) = read_trajectories(path)
    path.write_text(json.dumps({**record, key: [other, *record[key]]}))
    (attempt,) = read_trajectories(path)
    assert attempt.turns
    assert attempt.turns == whole.turns


@pytest.mark.parametrize("name", LOGS)
def test_a_log_without_its_first_half_line_is_recognised(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.jsonl"
    first, *others = (json.dumps(line) for line in LOGS[name])
    path.write_text("\n".join([first[: len(first) // 2], *others]))
    problems: list[ReadProblem] = []
    (attempt,) = read_trajectories(path, on_problem=problems.append)
    assert [problem.line for problem in problems] == [1]
    assert attempt.turns


@pytest.mark.parametrize("before", ['{"messages": [', '{"task_id": "t",\n"messages": ['])
def test_a_document_with_an_item_on_each_line_is_not_broken(tmp_path: Path, before: str) -> None:
    path = tmp_path / "x.json"
    said = [json.dumps({"role": role, "content": role}) for role in ("user", "assistant")]
    path.write_text("\n".join([before, ",\n".join(said), "]}"]))
    (attempt,) = read_trajectories(path)
    assert attempt.turns is not None
    assert [turn.text for turn in attempt.turns] == ["assistant"]


@pytest.mark.parametrize(
    "content",
    [
        '{"messages": [\n{"role": "assistant", "content": "a"}\n]}',
        '{"run":\n{"id": 1}\n,"messages": [{"role": "assistant", "content": "a"}]}',
        '{"messages": [{"role": "assistant", "content": "a"}],"run":\n{"id": 1}\n}',
    ],
)
def test_a_document_with_one_item_on_a_line_is_not_broken(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    (attempt,) = read_trajectories(path)
    assert attempt.turns is not None
    assert [turn.text for turn in attempt.turns] == ["a"]


def test_lines_broken_within_lists_are_not_a_document(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"task_id": "a", "turns": [\n{"task_id": "b", "turns":\n{"task_id": "c"}\n')
    problems: list[ReadProblem] = []
    (attempt,) = read_trajectories(path, on_problem=problems.append)
    assert attempt.task_id == "c"
    assert [problem.line for problem in problems] == [1, 2]


@pytest.mark.parametrize("item", ["shoes", {"id": "1", "name": "shoes"}, None])
def test_other_items_are_no_stream_of_codex(tmp_path: Path, item: Any) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text((json.dumps({"type": "item.completed", "item": item}) + "\n") * 2)
    problems: list[ReadProblem] = []
    assert list(read_trajectories(path, on_problem=problems.append)) == []
    assert problems
