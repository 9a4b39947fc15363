"""Output that nobody reads any more: whoever closed the pipe, such as ``head``, has seen enough."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.writers import TableWriter

__all__ = ["PrintedTable", "discard", "for_whoever_reads"]


@contextmanager
def for_whoever_reads() -> Iterator[None]:
    """Print to stdout as long as someone reads it; the command goes on in any case.

    What it has found out, such as input that cannot be read, is still in its exit code.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        discard(sys.stdout)


def discard(stream: TextIO) -> None:
    """Let stdout or stderr lead nowhere: what is still buffered would raise once more at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


class PrintedTable:
    """Prints rows as long as someone reads them, while they are also written to a file.

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

    def finish(self) -> None:
        """Print what is still held back."""
        try:
            self._table.finish()
        except BrokenPipeError:
            discard(sys.stdout)
            self._table.finish()

    def abandon(self) -> None:
        """Let go of the rows that are still held back."""
        self._table.abandon()
