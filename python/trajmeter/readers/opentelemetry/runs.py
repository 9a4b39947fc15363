"""Runs recorded by other tracing programs, as spans that follow the conventions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.readers._logs.values import as_text
from trajmeter.readers.messages.fields import CARRIED_BY_MESSAGES
from trajmeter.readers.messages.shapes import identity_of, unwrapped
from trajmeter.readers.opentelemetry.answers import answer_of, sent_messages
from trajmeter.readers.opentelemetry.openllmetry import ENTITY_INPUT, SPAN_KIND
from trajmeter.readers.opentelemetry.results import results_in
from trajmeter.readers.opentelemetry.spans import ANSWERS, NO_MESSAGE, TASK_ID, Span
from trajmeter.readers.opentelemetry.tools import RESULT
from trajmeter.readers.opentelemetry.traces import FINAL, attempt_of
from trajmeter.readers.opentelemetry.values import structured
from trajmeter.records import Usage
from trajmeter.records.measurements import finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.records import Source, Trajectory

__all__ = [
    "AGENT",
    "CARRIED_BY_RUNS",
    "CHAT",
    "OTHER",
    "TOOL",
    "Run",
    "attempt_of_runs",
    "recorded_cost",
]

AGENT = "invoke_agent"
CHAT = "chat"
TOOL = "execute_tool"
OTHER = "task"
"""A run that is neither of an agent, nor of a model, nor of a tool."""

CARRIED_BY_RUNS = (
    *CARRIED_BY_MESSAGES,
    "agent",
    "attempt",
    "turns.duration_seconds",
    "turns.tool_calls.duration_seconds",
    "duration_seconds",
    "failure",
    "metadata",
)
"""Fields that runs and spans can provide."""

_TRACEBACK = "Traceback (most recent call last)"
_RAISED = re.compile(r"([A-Za-z_][\w.]*)(?:\(|: )")
"""An exception at the beginning of an error: its ``repr``, or its class and message."""
_CALLED = frozenset({"args", "kwargs"})
"""Keys of the arguments of a decorated function."""


class Run(NamedTuple):
    """A run of a model, tool or agent, or of a part of the program around them."""

    trace: str
    """Id of its trace."""
    id: str | None
    """Its own id."""
    parent: str | None
    """Id of the run it is in; ``None`` for a root."""
    operation: str
    """:data:`CHAT`, :data:`TOOL`, :data:`AGENT` or :data:`OTHER`."""
    name: str | None
    """Its name."""
    start: float | None
    """When it began, in seconds since 1970."""
    end: float | None
    """When it ended."""
    is_error: bool
    """Whether it failed."""
    error: str | None
    """Why it failed, in its program's words."""
    input: JsonValue
    """What it was given."""
    output: JsonValue
    """What it returned."""
    model: str | None = None
    """The requested model."""
    usage: Usage | None = None
    """Usage recorded beside the answer, for answers without it."""
    cost: float | None = None
    """Cost recorded beside the answer."""
    agent: str | None = None
    """The agent that asked the model, if no run of an agent is around it."""
    call_id: str | None = None
    """Id of the call that a tool answers."""


def attempt_of_runs(runs: Sequence[Run], source: Source, task: str | None) -> Trajectory | None:
    """Convert a trace's runs to a trajectory; ``None`` if no model or tool was called.

    Args:
        runs: The runs of one trace.
        source: Where they were read.
        task: Id of the task; without one, the trace's id is used.
    """
    by_id = {run.id: run for run in runs if run.id is not None}
    has_agents = any(run.operation == AGENT for run in runs)
    spans = []
    for run in runs:
        attributes: dict[str, JsonValue] = {} if task is None else {TASK_ID: task}
        operation, is_error, usage, parent = run.operation, run.is_error, None, run.parent
        if operation == CHAT:
            usage = _answer(run, attributes)
            around = _around(run, by_id)
            attributes["gen_ai.agent.name"] = next(
                (each.name for each in around if each.operation == AGENT), run.agent
            )
            parent = _enclosing(around) or parent
        elif operation == TOOL:
            is_error = _tool(run, attributes) or is_error
        elif operation == AGENT:
            attributes["gen_ai.agent.name"] = run.name
        elif run.parent is None:
            operation = AGENT
            attributes["gen_ai.agent.name"] = None if has_agents else run.name
        if operation == AGENT and run.parent is None:
            attributes[FINAL] = _final(run.output)
        error = run.error.partition(_TRACEBACK)[0].strip() if run.error else None
        spans.append(
            Span(
                trace=run.trace,
                id=run.id,
                parent=parent,
                operation=operation,
                start=run.start,
                end=run.end,
                error=(error or NO_MESSAGE) if is_error else None,
                exception=_class_in(error) if is_error else None,
                attributes={key: each for key, each in attributes.items() if each is not None},
                results=results_in(sent_messages(run.input)) if operation in ANSWERS else (),
                usage=usage,
            )
        )
    return attempt_of(spans, source)


