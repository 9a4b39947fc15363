"""Results of the answers family for one attempt."""

from __future__ import annotations

from typing import Annotated

from trajmeter.metrics._result import Figure, Group, Result

__all__ = ["AnswersResult", "Coverage", "Hops", "RetrievalFigures"]


class RetrievalFigures(Group):
    """Sources that the answer names, compared with those that hold the answer."""

    precision: Annotated[
        float | None,
        Figure(0, 1, higher_is_better=True, numerator=("relevant",), denominator=("retrieved",)),
    ] = None
    """Relevant / retrieved sources; 0 if nothing was retrieved."""
    recall: Annotated[
        float | None,
        Figure(0, 1, higher_is_better=True, numerator=("relevant",), denominator=("expected",)),
    ] = None
    """Relevant / expected sources."""
    relevant: Annotated[int | None, Figure(0, unit="sources")] = None
    """Expected sources that were retrieved."""
    retrieved: Annotated[int | None, Figure(0, unit="sources")] = None
    """Sources that were retrieved."""
    expected: Annotated[int | None, Figure(0, unit="sources")] = None
    """Sources that hold the answer."""


class Hops(Group):
    """Links of a chain that the answer contains."""

    coverage: Annotated[
        float | None,
        Figure(0, 1, higher_is_better=True, numerator=("matched",), denominator=("required",)),
    ] = None
    """Matched / required hops."""
    grounded_coverage: Annotated[
        float | None,
        Figure(0, 1, higher_is_better=True, numerator=("grounded",), denominator=("required",)),
    ] = None
    """Matched hops whose source was retrieved / required hops."""
    required: Annotated[int | None, Figure(0, unit="hops")] = None
    """Hops the task requires."""
    matched: Annotated[int | None, Figure(0, unit="hops")] = None
    """Hops the answer contains."""
    grounded: Annotated[int | None, Figure(0, unit="hops")] = None
    """Matched hops whose source was retrieved."""


class Coverage(Group):
    """Which of the required tools or agents took part."""

    coverage: Annotated[
        float | None,
        Figure(0, 1, higher_is_better=True, numerator=("matched",), denominator=("required",)),
    ] = None
    """Matched / required."""
    matched: Annotated[int | None, Figure(0)] = None
    """Required tools or agents that took part."""
    required: Annotated[int | None, Figure(0)] = None
    """Required ones."""


class AnswersResult(Result):
    """Retrieval, hops, tools and agents of one answer."""

    retrieval: RetrievalFigures
    """Sources."""
    hops: Hops
    """Links of a chain."""
    tools: Coverage
    """Tools, according to the trace in the attempt's metadata."""
    agents: Coverage
    """Specialist agents, according to the attempt's metadata."""
