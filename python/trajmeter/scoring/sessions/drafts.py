"""Turns of a session that are still being recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers.messages.drafts import made_turn
from trajmeter.records import ToolCall, Usage
from trajmeter.records.record import frozen

if TYPE_CHECKING:
    from trajmeter.records import Turn, View

__all__ = ["TurnDraft"]


class TurnDraft:
    """A turn that is still being recorded."""

    known_calls = 0
    """Number of its calls that come from messages."""
    views: list[View] | None = None
    usage: dict[str, Any] | None = None
    """Tokens and cost, as the fields of their record."""
    reads = False
    """Whether it called a tool known to read files."""
    record: Turn | None = None
    """The turn when last requested; ``None`` if it has changed since."""

    def __init__(
        self, agent: str | None = None, program: str | None = None, text: str | None = None
    ) -> None:
        self.agent = agent
        self.program = program
        self.says_program = program is not None
        """Whether its program was recorded explicitly rather than derived from its calls."""
        self.text = text
        self.calls: list[dict[str, Any]] = []
        """Calls, each as its record's fields."""

    def turn(self) -> Turn:
        """The turn in its current state."""
        if self.record is None:
            calls = tuple([frozen(ToolCall, values.copy()) for values in self.calls])
            views = None if self.views is None else tuple(self.views)
            usage = None if self.usage is None else frozen(Usage, self.usage.copy())
            self.record = made_turn(calls, self.program, self.text, self.agent, views, usage)
        return self.record
