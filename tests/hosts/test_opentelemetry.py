"""Attempts out of spans of the SDK, and what a collector of logs gets of their scores."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("opentelemetry.sdk", reason="opentelemetry-sdk is not installed")

from opentelemetry import baggage, context, trace
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import (
    InMemoryLogRecordExporter,
    SimpleLogRecordProcessor,
)
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import (
    InMemorySpanExporter,
)

import trajmeter
from trajmeter.hosts.opentelemetry import SpanScorer, trajectories_of
from trajmeter.records import Task, ToolCall

TASK = Task(id="t", expected_tool_calls=(ToolCall(name="read", arguments={"path": "a"}),))


def _run(
    provider: TracerProvider, *paths: str, task_id: str | None = "t", fails: bool = False
) -> None:
    """A run of an agent whose model calls a tool for each path."""
    tracer = provider.get_tracer("test")
    named = {"trajmeter.task_id": task_id} if task_id else {}
    with tracer.start_as_current_span(
        "invoke_agent a",
        attributes={"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a", **named},
    ):
        parts = [
            {"type": "tool_call", "id": f"c{n}", "name": "read", "arguments": {"path": path}}
            for n, path in enumerate(paths)
        ]
        with tracer.start_as_current_span(
            "chat m",
            attributes={
                "gen_ai.operation.name": "chat",
                "gen_ai.usage.input_tokens": 10,
                "gen_ai.usage.output_tokens": 5,
                "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": parts}]),
            },
        ):
            pass
        for n in reversed(range(len(paths))):  # parallel calls may begin in any order
            with tracer.start_as_current_span(
                "execute_tool read",
                attributes={
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": "read",
                    "gen_ai.tool.call.id": f"c{n}",
                },
            ) as span:
                if fails:
                    span.set_status(trace.StatusCode.ERROR, "no such file")


@pytest.fixture
def spans() -> tuple[TracerProvider, InMemorySpanExporter]:
    provider, exporter = TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider, exporter


def test_a_trace_is_an_attempt(spans: tuple[TracerProvider, InMemorySpanExporter]) -> None:
    provider, exporter = spans
    _run(provider, "a", "b")
    _run(provider, "a", task_id=None, fails=True)
    with provider.get_tracer("test").start_as_current_span("GET /"):
        pass
    first, second = trajectories_of(exporter.get_finished_spans())
    assert (first.task_id, first.agent, len(first.turns or ())) == ("t", "a", 1)
    assert [call.arguments for call in first.calls or ()] == [{"path": "a"}, {"path": "b"}]
    (turn,) = first.turns or ()
    assert turn.usage is not None
    assert (turn.usage.input_tokens, turn.usage.output_tokens) == (10, 5)
    assert len(second.task_id) == 32
    (failed,) = second.calls or ()
    assert (failed.success, failed.error) == (False, "no such file")


def _observed(**options: Any) -> tuple[TracerProvider, InMemoryLogRecordExporter, Any]:
    logs = LoggerProvider()
    exporter = InMemoryLogRecordExporter()  # type: ignore[no-untyped-call] # of the SDK
    logs.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    scorer = trajmeter.Scorer(["tools", "turns"], tasks=[TASK])
    figures = ["tools.f1", "tools.exact", "turns.repeated_tool_calls"]
    processor = SpanScorer(
        scorer, emit=True, figures=figures, logger=logs.get_logger("test"), **options
    )
    provider = TracerProvider()
    provider.add_span_processor(processor)
    return provider, exporter, scorer


def test_what_a_collector_gets() -> None:
    provider, exporter, scorer = _observed()
    _run(provider, "a")  # scored
    _run(provider, "b")
    _run(provider, "a", task_id="unknown")  # not scored
    _run(provider)  # abstains from repeated calls
    found = [each.log_record for each in exporter.get_finished_logs()]
    assert {each.event_name for each in found} == {"gen_ai.evaluation.result"}
    assert len(found) == 12
    assert all(each.trace_id for each in found)
    events = [dict(each.attributes or {}) for each in found]
    f1 = [each for each in events if each["gen_ai.evaluation.name"] == "tools.f1"]
    assert [each.get("gen_ai.evaluation.score.value") for each in f1] == [1.0, 0.0, None, 0.0]
    assert [each["gen_ai.evaluation.score.label"] for each in f1][2] == "not_scored"
    assert [each.get("error.type") for each in f1] == [None, None, "missing_task", None]
    assert "expected 'a', got 'b'" in str(f1[1]["gen_ai.evaluation.explanation"])
    repeated = events[-1]
    assert repeated["gen_ai.evaluation.score.label"] == "abstained"
    assert "gen_ai.evaluation.score.value" not in repeated
    assert scorer.summary().overall.attempts == 4


def test_an_assigned_score_is_emitted() -> None:
    """By the rules of Transform Gym, an agent that says nothing gets 0 for handling errors."""
    logs, exporter = LoggerProvider(), InMemoryLogRecordExporter()  # type: ignore[no-untyped-call] # of the SDK
    logs.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    scorer = trajmeter.Scorer("rules", tasks=[TASK], profiles="transform-gym")
    figures = ["rules.error_handling"]
    provider = TracerProvider()
    provider.add_span_processor(
        SpanScorer(scorer, emit=True, figures=figures, logger=logs.get_logger("test"))
    )
    _run(provider, "a")
    (event,) = [dict(each.log_record.attributes or {}) for each in exporter.get_finished_logs()]
    assert event["gen_ai.evaluation.score.value"] == 0.0
    assert event["gen_ai.evaluation.score.label"] == "assigned"
    assert "error.type" not in event


def test_the_task_may_be_in_the_baggage() -> None:
    provider, exporter, _ = _observed()
    token = context.attach(baggage.set_baggage("trajmeter.task_id", "t"))
    try:
        _run(provider, "a", task_id=None)
    finally:
        context.detach(token)
    (f1, *_) = [dict(each.log_record.attributes or {}) for each in exporter.get_finished_logs()]
    assert f1["gen_ai.evaluation.score.value"] == 1.0


def test_a_scorer_that_raises_leaves_the_program_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    provider, _, scorer = _observed()

    def broken(*_: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(scorer, "score", broken)
    _run(provider, "a")
    assert "an attempt could not be scored" in caplog.text


def test_open_traces_are_bounded(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("trajmeter.hosts.opentelemetry._MOST_TRACES", 2)
    provider, _, scorer = _observed()
    tracer = provider.get_tracer("test")
    roots = []
    for _ in range(4):
        root = tracer.start_span("invoke_agent a")
        tracer.start_span(
            "chat m",
            context=trace.set_span_in_context(root),
            attributes={"gen_ai.operation.name": "chat"},
        ).end()
        roots.append(root)
    for root in roots:
        root.end()
    assert scorer.summary().overall.attempts == 2  # of two, the calls were dropped
    assert caplog.text.count("more than") == 1
