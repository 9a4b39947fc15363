"""Trajectories in ATIF."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.atif.steps import answer, called, observed, step, trajectory
from tests.readers.logs import read, read_one, seen, turns_of
from trajmeter.records import Failure, ToolCall, Trajectory, Usage

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def read_record(tmp_path: Path) -> Any:
    def reads(record: dict[str, Any]) -> Trajectory:
        path = tmp_path / "trajectory.json"
        path.write_text(json.dumps(record, indent=1))
        return read_one(path)

    return reads


def test_each_step_of_the_agent_is_a_turn_with_its_observation(read_record: Any) -> None:
    attempt = read_record(
        trajectory(
            step(1, "Fix it.", "user"),
            step(
                2,
                [{"type": "text", "text": "look"}, {"type": "image", "path": "a.png"}],
                tool_calls=[called("c1", "bash", command="ls"), called("c2", "think", n=1)],
                **observed(answer("c2", None), answer("c1", "a.py\n")),
                metrics={
                    "prompt_tokens": 900,
                    "completion_tokens": 20,
                    "cached_tokens": 100,
                    "cost_usd": 0.001,
                    "extra": {"reasoning_output_tokens": 0},
                },
            ),
            step(5, "Done.", llm_call_count=0),
            final_metrics={
                "total_prompt_tokens": 1900,
                "total_completion_tokens": 60,
                "total_cached_tokens": 200,
                "total_cost_usd": 0.002,
                "total_steps": 3,
            },
        )
    )
    assert (attempt.task_id, attempt.agent, attempt.model) == ("s1", "wren", "org/model")
    assert attempt.final_output == "Done."
    assert attempt.duration_seconds == 4.0
    assert attempt.usage == Usage(
        input_tokens=1900, output_tokens=60, cached_input_tokens=200, cost_usd=0.002
    )
    assert attempt.metadata == {
        "version": "0.1",
        "schema_version": "ATIF-v1.6",
        "started_at": "2026-03-01T10:00:01Z",
    }
    first, second = turns_of(attempt)
    assert (first.number, first.text, first.program) == (1, "look", "ls")
    assert first.tool_calls == (
        ToolCall(name="bash", id="c1", arguments={"command": "ls"}, result="a.py\n"),
        ToolCall(name="think", id="c2", arguments={"n": 1}),
    )
    assert first.success is None  # the format has no flag for it
    assert first.usage == Usage(
        input_tokens=900,
        output_tokens=20,
        cached_input_tokens=100,
        reasoning_tokens=0,
        cost_usd=0.001,
    )
    assert second.usage is None


def test_copied_steps_belong_to_the_segment_before(read_record: Any) -> None:
    copied = step(1, "old", is_copied_context=True, metrics={"prompt_tokens": 5})
    attempt = read_record(trajectory(copied, step(2, "new")))
    assert [turn.text for turn in turns_of(attempt)] == ["new"]


def test_one_time_makes_no_duration(read_record: Any) -> None:
    assert read_record(trajectory(step(1, "a"))).duration_seconds is None
    assert read_record(trajectory(step(1, "a"), step(3, "b"))).duration_seconds == 2.0


def test_embedded_sub_agents_follow_the_turn_that_refers_to_them(read_record: Any) -> None:
    def sub(name: str, text: str) -> dict[str, Any]:
        agent = {"name": name, "version": "1"}
        return trajectory(step(1, text), trajectory_id=f"t-{name}", agent=agent)

    ref = {
        "source_call_id": "c1",
        "content": "ok",
        "subagent_trajectory_ref": [{"trajectory_id": "t-b"}],
    }
    attempt = read_record(
        trajectory(
            step(1, "ask", tool_calls=[called("c1", "delegate")], observation={"results": [ref]}),
            step(2, "Done."),
            schema_version="ATIF-v1.8",
            subagent_trajectories=[sub("a", "I am a."), sub("b", "I am b."), {"steps": 3}],
        )
    )
    assert [(turn.agent, turn.text) for turn in turns_of(attempt)] == [
        (None, "ask"),
        ("b", "I am b."),
        (None, "Done."),
        ("a", "I am a."),
    ]
    assert attempt.final_output == "Done."
    assert list(attempt.unusable.values()) == ["steps: expected a list, got a number"]


def test_outside_a_trial_files_of_sub_agents_are_named(read_record: Any, tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text(json.dumps(trajectory(step(1, "I am b."))))
    ref = {"content": "ok", "subagent_trajectory_ref": [{"trajectory_path": "b.json"}]}
    calls = [called(None, "delegate")]
    attempt = read_record(trajectory(step(1, "ask", tool_calls=calls, **observed(ref))))
    assert [turn.text for turn in turns_of(attempt)] == ["ask"]
    assert attempt.unusable == {
        "trajectory_path b.json": "files beside a trajectory are read only in a trial"
    }


CODEX = "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code {}\nOutput:\nx\n"
MINI = '{{\n  "returncode": {},\n  "output": "x\\n"\n}}'


@pytest.mark.parametrize("layout", [CODEX, MINI])
def test_some_agents_write_exit_codes_in_results(read_record: Any, layout: str) -> None:
    calls = [called("c1", "bash", command="true"), called("c2", "bash", command="false")]
    results = [answer(None, layout.format(0)), answer(None, layout.format(1))]
    (turn,) = turns_of(read_record(trajectory(step(1, tool_calls=calls, **observed(*results)))))
    assert [call.success for call in turn.tool_calls] == [True, False]
    assert turn.error == Failure(reason="exit_code", message="x")


def test_results_converted_from_claude_code(read_record: Any) -> None:
    file = {"filePath": "/repo/a.py", "content": "x\ny\n", "numLines": 3, "startLine": 1}
    block = {"type": "tool_result", "content": "1\tx\n2\ty\n3\t"}
    copy = {"type": "text", "file": {**file, "totalLines": 3}}
    good = {"raw_tool_result": block, "tool_use_result": copy}
    failed = {"raw_tool_result": {"content": "No.", "is_error": True}, "is_error": True}
    attempt = read_record(
        trajectory(
            step(
                1,
                tool_calls=[called("r", "Read", file_path="/repo/a.py"), called("g", "Glob")],
                **observed(
                    answer("r", "1\tx…\n\n[metadata] {}", tool_result_metadata=good),
                    answer("g", "No.\n\n[error]", tool_result_metadata=failed),
                ),
            ),
            agent={"name": "claude-code", "version": "2", "extra": {"cwds": ["/repo"]}},
        )
    )
    (turn,) = turns_of(attempt)
    assert [(c.result, c.success) for c in turn.tool_calls] == [
        ("1\tx\n2\ty\n3\t", True),
        ("No.", False),
    ]
    assert seen(turn) == [("a.py", 1, 2)]


def test_a_flag_in_the_extra_of_a_result_is_believed(read_record: Any) -> None:
    calls = [called("a", "get"), called("b", "get")]
    results = [
        answer("a", "x", tool_result_is_error=False),
        answer("b", "No.", tool_result_is_error=True),
    ]
    (turn,) = turns_of(read_record(trajectory(step(1, tool_calls=calls, **observed(*results)))))
    assert [(c.success, c.error) for c in turn.tool_calls] == [(True, None), (False, "No.")]


def test_a_result_without_a_call_is_reported(read_record: Any) -> None:
    results = [answer("c1", "x"), answer("c9", "y"), answer(None, "z")]
    attempt = read_record(
        trajectory(step(1, tool_calls=[called("c1", "get")], **observed(*results)))
    )
    assert [call.result for call in turns_of(attempt)[0].tool_calls] == ["x"]
    assert attempt.dropped_calls == 2
    assert attempt.unusable == {
        "steps[0].observation.results[1]": "a result without a call",
        "steps[0].observation.results[2]": "a result without a call",
    }


def test_one_result_of_several_calls_is_that_of_the_last(read_record: Any) -> None:
    calls = [called("a", "one"), called("b", "two")]
    (turn,) = turns_of(
        read_record(trajectory(step(1, tool_calls=calls, **observed(answer(None, "both")))))
    )
    assert [call.result for call in turn.tool_calls] == [None, "both"]


def test_a_reply_that_terminus_cannot_read_is_a_parse_error(read_record: Any) -> None:
    said = "Previous response had parsing errors:\nERROR: No valid JSON found in response"
    (turn,) = turns_of(read_record(trajectory(step(1, "{", **observed(answer(None, said))))))
    assert (turn.success, turn.error) == (False, Failure(reason="parse_error", message=said))


def test_conversions_from_swe_agent_have_no_model_or_times(read_record: Any) -> None:
    call = called("c1", "swe_agent_action", raw_action="ls -a")
    attempt = read_record(
        trajectory(
            step(1, "look", model_name="unknown", tool_calls=[call]),
            step(9, "done", model_name="unknown"),
            agent={"name": "swe-agent", "version": "1.1.0", "model_name": "unknown"},
        )
    )
    assert attempt.model is None
    assert attempt.duration_seconds is None
    assert turns_of(attempt)[0].program == "ls -a"


def test_unusable_values_are_omitted_and_reported(read_record: Any) -> None:
    odd: Any = "step"
    attempt = read_record(
        trajectory(
            step(1, metrics={"prompt_tokens": "many"}, tool_calls=[{"arguments": {}}]),
            odd,
            final_metrics={"total_prompt_tokens": []},
        )
    )
    assert len(turns_of(attempt)) == 1
    assert attempt.dropped_calls == 1
    assert attempt.unusable == {
        "steps[0].tool_calls[0]": "expected a call with function_name",
        "steps[0].metrics": 'usage.input_tokens: expected an integer, got "many"',
        "steps[1]": "expected an object, got text",
        "final_metrics": "usage.input_tokens: expected an integer, got []",
    }


def test_a_record_without_steps_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(json.dumps(trajectory(steps={})))
    attempts, problems = read(tmp_path / "t.json")
    assert attempts == []
    assert [problem.message for problem in problems] == ["steps: expected a list, got an object"]


@pytest.mark.parametrize(
    ("agent", "unusable"),
    [(None, {}), ("owl", {"agent": "expected an object, got text"})],
)
def test_a_record_without_an_agent_names_none(
    read_record: Any, agent: object, unusable: dict[str, str]
) -> None:
    attempt = read_record(trajectory(step(1, "a"), agent=agent))
    assert (attempt.agent, attempt.model, attempt.unusable) == (None, None, unusable)
    assert [turn.text for turn in turns_of(attempt)] == ["a"]


def test_an_id_is_that_of_the_session_the_trajectory_or_the_file(read_record: Any) -> None:
    record = trajectory(step(1, "a"), trajectory_id="t1")
    assert read_record(record).task_id == "s1"
    del record["session_id"]
    assert read_record(record).task_id == "t1"
    del record["trajectory_id"]
    assert read_record(record).task_id == "trajectory"


def test_copied_steps_take_no_time(read_record: Any) -> None:
    attempt = read_record(
        trajectory(step(1, "early", is_copied_context=True), step(30, "on"), step(35, "done"))
    )
    assert attempt.duration_seconds == 5.0
    assert attempt.metadata["started_at"] == "2026-03-01T10:00:30Z"


def test_a_result_without_content_shows_nothing(read_record: Any) -> None:
    asks: dict[str, Any] = {"tool_calls": [called("c1", "bash", command="cat a.py")]}
    (turn,) = turns_of(read_record(trajectory(step(1, **asks, **observed(answer("c1", None))))))
    assert turn.views == ()
