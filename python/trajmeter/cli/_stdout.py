"""The console that data is printed to."""

from __future__ import annotations

from rich.console import Console

__all__ = ["stdout_console"]

_UNLIMITED = 100_000
"""Characters of a line that is not shown on a terminal."""


def stdout_console() -> Console:
    """Console for stdout: lines are broken where a terminal ends, and nowhere in a file or pipe."""
    console = _DataConsole()
    return console if console.is_terminal else _DataConsole(width=_UNLIMITED)


class _DataConsole(Console):
    def on_broken_pipe(self) -> None:
        """Let the command line decide; rich would exit with 1, as a gate does."""
        raise BrokenPipeError
