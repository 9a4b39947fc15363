"""Attempts out of spans of the SDK, and what a collector of logs gets of their scores."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

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
from trajmeter.errors import UnknownNameError
from trajmeter.hosts.opentelemetry import SpanScorer, trajectories_of
from trajmeter.readers.opentelemetry.values import TASK_ID
from trajmeter.records import Task, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def test_calls_that_an_answer_names_without_ids_are_those_of_the_spans(
    spans: tuple[TracerProvider, InMemorySpanExporter],
) -> None:
    """Gemini gives its calls no ids."""
    provider, exporter = spans
    tracer = provider.get_tracer("test")
    parts = [{"type": "tool_call", "name": "read", "arguments": {"path": path}} for path in "ab"]
    answer = json.dumps([{"role": "assistant", "parts": parts}])
    chat = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": answer}
    with tracer.start_as_current_span("invoke_agent"):
        tracer.start_span("chat m", attributes=chat).end()
        for name, result in (("read", "x"), ("read", "y"), ("read", "z"), ("stop", "")):
            about = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
            about["gen_ai.tool.call.result"] = result
            tracer.start_span("execute_tool", attributes=about).end()
    (attempt,) = trajectories_of(exporter.get_finished_spans())
    assert [(call.name, call.arguments, call.result) for call in attempt.calls or ()] == [
        ("read", {"path": "a"}, "x"),
        ("read", {"path": "b"}, "y"),
        ("read", None, "z"),
        ("stop", None, ""),
    ]
    assert all(call.duration_seconds is not None for call in attempt.calls or ())


def test_the_result_of_a_tool_explains_a_failure_that_its_span_does_not(
    spans: tuple[TracerProvider, InMemorySpanExporter],
) -> None:
    """pydantic-ai sets the status alone."""
    provider, exporter = spans
    tracer = provider.get_tracer("test")
    for result in ({"gen_ai.tool.call.result": "no such file"}, {}):
        about = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "read", **result}
        with tracer.start_as_current_span("execute_tool read", attributes=about) as span:
            span.set_status(trace.StatusCode.ERROR)
    found = [each.calls or () for each in trajectories_of(exporter.get_finished_spans())]
    assert [(call.success, call.error) for (call,) in found] == [
        (False, "no such file"),
        (False, "the span failed"),
    ]


@contextmanager
def _within(current: context.Context) -> Iterator[None]:
    token = context.attach(current)
    try:
        yield
    finally:
        context.detach(token)


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


def test_spans_sent_to_a_collector() -> None:
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
    with _within(baggage.set_baggage("trajmeter.task_id", "t")):
        _run(provider, "a", task_id=None)
    (f1, *_) = [dict(each.log_record.attributes or {}) for each in exporter.get_finished_logs()]
    assert f1["gen_ai.evaluation.score.value"] == 1.0


def test_any_span_of_the_trace_may_name_the_task() -> None:
    provider, exporter, _ = _observed()
    with provider.get_tracer("app").start_as_current_span("answer", attributes={TASK_ID: "t"}):
        _run(provider, "a", task_id=None)
    (f1, *_) = [dict(each.log_record.attributes or {}) for each in exporter.get_finished_logs()]
    assert f1["gen_ai.evaluation.score.value"] == 1.0


def test_a_span_that_only_names_the_task_is_no_part_of_the_attempt(
    spans: tuple[TracerProvider, InMemorySpanExporter],
) -> None:
    provider, exporter = spans
    with provider.get_tracer("app").start_as_current_span("answer", attributes={TASK_ID: "t"}):
        _run(provider, "a", task_id=None)
    (marked,) = trajectories_of(exporter.get_finished_spans())
    (plain,) = trajectories_of(exporter.get_finished_spans()[:-1])
    assert (marked.task_id, marked.attempt) == ("t", plain.task_id)
    about = {"task_id": "t", "attempt": plain.task_id}
    assert plain.model_copy(update=about) == marked


def test_a_scorer_that_raises_leaves_the_program_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    provider, _, scorer = _observed()

    def broken(*_: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(scorer, "score", broken)
    _run(provider, "a")
    assert "an attempt could not be scored" in caplog.text


def test_a_conversation_may_be_an_attempt(
    spans: tuple[TracerProvider, InMemorySpanExporter],
) -> None:
    provider, exporter = spans
    tracer = provider.get_tracer("test")
    for conversation in ("one", "two", "one"):
        about = {"gen_ai.operation.name": "chat", "gen_ai.conversation.id": conversation}
        with tracer.start_as_current_span("chat m", attributes=about):
            pass
    found = exporter.get_finished_spans()
    assert [len(each.turns or ()) for each in trajectories_of(found)] == [1, 1, 1]
    by_conversation = trajectories_of(found, by_conversation=True)
    assert [len(each.turns or ()) for each in by_conversation] == [2, 1]


def test_a_root_may_have_a_parent_in_another_process() -> None:
    provider, exporter, scorer = _observed()
    there = trace.SpanContext(7, 8, is_remote=True, trace_flags=trace.TraceFlags(1))
    with _within(trace.set_span_in_context(trace.NonRecordingSpan(there))):
        _run(provider, "a")
    assert scorer.summary().overall.attempts == 1
    assert {each.log_record.trace_id for each in exporter.get_finished_logs()} == {7}


def test_other_spans_than_model_and_tool_calls_add_nothing(
    spans: tuple[TracerProvider, InMemorySpanExporter],
) -> None:
    provider, exporter = spans
    tracer = provider.get_tracer("test")
    sums = {"gen_ai.usage.input_tokens": 90, "gen_ai.aggregated_usage.input_tokens": 90}
    defined = {"gen_ai.tool.definitions": '[{"type": "function", "name": "read"}]'}
    for operation, about in (
        ("create_agent", sums),
        ("invoke_agent", sums),
        ("chat", {"gen_ai.usage.input_tokens": 45, **defined}),
    ):
        attributes: dict[str, Any] = {"gen_ai.operation.name": operation, **about}
        tracer.start_span(operation, attributes=attributes).end()
    alone, *others = trajectories_of(exporter.get_finished_spans())
    assert others == []
    (turn,) = alone.turns or ()
    assert (turn.tool_calls, turn.usage and turn.usage.input_tokens) == ((), 45)
    assert alone.usage is None


def test_a_missing_figure_is_reported_immediately() -> None:
    with pytest.raises(UnknownNameError, match="no figure"):
        SpanScorer(trajmeter.Scorer("tools"), emit=True, figures=["tools.f2"])


def test_a_processor_that_is_shut_down_has_forgotten_open_traces() -> None:
    provider, exporter, scorer = _observed()
    tracer = provider.get_tracer("test")
    root = tracer.start_span("invoke_agent a")
    inner = trace.set_span_in_context(root)
    about = {"gen_ai.operation.name": "chat"}
    tracer.start_span("chat m", context=inner, attributes=about).end()
    provider.shutdown()
    root.end()
    assert scorer.summary().overall.attempts == 0
    assert exporter.get_finished_logs() == ()


def test_long_traces_are_cut(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("trajmeter.hosts.opentelemetry._MOST_SPANS", 2)
    provider, exporter, scorer = _observed()
    _run(provider, "a", "a", "a")
    assert scorer.summary().overall.attempts == 1
    assert "is cut" in caplog.text
    assert len(exporter.get_finished_logs()) == 3


def test_traces_that_never_end_do_not_pile_up(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Those that only began are held by their tasks, which the baggage names."""
    monkeypatch.setattr("trajmeter.hosts.opentelemetry._MOST_TRACES", 2)
    provider, exporter, _ = _observed()
    tracer = provider.get_tracer("test")
    with _within(baggage.set_baggage("trajmeter.task_id", "t")):
        _abandoned = [tracer.start_span("invoke_agent a") for _ in range(5)]
        _run(provider, "a", task_id=None)
    assert caplog.text.count("more than") == 1
    (f1, *_) = [dict(each.log_record.attributes or {}) for each in exporter.get_finished_logs()]
    assert f1["gen_ai.evaluation.score.value"] == 1.0


def test_a_trace_is_dropped_with_its_task_or_not_at_all(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("trajmeter.hosts.opentelemetry._MOST_TRACES", 2)
    provider, exporter, _ = _observed()
    tracer = provider.get_tracer("test")
    with _within(baggage.set_baggage("trajmeter.task_id", "t")):
        _abandoned = tracer.start_span("invoke_agent a")
        _run(provider, "a", task_id=None)
        _run(provider, "a", task_id=None)
    assert not caplog.text
    values = [dict(each.log_record.attributes or {}) for each in exporter.get_finished_logs()]
    assert [each["gen_ai.evaluation.score.value"] for each in values[::3]] == [1.0, 1.0]


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
