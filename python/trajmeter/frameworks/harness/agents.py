"""Agents under comparison: their protocol, and the answers they may give.

What agents return is converted to JSON that can be stored, without secrets.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel, Field, ValidationError

from trajmeter.errors import InputError, format_exception
from trajmeter.records import Record
from trajmeter.validation_errors import describe_detail

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "Agent",
    "AgentError",
    "Answer",
    "AnswerUsage",
    "Document",
    "FunctionAgent",
    "TimedAnswer",
    "error_text",
    "read_answer",
    "storable",
]

_SHOWN_CHARACTERS = 200
"""Maximum number of characters of a wrong value in an error message."""
_SECRET_NAMES = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
_LEAST_SECRET = 8
"""Length below which a value may be a common word and is not treated as a secret."""


class AgentError(Exception):
    """What went wrong in an agent's worker process, in the words of that process."""


class Document(Record):
    """One document of a scenario."""

    name: str
    """Path below the scenario's document folder, also its name as a source."""
    text: str
    """Its text."""


class AnswerUsage(Record):
    """Usage of an answer, as reported by the framework."""

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
    """An agent's answer to one question."""

    text: str
    """The answer."""
    sources_used: tuple[str, ...] = ()
    """Documents that it is based on, by name."""
    usage: AnswerUsage = AnswerUsage()
    """Tokens and model."""
    metadata: dict[str, Any] = Field(default_factory=dict)
    """For example ``tool_trace``, ``tool_calls`` and ``agents_used``."""
    problems: tuple[str, ...] = ()
    """What could not be read, except the text, and counts as absent; set by :func:`read_answer`."""


class TimedAnswer(Record):
    """An answer and how long it took."""

    answer: Answer
    """The answer."""
    seconds: float
    """Seconds from question to answer, as measured by the harness."""


class Agent(Protocol):
    """An agent framework's implementation of a scenario."""

    async def ingest(self, documents: Sequence[Document], settings: Mapping[str, Any]) -> None:
        """Prepare: called once per run, with the scenario's documents and settings."""

    async def query(self, question: str) -> object:
        """Answer one question: an :class:`Answer`, an object with its fields, or plain text."""

    async def cleanup(self) -> None:
        """Release what was prepared: called once per run, even after an error."""


class FunctionAgent:
    """An agent made from one function of the question, which may be a coroutine function."""

    def __init__(self, function: Any) -> None:  # noqa: ANN401 - any callable of one question
        self.query = function

    def ingest(self, documents: Sequence[Document], settings: Mapping[str, Any]) -> None:
        """Nothing to prepare."""

    def cleanup(self) -> None:
        """Nothing to release."""


def read_answer(raw: object) -> Answer:
    """Read what an agent returned.

    Only the text is required. Any other field that cannot be read counts as absent, and the
    answer's ``problems`` say so. A single source counts as a list of one.

    Args:
        raw: An :class:`Answer`, a mapping or object with its fields, or plain text.

    Returns:
        The answer.

    Raises:
        InputError: It is anything else, or its text is missing or is not text.

    Example:
        >>> answer = read_answer({"text": "1871", "sources_used": "a.md", "metadata": 7})
        >>> answer.sources_used, answer.metadata
        (('a.md',), {})
        >>> answer.problems
        ('answer.metadata: expected an object, got 7',)
    """
    fields: dict[str, Any] = {"text": raw} if isinstance(raw, str) else _fields(raw, Answer)
    if not fields:
        shown = f"only {[*raw]}" if isinstance(raw, Mapping) else type(raw).__name__
        raise InputError(
            "expected text, or a mapping or object with the key or attribute 'text', got "
            f"{shown[:_SHOWN_CHARACTERS]}"
        )
    problems: list[str] = []
    usage = _read_usage(fields.pop("usage", {}), problems)
    sources = fields.get("sources_used")
    if isinstance(sources, str):
        fields["sources_used"] = (sources,)
    if "metadata" in fields:
        fields["metadata"] = _storable_metadata(fields["metadata"])
    known = _readable(Answer, fields, problems, place="answer")
    if "text" not in known:
        named = [problem for problem in problems if problem.startswith("answer.text:")]
        raise InputError(*named)
    return Answer(**known, usage=usage, problems=tuple(problems))


