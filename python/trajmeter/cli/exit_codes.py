"""Exit codes of the command line."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["ExitCode"]


class ExitCode(IntEnum):
    """What became of a command, for the program that called it.

    Python's own code for a crash is 1, so a crash is caught and becomes :attr:`INTERNAL_ERROR`:
    it must not look like a gate that failed.
    """

    OK = 0
    """Done; figures that could not be scored are outcomes, not errors."""
    GATE_FAILED = 1
    """A score that the call requires was not reached."""
    USAGE = 2
    """The call, or what it needs, is wrong: options, paths, profiles, missing extras."""
    INTERNAL_ERROR = 3
    """A defect of this package, or of a metric that is not its own."""
    UNREADABLE_INPUT = 4
    """Some or all of the input could not be read; everything else was scored and written."""
    INTERRUPTED = 130
    """Stopped by Ctrl-C; no output file was changed."""
    TERMINATED = 143
    """Stopped by SIGTERM, as by Ctrl-C."""

    @staticmethod
    def first_of(*codes: ExitCode) -> ExitCode:
        """The one to exit with, where several apply."""
        return min(codes, key=_PRECEDENCE.index)


_PRECEDENCE = [
    ExitCode.TERMINATED,
    ExitCode.INTERRUPTED,
    ExitCode.INTERNAL_ERROR,
    ExitCode.USAGE,
    ExitCode.UNREADABLE_INPUT,
    ExitCode.GATE_FAILED,
    ExitCode.OK,
]
