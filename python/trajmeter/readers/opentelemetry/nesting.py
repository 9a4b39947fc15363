"""Finds spans nested in others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.readers._logs.values import as_text
from trajmeter.readers.opentelemetry.spans import ANSWERS, Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["AGENTS", "AGENT_NAME", "AgentNames", "innermost", "outermost"]

AGENTS = frozenset({"invoke_agent", "invoke_workflow"})
"""Operations that run one or more agents."""
AGENT_NAME = "gen_ai.agent.name"
"""Name of the agent that a span is of."""
_PART = "task"
"""Operation of spans that are neither of an agent, nor of a model, nor of a tool."""
_TOOL = "execute_tool"
_TOOL_NAME = "gen_ai.tool.name"


def innermost(spans: Sequence[Span]) -> list[Span]:
    """Reduce spans to one per call, which frameworks and clients may both record.

    The innermost span is kept, with attributes that only the enclosing spans have.
    """
    by_id = {span.id: span for span in spans if span.id is not None}
    found = dict(enumerate(spans))
    within: dict[str, int] = {}
    beyond: dict[str | None, Span | None] = {}
    for at, span in found.items():
        outer = by_id.get(span.parent or "")
        if span.operation in ANSWERS:
            outer = _beyond_parts(outer, by_id, beyond)
        if outer is not None and outer.id is not None and _is_same_call(span, outer):
            within[outer.id] = at  # the last one, if calls were retried
    kept_in: dict[int, int] = {}
    for at, span in enumerate(spans):
        inner = within.get(span.id or "", at)
        while inner in kept_in and inner != at:
            inner = kept_in[inner]
        if inner == at:
            continue
        kept_in[at] = inner
        about = {**found.pop(at).attributes, **found[inner].attributes}
        results = found[inner].results or span.results
        usage = found[inner].usage or span.usage
        error = found[inner].error or (span.error if span.operation == _TOOL else None)
        found[inner] = found[inner]._replace(
            attributes=about, results=results, usage=usage, error=error
        )
    return list(found.values())


def _beyond_parts(
    span: Span | None, by_id: Mapping[str, Span], beyond: dict[str | None, Span | None]
) -> Span | None:
    """The span itself, or the nearest one around it that is not only a part of the program.

    Args:
        span: The span.
        by_id: The spans of the trace.
        beyond: Those found so far, by the ids of such parts.
    """
    passed: list[str | None] = []
    while span is not None and span.operation == _PART and span.id not in beyond:
        passed.append(span.id)
        beyond[span.id] = None  # ends a circle
        span = by_id.get(span.parent or "")
    if span is not None and span.operation == _PART:
        span = beyond[span.id]
    beyond.update(dict.fromkeys(passed, span))
    return span


def _is_same_call(span: Span, outer: Span) -> bool:
    """Whether a span records the call that the span around it records."""
    if span.operation in ANSWERS:
        return outer.operation in ANSWERS and span.error is None
    name = span.attributes.get(_TOOL_NAME)
    is_tool = span.operation == outer.operation == _TOOL
    return is_tool and name is not None and name == outer.attributes.get(_TOOL_NAME)


def outermost(spans: Sequence[Span]) -> list[Span]:
    """Spans of agents and workflows that are not within another one."""
    by_id = {span.id: span for span in spans if span.id is not None}
    nearest: dict[str | None, Span | None] = {}
    found = []
    for span in spans:
        if span.operation not in AGENTS:
            continue
        passed: list[str | None] = []
        around = by_id.get(span.parent or "")
        while around is not None and around.operation not in AGENTS:
            if around.id in nearest:
                around = nearest[around.id]
                break
            passed.append(around.id)
            nearest[around.id] = None  # ends a circle
            around = by_id.get(around.parent or "")
        nearest.update(dict.fromkeys(passed, around))
        if around is None or around.id == span.id:
            found.append(span)
    return found


class AgentNames:
    """Names of the agents that spans are of: of their own, or of the nearest agent around them."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._by_id = {span.id: span for span in spans if span.id is not None}
        self._found: dict[str, str | None] = {}

    def of(self, span: Span) -> str | None:
        """Name of the agent that a span is of."""
        passed: list[str] = []
        around: Span | None = span
        name = None
        while around is not None and name is None:
            name = as_text(around.attributes.get(AGENT_NAME))
            if around.id in self._found:
                name = name or self._found[around.id]
                break
            if around.id is not None:
                passed.append(around.id)
                self._found[around.id] = None  # ends a circle
            around = self._by_id.get(around.parent or "")
        self._found.update(dict.fromkeys(passed, name))
        return name
