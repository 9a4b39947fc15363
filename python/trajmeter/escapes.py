"""Escapes in JSON text that stand for no character: lone halves of surrogate pairs."""

from __future__ import annotations

import re
from typing import AnyStr

__all__ = ["whole_escapes"]

# Also matches whole pairs and other escapes, so that no lone surrogate is found inside them.
_ESCAPE = re.compile(
    rb"""
    \\u[dD][89abAB][0-9a-fA-F]{2} \\u[dD][c-fC-F][0-9a-fA-F]{2}
    | (?P<half> \\u[dD][89a-fA-F][0-9a-fA-F]{2} )
    | \\.
    """,
    re.VERBOSE | re.DOTALL,
)


def whole_escapes(content: AnyStr) -> AnyStr:
    r"""Replace each lone escaped surrogate in JSON text by U+FFFD.

    Example:
        >>> whole_escapes(rb'"\ud83d\udea2 \ud83d \\ud83d"')
        b'"\\ud83d\\udea2 \\ufffd \\\\ud83d"'
    """
    if isinstance(content, bytes):
        return _ESCAPE.sub(_whole, content) if rb"\u" in content else content
    if r"\u" not in content:
        return content
    encoded = content.encode("utf-8", "surrogatepass")
    return whole_escapes(encoded).decode("utf-8", "surrogatepass")


def _whole(escape: re.Match[bytes]) -> bytes:
    return escape[0] if escape["half"] is None else rb"\ufffd"
