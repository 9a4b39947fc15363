"""Runs recorded by other tracing programs, as spans that follow the conventions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trajmeter.readers.messages.fields import CARRIED_BY_MESSAGES
from trajmeter.readers.opentelemetry.answers import answer_of, sent_messages, with_cost
from trajmeter.readers.opentelemetry.error_texts import exception_class, without_traceback
from trajmeter.readers.opentelemetry.results import results_in
from trajmeter.readers.opentelemetry.spans import ANSWERS, NO_MESSAGE, Span
from trajmeter.readers.opentelemetry.tool_runs import FINAL, final_text, tool_run
from trajmeter.readers.opentelemetry.traces import attempt_of
from trajmeter.readers.opentelemetry.values import TASK_ID
from trajmeter.records.measurements import finite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.records import Source, Trajectory, Usage

__all__ = [
    "AGENT",
    "CARRIED_BY_RUNS",
    "CHAT",
    "OTHER",
    "TOOL",
    "Run",
    "attempt_of_runs",
    "recorded_cost",
    "with_scores",
]

AGENT = "invoke_agent"
_WORKFLOW = "invoke_workflow"
CHAT = "chat"
TOOL = "execute_tool"
OTHER = "task"
"""A run that is neither of an agent, nor of a model, nor of a tool."""

_PASSED = ("passed", "resolved")

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
    named: dict[str, JsonValue] = {} if task is None else {TASK_ID: task}
    return attempt_of([_span(run, by_id, named) for run in runs], source)


def _span(run: Run, by_id: Mapping[str, Run], task: Mapping[str, JsonValue]) -> Span:
    """A run as a span, with the attributes of the conventions."""
    attributes = dict(task)
    operation, is_error, usage = run.operation, run.is_error, None
    if operation == CHAT:
        usage = _answer(run, attributes)
        around = _around(run, by_id)
        attributes["gen_ai.agent.name"] = next(
            (outer.name for outer in around if outer.operation == AGENT), run.agent
        )
    elif operation == TOOL:
        described = tool_run(run.name, run.input, run.output, run.call_id)
        attributes |= described.attributes
        is_error = described.has_failed or is_error
    elif operation == AGENT:
        attributes["gen_ai.agent.name"] = run.name
    elif run.parent is None:
        operation = _WORKFLOW
        attributes["gen_ai.workflow.name"] = run.name
    if operation in (AGENT, _WORKFLOW) and run.parent is None:
        attributes[FINAL] = final_text(run.output)
    error = without_traceback(run.error)
    return Span(
        trace=run.trace,
        id=run.id,
        parent=run.parent,
        operation=operation,
        start=run.start,
        end=run.end,
        error=(error or NO_MESSAGE) if is_error else None,
        exception=exception_class(error) if is_error else None,
        attributes={key: value for key, value in attributes.items() if value is not None},
        results=results_in(sent_messages(run.input)) if operation in ANSWERS else (),
        usage=usage,
    )


def _answer(run: Run, attributes: dict[str, JsonValue]) -> Usage | None:
    """Describe the answer of a model; returns the usage of the call."""
    answer = answer_of(run.output)
    attributes |= {**answer.attributes(), "gen_ai.request.model": run.model}
    return with_cost(answer.usage or run.usage, run.cost)


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


def recorded_cost(value: object) -> float | None:
    """A cost in US dollars, which may be a decimal number as text; 0 stands for an unknown one."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    cost = finite(value)
    return cost if cost is not None and cost > 0 else None


def with_scores(attempt: Trajectory, scores: Mapping[str, JsonValue]) -> Trajectory:
    """An attempt with its scores, of which ``passed`` or ``resolved`` may say whether it passed."""
    if not scores:
        return attempt
    verdicts = (scores.get(name) for name in _PASSED)
    passed = next((bool(verdict) for verdict in verdicts if verdict in (0, 1)), None)
    metadata = {**attempt.metadata, "scores": dict(scores)}
    return attempt.model_copy(update={"passed": passed, "metadata": metadata})
