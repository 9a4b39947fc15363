"""Patterns such as ``runs/**/*.json`` in remote paths, which follow the rules of :mod:`glob`."""

from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["has_magic", "pattern_expression"]

_MAGIC = re.compile(r"[*?\[]")
_ANY_LETTER = r"(\\.|\[\^?\]?[^\]]*\])|\."
"""What ``?`` becomes in a translated pattern: a dot outside of escapes and sets."""


def has_magic(text: str) -> bool:
    """Whether a text contains a wildcard."""
    return _MAGIC.search(text) is not None


def pattern_expression(parts: Sequence[str]) -> str:
    """The regular expression of a :mod:`glob` pattern: ``*`` does not match hidden files."""
    texts = []
    for number, part in enumerate(parts):
        is_last = number == len(parts) - 1
        if part == "**":
            texts.append(r"(?:[^/.][^/]*/)*" + (r"[^/.][^/]*" if is_last else ""))
            continue
        inner = fnmatch.translate(part).removeprefix("(?s:").rpartition(")")[0]
        inner = re.sub(_ANY_LETTER, lambda match: match[1] or "[^/]", inner)
        hidden = "" if part.startswith(".") else r"(?!\.)"
        texts.append(hidden + inner + ("" if is_last else "/"))
    return "".join(texts)
