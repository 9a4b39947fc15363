"""The program: its commands, and how the process starts and ends."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
import time
import traceback
import warnings
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, runtime_checkable

from trajmeter.cli._process import (
    ExitCode,
    Termination,
    discard,
    plain_message,
    print_message,
    terminating_as_interrupted,
    tolerating_closed_stdout,
    tolerating_lost_messages,
)
from trajmeter.errors import BackendError, ConfigurationError, ExtraMissingError, ReadError
from trajmeter.system.pipes import keeping_pipes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typer import Typer

__all__ = ["COMMANDS", "application", "main", "program"]

_NAME = "trajmeter"
_COMPLETION = "_TRAJMETER_COMPLETE"
"""Set by the script from ``--show-completion`` when a shell requests completions."""
COMMANDS = (
    "score",
    "view",
    "convert",
    "snapshot",
    "run",
    "judge",
    "merge",
    "summarize",
    "compare",
    "report",
    "agreement",
    "average",
    "quality",
    "price",
    "bench",
    "metrics",
    "formats",
)
"""Modules of the commands, in the order of the help."""
_VERSION = "--version"
"""The option that prints the version, for which no command is imported."""
_GROUPS = ("metrics",)
"""Modules of commands that have subcommands."""
_STDOUT, _STDERR = 1, 2
_COLLECTED = 200_000
"""Garbage collection threshold: more objects than a short run creates, as nearly all of them live
to its end."""
_SWITCH_SECONDS = 0.0002
"""Time for which a thread may keep the interpreter while others wait for it. Threads that read and
write need it only briefly between long calls that do not; by default each would wait 5 ms."""
_GRACE_SECONDS = 5.0
"""How long threads that are still running, such as an exporter's, may take to finish."""

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


def application(words: Sequence[str] = ()) -> Typer:
    """The application; its commands import what they need when they run.

    Args:
        words: Arguments of the program; only the commands that they may need are imported.

    Raises:
        ExtraMissingError: typer or rich is not installed.
    """
    for needed in ("typer", "rich"):
        if find_spec(needed) is None:
            raise ExtraMissingError(
                f"the command line needs {needed}: pip install 'trajmeter[cli]'"
            )
    from trajmeter.cli import _terminal

    app = _terminal.new_group("Score recorded agent trajectories.", name=_NAME, completes=True)
    app.callback()(_terminal.program_options)
    for name in _possible(words):
        module = import_module(f"trajmeter.cli.{name}")
        if name in _GROUPS:
            app.add_typer(module.app)
        else:
            app.command(cls=_terminal.Command)(getattr(module, name))
    return app


def _possible(words: Sequence[str]) -> Sequence[str]:
    """The commands that the program's arguments may need."""
    if [*words] == [_VERSION]:
        return ()
    named = next((word for word in words if not word.startswith("-")), None)
    return (named,) if named in COMMANDS else COMMANDS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: Arguments without the program's name; those of this process by default.

    Returns:
        The exit code, see :class:`~trajmeter.cli.ExitCode`.
    """
    _prepare_streams()
    settings: list[str] = []
    with warnings.catch_warnings(), terminating_as_interrupted() as termination:
        warnings.showwarning = _show_warning
        try:
            return _run(arguments, settings)
        except BrokenPipeError:
            discard(sys.stdout)
            return ExitCode.OK
        except (KeyboardInterrupt, SystemExit, Exception) as error:  # noqa: BLE001 - see ExitCode
            if _is_closed_pipe(error):
                discard(sys.stdout)
                return ExitCode.OK
            code = _report(error, termination)
            if code is ExitCode.USAGE:
                _print_lines("\n".join(settings))
            return code


def _is_closed_pipe(error: BaseException) -> bool:
    """Whether rich stopped printing help because the reader closed the pipe."""
    return isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError)


def program() -> NoReturn:
    """Run the command line, and end the process with its exit code.

    At exit, Python waits for every thread, and an agent that missed its deadline may have left one
    that never ends.
    """
    gc.set_threshold(_COLLECTED)
    sys.setswitchinterval(_SWITCH_SECONDS)
    ended: list[int] = []
    if _is_first_at_exit():
        atexit.register(_skip_teardown, ended)
    code = main()
    ended.append(code)
    gc.freeze()  # avoids several garbage collections at exit
    with suppress(OSError):  # either may be closed
        os.dup2(_STDERR, _STDOUT)  # anything that threads print from here on is not data
    threading.Thread(target=_end, args=(code,), daemon=True).start()
    sys.exit(code)


def _is_first_at_exit() -> bool:
    """Whether nothing else, such as a coverage tool, waits for the process to end."""
    registered: Callable[[], int] | None = getattr(atexit, "_ncallbacks", None)
    return registered is not None and registered() == 0


def _skip_teardown(ended: Sequence[int]) -> None:
    """End the process after its threads and exit handlers, skipping interpreter teardown.

    Teardown of modules and objects takes a tenth of the time of a short command.
    """
    if not ended:  # main() did not catch the exception
        return
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):  # Python reports that error itself
        return
    os._exit(ended[0])


def _end(code: int) -> NoReturn:
    time.sleep(_GRACE_SECONDS)
    os._exit(code)


def _run(arguments: Sequence[str] | None, settings: list[str]) -> int:
    """Run a command.

    Args:
        arguments: As for :func:`main`.
        settings: Gets a line on the defaults from a settings file, if there are any.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    app = application(() if _COMPLETION in os.environ else words)
    from typer import Exit
    from typer.main import get_command

    # Not ``app()``, which would turn a closed pipe into exit code 1 and wrap an interrupt.
    command = get_command(app)
    try:
        with keeping_pipes(), _context(command, words, settings) as context:
            code: ExitCode = command.invoke(context)
    except Exit as done:  # after --help, --version and the completion options
        return ExitCode.USAGE if done.exit_code else ExitCode.OK
    with tolerating_closed_stdout():  # the last lines are still buffered
        return code


