"""Spans that lie within others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.readers.opentelemetry.spans import ANSWERS, Span

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["AGENTS", "innermost", "outermost"]

AGENTS = frozenset({"invoke_agent", "invoke_workflow"})
"""Operations that are runs of an agent, or of some."""


def innermost(spans: Sequence[Span]) -> list[Span]:
    """Spans, with one for each call of a model: frameworks and clients may both write of it.

    The innermost counts, with what only those around it tell.
    """
    found = dict(enumerate(spans))
    within: dict[str, int] = {}
    for at, span in found.items():
        if span.operation in ANSWERS and span.error is None and span.parent is not None:
            within[span.parent] = at  # the last, where some were tried again
    for at, span in enumerate(spans):
        inner = within.get(span.id or "")
        if span.operation in ANSWERS and inner != at and inner in found:
            about = {**found.pop(at).attributes, **found[inner].attributes}
            results = found[inner].results or span.results
            found[inner] = found[inner]._replace(attributes=about, results=results)
    return list(found.values())


def outermost(spans: Sequence[Span]) -> list[Span]:
    """Spans of agents and workflows that are within no other."""
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
