"""Lines of an output, some of which may not have been shown or recorded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Text", "has_any"]

_CUT_HINTS = ("truncated", "clipped", "elided", "omitted")
"""Any text that :data:`_CUT` finds contains one of these words."""
_CUT = re.compile(
    r"<response clipped>|<elided_chars>|\[\.\.\. Observation truncated due to length"
    r"|\[\.\.\. omitted \d+ of \d+ lines|…\s?\+?\d+ (?:lines|tokens|chars|characters) truncated"
    r"|\.\.\. \[?\d+ (?:lines|characters) truncated"
)


class Text(NamedTuple):
    """The lines of an output."""

    lines: list[str]
    hidden: tuple[int, int] = (0, 0)
    """Lines that were not shown to the agent, half-open."""
    uncounted: int | None = None
    """First line whose position in the whole output is unknown because lines are missing."""
    is_trimmed: bool = False
    """Whether empty lines were trimmed from the beginning and the end."""

    @classmethod
    def of(
        cls, output: str, hidden: tuple[int, int] | None = None, *, is_trimmed: bool = False
    ) -> Text:
        """Parse an output, some characters of which may not have been shown."""
        lines = output.split("\n")
        if lines[-1] == "":
            lines.pop()
        if hidden is not None and 0 <= hidden[0] < hidden[1] <= len(output):
            first = output.count("\n", 0, hidden[0])
            is_partly = output[hidden[1] - 1] != "\n"
            return cls(lines, (first, output.count("\n", 0, hidden[1]) + is_partly))
        cut = _CUT.search(output) if has_any(output, _CUT_HINTS) else None
        if cut is not None:
            return cls(lines, uncounted=output.count("\n", 0, cut.start()))
        return cls(lines, is_trimmed=is_trimmed)


def has_any(text: str, words: Sequence[str]) -> bool:
    """Whether a text contains one of these words."""
    for word in words:  # noqa: SIM110 - any() of a generator takes twice as long
        if word in text:
            return True
    return False
