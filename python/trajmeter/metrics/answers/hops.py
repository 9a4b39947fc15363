"""Hop coverage: how many links of a chain an answer contains, and how many of them it sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from trajmeter.records import Hop

__all__ = ["HopCoverage", "hop_coverage"]


class HopCoverage(NamedTuple):
    """Hops of one question, counted."""

    required: int
    """Hops the question requires."""
    matched: int
    """Hops of which the answer holds one alias."""
    grounded: int
    """Matched hops whose source is among those the answer names."""

    @property
    def coverage(self) -> float | None:
        """Matched / required, 0-1; ``None`` where nothing is required."""
        return self.matched / self.required if self.required else None

    @property
    def grounded_coverage(self) -> float | None:
        """Grounded / required, 0-1; ``None`` where nothing is required."""
        return self.grounded / self.required if self.required else None


def hop_coverage(hops: Sequence[Hop], *, answer: str, sources: Collection[str]) -> HopCoverage:
    """Count the hops that an answer contains.

    A hop is matched when any of its aliases is a substring of the answer, both in lower case with
    runs of white space collapsed; word boundaries do not matter. It is grounded when it is matched
    and its source is among the sources the answer names.

    Args:
        hops: Hops the question requires.
        answer: The answer's text.
        sources: Sources the answer names.

    Returns:
        The three counts.

    Example:
        >>> from trajmeter.records import Hop
        >>> berth = Hop(id="berth", any_of=("berth 12",), source="berths.md")
        >>> pilot = Hop(id="pilot", any_of=("Inga Holm",), source="pilots.md")
        >>> hop_coverage([berth, pilot], answer="Berth  12, Inga Holm", sources=["pilots.md"])
        HopCoverage(required=2, matched=2, grounded=1)
    """
    text = _folded(answer)
    matched = [hop for hop in hops if any(_folded(alias) in text for alias in hop.any_of)]
    return HopCoverage(len(hops), len(matched), sum(hop.source in sources for hop in matched))


def _folded(text: str) -> str:
    return " ".join(text.lower().split())
