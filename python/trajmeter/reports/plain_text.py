"""Text of records, shown so that it stays text."""

from __future__ import annotations

__all__ = ["visible"]


def visible(text: str) -> str:
    r"""Text on one line, in which whatever would not show, or would move the cursor, is escaped.

    Example:
        >>> print(visible("a\x1b[31mb\n"))
        a\x1b[31mb\n
    """
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )
