"""A question of a scenario, with its reference answer and what an answer must contain."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from trajmeter.records.record import Record

__all__ = ["Hop", "Question"]


class Hop(Record):
    """One link of a chain that an answer must contain."""

    id: str
    """Name of the hop."""
    any_of: tuple[str, ...]
    """Texts of which the answer must contain one; compared in lower case, with white space
    collapsed."""
    source: str | None = None
    """Document or table that contains the hop."""


class Question(Record):
    """One question with its reference answer."""

    id: str
    """Id, unique in its scenario."""
    text: str
    """The question."""
    expected_answer: str = ""
    """Reference answer."""
    expected_sources: tuple[str, ...] = ()
    """Documents that hold the answer; names are compared exactly."""
    required_hops: tuple[Hop, ...] = ()
    """Links that the answer must contain."""
    required_tools: tuple[str, ...] = ()
    """Tools the agent is expected to use."""
    required_agents: tuple[str, ...] = ()
    """Specialist agents that are expected to take part."""
    multi_hop: bool = False
    """Whether the question is flagged as needing several documents."""
    branching: bool = False
    """Whether the question is flagged as needing a choice of tools."""
    branching_points: int = 0
    """Number of such choices."""
    coordination_points: int = 0
    """Number of times that agents have to work together."""
    difficulty: str | None = None
    """Such as ``easy``, ``branching``, ``coordination`` or ``hard_coordination``."""
    metadata: dict[str, Any] = Field(default_factory=dict)
    """The question's metadata as written, including the keys read above."""
