"""How alike the arguments of each pair of calls are, given as trees of places.

A call is a tree in preorder. Each node has eight values:

- its kind: 0 a value, 1 an object, 2 a list, 3 places with their own policies;
- its key within its parent; the children of a node are sorted by key;
- the node after its last descendant, and the number of its children;
- its code, which values that are alike share; for an object, whether to ignore what the reference
  lacks;
- its number, if the value is under a tolerance: -1 for a value of another type, -2 for a number too
  large or too small, compared with the others, to be a whole number of their unit;
- its tolerance;
- its number of differences if the other side lacks it.

The numbers of a place are whole numbers of one unit, so a bound that is met exactly counts as met.
Numbers and tolerances are given as words of 64 bits, the low one first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from trajmeter.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels._arrays import Float64Array, Int64Array

__all__ = ["likeness"]

_COLUMNS = 8
_BOUNDS = 3
_VALUE, _OBJECT, _LIST, _PLACES = range(4)
_NO_NUMBER = -1
_UNSURE = -1.0

_WIDEST = 2**128 - 1
"""Products saturate here in both backends; those of arguments stay below."""


def likeness(
    nodes: Int64Array,
    numbers: Int64Array,
    tolerances: Int64Array,
    reference: Int64Array,
    actual: Int64Array,
) -> Float64Array:
    """Compare every reference call with every actual call.

    Args:
        nodes: Nodes of all calls, eight values each.
        numbers: Numbers, two words each.
        tolerances: Tolerances, six words each: the greatest difference in the unit of the place,
            then numerator and denominator of the greatest share of the larger number.
        reference: Root of each reference call.
        actual: Root of each actual call.

    Returns:
        For each reference call and each actual one: places that match / places compared; 1 if
        nothing is compared, -1 if a number of the second kind leaves it undecided.

    Raises:
        InputError: A node or a root is out of range; the first one is named.
    """
    listed = nodes.tolist()
    trees = _Trees(
        [listed[at : at + _COLUMNS] for at in range(0, len(listed), _COLUMNS)],
        _wide(numbers),
        _wide(tolerances),
    )
    trees.check()
    roots = []
    for what, each in (("reference", reference), ("actual", actual)):
        roots.append(each.tolist())
        for index, root in enumerate(roots[-1]):
            _check(what, index, root, 0, len(trees.nodes) - 1)
    return np.array([trees.likeness(one, other) for one in roots[0] for other in roots[1]], float)


class _Trees:
    def __init__(
        self, nodes: Sequence[Sequence[int]], numbers: Sequence[int], tolerances: Sequence[int]
    ) -> None:
        self.nodes = nodes
        self._numbers = numbers
        self._tolerances = tolerances
        self._agreed = self._differing = 0
        self._is_unsure = False

    def check(self) -> None:
        tolerances = len(self._tolerances) // _BOUNDS
        for index, (kind, _, end, _, _, number, tolerance, loss) in enumerate(self.nodes):
            _check("kind of node", index, kind, _VALUE, _PLACES)
            _check("end of node", index, end, index + 1, len(self.nodes))
            _check("loss of node", index, loss, 0, len(self.nodes))
            _check("number of node", index, number, -2, len(self._numbers) - 1)
            if number >= 0:
                _check("tolerance of node", index, tolerance, 0, tolerances - 1)

    def likeness(self, expected: int, got: int) -> float:
        self._agreed = self._differing = 0
        self._is_unsure = False
        self._visit(expected, got)
        places = self._agreed + self._differing
        if self._is_unsure:
            return _UNSURE
        return self._agreed / places if places else 1.0

    def _visit(self, expected: int, got: int) -> None:
        one, other = self.nodes[expected], self.nodes[got]
        kind = one[0]
        if kind != other[0]:
            self._differing += 1
        elif kind == _VALUE:
            self._compare(one, other)
        elif kind == _LIST and one[3] != other[3]:
            self._differing += 1
        elif kind != _PLACES and one[3] == other[3] == 0:
            self._agreed += 1
        else:
            self._visit_children(expected, got, is_subset=kind == _OBJECT and one[4] != 0)

    def _visit_children(self, expected: int, got: int, *, is_subset: bool) -> None:
        """Walk the children of both in the order of their keys."""
        nodes = self.nodes
        ours, ours_end = expected + 1, nodes[expected][2]
        theirs, theirs_end = got + 1, nodes[got][2]
        while ours < ours_end or theirs < theirs_end:
            mine = nodes[ours] if ours < ours_end else None
            other = nodes[theirs] if theirs < theirs_end else None
            if mine is not None and other is not None and mine[1] == other[1]:
                self._visit(ours, theirs)
                ours, theirs = mine[2], other[2]
            elif mine is not None and (other is None or mine[1] < other[1]):
                self._differing += mine[7]
                ours = mine[2]
            elif other is not None:
                # Under ``subset``, what the reference lacks is not compared.
                self._differing += 0 if is_subset else other[7]
                theirs = other[2]

    def _compare(self, one: Sequence[int], other: Sequence[int]) -> None:
        if one[4] == other[4]:
            self._agreed += 1
        elif _NO_NUMBER in (one[5], other[5]):
            self._differing += 1
        elif one[5] < 0 or other[5] < 0:
            self._is_unsure = True
        elif self._are_close(self._numbers[one[5]], self._numbers[other[5]], one[6]):
            self._agreed += 1
        else:
            self._differing += 1

    def _are_close(self, one: int, other: int, tolerance: int) -> bool:
        start = tolerance * _BOUNDS
        absolute, numerator, denominator = map(abs, self._tolerances[start : start + _BOUNDS])
        difference = abs(one - other)
        if difference <= absolute:
            return True
        share = max(abs(one), abs(other)) * numerator
        return min(difference * denominator, _WIDEST) <= min(share, _WIDEST)


def _wide(words: Int64Array) -> list[int]:
    listed = words.tolist()
    pairs = zip(listed[::2], listed[1::2], strict=True)
    return [(high << 64) + low % 2**64 for low, high in pairs]


def _check(what: str, index: int, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise InputError(f"{what} {index} is {value}, expected {low} to {high}")
