"""The entry point: runs a command, and turns whatever it raises into a message and a code."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from trajmeter.cli._pipes import discard, for_whoever_reads
from trajmeter.cli._termination import Termination, terminating_as_interrupted
from trajmeter.cli.exit_codes import ExitCode
from trajmeter.errors import BackendError, ConfigurationError, ExtraMissingError, ReadError
from trajmeter.reports.cells import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_CODES: tuple[tuple[type[Exception] | tuple[type[Exception], ...], ExitCode], ...] = (
    (ReadError, ExitCode.UNREADABLE_INPUT),
    # Readers turn an OSError of their own into a ReadError; what is left is a full disk and such.
    ((ConfigurationError, ExtraMissingError, BackendError, OSError), ExitCode.USAGE),
)


@runtime_checkable
class _UsageError(Protocol):
    """What typer raises for a wrong call; the class has moved between its versions."""

    exit_code: int

    def show(self) -> None:
        """Print the message, and how to get help, on stderr."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: Arguments without the program's name; those of this process by default.

    Returns:
        The exit code, see :class:`~trajmeter.cli.exit_codes.ExitCode`.
    """
    _print_whatever_the_encoding()
    with warnings.catch_warnings(), terminating_as_interrupted() as termination:
        warnings.showwarning = _show_warning
        try:
            return _run(arguments)
        except BrokenPipeError:
            discard(sys.stdout)
            return ExitCode.OK
        except (KeyboardInterrupt, SystemExit, Exception) as error:  # noqa: BLE001 - see ExitCode
            return _tell_error(error, termination)


def _tell_error(error: BaseException, termination: Termination) -> ExitCode:
    if isinstance(error, KeyboardInterrupt):
        _tell("terminated" if termination.asked else "interrupted")
        return ExitCode.TERMINATED if termination.asked else ExitCode.INTERRUPTED
    if isinstance(error, _UsageError):
        error.show()
        return ExitCode.USAGE
    for kinds, code in _CODES:
        if isinstance(error, kinds):
            _tell(f"error: {error}")
            return code
    traceback.print_exception(error)
    _tell("error: this is a defect of trajmeter; please report it with the lines above")
    return ExitCode.INTERNAL_ERROR


def _run(arguments: Sequence[str] | None) -> int:
    try:
        from typer import Exit
        from typer.main import get_command

        from trajmeter.cli._app import app
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        raise ExtraMissingError(
            f"the command line needs {error.name}: pip install 'trajmeter[cli]'"
        ) from error
    # Not ``app()``, which would turn a closed pipe into code 1 and wrap an interrupt.
    command = get_command(app)
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        with command.make_context("trajmeter", words) as context:
            code: ExitCode = command.invoke(context)
    except Exit as done:  # after --help and --version
        return done.exit_code
    with for_whoever_reads():  # the last that was printed is still buffered
        return code


def _print_whatever_the_encoding() -> None:
    """Let text that the terminal's encoding lacks be escaped instead of raising."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # it was closed before the program began
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - to the very end
            setattr(sys, name, nowhere)
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _show_warning(message: Warning | str, *_place: object, **_file: object) -> None:
    """Print a warning as one line; its place in the code says nothing to a user."""
    _tell(f"warning: {message}")


def _tell(text: str) -> None:
    try:
        sys.stderr.write("".join(f"trajmeter: {visible(line)}\n" for line in text.splitlines()))
        sys.stderr.flush()
    except BrokenPipeError:
        discard(sys.stderr)
