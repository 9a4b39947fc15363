"""Summaries of a run's groups, computed on access if there are many."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trajmeter.summaries.summary import AttemptsSummary

__all__ = ["LazyGroups", "largest_groups"]


class LazyGroups(Sequence["AttemptsSummary"]):
    """Summaries that are recomputed on each access, as all of them may not fit in memory.

    Args:
        sizes: Attempts of each group.
        make: Creates the summary of a group from its number.
    """

    sizes: Sequence[int]
    """Attempts of each group."""

    def __init__(self, sizes: Sequence[int], make: Callable[[int], AttemptsSummary]) -> None:
        self.sizes = sizes
        self._make = make

    def __len__(self) -> int:
        return len(self.sizes)

    def __iter__(self) -> Iterator[AttemptsSummary]:
        """Yield the summaries in order."""
        return map(self._make, range(len(self)))

    @overload
    def __getitem__(self, index: int) -> AttemptsSummary: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[AttemptsSummary, ...]: ...

    def __getitem__(self, index: int | slice) -> AttemptsSummary | tuple[AttemptsSummary, ...]:
        """Create the summary of a group or of a slice."""
        numbers = range(len(self))[index]
        return self._make(numbers) if isinstance(numbers, int) else tuple(map(self._make, numbers))

    def __eq__(self, other: object) -> bool:
        """Whether another sequence of any type has the same summaries."""
        if not isinstance(other, (LazyGroups, tuple, list)):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self.sizes))

    def __reduce__(self) -> tuple[type[tuple[AttemptsSummary, ...]], tuple[object, ...]]:
        """Copies and pickles contain all summaries."""
        return tuple, (list(self),)

    def __repr__(self) -> str:
        """Number of groups."""
        return f"<LazyGroups: {len(self):,}>"


def largest_groups(groups: Sequence[AttemptsSummary], count: int) -> Sequence[AttemptsSummary]:
    """The groups with the most attempts, in their original order."""
    if len(groups) <= count:
        return groups
    sizes = groups.sizes if isinstance(groups, LazyGroups) else [each.attempts for each in groups]
    numbers = nlargest(count, range(len(sizes)), key=lambda number: (sizes[number], -number))
    return [groups[number] for number in sorted(numbers)]
