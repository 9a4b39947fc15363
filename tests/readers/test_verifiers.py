"""Traces of verifiers in its version 1, on their own and in the episodes of a run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.readers import read_tasks, read_trajectories
from trajmeter.records import Failure, ReadProblem, Source, Task, ToolCall, Trajectory, Usage

if TYPE_CHECKING:
    from pathlib import Path

CALL = {"id": "c", "type": "function", "name": "read_file", "arguments": '{"path": "a.py"}'}
ASK = {"role": "user", "content": "Mend it."}
LOOK = {"role": "assistant", "content": "I look.", "reasoning_content": "hm", "tool_calls": [CALL]}
GAVE = {"role": "tool", "tool_call_id": "c", "content": "x = 1"}
SAY = {"role": "assistant", "content": "Done.", "tool_calls": None}
USAGE = {
    "prompt_tokens": 40,
    "completion_tokens": 20,
    "cached_input_tokens": 60,
    "reasoning_tokens": 5,
    "cost": 0.25,
}


def node(message: Any, parent: int | None = None, *, sampled: bool = False) -> dict[str, Any]:
    return {"parent": parent, "message": message, "sampled": sampled, "token_ids": [1]}


def trace(**fields: Any) -> dict[str, Any]:
    return {
        "version": 1,
        "id": "abc",
        "verifiers": {"version": "0.4.0"},
        "task": {"type": "Mend", "data": {"prompt": "Mend it."}, "key": "task-7"},
        "agent": {"name": "solver", "config": {"model": "org/m"}},
        "nodes": [
            node(ASK),
            node(LOOK, 0, sampled=True),
            node(GAVE, 1),
            node(SAY, 2, sampled=True),
        ],
        "calls": [
            {"node": 1, "usage": USAGE, "time": {"start": 10.0, "end": 12.5}},
            {"node": 3, "usage": None, "time": {"start": 0.0, "end": 0.0}},
        ],
        "rewards": {"passes": {"score": 1.0, "weight": 1.0}},
        "metrics": {"turns": 2.0},
        "info": {"api_key": "k"},
        "stop_condition": "agent_completed",
        "errors": [],
        "ok": True,
        "timing": {"agent": {"start": 10.0, "end": 15.0}},
        **fields,
    }


def episode(*traces: Any, **fields: Any) -> dict[str, Any]:
    return {
        "id": "e-1",
        "env": {"id": "mend"},
        "task": {"type": "Mend", "data": {"prompt": "Mend it."}, "key": "task-7"},
        "ok": True,
        "is_timeout": False,
        "errors": [],
        "traces": list(traces),
        **fields,
    }


def read(tmp_path: Path, one: dict[str, Any]) -> Trajectory:
    path = tmp_path / "traces.jsonl"
    path.write_text(json.dumps(one) + "\n")
    (attempt,) = read_trajectories(path)
    return attempt


def test_a_trace_is_an_attempt(tmp_path: Path) -> None:
    attempt = read(tmp_path, trace())
    assert (attempt.task_id, attempt.agent, attempt.model, attempt.attempt) == (
        "task-7",
        "solver",
        "org/m",
        "abc",
    )
    assert (attempt.duration_seconds, attempt.failure, attempt.final_output) == (5.0, None, "Done.")
    assert attempt.metadata == {
        "exit_status": "agent_completed",
        "rewards": {"passes": {"score": 1.0, "weight": 1.0}},
        "metrics": {"turns": 2.0},
        "info": {"api_key": "<redacted>"},
    }
    looked, said = attempt.turns or ()
    assert looked.usage == Usage(
        input_tokens=100,
        output_tokens=20,
        cached_input_tokens=60,
        reasoning_tokens=5,
        cost_usd=0.25,
    )
    assert (looked.text, looked.duration_seconds) == ("I look.", 2.5)
    assert (looked.tool_calls[0].result, looked.tool_calls[0].success) == ("x = 1", None)
    assert [view.path for view in looked.views or ()] == ["a.py"]
    assert (said.usage, said.duration_seconds) == (None, None)


def test_all_branches_are_read_and_context_is_not_a_turn(tmp_path: Path) -> None:
    nodes = [
        node(ASK),
        node(SAY, 0),  # put there as context
        node(LOOK, 1, sampled=True),
        node(GAVE, 2),
        node(SAY, 3, sampled=True),
        node({"role": "user", "content": "Again."}),
        node(SAY, 5, sampled=True),
    ]
    calls = [{"node": 6, "usage": USAGE, "time": {"start": 1.0, "end": 2.0}}]
    attempt = read(tmp_path, trace(nodes=nodes, calls=calls))
    used = [turn.usage and turn.usage.output_tokens for turn in attempt.turns or ()]
    assert used == [None, None, 20]


def test_branches_that_grow_side_by_side_may_use_one_id(tmp_path: Path) -> None:
    other = {**CALL, "arguments": '{"path": "b.py"}'}
    nodes = [
        node(ASK),
        node(LOOK, 0, sampled=True),
        node({**LOOK, "tool_calls": [other]}, 0, sampled=True),
        node(GAVE, 1),
        node({**GAVE, "content": "y = 2"}, 2),
        node({"role": "tool", "tool_call_id": "none"}, 0),
    ]
    attempt = read(tmp_path, trace(nodes=nodes, calls=[]))
    assert [call.result for call in attempt.calls or ()] == ["x = 1", "y = 2"]
    assert attempt.dropped_calls == 1


def test_sub_agents_are_distinguished(tmp_path: Path) -> None:
    def linked(kind: str, to: Any) -> dict[str, Any]:
        odd = {"node": to, "type": [kind]}
        return {"semantic_parents": [{"node": to, "type": kind}, odd]}

    nodes = [
        node(ASK),
        node(SAY, 0, sampled=True),
        node({"role": "user", "content": "Look there."}),
        {**node(SAY, 2, sampled=True), **linked("subagent_call", 1)},
        node({"role": "user", "content": "And there."}, 3),
        {**node(SAY, 4, sampled=True), **linked("subagent_call", 1)},  # the same one, asked again
        {**node(SAY, sampled=True), **linked("subagent_call", 5)},  # which starts another
        {**node(SAY, sampled=True), **linked("compaction", 5)},
        {**node(SAY, 1, sampled=True), **linked("subagent_return", 5)},
        {**node(SAY, 99, sampled=True), **linked("compaction", "x"), "parent": True},
    ]
    turns = read(tmp_path, trace(nodes=nodes, calls=[])).turns or ()
    assert [turn.agent for turn in turns] == [
        "solver",
        "solver/1",
        "solver/1",
        "solver/2",
        "solver/1",
        "solver",
        "solver",
    ]
    assert [turn.agent for turn in read(tmp_path, trace()).turns or ()] == [None, None]


def test_a_call_of_a_model_may_fail(tmp_path: Path) -> None:
    calls = [{"node": 3, "error": {"type": "ModelError", "message": "cut off"}}]
    looked, said = read(tmp_path, trace(calls=calls)).turns or ()
    assert looked.error is None
    assert said.error == Failure(reason="ModelError", message="cut off")


@pytest.mark.parametrize(
    ("fields", "failure"),
    [
        (
            {"stop_condition": "max_turns"},
            Failure(reason="max_turns_exceeded", message="max_turns"),
        ),
        (
            {"stop_condition": "max_total_tokens"},
            Failure(reason="budget_exhausted", message="max_total_tokens"),
        ),
        (
            {"ok": False, "errors": [{"type": "SandboxError", "message": "gone"}]},
            Failure(reason="SandboxError", message="gone"),
        ),
        (
            {"ok": False, "is_timeout": True, "errors": [{"type": "E", "message": "late"}]},
            Failure(reason="timeout", message="late"),
        ),
        (
            {"stop_condition": "compaction_failed"},
            Failure(reason="budget_exhausted", message="compaction_failed"),
        ),
        (
            {"calls": [{"node": 1, "finish_reason": "length"}, {"node": 3, "error": {}}]},
            Failure(reason="budget_exhausted", message="length"),
        ),
        ({"calls": [{"finish_reason": "length"}, {"finish_reason": "stop"}]}, None),
    ],
)
def test_how_traces_end(fields: dict[str, Any], failure: Failure | None, tmp_path: Path) -> None:
    assert read(tmp_path, trace(**fields)).failure == failure


def test_a_task_without_a_key(tmp_path: Path) -> None:
    task = {"type": "Mend", "data": {"id": 7}, "key": None, "hash": "h"}
    assert read(tmp_path, trace(task=task)).task_id == "7"
    assert read(tmp_path, trace(task={**task, "data": {}})).task_id == "h"
    assert read(tmp_path, trace(task={})).task_id == "traces"


def test_each_trace_of_an_episode_is_an_attempt(tmp_path: Path) -> None:
    judge = trace(id="def", agent={"name": "judge"})
    path = tmp_path / "traces.jsonl"
    path.write_text(f"{json.dumps(episode(trace(), judge))}\n{json.dumps(episode(trace()))}\n")
    solved, judged, again = read_trajectories(path)
    assert solved.turns == judged.turns == again.turns == read(tmp_path, trace()).turns
    assert [(each.agent, each.attempt) for each in (solved, judged)] == [
        ("solver", "abc"),
        ("judge", "def"),
    ]
    assert [each.source for each in (solved, judged, again)] == [
        Source(file=str(path), line=1, record="traces[0]"),
        Source(file=str(path), line=1, record="traces[1]"),
        Source(file=str(path), line=2, record="traces[0]"),
    ]
    assert solved.metadata["episode"] == "e-1"


def test_the_traces_of_an_episode_may_begin_far_behind(tmp_path: Path) -> None:
    task = {"type": "Mend", "data": {"prompt": "x" * 100_000}, "key": "task-7"}
    assert read(tmp_path, episode(trace(), task=task)).attempt == "abc"


def test_an_episode_may_fail_after_its_agents_succeeded_or_before(tmp_path: Path) -> None:
    late = {"ok": False, "errors": [{"type": "EnvError", "message": "no score"}]}
    failure = Failure(reason="EnvError", message="no score")
    assert read(tmp_path, episode(trace(), **late)).failure == failure
    own = trace(stop_condition="max_turns")
    told = read(tmp_path, episode(own, **late)).failure
    assert told is not None
    assert told.reason == "max_turns_exceeded"
    early = read(tmp_path, episode(**late))
    assert (early.task_id, early.attempt, early.turns) == ("task-7", "e-1", ())
    assert early.failure == failure


def test_an_episode_with_an_unreadable_trace_loses_only_that(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    path.write_text(f"{json.dumps(episode(7, trace()))}\n{json.dumps(episode(traces=None))}\n")
    problems: list[ReadProblem] = []
    (attempt,) = read_trajectories(path, on_problem=problems.append)
    assert attempt.attempt == "abc"
    assert [(problem.line, problem.record, problem.message) for problem in problems] == [
        (1, "traces[0]", "expected an object, got a number"),
        (2, None, "traces: expected a list, got null"),
    ]


def test_a_key_that_is_only_a_hash_gives_way_to_the_id_of_the_data(tmp_path: Path) -> None:
    data = {"prompt": "Mend it.", "id": "shelf-1"}
    task = {"type": "Mend", "data": data, "key": "f00d", "hash": "f00d"}
    assert read(tmp_path, trace(task=task)).task_id == "shelf-1"
    assert read(tmp_path, trace(task={**task, "key": "task-7"})).task_id == "task-7"
    assert read(tmp_path, trace(task={**task, "data": {"id": 0}})).task_id == "0"
    assert read(tmp_path, trace(task={**task, "data": {"id": ""}})).task_id == "f00d"
    assert read(tmp_path, trace(task={**task, "data": {}})).task_id == "f00d"


def test_the_reply_of_the_main_agent_is_the_output(tmp_path: Path) -> None:
    assert read(tmp_path, trace(root_reply="All done.")).final_output == "All done."


def test_unusable_messages_are_named_by_their_node(tmp_path: Path) -> None:
    nodes = [node(ASK), node(SAY, 0), node(SAY, 1, sampled=True), node(GAVE, 2)]
    assert [*read(tmp_path, trace(nodes=nodes, calls=[])).unusable] == ["messages[3]"]


def tasks_of(folder: Path, *records: Any) -> tuple[list[Task], list[ReadProblem]]:
    path, problems = folder / "traces.jsonl", list[ReadProblem]()
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return list(read_tasks(path, on_problem=problems.append)), problems


def about(**data: Any) -> dict[str, Any]:
    return {"type": "Mend", "data": data, "key": "task-7", "hash": "1f"}


@pytest.mark.parametrize("expected", [[{"name": "read"}], '[{"name": "read"}]'])
def test_references_are_in_the_data_of_a_task(tmp_path: Path, expected: Any) -> None:
    task = about(prompt="Mend it.", idx=3, expected_tool_calls=expected, commit=None)
    (of_trace, of_episode), problems = tasks_of(
        tmp_path, trace(task=task), {"id": "e", "env": {}, "task": task, "traces": []}
    )
    assert not problems
    assert of_trace.id == of_episode.id == "task-7"
    assert of_trace.question == "Mend it."
    assert of_trace.expected_tool_calls == (ToolCall(name="read"),)
    assert of_episode.expected_tool_calls == of_trace.expected_tool_calls
    assert of_trace.commit is None
    assert of_trace.metadata == {"prompt": "Mend it.", "idx": 3}


def test_a_task_with_a_bad_reference_is_reported_and_the_others_are_read(tmp_path: Path) -> None:
    tasks, problems = tasks_of(
        tmp_path,
        trace(task=about(expected_tool_calls="[")),
        trace(task=about(max_turns="many")),
        trace(task={"data": {}}),
        trace(task=about(max_turns=3)),
    )
    assert [task.max_turns for task in tasks] == [3]
    assert [problem.line for problem in problems] == [1, 2, 3]
    assert problems[0].message.startswith("expected_tool_calls: ")
    assert problems[1].message.startswith("max_turns: ")
    assert problems[2].message == "task: no id: expected a key or a hash, or an id in its data"
