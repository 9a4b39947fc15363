"""Retrieval quality of one answer: which of the expected sources it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Retrieval", "retrieval"]


class Retrieval(NamedTuple):
    """Precision and recall of an answer's sources, each 0-1, or ``None`` where it abstains."""

    precision: float | None
    """Relevant retrieved sources / retrieved sources."""
    recall: float | None
    """Relevant retrieved sources / expected sources."""


def retrieval(
    retrieved: Sequence[str], expected: Sequence[str], *, original: bool = False
) -> Retrieval:
    """Precision and recall of the sources an answer names.

    Names are compared exactly. Sources are sets: naming one twice changes nothing. Where nothing is
    expected there is nothing to be right about, and both abstain; where nothing was retrieved, both
    are 0.

    Args:
        retrieved: Sources the answer names.
        expected: Sources that hold the answer.
        original: Compute as the ``framework-comparison`` profile does: copies count one by one, and
            a question that expects nothing has recall 1.

    Returns:
        Both figures.

    Example:
        >>> retrieval(["a.md", "b.md", "b.md"], ["a.md", "c.md"])
        Retrieval(precision=0.5, recall=0.5)
        >>> retrieval([], ["a.md"])
        Retrieval(precision=0.0, recall=0.0)
        >>> retrieval(["a.md"], [])
        Retrieval(precision=None, recall=None)
    """
    if original:
        return _retrieval_counting_copies(retrieved, expected)
    if not expected:
        return Retrieval(None, None)
    found, wanted = set(retrieved), set(expected)
    relevant = len(found & wanted)
    return Retrieval(relevant / len(found) if found else 0.0, relevant / len(wanted))


def _retrieval_counting_copies(retrieved: Sequence[str], expected: Sequence[str]) -> Retrieval:
    relevant = sum(source in expected for source in retrieved)
    recalled = sum(source in retrieved for source in expected)
    return Retrieval(
        relevant / len(retrieved) if retrieved else 0.0,
        recalled / len(expected) if expected else 1.0,
    )
