"""Makes text from records safe to show in documents and to open in spreadsheets."""

from __future__ import annotations

import re

__all__ = ["from_cell", "to_cell", "without_controls"]

# Characters that move a terminal's cursor or change text direction; not tabs and line breaks, which
# HTML and CSV keep unchanged.
_CONTROLS = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)

# Text that a spreadsheet would run, and such text already marked, so that unmarking is exact.
_FORMULA = re.compile(r"'*[=+\-@\t]")


def without_controls(text: str) -> str:
    r"""Escape control characters and characters that reverse text direction.

    Example:
        >>> print(without_controls("a\x1b[31m\u202eb"))
        a\x1b[31m\u202eb
    """
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def to_cell(text: str) -> str:
    r"""Text for a CSV cell: without controls, and marked if a spreadsheet would run it.

    The mark is a leading ``'`` on text that begins with ``=``, ``+``, ``-``, ``@`` or a tab. A
    carriage return is also escaped, because Python writes it unquoted, as if the row ended.

    Example:
        >>> to_cell("=1+1"), to_cell("a=1"), to_cell("'-")
        ("'=1+1", 'a=1', "''-")
    """
    text = without_controls(text).replace("\r", r"\r")
    return f"'{text}" if _FORMULA.match(text) else text


def from_cell(cell: str) -> str:
    """Recover the text of a cell made by :func:`to_cell`.

    Example:
        >>> from_cell("'=1+1"), from_cell("'tis")
        ('=1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
