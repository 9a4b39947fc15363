"""Counts of distinct texts, limited to a number that a person can read."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["KeptCounts"]

_T = TypeVar("_T")

_KEPT = 20
"""Number of distinct items to keep: a message that names its record differs for every attempt."""


class KeptCounts(Generic[_T]):
    """Counts of items; if there are too many, those whose text has the least SHA-256.

    An item that is kept overall is also kept in every part, so counts are exact however the
    attempts are divided.

    Args:
        text: Text of an item.
    """

    def __init__(self, text: Callable[[_T], str]) -> None:
        self._text = text
        self._counts: dict[_T, int] = {}
        self._hashes: dict[_T, bytes] = {}

    def __iter__(self) -> Iterator[tuple[_T, int]]:
        """Yield the items with their counts, in the order of first occurrence."""
        yield from self._counts.items()

    def add(self, item: _T, count: int = 1) -> None:
        """Count an item."""
        if item in self._counts:
            self._counts[item] += count
            return
        digest = sha256(self._text(item).encode("utf-8", "surrogatepass")).digest()
        if len(self._counts) == _KEPT:
            greatest = max(self._hashes, key=self._hashes.__getitem__)
            if digest >= self._hashes[greatest]:
                return
            del self._counts[greatest], self._hashes[greatest]
        self._counts[item] = count
        self._hashes[item] = digest

    def merge(self, other: KeptCounts[_T]) -> None:
        """Add the counts of another to these."""
        for item, count in other:
            self.add(item, count)
