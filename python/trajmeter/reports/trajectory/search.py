"""Searches the sections of a trajectory for a pattern."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trajmeter.reports.trajectory.sections import Block, Section

__all__ = ["Search"]


class Search:
    """A regular expression; case is ignored unless it contains a capital letter.

    Args:
        pattern: The expression.

    Raises:
        ConfigurationError: The pattern is not a valid regular expression.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        flags = 0 if any(map(str.isupper, pattern)) else re.IGNORECASE
        try:
            self._expression = re.compile(pattern, flags)
        except re.error as error:
            raise ConfigurationError(f"{pattern!r} is not a regular expression: {error}") from error

    def sections(self, sections: Iterable[Section]) -> Iterator[Section]:
        """The sections that contain a match."""
        return (each for each in sections if self._occurs_in(each))

    def lines(self, block: Block) -> list[int]:
        """Indices of the lines of a block that contain a match."""
        return [at for at, line in enumerate(block.lines) if self._expression.search(line)]

    def parts(self, text: str) -> Iterator[tuple[str, bool]]:
        """Split a text into parts, each with whether it is a match."""
        end = 0
        for match in self._expression.finditer(text):
            if match.end() > match.start():
                yield text[end : match.start()], False
                yield match[0], True
                end = match.end()
        yield text[end:], False

    def _occurs_in(self, section: Section) -> bool:
        texts = (section.title, *section.facts)
        return any(map(self._expression.search, texts)) or any(
            self._expression.search(block.label) or self.lines(block) for block in section.blocks
        )
