"""Matching two sequences of calls: in any order by an optimal pairing, in order by alignment.

Under a policy by which arguments have to be equal, or are ignored, matching is an equality: calls
of one code pair off, and the kernels get the codes. Of tools with any other policy every two calls
are compared, and the kernels get weights and a matrix. Calls of different names never match, so
that in any order each name is a problem of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trajmeter import kernels
from trajmeter.metrics.tools.comparison import compare

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from trajmeter.kernels import BoolArray
    from trajmeter.metrics.tools.arguments import JsonKey
    from trajmeter.metrics.tools.calls import Calls
    from trajmeter.metrics.tools.policies import ArgumentPolicies, PolicyTree

__all__ = ["Matching", "match"]

_LIKENESS_STEPS = 2**20
"""How finely partial likeness is told apart. As whole numbers, sums of weights are exact."""

_MOST_COMPARED = 10_000
"""Up to so many pairs of calls that are left over are compared to find the most alike. It changes
which call a mismatch is explained by, never what matches."""


class Matching(NamedTuple):
    """Which calls of two sequences belong together, by their places."""

    pairs: Mapping[int, int]
    """Partner of each reference call that has a match, in any order."""
    near: Mapping[int, int]
    """Of each reference call without a match, the most alike of its name that is left over."""
    aligned: Mapping[int, int]
    """Partner of each reference call in the longest alignment in order."""
    is_exact: bool
    """Whether every call matches the one at its place, and there are as many."""
    edit_distance: int
    """Fewest calls to insert, to remove or to replace."""


def match(reference: Calls, actual: Calls, policies: ArgumentPolicies) -> Matching:
    """Match as many calls as possible; of several best pairings the one with the likest rest."""
    trees = {name: policies.tree_of(name) for name in set(reference.names)}
    compared = {name for name, tree in trees.items() if not tree.is_equality}
    ignored = {name for name, tree in trees.items() if tree.is_equality and tree.policy == "ignore"}
    codes = _codes(
        _identities(reference, compared, ignored), _identities(actual, compared, ignored)
    )
    partners = _Partners(reference, actual)
    partners.pair_codes(*codes)
    blocks = [
        (ours, theirs, partners.pair_compared(ours, theirs, trees[name]))
        for name, ours, theirs in _by_name(reference, actual, compared)
    ]
    if len(partners.pairs) < len(reference):
        partners.pair_rest(trees, compared)
    if blocks:
        return _in_order_of_matches(partners, _matrix(codes, blocks))
    return _in_order_of_codes(partners, *codes)


def _identities(
    calls: Calls, compared: Collection[str], ignored: Collection[str]
) -> Iterable[object]:
    """What two calls share exactly when they match; ``None`` where equality does not tell."""
    named_keys = zip(calls.names, calls.keys, strict=True)
    if not calls.malformed and not compared and not ignored:
        return named_keys
    return [
        None if key is None or name in compared else (name if name in ignored else (name, key))
        for name, key in named_keys
    ]


def _codes(ours: Iterable[object], theirs: Iterable[object]) -> tuple[list[int], list[int]]:
    """Code of each call of both sides; -1 where there is no identity, or only on one side."""
    code_of: dict[object, int] = {None: -1}
    return (
        [code_of.setdefault(identity, at) for at, identity in enumerate(ours)],
        [code_of.get(identity, -1) for identity in theirs],
    )


@dataclass(slots=True)
class _Partners:
    """Pairs found so far."""

    reference: Calls
    actual: Calls
    pairs: dict[int, int] = field(default_factory=dict)
    near: dict[int, int] = field(default_factory=dict)

    def pair_codes(self, ours: list[int], theirs: list[int]) -> None:
        """Pair calls of one code, first with first. A code is the place of its first call."""
        pairs = self.pairs
        repeated: dict[int, list[int]] = {}
        for at, code in enumerate(ours):
            if code != at and code >= 0:
                repeated.setdefault(code, []).append(at)
        for at, code in enumerate(theirs):
            if code >= 0:
                if code not in pairs:
                    pairs[code] = at
                elif repeated.get(code):
                    pairs[repeated[code].pop(0)] = at

    def pair_compared(self, ours: list[int], theirs: list[int], tree: PolicyTree) -> BoolArray:
        """Pair calls of one name so that most match, then so that the others are most alike."""
        known: dict[tuple[JsonKey, JsonKey], float] = {}
        likeness = np.zeros((len(ours), len(theirs)))
        for row, here in enumerate(ours):
            for column, there in enumerate(theirs):
                keys = self.reference.keys[here], self.actual.keys[there]
                if keys not in known:
                    expected, got = self.reference.arguments[here], self.actual.arguments[there]
                    known[keys] = compare(expected, got, tree).likeness
                likeness[row, column] = known[keys]
        matches: BoolArray = likeness == 1.0
        # One match weighs more than all pairs that are only alike.
        full = _LIKENESS_STEPS * (min(likeness.shape) + 1.0)
        weights = np.where(matches, full, np.floor(likeness * (_LIKENESS_STEPS - 2)) + 1.0)
        chosen = kernels.active().assign(weights.reshape(-1), *likeness.shape, full=True).tolist()
        for row, column in enumerate(chosen):
            if column >= 0:
                partners = self.pairs if matches[row, column] else self.near
                partners[ours[row]] = theirs[column]
        return matches

    def pair_rest(self, trees: Mapping[str, PolicyTree], compared: Collection[str]) -> None:
        """Pair calls that are left over with such of their name, to explain one by the other."""
        left = self._left()
        rest: tuple[list[int], list[int]] | None = left
        for name, ours, theirs in _by_name(self.reference, self.actual, trees, left):
            if name not in compared and 1 < len(ours) * len(theirs) <= _MOST_COMPARED:
                self.pair_compared(ours, theirs, trees[name])
                rest = None
        # What remains cannot be compared, or is too much to be: in order, then.
        waiting: dict[str, list[int]] = {}
        ours_left, theirs_left = rest or self._left()
        for at in reversed(theirs_left):
            waiting.setdefault(self.actual.names[at], []).append(at)
        for at in ours_left:
            places = waiting.get(self.reference.names[at])
            if places:
                self.near[at] = places.pop()

    def _left(self) -> tuple[list[int], list[int]]:
        """Places on both sides that have no partner."""
        ours = set(range(len(self.reference))).difference(self.pairs, self.near)
        theirs = set(range(len(self.actual)))
        theirs.difference_update(self.pairs.values(), self.near.values())
        return sorted(ours), sorted(theirs)


def _by_name(
    reference: Calls,
    actual: Calls,
    names: Collection[str],
    places: tuple[Iterable[int], Iterable[int]] | None = None,
) -> list[tuple[str, list[int], list[int]]]:
    """Places of well-formed calls on both sides, for each of these names that both have."""
    if not names:
        return []
    sides: list[dict[str, list[int]]] = []
    for calls, side in zip(
        (reference, actual), places or (range(len(reference)), range(len(actual))), strict=True
    ):
        found: dict[str, list[int]] = {}
        for at in side:
            if calls.names[at] in names and calls.keys[at] is not None:
                found.setdefault(calls.names[at], []).append(at)
        sides.append(found)
    ours, theirs = sides
    return [(name, ours[name], theirs[name]) for name in ours if name in theirs]


def _in_order_of_codes(partners: _Partners, ours: list[int], theirs: list[int]) -> Matching:
    if ours == theirs and -1 not in ours:
        aligned = dict(enumerate(range(len(ours))))
        return Matching(partners.pairs, partners.near, aligned, is_exact=True, edit_distance=0)
    rows, columns = np.array(ours, np.int64), np.array(theirs, np.int64)
    return Matching(
        partners.pairs,
        partners.near,
        _aligned(kernels.active().align(rows, columns).tolist()),
        is_exact=False,
        edit_distance=kernels.active().edit_distance(rows, columns),
    )


def _in_order_of_matches(partners: _Partners, matches: BoolArray) -> Matching:
    flat, (rows, columns) = matches.reshape(-1), matches.shape
    return Matching(
        partners.pairs,
        partners.near,
        _aligned(kernels.active().align_matches(flat, rows, columns).tolist()),
        is_exact=rows == columns and bool(matches.diagonal().all()),
        edit_distance=kernels.active().edit_distance_matches(flat, rows, columns),
    )


def _aligned(places: list[int]) -> dict[int, int]:
    return {at: partner for at, partner in enumerate(places) if partner >= 0}


def _matrix(
    codes: tuple[list[int], list[int]], blocks: list[tuple[list[int], list[int], BoolArray]]
) -> BoolArray:
    """What matches what, by code or as it was compared."""
    ours, theirs = (np.array(side, np.int64) for side in codes)
    matrix: BoolArray = (ours[:, None] == theirs) & (ours[:, None] >= 0)
    for rows, columns, matches in blocks:
        matrix[np.ix_(rows, columns)] = matches
    return matrix
