"""Extracts text from terminal output, without sequences for cursor movement and colour."""

from __future__ import annotations

import re

__all__ = ["command_of", "plain_text"]

_SEQUENCE = re.compile(
    r"""
    \x1b\[ [0-?]* [ -/]* [@-~]             # colours, movements of the cursor
    | \x1b\] [^\x07\x1b]* (?:\x07|\x1b\\)? # titles
    | \x1b [PX^_] [^\x1b]* (?:\x1b\\)?     # other strings
    | \x1b [ -/]* [0-~]
    """,
    re.VERBOSE,
)
_OTHERS = re.compile(r"[\x00-\x07\x0b-\x1f\x7f]")
_BACKSPACE = re.compile(r"[^\n\x08]\x08")
_ERASED = ("\x7f", "\x08")
_PASTE = re.compile(r"\x1b\[20[01]~")
_PRINTABLE_FROM = " "


def plain_text(output: str) -> str:
    """The lines that a terminal shows; an overwritten line has its last state."""
    text = _SEQUENCE.sub("", output).replace("\r\n", "\n")
    while (shorter := _BACKSPACE.sub("", text)) != text:
        text = shorter
    lines = [line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n")]
    return _OTHERS.sub("", "\n".join(lines))


def command_of(typed: str) -> str | None:
    r"""The command in typed keys, without erased ones; ``None`` if they include keys such as Tab.

    Example:
        >>> command_of("cat a.pz\x7fy"), command_of("cat a\t"), command_of("")
        ('cat a.py', None, None)
    """
    kept: list[str] = []
    for key in _PASTE.sub("", typed):
        if key in _ERASED:
            del kept[-1:]
        elif key >= _PRINTABLE_FROM or key == "\n":
            kept.append(key)
        else:
            return None
    return "".join(kept).strip() or None
