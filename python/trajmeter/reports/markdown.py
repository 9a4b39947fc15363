"""Tables as Markdown, and text that Markdown shows unchanged."""

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
    r"""Text that Markdown shows as it is, on one line.

    Line breaks become blanks, because a heading, list or table can begin only on a new line. Markup
    of Markdown and HTML is escaped, including addresses that would become links.

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
    return _BLOCK.sub(_escape_block, _escape_inline(text))


def render_table(table: Table) -> str:
    """A table as Markdown, without its title and a final line break; any text in it stays text."""
    columns = range(len(table.header))
    lines = [
        [escape(heading) for heading in table.header],
        ["---" if column in table.texts else "---:" for column in columns],
    ]
    for row in table.rows:
        # Numbers are not escaped at the beginning, where a minus sign would be taken for a list.
        escapes = (escape if column in table.texts else _escape_inline for column in columns)
        lines.append([each(cell) for each, cell in zip(escapes, row, strict=True)])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _escape_inline(text: str) -> str:
    shown = without_controls(" ".join(text.split()))
    return _INLINE.sub(r"\\\1", shown).translate(_ENTITIES)


def _escape_block(match: re.Match[str]) -> str:
    marker = match.group()
    return f"{marker}\\" if marker.isdigit() else f"\\{marker}"
