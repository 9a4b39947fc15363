"""Evaluators of pydantic-evals: what its own report says of cases with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pydantic_evals", reason="pydantic-evals is not installed")

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from pydantic_evals import Case, Dataset, set_eval_attribute

from trajmeter.hosts.pydantic_evals import Context, Rules, Tools, Turns
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
