"""What was found in a folder: whether anything, and which files no format recognises."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.records import ReadProblem
from trajmeter.remote import path_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["FolderNotes", "FolderTally"]


class FolderTally(NamedTuple):
    """The findings in part of a folder."""

    is_empty: bool
    """Whether nothing has been read or reported."""
    left_out: int
    """Number of files that no format recognises."""
    example: str | None
    """The first of these files."""


class FolderNotes:
    """Records what was found in a folder argument, so that no file is skipped silently."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        """The folder."""
        self._count = 0
        self._example: Path | None = None
        self._is_empty = True
        self._repeating: list[Path] = []
        self._with_logs: set[Path] = set()
        self._last: str | None = None

    def report(self) -> None:
        """Record that a problem with a file was reported."""
        self._is_empty = False

    def read(self, path: Path | str) -> None:
        """Record that a file was read."""
        self._is_empty = False
        last, self._last = self._last, os.path.dirname(path)  # noqa: PTH120 - called for every file
        if last == self._last:
            return
        for folder in path_of(path).parents:
            if folder in self._with_logs:
                break
            self._with_logs.add(folder)

    def leave_out(self, path: Path) -> None:
        """Record that no format recognises a file."""
        self._count += 1
        self._example = self._example or path

    def repeats(self, path: Path) -> bool:
        """Whether predictions or a summary repeat logs next to or below them that were read."""
        if path.parent in self._with_logs:
            self._repeating.append(path)
        return path.parent in self._with_logs

    def tally(self) -> FolderTally:
        """The findings so far in this part of the folder, for another's :meth:`merge`."""
        example = None if self._example is None else str(self._example)
        return FolderTally(self._is_empty, self._count, example)

    def merge(self, tally: FolderTally) -> None:
        """Add the findings from a later part of the folder."""
        self._is_empty = self._is_empty and tally.is_empty
        self._count += tally.left_out
        if self._example is None and tally.example is not None:
            self._example = path_of(tally.example)

    def end(self) -> Iterator[ReadProblem]:
        """The problem that nothing was read, or a warning about skipped files."""
        if self._is_empty:
            found = f"; none recognises {self._example}" if self._example else ""
            yield ReadProblem(
                file=str(self.folder),
                message="nothing to read in the folder: no file in it has a format that "
                f"'trajmeter formats' lists{found}",
            )
            return
        if self._repeating:
            first, *others = self._repeating
            more = f" (and {len(others):,} more)" if others else ""
            warnings.warn(
                f"{first}{more}: left out, because predictions and summaries beside logs describe "
                "the same attempts; name the file to read it",
                stacklevel=2,
            )
        if self._count:
            files = "1 file is" if self._count == 1 else f"{self._count:,} files are"
            warnings.warn(
                f"{self.folder}: {files} left out, because no format recognises "
                f"{'it' if self._count == 1 else 'them'}: {self._example}"
                f"{' …' if self._count > 1 else ''}",
                stacklevel=2,
            )
