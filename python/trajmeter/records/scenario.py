"""A scenario: questions over documents, asked of several agent frameworks in one configuration."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from trajmeter.records.record import Record

__all__ = ["Hop", "Question", "Scenario"]


class Hop(Record):
    """One link of a chain that an answer has to contain."""

    id: str
    """Name of the hop."""
    any_of: tuple[str, ...]
    """Texts of which the answer must hold one; compared in lower case, white space collapsed."""
    source: str | None = None
    """Document or table that the hop is to be found in."""


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
    """Links the answer has to contain."""
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
    """The question's metadata as written, the keys read above included."""


class Scenario(Record):
    """A folder of documents and questions, with the configuration every framework shares."""

    name: str
    """Name, also part of the names of result files."""
    version: str = ""
    """Version as written."""
    description: str = ""
    """What the scenario is about."""
    scenario_type: str = ""
    """Kind of scenario, such as ``rag_qa``."""
    profile: str = "default"
    """Scenario profile: the set of extra metrics."""
    mode: str = "baseline"
    """The mode whose settings were laid over the configuration."""
    folder: str
    """The scenario's own folder, absolute; files its settings name lie below it."""
    documents_dir: str | None
    """Folder of the documents, absolute; ``None`` where the scenario names none and has none."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """``config`` with the mode's settings laid over it; passed to the agent as it is."""
    modes: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Settings of every mode, as written."""
    questions: tuple[Question, ...]
    """Questions in order."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Keys of the file that are not read."""
