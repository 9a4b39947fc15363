"""Agents under comparison: a small protocol, and how one is loaded and what it may answer."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from pydantic import Field, ValidationError

from trajmeter.errors import ConfigurationError, InputError
from trajmeter.frameworks.harness.outputs import error_text, storable
from trajmeter.records import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Agent",
    "Answer",
    "AnswerUsage",
    "Document",
    "FunctionAgent",
    "TimedAnswer",
    "load_agent",
    "read_answer",
]

_SHOWN_CHARACTERS = 200
"""Characters of a wrong value that an error message shows."""


class Document(Record):
    """One document of a scenario."""

    name: str
    """Path below the scenario's document folder, which is also its name as a source."""
    text: str
    """Its text."""


class AnswerUsage(Record):
    """What an answer took, as the framework reports it."""

    prompt_tokens: int = Field(default=0, ge=0)
    """Prompt tokens."""
    completion_tokens: int = Field(default=0, ge=0)
    """Completion tokens."""
    total_tokens: int | None = None
    """Total as reported."""
    latency_seconds: float | None = None
    """Latency as reported; the harness measures its own."""
    model_name: str | None = None
    """Model that answered."""


class Answer(Record):
    """What an agent answers to one question."""

    text: str
    """The answer."""
    sources_used: tuple[str, ...] = ()
    """Documents that it draws on, by name."""
    usage: AnswerUsage = AnswerUsage()
    """Tokens and model."""
    metadata: dict[str, Any] = Field(default_factory=dict)
    """Such as ``tool_trace``, ``tool_calls`` and ``agents_used``."""


class TimedAnswer(Record):
    """An answer, and how long it took."""

    answer: Answer
    """The answer."""
    seconds: float
    """Seconds from question to answer, as the harness measured them."""


class Agent(Protocol):
    """An agent framework's implementation of a scenario."""

    async def ingest(self, documents: Sequence[Document], settings: Mapping[str, Any]) -> None:
        """Prepare: called once per run, with the scenario's documents and settings."""

    async def query(self, question: str) -> object:
        """Answer one question: an :class:`Answer`, an object of its fields, or plain text."""

    async def cleanup(self) -> None:
        """Let go of what was prepared: called once per run, also after an error."""


class FunctionAgent:
    """An agent made of one function of the question; the function may be a coroutine function."""

    def __init__(self, function: Any) -> None:  # noqa: ANN401 - any callable of one question
        self.query = function

    def ingest(self, documents: Sequence[Document], settings: Mapping[str, Any]) -> None:
        """Nothing to prepare."""

    def cleanup(self) -> None:
        """Nothing to let go of."""


def load_agent(reference: str) -> tuple[str, Agent, Path | None]:
    """Load an agent named as ``module:object``.

    The object is a class (made without arguments), an object with ``query``, or a function of the
    question. Modules of the current folder are found too.

    Args:
        reference: Such as ``my_agents:LangGraphAgent``.

    Returns:
        Name (the agent's ``name`` if it has one, else that of its class, function or variable), the
        agent, and its source file.

    Raises:
        ConfigurationError: The reference is malformed, or nothing is there; the message says what.
    """
    module_name, separator, attribute = reference.partition(":")
    if not (module_name and separator and attribute):
        raise ConfigurationError(
            f"agent {reference!r}: expected module:object, such as my_agents:answer"
        )
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # the module may do anything
        message = f"agent {reference!r}: cannot be imported: {error_text(error)}"
        raise ConfigurationError(message) from error
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise ConfigurationError(
                f"agent {reference!r}: {getattr(found, '__name__', found)} has no {part!r}"
            )
        found = getattr(found, part)
    file = inspect.getsourcefile(module)
    agent = _as_agent(found, reference)
    name = _name(agent) or _name(found) or str(getattr(found, "__name__", attribute))
    return name, agent, Path(file) if file else None


def read_answer(raw: object) -> Answer:
    """Read what an agent returned.

    Args:
        raw: An :class:`Answer`, a mapping or object of its fields, or plain text.

    Returns:
        The answer.

    Raises:
        InputError: It is something else, or a field is of the wrong kind.
    """
    given: dict[str, Any] = {"text": raw} if isinstance(raw, str) else _fields(raw, Answer)
    if not given:
        shown = f"one of {[*raw]}" if isinstance(raw, Mapping) else type(raw).__name__
        raise InputError(
            f"expected an answer, a mapping with a text, or text, got {shown[:_SHOWN_CHARACTERS]}"
        )
    if "usage" in given:
        given["usage"] = _fields(given["usage"], AnswerUsage)
    metadata = given.pop("metadata", {})
    try:
        known = storable(given) | {"metadata": _storable_metadata(metadata)}
        return Answer.model_validate(known)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        shown = repr(first["input"])[:_SHOWN_CHARACTERS]
        raise InputError(f"answer.{place}: {first['msg']}, got {shown}") from error


def _fields(raw: object, kind: type[Record]) -> dict[str, Any]:
    """The fields of a kind of record that a mapping or an object has; others are passed over."""
    found = {
        key: raw.get(key) if isinstance(raw, Mapping) else getattr(raw, key, None)
        for key in kind.model_fields
    }
    return {key: value for key, value in found.items() if value is not None}


def _storable_metadata(metadata: object) -> object:
    """The metadata as JSON; an answer is not lost because what stands beside it cannot be kept."""
    try:
        return storable(metadata)
    except (ValueError, RecursionError) as error:
        return {"unreadable": str(error)}


def _name(holder: object) -> str:
    """The text that an agent gives as its name, or nothing."""
    try:
        name = getattr(holder, "name", None)
    except Exception:  # noqa: BLE001 - a property is the agent's own
        return ""
    return name.strip() if isinstance(name, str) else ""


def _as_agent(found: Any, reference: str) -> Agent:  # noqa: ANN401 - whatever the module holds
    try:
        made = found() if inspect.isclass(found) else found
    except (Exception, SystemExit) as error:
        message = f"agent {reference!r}: cannot be made: {error_text(error)}"
        raise ConfigurationError(message) from error
    if callable(getattr(made, "query", None)):
        return cast("Agent", made)
    if callable(made):
        return cast("Agent", FunctionAgent(made))
    raise ConfigurationError(
        f"agent {reference!r}: expected a class, an object with query, or a function of the "
        f"question, got {type(made).__name__}"
    )
