"""Inputs as a command lists them: files that are listed twice, and parts that cannot be read."""

from __future__ import annotations

import glob
from typing import TYPE_CHECKING

from trajmeter.cli._process import print_message
from trajmeter.remote import is_remote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from trajmeter.records import ReadProblem

__all__ = ["Unreadable", "warn_of_repeats", "without_repeats"]

_SHOWN_PROBLEMS = 10
"""Maximum number of problems to show: a file in the wrong format has one on every line."""


class Unreadable:
    """Counts unreadable files and records, and shows the first of them."""

    count: int
    """The count so far."""

    def __init__(self) -> None:
        self.count = 0
        self._beside = 0
        self._seen: set[ReadProblem] = set()

    def report_once(self, problem: ReadProblem) -> None:
        """Report a problem once, even if a file is read several times."""
        if problem not in self._seen:
            self._seen.add(problem)
            self.report(problem)

    def report(self, problem: ReadProblem) -> None:
        """Count an unreadable file or record, and show the reason."""
        self.count += 1
        if self.count <= _SHOWN_PROBLEMS:
            print_message(f"unreadable: {problem}")

    def begin_inputs(self) -> None:
        """Mark all problems so far as found outside the inputs, such as in tasks."""
        self._beside = self.count

    def report_total(self, found: int = 0) -> None:
        """Show the total, if not all problems were shown.

        Args:
            found: Number of problems in the inputs, including those of a resumed run.
        """
        hidden = self.count - _SHOWN_PROBLEMS
        if hidden > 0:
            print_message(f"unreadable: {hidden:,} more, {self.count:,} in total")
        earlier = found - (self.count - self._beside)
        if earlier > 0:
            print_message(f"trajmeter: unreadable: {earlier:,} more that the earlier run reported")


def without_repeats(paths: Iterable[Path]) -> list[Path]:
    """Remove paths that name the same file again, with a message about each.

    If there are several paths, patterns are expanded, as other paths may name the same files.
    """
    listed = list(paths)
    if len(listed) < 2:  # noqa: PLR2004 - several
        return listed
    kept: dict[Path, Path] = {}
    for path in listed:
        files = _files_of(path)
        before = len(kept)
        for file in files:
            kept.setdefault(file.resolve(), file)
        repeated = len(files) - (len(kept) - before)
        if repeated:
            is_all = len(files) == 1
            what = str(path) if is_all else f"{repeated:,} of the files of {path}"
            print_message(f"trajmeter: {what}: listed twice; read once")
    _warn_of_folders(kept)
    return list(kept.values())


def warn_of_repeats(paths: Iterable[Path], effect: str) -> None:
    """Warn about files that are listed again where each file counts as one system or judge.

    Args:
        paths: The files.
        effect: What follows from it.
    """
    by_place: dict[Path, list[Path]] = {}
    for path in paths:
        by_place.setdefault(path.resolve(), []).append(path)
    for first, *others in by_place.values():
        if others:
            times = "twice" if len(others) == 1 else f"{len(others) + 1} times"
            print_message(f"trajmeter: {first}: listed {times}; {effect}")


def _warn_of_folders(given: Mapping[Path, Path]) -> None:
    """Warn about paths in a folder that is also listed; its format may skip them.

    Args:
        given: The listed paths, by their resolved paths.
    """
    local = {place: path for place, path in given.items() if not is_remote(path)}
    inside: dict[Path, list[Path]] = {place: [] for place in local if place.is_dir()}
    if not inside:
        return
    for place, path in local.items():
        for folder in inside.keys() & set(place.parents):
            inside[folder].append(path)
    for folder, (first, *others) in ((each, paths) for each, paths in inside.items() if paths):
        more = f" (and {len(others):,} more)" if others else ""
        print_message(
            f"trajmeter: {first}{more}: also in {given[folder]}, which is read too; the same "
            "attempts may count twice"
        )


def _files_of(path: Path) -> list[Path]:
    if is_remote(path) or not glob.has_magic(str(path)):
        return [path]
    from trajmeter.readers.patterns import expanded  # not needed for other paths

    return expanded(path)