def _read_usage(raw: object, problems: list[str]) -> AnswerUsage:
    fields = _fields(raw, AnswerUsage)
    named = raw if isinstance(raw, Mapping) else dir(raw)
    if raw != {} and AnswerUsage.model_fields.keys().isdisjoint(named):
        expected = ", ".join(AnswerUsage.model_fields)
        shown = f"only {[*raw]}" if isinstance(raw, Mapping) else type(raw).__name__
        problems.append(
            f"answer.usage: expected {expected}, got {_without_secrets(shown)[:_SHOWN_CHARACTERS]}"
        )
    return AnswerUsage(**_readable(AnswerUsage, fields, problems, place="answer.usage"))


def _readable(
    kind: type[Record], fields: Mapping[str, Any], problems: list[str], *, place: str
) -> dict[str, Any]:
    """The fields that a record type accepts, as JSON, and why it rejects the others."""
    kept: dict[str, Any] = {}
    for key, value in fields.items():
        try:
            kept[key] = storable(value)
        except (ValueError, RecursionError) as error:
            problems.append(f"{place}.{key}: {error}")
    try:
        kind.model_validate(kept)
    except ValidationError as error:
        for wrong in error.errors(include_url=False):
            problems.append(f"{place}.{describe_detail(wrong)}")
            kept.pop(str(wrong["loc"][0]), None)
    return kept


def _fields(raw: object, kind: type[Record]) -> dict[str, Any]:
    """The fields of a record type that a mapping or object has; others are ignored."""
    found = {
        key: raw.get(key) if isinstance(raw, Mapping) else getattr(raw, key, None)
        for key in kind.model_fields.keys() - {"problems"}
    }
    return {key: value for key, value in found.items() if value is not None}


def _storable_metadata(metadata: object) -> object:
    """The metadata as JSON; an answer is not lost because its metadata cannot be kept."""
    try:
        return storable(metadata)
    except (ValueError, RecursionError) as error:
        return {"unreadable": str(error)}


def storable(value: object) -> Any:  # noqa: ANN401 - any JSON value
    """The value as JSON would return it.

    Tuples and sets become lists, models and dataclasses become mappings, and anything else unknown
    to JSON becomes text; keys other than text are omitted. A number that is not finite becomes
    ``None``, half a surrogate pair becomes a question mark, and a secret in the environment becomes
    the name of its variable.

    Raises:
        ValueError: The value contains itself.
        RecursionError: It is nested too deeply.

    Example:
        >>> storable({"trace": ("sql", float("nan")), "agents": {"ops"}})
        {'trace': ['sql', None], 'agents': ['ops']}
    """
    text = json.dumps(value, default=_plainer, ensure_ascii=False, skipkeys=True)
    safe = _without_secrets(_encodable(text), written=_inside_json)
    return json.loads(safe, parse_constant=lambda _: None)


def error_text(error: BaseException) -> str:
    """Type and message of an error that an agent raised."""
    if isinstance(error, AgentError):
        return str(error)
    return _without_secrets(_encodable(format_exception(error)))


def _plainer(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    return str(value)


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _without_secrets(text: str, *, written: Callable[[str], str] = str) -> str:
    """The text without the environment's secrets, each in the form that ``written`` gives it."""
    for name, value in os.environ.items():
        secret = value.strip()  # a key from a file often ends in a line break, which is not sent
        is_secret = name.upper().rstrip("_0123456789").endswith(_SECRET_NAMES)
        if is_secret and len(secret) >= _LEAST_SECRET:
            text = text.replace(written(secret), f"[{name}]")
    return text


def _inside_json(value: str) -> str:
    """The value as it appears between the quotes of JSON text."""
    return json.dumps(_encodable(value), ensure_ascii=False)[1:-1]
