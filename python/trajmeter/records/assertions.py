"""Assertions of a task, and what a judge says of them."""

from __future__ import annotations

from typing import Any

from pydantic import Field, JsonValue

from trajmeter.records._base import Record

__all__ = ["Assertion", "Verdict"]


class Assertion(Record):
    """One thing that has to hold of an attempt, graded by a rule or by a judge."""

    name: str | None = None
    """Name, which a judge's verdict refers to."""
    type: str = ""
    """Kind of check, such as ``transcript_contains`` or ``llm_judge``."""
    check: JsonValue = None
    """What to look for, or the question to a judge, as written; rules can use text only."""
    tool: JsonValue = None
    """Tool that has to be called, as written; rules can use text only."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Keys of the file that no reader knows."""

    @property
    def label(self) -> str:
        """The name, or the type of a nameless assertion."""
        return self.name or self.type


class Verdict(Record):
    """What a judge says of one assertion."""

    name: str
    """Name of the assertion, or the type of a nameless one."""
    result: str
    """``pass`` or ``fail``; anything else, such as ``needs_review``, decides nothing."""
    reason: str | None = None
    """The judge's evidence or reasons."""
