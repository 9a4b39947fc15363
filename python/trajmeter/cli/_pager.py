"""Shows many lines on a terminal with the user's pager."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from contextlib import suppress
from typing import IO, TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["print_lines"]

_DEFAULT = "less"
_LESS = "FRX"
"""Default options of less: quit if the text fits on one screen, show colours, keep the screen."""


def print_lines(lines: Iterable[str], *, pages: bool) -> None:
    """Print lines to stdout; on a terminal through ``$PAGER`` or ``less``, if available.

    Args:
        lines: Lines without line breaks, generated as the reader reaches them.
        pages: Whether to use a pager.
    """
    pager = _pager() if pages and sys.stdout.isatty() else None
    if pager is None:
        sys.stdout.writelines(f"{line}\n" for line in lines)
        return
    import subprocess

    environment = {"LESS": _LESS, **os.environ}
    with subprocess.Popen(
        pager, stdin=subprocess.PIPE, env=environment, text=True, encoding="utf-8", errors="replace"
    ) as process:
        # The user may quit before the end.
        with suppress(BrokenPipeError), cast("IO[str]", process.stdin) as stream:
            stream.writelines(f"{line}\n" for line in lines)
        while True:
            # Ctrl-C is handled by the pager, which decides when to end.
            with suppress(KeyboardInterrupt):
                process.wait()
                return


def _pager() -> list[str] | None:
    """The pager command, if there is a pager."""
    try:
        words = shlex.split(os.environ.get("PAGER", _DEFAULT))
    except ValueError:  # an unclosed quote
        return None
    if not words or words[0] == "cat" or shutil.which(words[0]) is None:
        return None
    return words
