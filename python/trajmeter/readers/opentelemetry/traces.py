"""A trace as an attempt: each model call is a turn with the tools that its answer calls."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.limits import is_too_long
from trajmeter.readers._logs.values import as_list, as_object, seconds_between
from trajmeter.readers.messages.fields import fields_of
from trajmeter.readers.messages.turns import message_turns
from trajmeter.readers.messages.usage import count, made_usage
from trajmeter.readers.opentelemetry.nesting import (
    AGENT_NAME,
    AGENTS,
    AgentNames,
    innermost,
    outermost,
)
from trajmeter.readers.opentelemetry.spans import ANSWERS, Span
from trajmeter.readers.opentelemetry.tool_runs import FINAL, RESULT
from trajmeter.readers.opentelemetry.tools import Calls, result_of
from trajmeter.readers.opentelemetry.values import TASK_ID, parsed
from trajmeter.records import Failure, Trajectory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.records import Source, Turn, Usage

__all__ = ["attempt_of"]

_BUDGET = ("UsageLimitExceeded", "MaxTurnsExceeded", "GraphRecursionError", "MaxIterations")
"""Exception classes, or parts of their names, that indicate an exhausted budget."""

_COUNTS = {
    "input_tokens": (
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.prompt_tokens",
        "llm.token_count.prompt",
    ),
    "output_tokens": (
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.completion_tokens",
        "llm.token_count.completion",
    ),
    "cached": (
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "llm.token_count.prompt_details.cache_read",
    ),
    "written": (
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
        "llm.token_count.prompt_details.cache_write",
    ),
    "reasoning": (
        "gen_ai.usage.reasoning.output_tokens",
        "gen_ai.usage.reasoning_tokens",
        "llm.usage.reasoning_tokens",
        "gen_ai.usage.details.reasoning_tokens",
        "llm.token_count.completion_details.reasoning",
    ),
    "total": ("llm.token_count.total",),
}
"""Attributes with the counts of a model call; the first that it has counts."""


def attempt_of(spans: Sequence[Span], source: Source) -> Trajectory | None:
    """Convert a trace's spans to a trajectory; ``None`` if no model or tool was called."""
    every = sorted(spans, key=lambda span: span.start or 0.0)
    spans = [span for span in every if span.operation]
    trace = _Trace(innermost(spans), AgentNames(spans))
    if not trace.messages and not any(span.operation in ANSWERS for span in spans):
        return None
    held = message_turns(trace.messages, usage=lambda _: None)
    turns = tuple(map(trace.timed, held.turns, trace.answers, trace.tools))
    agents = outermost(spans)
    roots = [*agents, *(span for span in spans if span.operation in AGENTS)] or spans[:1]
    named = [span.attributes.get(TASK_ID) for span in every]
    task = next((each for each in named if isinstance(each, str)), None)
    # Without an agent span, the outcome of the trace is that of its last model call.
    ends_with = agents or [span for span in spans if span.operation in ANSWERS][-1:]
    failed = next((span for span in ends_with if span.error is not None), None)
    starts, ends = ([getattr(span, each) for span in spans] for each in ("start", "end"))
    return Trajectory(
        **{
            **fields_of(held),
            "turns": turns,
            "task_id": task or spans[0].trace,
            "attempt": spans[0].trace if task is not None else None,
            "agent": _first(roots, AGENT_NAME, "gen_ai.workflow.name"),
            "model": _first(spans, "gen_ai.request.model", "gen_ai.response.model"),
            "source": source,
            "duration_seconds": seconds_between(
                min((each for each in starts if each is not None), default=None),
                max((each for each in ends if each is not None), default=None),
            ),
            "final_output": _first(agents[:1], FINAL) or held.final_output,
            "failure": None if failed is None else _failure(failed),
            "unusable": {**held.unusable, **trace.unusable},
            "metadata": trace.ended(failed),
        }
    )


