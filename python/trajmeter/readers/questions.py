"""Reads the questions of a scenario from ``questions.yaml`` or task metadata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajmeter.errors import ConfigurationError
from trajmeter.records import Hop, Question

__all__ = ["Fields", "read_question"]


class Fields:
    """The fields of a mapping, type-checked when read; an absent mapping has none.

    Args:
        raw: The mapping, as loaded from YAML or JSON.
        at: Location of the mapping, which begins messages about it.
        prefix: Prefix of field names in messages; defaults to ``at`` and a dot.

    Raises:
        ConfigurationError: It is not a mapping. The methods raise it for a field of the wrong type.
    """

    raw: dict[str, Any]
    """The mapping, with keys as text."""

    def __init__(self, raw: object, at: str, *, prefix: str | None = None) -> None:
        if raw is not None and not isinstance(raw, Mapping):
            raise ConfigurationError(f"{at}: expected a mapping, got {raw!r}")
        self.raw = {str(key): value for key, value in (raw or {}).items()}
        self._prefix = f"{at}." if prefix is None else prefix

    def place(self, key: str) -> str:
        """Location of a field, for messages."""
        return f"{self._prefix}{key}"

    def fields(self, key: str) -> Fields:
        """A nested mapping."""
        return Fields(self.raw.get(key), self.place(key))

    def sequence(self, key: str) -> list[Any]:
        """A list; empty if absent."""
        value = self.raw.get(key)
        if value is not None and not isinstance(value, list):
            raise self._expected("a list", key)
        return value or []

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; empty if absent."""
        values = self.sequence(key)
        for i, value in enumerate(values):
            if not isinstance(value, str):
                raise ConfigurationError(f"{self.place(key)}[{i}]: expected text, got {value!r}")
        return tuple(values)

    def text(self, key: str) -> str:
        """A text, or a number as text; empty if absent."""
        value = self.raw.get(key)
        if isinstance(value, (bool, list, Mapping)):
            raise self._expected("text", key)
        return "" if value is None else str(value)

    def required_text(self, key: str) -> str:
        """A text that must be present and not empty."""
        text = self.text(key)
        if not text:
            raise ConfigurationError(f"{self.place(key)}: expected text, got nothing")
        return text

    def flag(self, key: str) -> bool:
        """True or false; false if absent."""
        value = self.raw.get(key)
        if value not in (None, 0, 1):  # bool() would accept 1 and 0, and text such as "false"
            raise self._expected("true or false", key)
        return bool(value)

    def count(self, key: str) -> int:
        """A whole number, which may be written as text; 0 if absent."""
        value = self.raw.get(key)
        if value is None:
            return 0
        try:
            count = int(value)
        except (TypeError, ValueError, OverflowError):
            raise self._expected("a whole number", key) from None
        if isinstance(value, bool) or (isinstance(value, float) and count != value):
            raise self._expected("a whole number", key)
        return count

    def _expected(self, kind: str, key: str) -> ConfigurationError:
        return ConfigurationError(f"{self.place(key)}: expected {kind}, got {self.raw[key]!r}")


def read_question(raw: object, *, at: str) -> Question:
    """Read one question.

    Args:
        raw: The question, as loaded from YAML or JSON.
        at: Location of the question, which begins messages.

    Returns:
        The question.

    Raises:
        ConfigurationError: A field is missing or of the wrong type.
    """
    fields = Fields(raw, at)
    if not fields.raw:
        raise ConfigurationError(f"{at}: expected a question with id and text, got {raw!r}")
    question_id, text = fields.required_text("id"), fields.required_text("text")
    metadata = fields.fields("metadata")
    hops = enumerate(metadata.sequence("required_hops"))
    return Question(
        id=question_id,
        text=text,
        expected_answer=fields.text("expected_answer"),
        expected_sources=fields.texts("expected_sources"),
        required_hops=tuple(
            _hop(hop, f"{metadata.place('required_hops')}[{i}]", str(i)) for i, hop in hops
        ),
        required_tools=metadata.texts("required_tools"),
        required_agents=metadata.texts("required_agents"),
        multi_hop=metadata.flag("multi_hop"),
        branching=metadata.flag("branching"),
        branching_points=metadata.count("branching_points"),
        coordination_points=metadata.count("coordination_points"),
        difficulty=metadata.text("difficulty") or None,
        metadata=metadata.raw,
    )


def _hop(raw: object, at: str, position: str) -> Hop:
    fields = Fields(raw, at)
    if not fields.raw:
        raise ConfigurationError(f"{at}: expected a hop with id, any_of and source, got {raw!r}")
    aliases = fields.sequence("any_of")
    for i, alias in enumerate(aliases):
        if not isinstance(alias, str) or not alias.strip():
            raise ConfigurationError(f"{at}.any_of[{i}]: expected text, got {alias!r}")
    return Hop(
        id=fields.text("id") or position,
        any_of=tuple(aliases),
        source=fields.text("source") or None,
    )
