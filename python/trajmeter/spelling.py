"""Finds misspelt keys of files, and the known name that an unknown one resembles.

Unknown keys are kept, for the user's own metrics and agents. A key that resembles a known one gets
a warning, because the intended setting would silently keep its default.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

__all__ = ["Misspelt", "displaced", "misspelt", "nearest", "unknown_name"]

_LEAST_LIKENESS = 0.8
"""Minimum similarity, 0-1: ``topk`` and ``top_k`` score 0.89, ``difficulty_level`` and
``difficulty`` 0.77."""


class Misspelt(NamedTuple):
    """An unknown key, and the known key that it resembles."""

    key: str
    """The key with its location in the record."""
    meant: str
    """The known key."""

    def __str__(self) -> str:
        return f"{self.key} is not a known key; did you mean {self.meant}?"


def misspelt(mapping: Mapping[str, Any], known: Collection[str], place: str) -> Iterator[Misspelt]:
    """Yield unknown keys that resemble a known key that is not present.

    Args:
        mapping: The mapping with the keys.
        known: Known keys.
        place: Prefix for each key in messages, such as ``metadata.``.
    """
    for key in mapping:
        if key not in known:
            meant = nearest(key, known)
            if meant is not None and meant not in mapping:
                yield Misspelt(f"{place}{key}", meant)


def displaced(
    mapping: Mapping[str, Any], known: Collection[str], place: str, theirs: str
) -> Iterator[Misspelt]:
    """Yield keys that belong elsewhere in the record.

    Args:
        mapping: The mapping with the keys.
        known: Keys that belong elsewhere.
        place: Prefix for each key in messages.
        theirs: Prefix of the location where they belong.
    """
    for key in mapping:
        if key in known:
            yield Misspelt(f"{place}{key}", f"{theirs}{key}")


def nearest(key: str, known: Collection[str]) -> str | None:
    """Return the known key that is most similar to ``key``, or ``None`` if none is similar enough.

    Example:
        >>> nearest("Max-Turn", ["max_turns", "metadata"])
        'max_turns'
    """
    return _nearest(key, frozenset(known))


@cache
def _nearest(key: str, known: frozenset[str]) -> str | None:
    plain = key.strip().lower().replace("-", "_").replace(" ", "_")
    close = get_close_matches(plain, sorted(known), n=1, cutoff=_LEAST_LIKENESS)
    return close[0] if close else None


def unknown_name(noun: str, name: str, known: Iterable[str], others: Iterable[str] = ()) -> str:
    """Return a message about an unknown name, with the closest match and a list of known names."""
    names = sorted(known)
    close = get_close_matches(name, [*names, *others], n=1, cutoff=0.5)
    listed = ", ".join(names) or "none"
    if close:
        return f"unknown {noun} {name!r}; did you mean {close[0]!r}? Available: {listed}"
    return f"unknown {noun} {name!r}; available: {listed}"