def _answer(run: Run, attributes: dict[str, JsonValue]) -> Usage | None:
    """Describe the answer of a model; returns the usage of the call."""
    answer = answer_of(run.output)
    attributes["gen_ai.output.messages"] = [{"role": "assistant", "parts": answer.parts}]
    attributes["gen_ai.request.model"] = run.model
    attributes["gen_ai.response.model"] = answer.model
    if answer.finish_reason is not None:
        attributes["gen_ai.response.finish_reasons"] = [answer.finish_reason]
    usage = answer.usage or run.usage
    if run.cost is None or (usage is not None and usage.cost_usd is not None):
        return usage
    return (usage or Usage()).model_copy(update={"cost_usd": run.cost})


def _around(run: Run, by_id: Mapping[str, Run]) -> list[Run]:
    """The runs around a run, from the inside."""
    found: list[Run] = []
    seen = {run.id}
    outer = by_id.get(run.parent or "")
    while outer is not None and outer.id not in seen:
        seen.add(outer.id)
        found.append(outer)
        outer = by_id.get(outer.parent or "")
    return found


def _enclosing(around: Iterable[Run]) -> str | None:
    """Id of the model call that only parts of the program separate from another one in it."""
    inner = next((run for run in around if run.operation != OTHER), None)
    return None if inner is None or inner.operation != CHAT else inner.id


def _tool(run: Run, attributes: dict[str, JsonValue]) -> bool:
    """Describe the call of a tool; returns whether its message says that it failed."""
    given = _arguments(run.input)
    # Without an id, the call is found by name and arguments, as for Traceloop's tools.
    attributes |= {"gen_ai.tool.name": run.name, SPAN_KIND: "tool"}
    identity = run.call_id
    if isinstance(given, dict) and given.get("type") == "tool_call" and "args" in given:
        identity = identity or identity_of(given.get("id"))
        given = given["args"]
    if isinstance(given, dict) and given.keys() == _CALLED:
        attributes[ENTITY_INPUT] = given
        given = given["kwargs"] if not given["args"] else given
    elif isinstance(given, dict):
        attributes[ENTITY_INPUT] = {"kwargs": given}
    attributes["gen_ai.tool.call.arguments"] = given
    output, status = run.output, None
    if isinstance(output, dict) and output.keys() == {"output"}:
        output = output["output"]
    if isinstance(returned := structured(output), dict):
        message = unwrapped(returned)
        if "tool_call_id" in message and "content" in message:
            identity = identity or identity_of(message["tool_call_id"])
            output, status = message["content"], message.get("status")
    attributes[RESULT] = None if output == {} else output
    attributes["gen_ai.tool.call.id"] = identity
    return status == "error"


def _arguments(given: JsonValue) -> JsonValue:
    """The arguments of a tool; text is parsed if it is a JSON object, never evaluated."""
    if isinstance(given, dict) and given.keys() == {"input"}:
        given = given["input"]
    found = structured(given)
    return found if isinstance(found, dict) else given


def _final(output: JsonValue) -> str | None:
    """The text that a whole run returned."""
    if isinstance(output, dict) and output.keys() == {"output"}:
        output = output["output"]
    elif structured(output) is not output:
        return None  # an object that was written as text
    return as_text(output)


def _class_in(error: str | None) -> str:
    """Class of the exception in an error; ``error`` if it names none."""
    raised = _RAISED.match(error or "")
    return raised[1] if raised else "error"


def recorded_cost(value: object) -> float | None:
    """A cost in US dollars, which may be a decimal number as text; 0 stands for an unknown one."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    cost = finite(value)
    return cost if cost is not None and cost > 0 else None
