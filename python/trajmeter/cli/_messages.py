"""What a command tells on stderr, so that stdout holds nothing but data."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from trajmeter.cli._pipes import discard
from trajmeter.kernels import backend
from trajmeter.reports.cells import visible

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from trajmeter.records import ReadProblem

__all__ = ["Messages"]

# A file in a wrong format has a problem on every line; the first ones tell what is wrong.
_SHOWN_PROBLEMS = 10


class Messages:
    """Tells a person what happens, beside the data."""

    console: Console
    """Where messages go; a progress bar has to share it."""
    unreadable: int
    """Files and records that could not be read so far."""

    def __init__(self) -> None:
        self.console = _MessageConsole(stderr=True)
        self.unreadable = 0

    def tell(self, text: str) -> None:
        """Print one line."""
        self.console.print(Text(visible(text)), soft_wrap=True)

    def tell_backend(self) -> None:
        """Say that the slower kernels compute, unless they were asked for."""
        if backend() == "python" and os.environ.get("TRAJMETER_BACKEND") != "python":
            self.tell(
                "trajmeter: the Rust extension is not installed: using the pure-Python kernels, "
                "with the same results, slower"
            )

    def each_once(self, paths: Iterable[Path]) -> list[Path]:
        """Files without those given before, by whatever name; says which are left out."""
        given: dict[Path, Path] = {}
        for path in paths:
            if given.setdefault(path.resolve(), path) is not path:
                self.tell(f"trajmeter: {path} was given twice, and is read once")
        return list(given.values())

    def report_unreadable(self, problem: ReadProblem) -> None:
        """Report a file or record that is left out."""
        self.unreadable += 1
        if self.unreadable <= _SHOWN_PROBLEMS:
            self.tell(f"unreadable: {problem}")

    def tell_unreadable(self) -> None:
        """Say how many problems there were, if not all were shown."""
        hidden = self.unreadable - _SHOWN_PROBLEMS
        if hidden > 0:
            self.tell(f"unreadable: {hidden:,} more like these, {self.unreadable:,} in all")


class _MessageConsole(Console):
    def on_broken_pipe(self) -> None:
        """Go on: what a command writes is wanted though nobody reads its messages."""
        discard(sys.stderr)
