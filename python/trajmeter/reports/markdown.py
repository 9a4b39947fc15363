"""Renders tables as Markdown, and escapes text for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trajmeter.text import without_controls

if TYPE_CHECKING:
    from trajmeter.reports.tables import Table

__all__ = ["escape", "render_table"]

# Markup anywhere in a line; not an underscore inside a word, which would make tables hard to read.
_INLINE = re.compile(
    r"([\\`*\[\]|~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|:(?=//)|(?<=www)\.)", re.IGNORECASE
)
# Markup at the beginning of a block: headings, lists, quotations, rules.
_BLOCK = re.compile(r"^([#+\->=]|\d{1,9}(?=[.)](?: |$)))")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;"})


def escape(text: str) -> str:
    r"""Escape text so that Markdown shows it unchanged, on one line.

    Line breaks become spaces, because headings, lists and tables can only start on a new line.
    Markdown and HTML markup is escaped, including addresses that would become links.

    Args:
        text: Any text, such as an agent's answer.

    Returns:
        The text, safe anywhere in a paragraph or table cell.

    Example:
        >>> print(escape("| a `b`\n# <script>"))
        \| a \`b\` # &lt;script>
        >>> print(escape("1. snake_case 4.5"))
        1\. snake_case 4.5
    """
    return _BLOCK.sub(_escape_block, _escape_inline(text))


def render_table(table: Table) -> str:
    """Render a table as Markdown, without title or final line break; all text is escaped."""
    columns = range(len(table.header))
    lines = [
        [escape(heading) for heading in table.header],
        ["---" if column in table.texts else "---:" for column in columns],
    ]
    for row in table.rows:
        # Numbers need no escape at the start, where a minus sign would look like a list.
        escapes = (escape if column in table.texts else _escape_inline for column in columns)
        lines.append([each(cell) for each, cell in zip(escapes, row, strict=True)])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _escape_inline(text: str) -> str:
    shown = without_controls(" ".join(text.split()))
    return _INLINE.sub(r"\\\1", shown).translate(_ENTITIES)


def _escape_block(match: re.Match[str]) -> str:
    marker = match.group()
    return f"{marker}\\" if marker.isdigit() else f"\\{marker}"
