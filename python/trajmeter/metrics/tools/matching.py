"""Matching two sequences of calls: in any order by an optimal pairing, in order by alignment.

Calls of different names never match, so in any order each name is a problem of its own. Under a
policy by which arguments have to be equal, or are ignored, matching is an equality: calls of one
key pair off, and the kernels get codes. Under any other policy every two calls of a name are
compared, and the kernels get weights and a matrix.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trajmeter import kernels
from trajmeter.metrics.tools.comparison import compare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels import BoolArray
    from trajmeter.metrics.tools.arguments import JsonKey
    from trajmeter.metrics.tools.calls import Call
    from trajmeter.metrics.tools.policies import ArgumentPolicies, PolicyTree

__all__ = ["Matching", "match"]

_LIKENESS_STEPS = 2**20
"""How finely partial likeness is told apart. As whole numbers, sums of weights are exact."""

_MOST_COMPARED = 10_000
"""Up to so many pairs of calls that are left over are compared to find the most alike. It changes
which call a mismatch is explained by, never what matches."""


class Matching(NamedTuple):
    """Which calls of two sequences belong together, by their places."""

    pairs: dict[int, int]
    """Partner of each reference call that has a match, in any order."""
    near: dict[int, int]
    """Of each reference call without a match, the most alike of its name that is left over."""
    aligned: dict[int, int]
    """Partner of each reference call in the longest alignment in order."""
    is_exact: bool
    """Whether every call matches the one at its place, and there are as many."""
    edit_distance: int
    """Fewest calls to insert, to remove or to replace."""


def match(
    reference: Sequence[Call], actual: Sequence[Call], policies: ArgumentPolicies
) -> Matching:
    """Match as many calls as possible; of several best pairings the one with the likest rest."""
    found = _Found(reference, actual)
    for name, (ours, theirs) in _by_name(reference, actual).items():
        tree = policies.tree_of(name)
        good_ours = [at for at in ours if reference[at].malformed is None]
        good_theirs = [at for at in theirs if actual[at].malformed is None]
        if good_ours and good_theirs:
            if tree.policy in ("exact", "ignore") and not tree.below:
                found.match_equal(good_ours, good_theirs, tree)
            else:
                found.match_any(good_ours, good_theirs, tree)
        found.pair_rest(ours, theirs)
    return found.matching()


def _by_name(
    reference: Sequence[Call], actual: Sequence[Call]
) -> dict[str, tuple[list[int], list[int]]]:
    """Places of the calls of each name that both sides have."""
    places: dict[str, tuple[list[int], list[int]]] = {call.name: ([], []) for call in reference}
    for at, call in enumerate(reference):
        places[call.name][0].append(at)
    for at, call in enumerate(actual):
        if call.name in places:
            places[call.name][1].append(at)
    return places


@dataclass(slots=True)
class _Found:
    """What was found so far, name by name."""

    reference: Sequence[Call]
    actual: Sequence[Call]
    pairs: dict[int, int] = field(default_factory=dict)
    near: dict[int, int] = field(default_factory=dict)
    codes: tuple[list[int], list[int]] = field(init=False)
    """Codes of the calls whose names are matched by equality; -1 of all others."""
    blocks: list[tuple[list[int], list[int], BoolArray]] = field(default_factory=list)
    """Places and matches of the calls whose names are matched in any other way."""

    def __post_init__(self) -> None:
        self.codes = ([-1] * len(self.reference), [-1] * len(self.actual))

    def match_equal(self, ours: list[int], theirs: list[int], tree: PolicyTree) -> None:
        """Match the calls of one name that match when their keys are equal, or always."""
        waiting: dict[JsonKey, list[int]] = defaultdict(list)
        code_of: dict[JsonKey, int] = {}
        is_exact = tree.policy == "exact"
        for at in ours:
            key = self.reference[at].key if is_exact else None
            # The place of the first call of a key is a code no other key has.
            self.codes[0][at] = code_of.setdefault(key, at)
            waiting[key].append(at)
        rest = []
        for places in waiting.values():
            places.reverse()
        for at in theirs:
            key = self.actual[at].key if is_exact else None
            self.codes[1][at] = code_of.get(key, -1)
            if waiting.get(key):
                self.pairs[waiting[key].pop()] = at
            else:
                rest.append(at)
        unmatched = [at for at in ours if at not in self.pairs]
        if unmatched and rest and len(unmatched) * len(rest) <= _MOST_COMPARED:
            self._match_compared(unmatched, rest, tree)

    def match_any(self, ours: list[int], theirs: list[int], tree: PolicyTree) -> None:
        """Match the calls of one name by comparing every two of them."""
        self.blocks.append((ours, theirs, self._match_compared(ours, theirs, tree)))

    def pair_rest(self, ours: list[int], theirs: list[int]) -> None:
        """Pair what is left of one name in order, to explain one call by the other."""
        taken = {*self.pairs.values(), *self.near.values()} if theirs else ()
        unmatched = [at for at in ours if at not in self.pairs and at not in self.near]
        rest = [at for at in theirs if at not in taken]
        self.near.update(zip(unmatched, rest, strict=False))

    def _match_compared(self, ours: list[int], theirs: list[int], tree: PolicyTree) -> BoolArray:
        """Pair calls so that most match, then so that the others are most alike."""
        known: dict[tuple[JsonKey, JsonKey], float] = {}
        likeness = np.empty((len(ours), len(theirs)))
        for row, here in enumerate(ours):
            call = self.reference[here]
            for column, there in enumerate(theirs):
                other = self.actual[there]
                keys = call.key, other.key
                if keys not in known:
                    known[keys] = compare(call.arguments, other.arguments, tree).likeness
                likeness[row, column] = known[keys]
        matches: BoolArray = likeness == 1.0
        full = _LIKENESS_STEPS * (min(likeness.shape) + 1.0)
        weights = np.where(matches, full, np.floor(likeness * (_LIKENESS_STEPS - 2)) + 1.0)
        chosen = kernels.active().assign(weights.reshape(-1), *likeness.shape, full=True).tolist()
        for row, column in enumerate(chosen):
            if column >= 0:
                partners = self.pairs if matches[row, column] else self.near
                partners[ours[row]] = theirs[column]
        return matches

    def matching(self) -> Matching:
        """Align what was found in order."""
        rows, columns = len(self.reference), len(self.actual)
        if self.blocks:
            matches = self._matrix()
            flat = matches.reshape(-1)
            is_exact = rows == columns and bool(matches.diagonal().all())
            aligned = kernels.active().align_matches(flat, rows, columns).tolist()
            distance = kernels.active().edit_distance_matches(flat, rows, columns)
        else:
            is_exact = self.codes[0] == self.codes[1] and -1 not in self.codes[0]
            if is_exact:
                aligned, distance = list(range(rows)), 0
            else:
                codes = [np.array(side, np.int64) for side in self.codes]
                aligned = kernels.active().align(*codes).tolist()
                distance = kernels.active().edit_distance(*codes)
        partners = {at: partner for at, partner in enumerate(aligned) if partner >= 0}
        return Matching(self.pairs, self.near, partners, is_exact, distance)

    def _matrix(self) -> BoolArray:
        ours, theirs = (np.array(side, np.int64) for side in self.codes)
        matrix: BoolArray = (ours[:, None] == theirs) & (ours[:, None] >= 0)
        for rows, columns, matches in self.blocks:
            matrix[np.ix_(rows, columns)] = matches
        return matrix
