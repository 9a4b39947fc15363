"""What commands share as processes: exit codes, signals and the output streams.

Nothing here needs an extra, so a missing extra can be reported.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, TextIO

from trajmeter.reports.cells import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType

    import pyarrow as pa

    from trajmeter.writers import TableWriter

__all__ = [
    "ExitCode",
    "PrintedTable",
    "Termination",
    "discard",
    "plain_message",
    "print_message",
    "print_prefixed",
    "redirecting_stdout",
    "terminating_as_interrupted",
    "tolerating_closed_stdout",
    "tolerating_lost_messages",
]

_STDOUT, _STDERR = 1, 2

_PLAIN_WORDS = {
    "Value error, ": "",
    "Input should be a valid integer, unable to parse string as an integer": (
        "expected a whole number"
    ),
    "Input should be a valid number, unable to parse string as a number": "expected a number",
    "Unable to parse input string as an integer, exceeded maximum size": (
        "expected a number of at most 4,300 digits"
    ),
    "Input should be less than or equal to": "expected at most",
    "Input should be greater than or equal to": "expected at least",
}
"""Words of pydantic and typer in messages on options, and what is printed instead."""


class ExitCode(IntEnum):
    """How a command ended.

    Python's own code for a crash is 1, so a crash is caught and becomes :attr:`INTERNAL_ERROR`:
    it must not look like a failed gate.
    """

    OK = 0
    """Done; figures that could not be scored are outcomes, not errors."""
    GATE_FAILED = 1
    """A score was below what the command requires."""
    USAGE = 2
    """Wrong options, paths, profiles or configuration, a missing extra, or unwritable output."""
    INTERNAL_ERROR = 3
    """A bug in this package or in a third-party metric."""
    UNREADABLE_INPUT = 4
    """Some or all of the input could not be read; everything else was scored and written."""
    UNJUDGED = 4
    """Some answers were not judged; everything else was scored and written."""
    INCONCLUSIVE = 5
    """A gate could not be decided for lack of evidence."""
    INTERRUPTED = 130
    """Stopped by Ctrl-C; no output file was changed."""
    TERMINATED = 143
    """Stopped by SIGTERM; no output file was changed."""

    @staticmethod
    def first_of(*codes: ExitCode) -> ExitCode:
        """The exit code that takes precedence."""
        return min(codes, key=_PRECEDENCE.index)


_PRECEDENCE = [
    ExitCode.TERMINATED,
    ExitCode.INTERRUPTED,
    ExitCode.INTERNAL_ERROR,
    ExitCode.USAGE,
    ExitCode.UNREADABLE_INPUT,
    ExitCode.GATE_FAILED,
    ExitCode.INCONCLUSIVE,
    ExitCode.OK,
]


@dataclass
class Termination:
    """Whether SIGTERM, which schedulers and containers use to stop a program, was received."""

    requested: bool = False
    """Whether it was received."""


@contextmanager
def terminating_as_interrupted() -> Iterator[Termination]:
    """Treat SIGTERM like Ctrl-C, so that temporary files are removed and work is kept.

    An existing handler is kept, and so is a request to ignore the signal.
    """
    termination = Termination()
    is_ours = (
        threading.current_thread() is threading.main_thread()  # others cannot install a handler
        and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    )

    def interrupt(_number: int, frame: FrameType | None) -> None:
        termination.requested = True
        # While asyncio runs, it installs its own handler, which lets coroutines clean up.
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):
            handler(signal.SIGINT, frame)
        else:  # a background program ignores Ctrl-C
            raise KeyboardInterrupt

    if is_ours:
        signal.signal(signal.SIGTERM, interrupt)
    try:
        yield termination
    finally:
        if is_ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def discard(stream: TextIO) -> None:
    """Redirect stdout or stderr to nowhere: buffered output would raise again at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
    stream.flush()


@contextmanager
def tolerating_closed_stdout() -> Iterator[None]:
    """Keep running if the reader of stdout, such as ``head``, closes it.

    The exit code still reflects what was found, such as unreadable input.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        discard(sys.stdout)


@contextmanager
def redirecting_stdout() -> Iterator[None]:
    """Redirect what agents and their processes print to stderr: stdout is for data only."""
    sys.stdout.flush()
    # Programs started by an agent, and C code, use the file descriptor.
    kept = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, _STDOUT)
        os.close(kept)


class PrintedTable:
    """Prints rows until stdout is closed, while they are also written to a file.

    Args:
        table: Writes the rows to stdout.
    """

    def __init__(self, table: TableWriter) -> None:
        self._table = table

    def write(self, values: Sequence[Any]) -> None:
        """Print one row."""
        try:
            self._table.write(values)
        except BrokenPipeError:
            discard(sys.stdout)

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Print rows."""
        try:
            self._table.write_batch(batch)
        except BrokenPipeError:
            discard(sys.stdout)

    def finish(self) -> None:
        """Print what is still buffered."""
        try:
            self._table.finish()
        except BrokenPipeError:
            discard(sys.stdout)
            self._table.finish()

    def abandon(self) -> None:
        """Discard buffered rows."""
        self._table.abandon()


@contextmanager
def tolerating_lost_messages() -> Iterator[None]:
    """Keep running if stderr is closed or on a full disk; the exit code still tells the outcome."""
    try:
        yield
        sys.stderr.flush()
    except (OSError, SystemExit):  # rich ends the program if a pipe is closed
        discard(sys.stderr)


def print_message(text: str) -> None:
    """Print a message to stderr, the stream of all messages; ignored if it cannot be written."""
    with tolerating_lost_messages():
        sys.stderr.write("".join(f"{visible(line)}\n" for line in text.splitlines()))


def print_prefixed(text: str) -> None:
    """Print a message with the program's name on every line."""
    print_message("\n".join(f"trajmeter: {line}" for line in text.splitlines()))


def plain_message(text: str) -> str:
    """Say what an option expects without the words of the library that parsed it.

    Example:
        >>> plain_message("Input should be less than or equal to 1")
        'expected at most 1'
    """
    for words, plain in _PLAIN_WORDS.items():
        text = text.replace(words, plain)
    return f"folder {text.removeprefix('dir ')}" if text.startswith(("dir '", 'dir "')) else text
