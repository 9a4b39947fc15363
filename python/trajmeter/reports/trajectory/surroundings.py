"""References to show with a trajectory: its task, and the files of its repository."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from trajmeter.metrics.context.tracker import ContextTracker
    from trajmeter.records import Task

__all__ = ["Surroundings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """References for a trajectory; each may be missing."""

    task: Task | None = None
    """The task."""
    tracker: ContextTracker | None = None
    """Tracks the share of gold seen so far; for one trajectory."""
    files: Collection[str] = ()
    """Paths of the repository's files."""
    content: Callable[[str], bytes | None] | None = None
    """Returns the content of a file by path; ``None`` if it cannot be read."""

    def find(self, path: str) -> str | None:
        """The file that a path in the log refers to, or ``None``, such as without a repository."""
        if self.content is None:
            return None
        # Importing metrics takes longer than reading a log, and is only needed with a repository.
        from trajmeter.metrics.context.paths import find

        return find(path, self.files, None if self.task is None else self.task.repo)

    def lines(self, path: str, first: int, last: int | None) -> list[str]:
        """Existing lines in a range of a file; empty if the file cannot be read.

        Args:
            path: One of :attr:`files`.
            first: The first line, from 1.
            last: The last line, inclusive; ``None`` for the end of the file.
        """
        content = self.content(path) if self.content else None
        if content is None:
            return []
        text = content.decode(errors="replace")
        # Only LF separates lines, as for all figures; the line after a final newline is dropped.
        found = text.removesuffix("\n").split("\n") if text else []
        return found[max(first, 1) - 1 : None if last is None else max(last, 0)]

    def byte_text(self, path: str, start: int, end: int) -> list[str]:
        """Lines of a range of bytes, half-open."""
        content = self.content(path) if self.content else None
        return [] if content is None else content[start:end].decode(errors="replace").split("\n")
