"""Finds spans nested in others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.readers.opentelemetry.spans import ANSWERS, Span

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["AGENTS", "innermost", "outermost"]

AGENTS = frozenset({"invoke_agent", "invoke_workflow"})
"""Operations that run one or more agents."""


def innermost(spans: Sequence[Span]) -> list[Span]:
    """Reduce spans to one per model call, which frameworks and clients may both record.

    The innermost span is kept, with attributes that only the enclosing spans have.
    """
    found = dict(enumerate(spans))
    within: dict[str, int] = {}
    for at, span in found.items():
        if span.operation in ANSWERS and span.error is None and span.parent is not None:
            within[span.parent] = at  # the last one, if calls were retried
    for at, span in enumerate(spans):
        inner = within.get(span.id or "")
        if span.operation in ANSWERS and inner != at and inner in found:
            about = {**found.pop(at).attributes, **found[inner].attributes}
            results = found[inner].results or span.results
            usage = found[inner].usage or span.usage
            found[inner] = found[inner]._replace(attributes=about, results=results, usage=usage)
    return list(found.values())


def outermost(spans: Sequence[Span]) -> list[Span]:
    """Spans of agents and workflows that are not within another one."""
    by_id = {span.id: span for span in spans if span.id is not None}
    found = []
    for span in spans:
        if span.operation not in AGENTS:
            continue
        seen = {span.id}
        around = by_id.get(span.parent or "")
        while around is not None and around.id not in seen and around.operation not in AGENTS:
            seen.add(around.id)
            around = by_id.get(around.parent or "")
        if around is None or around.id in seen:
            found.append(span)
    return found
