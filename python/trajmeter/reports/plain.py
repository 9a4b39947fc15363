"""Renders plain tables for files and pipes, without wrapping or colour.

The text is the same as from :mod:`trajmeter.reports.terminal`, but without rich, whose import and
layout take as long as scoring a thousand attempts.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from trajmeter.reports.tables import GAP

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TextIO

    from trajmeter.reports.tables import Table

__all__ = ["plain_tables", "takes_plain"]

_RULE = "─"
_NARROW = str.maketrans("", "", f"{_RULE}·")
"""Removes the characters in reports that are not ASCII but one column wide."""

_TERMINAL_VARIABLES = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "JPY_PARENT_PID")
"""If any of these is set, rich may treat any stream as a terminal."""


def takes_plain(stream: TextIO) -> bool:
    """Whether rich would treat a stream as a UTF-8 file."""
    is_utf8 = stream.encoding.lower().replace("-", "") == "utf8"
    return is_utf8 and not stream.isatty() and not any(map(os.environ.get, _TERMINAL_VARIABLES))


def plain_tables(heading: str, tables: Iterable[Table]) -> str | None:
    """Render tables, each below its title; ``None`` if a character may be two columns wide."""
    text = "".join((f"{heading}\n", *(f"\n{each.title}\n{_rendered(each)}" for each in tables)))
    return text if text.translate(_NARROW).isascii() else None


def _rendered(table: Table) -> str:
    widths = [width - GAP for width in table.widths()]
    widths[-1] = max(widths[-1], 1)
    rule = _RULE * (sum(widths) + GAP * (len(widths) - 1))
    head, *rows = (_line(row, widths, table.texts) for row in (table.header, *table.rows))
    return "".join(f"{line}\n" for line in (head, rule, *rows))


def _line(cells: Sequence[str], widths: Sequence[int], texts: Sequence[int]) -> str:
    line = (" " * GAP).join(
        cell.ljust(width) if column in texts else cell.rstrip().rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return line.rstrip()
