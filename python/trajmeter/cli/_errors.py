"""Errors that end a command: their messages and exit codes."""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from trajmeter.cli._process import (
    ExitCode,
    discard,
    plain_message,
    print_message,
    print_prefixed,
    tolerating_lost_messages,
)
from trajmeter.cli._streams import StdoutError
from trajmeter.errors import BackendError, ConfigurationError, ExtraMissingError, ReadError
from trajmeter.text import without_controls

if TYPE_CHECKING:
    from trajmeter.cli._process import Termination

__all__ = ["report_error"]

_CODES: tuple[tuple[type[Exception] | tuple[type[Exception], ...], ExitCode], ...] = (
    (ReadError, ExitCode.UNREADABLE_INPUT),
    # Readers convert their own OSErrors to ReadError; what is left is a full disk and the like.
    ((ConfigurationError, ExtraMissingError, BackendError, OSError), ExitCode.USAGE),
)


@runtime_checkable
class _UsageError(Protocol):
    """Typer's exception for a wrong call; its class has moved between versions."""

    exit_code: int
    message: str

    def show(self) -> None:
        """Print the message, and how to get help, to stderr."""


def report_error(error: BaseException, termination: Termination) -> ExitCode:
    """Print an error of a command, and return its exit code."""
    if isinstance(error, KeyboardInterrupt):
        return _interrupted(termination)
    if isinstance(error, _UsageError):
        error.message = plain_message(error.message)
        with tolerating_lost_messages():
            error.show()
        return ExitCode.USAGE
    if isinstance(error, StdoutError):
        discard(sys.stdout)
    for kinds, code in _CODES:
        if isinstance(error, kinds):
            print_prefixed(f"error: {_words_of(error)}")
            return code
    # A library may turn an interrupt into its own error; pydantic names it in the message only.
    if termination.requested or KeyboardInterrupt.__name__ in str(error):
        return _interrupted(termination)
    with tolerating_lost_messages():
        shown = without_controls("".join(traceback.format_exception(error)))
        sys.stderr.write(shown)
    print_prefixed("error: this is a bug in trajmeter; please report it with the traceback above")
    return ExitCode.INTERNAL_ERROR


def _words_of(error: BaseException) -> str:
    """The message of an error, without the number of one of the operating system."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"


def _interrupted(termination: Termination) -> ExitCode:
    print_message("trajmeter: " + ("terminated" if termination.requested else "interrupted"))
    return ExitCode.TERMINATED if termination.requested else ExitCode.INTERRUPTED