class _Trace:
    """The model and tool calls of a trace, as messages."""

    def __init__(self, spans: Sequence[Span], agents: AgentNames) -> None:
        self._agents = agents
        self.answers: list[Span | None] = []
        """The model call of each turn; ``None`` for tools called before any."""
        self.messages: list[dict[str, Any]] = []
        self.unusable: dict[str, str] = {}
        self.tools: list[dict[str, Span]] = []
        """The spans of tools that each turn called, by the id of the call."""
        self._named: dict[str, int] = {}
        """The last turn with a call of each id; some programs reuse ids."""
        self._results: dict[str, dict[str, Any]] = {}
        """The message with the result of each call."""
        self._settled: set[str] = set()
        """Calls whose result is known as it was sent to the model."""
        self._calls = Calls([])
        """Those of the latest turn."""
        latest: dict[str, Any] | None = None
        for number, span in enumerate(spans):
            if span.operation in ANSWERS:
                if latest is not None:
                    self._give(span.results, latest["parts"])
                parts = _parts(span)
                if span.error is not None and not parts:
                    continue  # a provider error
                latest = self._begin(span, parts)
            elif span.operation == "execute_tool":
                if latest is None:
                    latest = self._begin(None, [])
                self._run_tool(span, number, latest["parts"])

    def _run_tool(self, span: Span, number: int, parts: list[JsonValue]) -> None:
        """Add the result of a tool, and its call unless it is among the parts of the turn."""
        identity = self._calls.id_of(span)
        if identity is None or identity not in self._named:
            identity = identity or span.id or f"span {number}"
            self._named[identity] = len(self.tools) - 1
            if not self._calls.identify(span, identity):
                parts.append(self._called(span, identity))
        self._calls.take(identity)
        self.tools[self._named[identity]][identity] = span
        self._results[identity] = result_of(span, identity)
        if RESULT in span.attributes:
            self._settled.add(identity)
        self.messages.append(self._results[identity])

    def _begin(self, answer: Span | None, parts: list[JsonValue]) -> dict[str, Any]:
        """Begin a turn, with a message of these parts."""
        message = {"role": "assistant", "parts": parts}
        self.answers.append(answer)
        self.messages.append(message)
        self.tools.append({})
        self._calls = Calls(parts)
        for identity in _ids(parts):
            self._named[identity] = len(self.tools) - 1
            self._results.pop(identity, None)
            self._settled.discard(identity)
        return message

    def _give(self, results: Iterable[Mapping[str, Any]], parts: list[JsonValue]) -> None:
        """Add results that were sent to a model and that no tool span has recorded."""
        is_answered = not self._results.keys().isdisjoint(_ids(parts)) or (
            self.messages[-1]["role"] == "tool"
        )
        for result in results:
            identity = result["tool_call_id"]
            if identity is None:  # these belong to the last calls, in order
                if not is_answered and any(map(_is_call, parts)):
                    self.messages.append({**result})
            elif identity in self._named and identity not in self._settled:
                self._settled.add(identity)
                if identity in self._results:
                    self._results[identity]["content"] = result["content"]
                else:
                    self._results[identity] = {**result}
                    self.messages.append(self._results[identity])

    def _called(self, span: Span, identity: str) -> dict[str, Any]:
        """The call recorded by a tool span, if no model message names it."""
        arguments = parsed(span.attributes.get("gen_ai.tool.call.arguments"))
        if arguments is None:
            reason = "no message and no span has the arguments of a call"
            self.unusable["turns.tool_calls.arguments"] = reason
        return {
            "type": "tool_call",
            "id": identity,
            "name": span.attributes.get("gen_ai.tool.name"),
            "arguments": arguments,
        }

    def timed(self, turn: Turn, answer: Span | None, tools: Mapping[str, Span]) -> Turn:
        """A turn with its usage, its times and those of its calls."""
        ends = [] if answer is None else [answer.end]
        calls = []
        for call in turn.tool_calls:
            tool = tools.get(call.id or "")
            if tool is not None:
                ends.append(tool.end)
                seconds = seconds_between(tool.start, tool.end)
                calls.append(call.model_copy(update={"duration_seconds": seconds}))
            else:
                calls.append(call)
        update: dict[str, Any] = {"tool_calls": tuple(calls)}
        if answer is not None:
            known = [end for end in ends if end is not None]
            update["usage"] = answer.usage or _usage(answer.attributes)
            update["agent"] = self._agents.of(answer)
            update["duration_seconds"] = seconds_between(answer.start, max(known, default=None))
        return turn.model_copy(update=update)

    def ended(self, failed: Span | None) -> dict[str, JsonValue]:
        """The program's own description of how it ended."""
        if failed is not None:
            return {"exit_status": _class_of(failed)}
        last = next((span for span in reversed(self.answers) if span is not None), None)
        reasons = None if last is None else last.attributes.get("gen_ai.response.finish_reasons")
        return {"exit_status": reasons[0]} if isinstance(reasons, list) and reasons else {}


def _is_call(part: JsonValue) -> bool:
    return isinstance(part, dict) and part.get("type") == "tool_call"


def _ids(parts: list[JsonValue]) -> set[str]:
    ids = [part.get("id") for part in parts if isinstance(part, dict)]
    return {each for each in ids if isinstance(each, str)}


def _parts(span: Span) -> list[JsonValue]:
    """The model's answer, as far as it is recorded."""
    about = span.attributes
    messages = parsed(about.get("gen_ai.output.messages") or about.get("gen_ai.completion"))
    if isinstance(messages, str):
        return [{"type": "text", "content": messages}]
    parts = (_message_parts(each) for each in as_list(messages) if isinstance(each, dict))
    return [*chain.from_iterable(parts)]


def _message_parts(message: Mapping[str, JsonValue]) -> Iterator[JsonValue]:
    yield from as_list(message.get("parts"))
    if isinstance(content := message.get("content"), str):  # the older form
        kind = "reasoning" if message.get("role") == "thinking" else "text"
        yield {"type": kind, "content": content}
    for call in as_list(message.get("tool_calls")):
        if isinstance(call, dict):
            function = as_object(call.get("function")) or {}
            yield {**call, **function, "type": "tool_call"}


def _usage(about: Mapping[str, JsonValue]) -> Usage | None:
    """Usage of a model call: the input includes cached tokens, which are omitted if 0."""

    def counted(*names: str) -> int | None:
        return next((count(about[name]) for name in names if name in about), None)

    return made_usage(
        **{field: counted(*names) for field, names in _COUNTS.items()},
        cost=about.get("llm.cost.total"),
    )


def _failure(span: Span) -> Failure:
    name = _class_of(span)
    is_budget = any(each in name for each in _BUDGET) or is_too_long(name, span.error)
    return Failure(reason="budget_exhausted" if is_budget else name, message=span.error)


def _class_of(span: Span) -> str:
    """The class of the exception raised in a span, without its module."""
    name = span.exception or (span.error or "").partition(":")[0]
    return name.rpartition(".")[2] or name


def _first(spans: Sequence[Span], *names: str) -> str | None:
    values = (span.attributes.get(name) for name in names for span in spans)
    return next((value for value in values if isinstance(value, str)), None)
