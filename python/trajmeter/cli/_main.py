"""The program: how its process starts, runs a command and ends."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
import time
import warnings
from contextlib import suppress
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NoReturn

from trajmeter.cli._application import NAME, application, default_map
from trajmeter.cli._errors import report_error
from trajmeter.cli._process import (
    ExitCode,
    discard,
    print_prefixed,
    terminating_as_interrupted,
    tolerating_closed_stdout,
)
from trajmeter.cli._streams import prepare_streams
from trajmeter.system.pipes import keeping_pipes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["main", "program"]

_COMPLETION = "_TRAJMETER_COMPLETE"
"""Set by the script from ``--show-completion`` when a shell requests completions."""
_STDOUT, _STDERR = 1, 2
_COLLECTED = 200_000
"""Garbage collection threshold: more objects than a short run creates, as nearly all of them live
to its end."""
_SWITCH_SECONDS = 0.0002
"""Time for which a thread may keep the interpreter while others wait for it. Threads that read and
write need it only briefly between long calls that do not; by default each would wait 5 ms."""
_GRACE_SECONDS = 5.0
"""How long threads that are still running, such as an exporter's, may take to finish."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: Arguments without the program's name; those of this process by default.

    Returns:
        The exit code, see :class:`~trajmeter.cli.ExitCode`.
    """
    prepare_streams()
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
            code = report_error(error, termination)
            if code is ExitCode.USAGE:
                words = sys.argv[1:] if arguments is None else arguments
                print_prefixed("\n".join([*_about_dashes(words), *settings]))
            return code


def _about_dashes(words: Sequence[str]) -> list[str]:
    """What to say about files whose names look like options."""
    options = takewhile(lambda word: word != "--", words)
    files = [word for word in options if word[:1] == "-" != word and os.path.lexists(word)]
    return [f"to name the file {file}, write ./{file}" for file in dict.fromkeys(files)]


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
            command.main(words, prog_name=NAME)
        defaults = default_map(command, words, settings)
        return command.make_context(NAME, words, default_map=defaults)
    except SystemExit as done:  # as typer does for completion
        if _is_closed_pipe(done):
            raise
        raise Exit(1 if done.code else 0) from done


def _show_warning(message: Warning | str, *_place: object, **_file: object) -> None:
    """Print a warning as one line, without its code location, which means nothing to users."""
    print_prefixed(f"warning: {message}")
