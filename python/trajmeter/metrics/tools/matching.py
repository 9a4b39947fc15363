"""Matches two sequences of calls: in any order by optimal pairing, in order by alignment.

Under a policy that requires equal arguments or ignores them, matching is an equality: calls with
the same code are paired, and the kernels receive the codes. For tools with any other policy, every
pair of calls is compared, and the kernels receive weights and a matrix. Calls with different names
never match, so pairing in any order is a separate problem for each name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trajmeter import kernels
from trajmeter.metrics.tools.likeness import likeness_of_all

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from trajmeter.kernels import BoolArray
    from trajmeter.metrics.tools.calls import Calls, Reference
    from trajmeter.metrics.tools.policies import PolicyTree

__all__ = ["Matching", "match"]

_LIKENESS_STEPS = 2**20
"""Number of grades of partial likeness. Whole numbers make sums of weights exact."""

_MOST_COMPARED = 10_000
"""Maximum number of unmatched pairs that are compared to find the most similar. It affects which
call explains a mismatch, never what matches."""


class Matching(NamedTuple):
    """Which calls of two sequences belong together, by position."""

    pairs: Mapping[int, int]
    """Partner of each reference call that has a match, in any order."""
    near: Mapping[int, int]
    """For each reference call without a match, the most similar remaining call of its name."""
    aligned: Sequence[int]
    """Partner of each reference call in the longest alignment in order; -1 if none."""
    is_exact: bool
    """Whether both have equally many calls, and each matches the one at its position."""
    edit_distance: int
    """Minimum number of calls to insert, remove or replace."""


def match(reference: Reference, actual: Calls) -> Matching:
    """Match as many calls as possible; among the best pairings, the rest is most alike."""
    codes = reference.codes_of(actual)
    partners = _Partners(reference, actual, _paired(reference, codes))
    blocks = [
        (ours, theirs, partners.pair_compared(ours, theirs, reference.trees[name]))
        for name, ours, theirs in _by_name(reference.calls, actual, reference.compared)
    ]
    if len(partners.pairs) < len(reference):
        partners.pair_rest()
    if blocks:
        return _in_order_of_matches(partners, _matrix(reference, codes, blocks))
    return _in_order_of_codes(partners, codes)


def _paired(reference: Reference, codes: Sequence[int]) -> dict[int, int]:
    """Pair calls of one code, first with first. A code is the position of its first call."""
    pairs = dict(zip(reversed(codes), reversed(range(len(codes))), strict=True))
    pairs.pop(-1, None)
    if reference.repeated:
        made: dict[int, list[int]] = {}
        for at, code in enumerate(codes):
            made.setdefault(code, []).append(at)
        for code, places in reference.repeated.items():
            pairs.update(zip(places, made.get(code, ()), strict=False))
    return pairs


@dataclass(slots=True)
class _Partners:
    """Pairs found so far."""

    reference: Reference
    actual: Calls
    pairs: dict[int, int]
    near: dict[int, int] = field(default_factory=dict)

    def pair_compared(self, ours: list[int], theirs: list[int], tree: PolicyTree) -> BoolArray:
        """Pair calls of one name: as many as possible match, and the others are most alike."""
        expected = [self.reference.calls.arguments[at] for at in ours]
        got = [self.actual.arguments[at] for at in theirs]
        likeness = likeness_of_all(expected, got, tree)
        matches: BoolArray = likeness == 1.0
        # One match outweighs all pairs that are only alike.
        full = _LIKENESS_STEPS * (min(likeness.shape) + 1.0)
        weights = np.where(matches, full, np.floor(likeness * (_LIKENESS_STEPS - 2)) + 1.0)
        chosen = kernels.active().assign(weights.reshape(-1), *likeness.shape, full=True).tolist()
        for row, column in enumerate(chosen):
            if column >= 0:
                partners = self.pairs if matches[row, column] else self.near
                partners[ours[row]] = theirs[column]
        return matches

    def pair_rest(self) -> None:
        """Pair remaining calls with others of the same name, to explain one by the other."""
        ours, theirs = self._left()
        if len(ours) * len(theirs) > 1:
            self._pair_most_alike(ours, theirs)
            ours, theirs = self._left()
        # What remains cannot be compared, or is too much to compare, so it is paired in order.
        waiting: dict[str, list[int]] = {}
        for at in reversed(theirs):
            waiting.setdefault(self.actual.names[at], []).append(at)
        for at in ours:
            places = waiting.get(self.reference.calls.names[at])
            if places:
                self.near[at] = places.pop()

    def _pair_most_alike(self, ours: list[int], theirs: list[int]) -> None:
        """Compare the calls at these positions, for each name not yet compared."""
        reference = self.reference
        trees = reference.trees
        for name, here, there in _by_name(reference.calls, self.actual, trees, (ours, theirs)):
            if name not in reference.compared and 1 < len(here) * len(there) <= _MOST_COMPARED:
                self.pair_compared(here, there, trees[name])

    def _left(self) -> tuple[list[int], list[int]]:
        """Positions on both sides that have no partner."""
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
    """Positions of well-formed calls on both sides, for each of these names that both have."""
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


def _in_order_of_codes(partners: _Partners, codes: list[int]) -> Matching:
    reference = partners.reference
    if codes == reference.codes and -1 not in codes:
        in_place = range(len(codes))
        return Matching(partners.pairs, partners.near, in_place, is_exact=True, edit_distance=0)
    rows, columns = reference.code_array, np.array(codes, np.int64)
    backend = kernels.active()
    return Matching(
        partners.pairs,
        partners.near,
        backend.align(rows, columns).tolist(),
        is_exact=False,
        edit_distance=backend.edit_distance(rows, columns),
    )


def _in_order_of_matches(partners: _Partners, matches: BoolArray) -> Matching:
    flat, (rows, columns) = matches.reshape(-1), matches.shape
    return Matching(
        partners.pairs,
        partners.near,
        kernels.active().align_matches(flat, rows, columns).tolist(),
        is_exact=rows == columns and bool(matches.diagonal().all()),
        edit_distance=kernels.active().edit_distance_matches(flat, rows, columns),
    )


def _matrix(
    reference: Reference,
    codes: Sequence[int],
    blocks: Iterable[tuple[list[int], list[int], BoolArray]],
) -> BoolArray:
    """Which calls match, by code or by comparison."""
    ours, theirs = reference.code_array, np.array(codes, np.int64)
    matrix: BoolArray = (ours[:, None] == theirs) & (ours[:, None] >= 0)
    for rows, columns, matches in blocks:
        matrix[np.ix_(rows, columns)] = matches
    return matrix
