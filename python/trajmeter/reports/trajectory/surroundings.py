"""References shown with a trajectory: its task, and the files of its repository."""

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
    """What is known beside the trajectory; each part may be missing."""

    task: Task | None = None
    """The task."""
    tracker: ContextTracker | None = None
    """Follows what share of gold has been seen; for one reading."""
    files: Collection[str] = ()
    """Paths of the repository's files."""
    content: Callable[[str], bytes | None] | None = None
    """Gives the content of a file by its path; ``None`` for one that cannot be read."""

    def find(self, path: str) -> str | None:
        """The file that a path of the log means; ``None`` without a repository, or if none."""
        if self.content is None:
            return None
        # Metrics take longer to import than a log to read, and are not needed without a repository.
        from trajmeter.metrics.context.paths import find

        return find(path, self.files, None if self.task is None else self.task.repo)

    def lines(self, path: str, first: int, last: int | None) -> list[str]:
        """Lines of a file, those that exist; empty for a file that cannot be read.

        Args:
            path: One of :attr:`files`.
            first: The first line, from 1.
            last: The last one, included; ``None`` for the end of the file.
        """
        content = self.content(path) if self.content else None
        if content is None:
            return []
        text = content.decode(errors="replace")
        # Only LF separates lines, as for every figure; the phantom line holds nothing.
        found = text.removesuffix("\n").split("\n") if text else []
        return found[max(first, 1) - 1 : None if last is None else max(last, 0)]

    def byte_text(self, path: str, start: int, end: int) -> list[str]:
        """Lines of a range of bytes, half-open."""
        content = self.content(path) if self.content else None
        return [] if content is None else content[start:end].decode(errors="replace").split("\n")