def _context(command: Any, words: list[str], settings: list[str]) -> Any:  # noqa: ANN401 - its class has moved between versions
    from typer import Exit

    try:
        if _COMPLETION in os.environ:
            command.main(words, prog_name=_NAME)
        defaults = _default_map(command, words, settings)
        return command.make_context(_NAME, words, default_map=defaults)
    except SystemExit as done:  # as typer does for completion
        if _is_closed_pipe(done):
            raise
        raise Exit(1 if done.code else 0) from done


def _default_map(command: Any, words: Sequence[str], used: list[str]) -> dict[str, Any]:  # noqa: ANN401 - as above
    """Defaults of the command's options from a settings file."""
    from trajmeter.cli._defaults import defaults_for, described, find_settings

    named = next((word for word in words if not word.startswith("-")), None)
    found = find_settings(Path.cwd()) if named in COMMANDS and named not in _GROUPS else None
    if named is None or found is None:
        return {}
    file, settings = found
    parameters = command.commands[named].params
    options = _long_options(parameters)
    if not {key for key, value in settings.items() if not isinstance(value, dict)} <= set(options):
        from typer.main import get_command

        every = get_command(application()).commands  # type: ignore[attr-defined]  # of the group
        options = [name for each in every.values() for name in _long_options(each.params)]
    own = defaults_for(
        named, parameters, settings, file, words=words, commands=COMMANDS, all_options=options
    )
    used += described(own, parameters, file, words)
    return {named: own}


def _long_options(parameters: Sequence[Any]) -> list[str]:
    return [
        option[2:]
        for parameter in parameters
        for option in parameter.opts
        if option.startswith("--")
    ]


def _report(error: BaseException, termination: Termination) -> ExitCode:
    """Print an error of a command, and return its exit code."""
    if isinstance(error, KeyboardInterrupt):
        return _interrupted(termination)
    if isinstance(error, _UsageError):
        error.message = plain_message(error.message)
        with tolerating_lost_messages():
            error.show()
        return ExitCode.USAGE
    for kinds, code in _CODES:
        if isinstance(error, kinds):
            _print_lines(f"error: {_words_of(error)}")
            return code
    # A library may turn an interrupt into its own error; pydantic names it in the message only.
    if termination.requested or KeyboardInterrupt.__name__ in str(error):
        return _interrupted(termination)
    with tolerating_lost_messages():
        traceback.print_exception(error)
    _print_lines("error: this is a bug in trajmeter; please report it with the traceback above")
    return ExitCode.INTERNAL_ERROR


def _words_of(error: BaseException) -> str:
    """The message of an error, without the number of one of the operating system."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return f"stdout: cannot be written: {error.strerror}" if _stdout_fails() else error.strerror


def _stdout_fails() -> bool:
    """Whether stdout still holds output that cannot be written, which is then discarded."""
    try:
        sys.stdout.flush()
    except OSError:
        discard(sys.stdout)
        return True
    return False


def _interrupted(termination: Termination) -> ExitCode:
    print_message("trajmeter: " + ("terminated" if termination.requested else "interrupted"))
    return ExitCode.TERMINATED if termination.requested else ExitCode.INTERRUPTED


def _prepare_streams() -> None:
    """Escape characters that the terminal's encoding lacks, and replace closed streams."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # it was closed before the program started
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open until the process ends
            setattr(sys, name, nowhere)
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _show_warning(message: Warning | str, *_place: object, **_file: object) -> None:
    """Print a warning as one line, without its code location, which means nothing to users."""
    _print_lines(f"warning: {message}")


def _print_lines(text: str) -> None:
    """Print a message with the program's name on every line."""
    print_message("\n".join(f"trajmeter: {line}" for line in text.splitlines()))
