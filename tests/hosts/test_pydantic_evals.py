"""Evaluators of pydantic-evals: what its own report says of cases with them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pydantic_evals", reason="pydantic-evals is not installed")

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from pydantic_evals import Case, Dataset, set_eval_attribute
from pydantic_evals.evaluators import Evaluator, EvaluatorContext

from trajmeter.errors import UnknownNameError
from trajmeter.hosts.pydantic_evals import Context, Rules, Tools, Turns, _attempt, _scorer
from trajmeter.records import Extent, ToolCall, Trajectory, Turn, View

if TYPE_CHECKING:
    from pathlib import Path

if not isinstance(trace.get_tracer_provider(), TracerProvider):
    trace.set_tracer_provider(TracerProvider())

CALLS = [{"name": "read", "arguments": {"path": "a"}}]
GOLD = [{"path": "a", "first_line": 1, "last_line": 4}]


def _task(path: str) -> str:
    """A run whose spans are those of an agent."""
    tracer = trace.get_tracer("test")
    with tracer.start_as_current_span("chat m", attributes={"gen_ai.operation.name": "chat"}):
        pass
    with tracer.start_as_current_span(
        "execute_tool read",
        attributes={
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "read",
            "gen_ai.tool.call.id": "c1",
            "gen_ai.tool.call.arguments": f'{{"path": "{path}"}}',
        },
    ):
        pass
    return "done"


def _recorded(path: str) -> str:
    """A run that leaves a record of its own."""
    view = View(path=path, extent=Extent.LINES, start=1, end=2)
    call = ToolCall(name="read", arguments={"path": path})
    turn = Turn(tool_calls=(call,), views=(view,))
    set_eval_attribute("trajmeter.trajectory", Trajectory(task_id="case", turns=(turn,)))
    return "done"


def _reported(cases: list[Case[Any, Any, Any]], evaluators: list[Any], task: Any = _task) -> Any:
    data_set = Dataset(name="test", cases=cases, evaluators=evaluators)
    return data_set.evaluate_sync(task, progress=False)


CASES: list[Case[Any, Any, Any]] = [
    Case(name="right", inputs="a", metadata={"expected_tool_calls": CALLS}),
    Case(name="wrong", inputs="b", metadata={"expected_tool_calls": CALLS}),
    Case(name="abstains", inputs="a", metadata={"max_turns": 3}),
    Case(name="unknown", inputs="a"),
    Case(name="broken", inputs="a", metadata={"expected_tool_calls": 3}),
]


def test_what_pydantic_evals_reports() -> None:
    report = _reported(CASES, [Tools(), Turns(figures=("turn_count", "repeated_tool_calls"))])
    assert report.failures == []
    averages = report.averages()
    assert averages.scores["tools.f1"] == 0.5  # of the two cases that have it
    assert averages.labels["tools.outcome"] == {
        "scored": 0.4,
        "abstained": 0.2,
        "missing_task": 0.2,
        "invalid_input": 0.2,
    }
    by_name = {case.name: case for case in report.cases}
    assert by_name["right"].assertions["tools.exact"].value is True
    assert by_name["wrong"].assertions["tools.exact"].value is False
    assert "expected 'a', got 'b'" in (by_name["wrong"].scores["tools.f1"].reason or "")
    assert not {"tools.f1", "tools.exact"} & {
        *by_name["unknown"].scores,
        *by_name["unknown"].assertions,
    }
    assert by_name["right"].scores["turns.turn_count"].value == 1
    assert "turns.recovered_errors" not in by_name["right"].scores


def test_a_record_that_the_task_leaves() -> None:
    case: Case[Any, Any, Any] = Case(name="case", inputs="a", metadata={"gold_ranges": GOLD})
    report = _reported([case], [Context(), Rules()], _recorded)
    assert report.averages().scores["context.line.coverage"] == 0.5
    assert report.averages().labels["rules.outcome"] == {"missing_transcript": 1.0}


def test_messages_that_the_task_leaves_and_metadata_of_any_class() -> None:
    def agent(path: str) -> str:
        call = {"id": "c", "function": {"name": "read", "arguments": {"path": path}}}
        left = [{"role": "assistant", "tool_calls": [call]}] if path else 3
        set_eval_attribute("trajmeter.trajectory", left)
        return "done"

    cases: list[Case[Any, Any, Any]] = [
        Case(name=path or "none", inputs=path, metadata=Answer(CALLS)) for path in ("a", "b", "")
    ]
    report = _reported(cases, [Tools()], agent)
    assert report.averages().scores["tools.f1"] == 0.5
    assert report.cases[2].labels["tools.outcome"].value == "invalid_input"
    assert report.failures == []


def test_what_was_asked_is_the_question_of_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str | None] = []
    scorer = _scorer("tools", None, None, None)[0]
    scored = scorer.scored

    def noted(task: Any, attempt: Trajectory) -> Any:
        asked.append(task.question)
        return scored(task, attempt)

    monkeypatch.setattr(scorer, "scored", noted)
    _reported(CASES[:1], [Tools()])
    assert asked == ["a"]


def test_an_assigned_score_counts() -> None:
    """By the rules of Transform Gym, an agent that says nothing gets 0 for handling errors."""

    def agent(says: str) -> str:
        record = Trajectory(task_id="case", turns=(Turn(),), transcript=says or None)
        set_eval_attribute("trajmeter.trajectory", record)
        return "done"

    cases: list[Case[Any, Any, Any]] = [
        Case(name=says or "mute", inputs=says, metadata={"kind": "x"}) for says in ("said", "")
    ]
    judged = Rules(profile="transform-gym", figures=("error_handling", "latency"))
    report = _reported(cases, [judged], agent)
    said, mute = (case.scores["rules.error_handling"].value for case in report.cases)
    assert (said > 0, mute) == (True, 0.0)
    averages = report.averages()
    assert averages.scores["rules.error_handling"] == said / 2
    assert averages.labels["rules.outcome"] == {"scored": 0.5, "assigned": 0.5}
    assert "rules.latency" not in averages.scores


@dataclass
class Answer:
    """What an agent may give back."""

    expected_tool_calls: list[Any]


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ({"answer": ["é", 1]}, '{"answer": ["é", 1]}'),
        (Answer([1]), '{"expected_tool_calls": [1]}'),
        ({("a", 1): {2}}, '{"a,1": [2]}'),
        ({"a": "\ud800"}, '{"a": "\\ud800"}'),
        (b"\xff", str(b"\xff")),
        (None, None),
    ],
)
def test_an_output_that_is_no_text_is_json(output: Any, text: str | None) -> None:
    seen: list[Trajectory] = []

    @dataclass(repr=False)
    class Kept(Evaluator[Any, Any, Any]):
        def evaluate(self, ctx: EvaluatorContext[Any, Any, Any]) -> dict[str, Any]:
            seen.append(_attempt(ctx))
            return {}

    def agent(path: str) -> Any:
        _task(path)
        return output

    case: Case[Any, Any, Any] = Case(name="case", inputs="a")
    _reported([case], [Kept()], agent)
    (attempt,) = seen
    assert attempt.final_output == text
    assert (attempt.task_id, len(attempt.turns or ())) == ("case", 1)
    assert (attempt.duration_seconds or 0) > 0


def test_metadata_within_itself_is_invalid_input() -> None:
    within: dict[str, Any] = {}
    within["note"] = within
    case: Case[Any, Any, Any] = Case(name="case", inputs="a", metadata=within)
    report = _reported([case], [Tools()])
    assert report.cases[0].labels["tools.outcome"].value == "invalid_input"


def test_without_a_tracer_provider_it_fails_and_says_so() -> None:
    program = (
        "from pydantic_evals import Case, Dataset\n"
        "from trajmeter.hosts.pydantic_evals import Turns\n"
        "data_set = Dataset(name='test', cases=[Case(inputs='a')], evaluators=[Turns()])\n"
        "report = data_set.evaluate_sync(lambda path: path, progress=False)\n"
        "(case,) = report.cases\n"
        "print(case.scores, *(each.error_type for each in case.evaluator_failures))\n"
    )
    command = [sys.executable, "-W", "ignore", "-c", program]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert output.strip() == "{} SpanTreeRecordingError"


def test_an_unknown_figure_is_reported_immediately() -> None:
    with pytest.raises(UnknownNameError, match="no figure"):
        Tools(figures=("f2",))


def test_a_single_figure_needs_no_list(tmp_path: Path) -> None:
    path = tmp_path / "cases.yaml"
    path.write_text("name: test\ncases:\n- inputs: q\nevaluators:\n- Tools: f1\n")
    read = Dataset[Any, Any, Any].from_file(path, custom_evaluator_types=[Tools])
    assert read.evaluators == [Tools(figures="f1")] == [Tools(figures=("f1",))]


def test_data_sets_write_and_read_it(tmp_path: Path) -> None:
    data_set = Dataset[Any, Any, Any](
        name="test", cases=CASES[:1], evaluators=[Tools(figures=("f1",)), Context(snapshots=None)]
    )
    path = tmp_path / "cases.yaml"
    data_set.to_file(path, custom_evaluator_types=[Tools, Context])
    again = Dataset[Any, Any, Any].from_file(path, custom_evaluator_types=[Tools, Context])
    assert tuple(again.evaluators[0].figures) == ("f1",)
    assert again.evaluate_sync(_task, progress=False).averages().scores["tools.f1"] == 1.0


def test_an_evaluator_says_its_version() -> None:
    assert Tools().get_evaluator_version() == "1"


def test_an_evaluator_is_made_before_the_files_that_it_reads() -> None:
    assert Tools(tasks="absent.jsonl", figures=("f1",)).tasks == "absent.jsonl"


def test_a_missing_file_of_tasks_is_what_the_report_shows(tmp_path: Path) -> None:
    report = _reported(CASES[:1], [Tools(tasks=str(tmp_path / "absent.jsonl"))])
    assert report.failures == []
    (failure,) = report.cases[0].evaluator_failures
    assert failure.error_type == "ReadError"
    assert "absent.jsonl" in failure.error_message
