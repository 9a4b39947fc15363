"""The beginning of a file, examined once for all formats."""

from __future__ import annotations

import re
from functools import cache, cached_property
from typing import TYPE_CHECKING

from trajmeter import json_input, kernels

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Beginning", "words_in_quotes"]

_OPENING = (b"{", b"[")
_BINARY = (b"PAR1", b"PK\x03\x04")
_QUOTE = b'"'
_ESCAPED = re.compile(rb"\\u00[2-7]")
"""JSON may spell a word with escapes; hardly anyone does, but then nothing is ruled out."""


class Beginning:
    """The first bytes of a file.

    Args:
        content: The bytes.
        words: JSON keys and values that formats look for; none contains a quote.
    """

    def __init__(self, content: bytes, words: frozenset[bytes]) -> None:
        self.content = content
        """The bytes."""
        self._sought = words

    def holds_any(self, words: frozenset[bytes]) -> bool:
        """Whether one of these words, which formats look for, occurs in quotes."""
        return not words.isdisjoint(self._words_found)

    @cached_property
    def is_binary(self) -> bool:
        """Whether it begins like Parquet or an archive."""
        return self.content.startswith(_BINARY)

    @cached_property
    def is_json(self) -> bool:
        """Whether it begins like an object or a list of JSON."""
        return json_input.first_byte(self.content) in _OPENING

    @cached_property
    def ends_as_json(self) -> bool:
        """Whether the first line ends like an object or a list of JSON."""
        line, _, _ = self.content.lstrip(json_input.BLANK).partition(b"\n")
        return line.rstrip().endswith((b"}", b"]"))

    @cached_property
    def has_escapes(self) -> bool:
        """Whether words may be spelt with escapes."""
        return _ESCAPED.search(self.content) is not None

    @cached_property
    def _words_found(self) -> frozenset[bytes]:
        return _finder(self._sought)(self.content)


@cache
def _finder(words: frozenset[bytes]) -> Callable[[bytes], frozenset[bytes]]:
    """The kernel that finds the words which occur in quotes in a text."""
    if kernels.backend() == "python":
        return lambda text: words_in_quotes(words, text)
    from trajmeter.kernels import _rust  # the Python twin follows

    return _rust.QuotedWords([*words]).found_in


def words_in_quotes(words: frozenset[bytes], text: bytes) -> frozenset[bytes]:
    """The words that are all that two consecutive quotes enclose."""
    return words.intersection(text.split(_QUOTE)[1:-1])
