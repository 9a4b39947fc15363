"""Markdown that stays what it was meant to be, whatever text is put into it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trajmeter.reports.plain_text import visible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

__all__ = ["escape", "table"]

# Markup anywhere in a line; an underscore inside a word is none, and tables read without it.
_INLINE = re.compile(
    r"([\\`*\[\]|~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|:(?=//)|(?<=www)\.)", re.IGNORECASE
)
# Markup at the beginning of a block: headings, lists, quotations, rules.
_BLOCK = re.compile(r"^([#+\->=]|\d{1,9}(?=[.)](?: |$)))")
# Characters that move a terminal's cursor, or turn the direction of what follows.
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;"})


def escape(text: str) -> str:
    r"""Text that Markdown shows as it is, on one line.

    Line breaks become blanks, because a heading, list or table can begin only on a new line. What
    Markdown or HTML would read as markup is escaped, addresses that would become links too.

    Args:
        text: Any text, such as an agent's answer.

    Returns:
        The text, safe anywhere in a paragraph or in a table's cell.

    Example:
        >>> print(escape("| a `b`\n# <script>"))
        \| a \`b\` # &lt;script>
        >>> print(escape("1. snake_case 4.5"))
        1\. snake_case 4.5
    """
    shown = _INVISIBLE.sub(lambda found: visible(found.group()), " ".join(text.split()))
    line = _INLINE.sub(r"\\\1", shown).translate(_ENTITIES)
    return _BLOCK.sub(_escape_block, line)


def _escape_block(match: re.Match[str]) -> str:
    marker = match.group()
    return f"{marker}\\" if marker.isdigit() else f"\\{marker}"


def table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, texts: Collection[int] = (0,)
) -> str:
    """A table of cells that are escaped already.

    Args:
        header: Heading of each column.
        rows: Cells of each row.
        texts: Columns that are aligned to the left; the others are numbers.

    Returns:
        The table, without a final line break.
    """
    lines = [header, ["---" if index in texts else "---:" for index in range(len(header))], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
