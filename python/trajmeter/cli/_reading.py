"""Options for line length, batch size and threads; results do not depend on threads."""

from __future__ import annotations

import re
import sys
from typing import Annotated

import typer

__all__ = ["BatchSize", "MaxLine", "Threads", "batch_rows", "line_bytes"]

PANEL = "Large inputs"
_SHIFTS = {"": 0, "k": 10, "m": 20, "g": 30}
_SIZE = re.compile(r"(?P<count>[0-9]{1,18}) ?(?P<unit>[kmg]?)(i?b)?", re.IGNORECASE)
_MOST_ROWS = (1 << 31) - 1
"""Arrow counts the rows of a batch of texts with 32 bits."""

MaxLine = Annotated[
    str | None,
    typer.Option(
        "--max-line",
        metavar="BYTES",
        show_default=False,
        rich_help_panel=PANEL,
        help="Longest line of JSON accepted, such as 100MiB (default: 512 MiB); longer ones are "
        "reported and skipped, and never held in memory.",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        metavar="N",
        min=1,
        show_default=False,
        rich_help_panel=PANEL,
        help="Threads of each worker (default: cores divided by workers).",
    ),
]
BatchSize = Annotated[
    int | None,
    typer.Option(
        "--batch-size",
        metavar="ROWS",
        min=1,
        max=_MOST_ROWS,
        show_default=False,
        rich_help_panel=PANEL,
        help="Rows read at a time (default: 10,000); fewer take less memory.",
    ),
]


def line_bytes(given: str | None) -> int:
    """Maximum length of a line in bytes.

    Raises:
        typer.BadParameter: It is not a size.
    """
    if given is None:
        from trajmeter.json_input import LONGEST_LINE

        return LONGEST_LINE
    match = _SIZE.fullmatch(given.strip())
    size = 0 if match is None else int(match["count"]) << _SHIFTS[match["unit"].lower()]
    if not 0 < size < sys.maxsize:
        raise typer.BadParameter(
            f"{given!r}: expected a number of bytes, such as 1048576 or 100MiB",
            param_hint="'--max-line'",
        )
    return size


def batch_rows(given: int | None) -> int:
    """Rows of a batch."""
    from trajmeter.readers._columns.ahead import MOST_ROWS

    return MOST_ROWS if given is None else given
