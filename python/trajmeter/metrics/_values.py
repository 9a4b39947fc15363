"""Functions that extract values from results and rows, built once and used for many."""

from __future__ import annotations

from itertools import chain
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["picked", "values_at"]


def values_at(paths: Sequence[str]) -> Callable[[object], list[Any]]:
    """Get the values at some paths, group by group, which is twice as fast as path by path."""
    by_group: dict[str, list[str]] = {}
    for path in paths:
        group, _, name = path.rpartition(".")
        by_group.setdefault(group, []).append(name)
    parts = [
        (attrgetter(f"{group}.__dict__" if group else "__dict__"), _picker_of(names))
        for group, names in by_group.items()
    ]
    return lambda result: [
        *chain.from_iterable([pick(fields_of(result)) for fields_of, pick in parts])
    ]


def _picker_of(names: Sequence[str]) -> Callable[[Mapping[str, Any]], Sequence[Any]]:
    get = itemgetter(*names)
    return get if len(names) > 1 else lambda fields: (get(fields),)


def picked(positions: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Get the values at some positions."""
    if len(positions) > 1:
        return itemgetter(*positions)
    return lambda values: [values[position] for position in positions]
