"""Similarity of every two calls of a tool: their arguments as trees, compared by the kernel.

Each call is walked once, giving a node for every place that its tool's policies compare. Values
that are alike share a code, and the kernel compares codes; numbers under a tolerance become whole
numbers of a unit that the decimals at their place determine. A pair whose numbers have no such unit
is compared individually.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, cast

import numpy as np

from trajmeter import kernels
from trajmeter.metrics.tools.arguments import json_key
from trajmeter.metrics.tools.comparison import ABSENT, child_of, compare_arguments, folded
from trajmeter.metrics.tools.policies import Fold, PolicyTree, Tolerance

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pydantic import JsonValue

    from trajmeter.kernels import Float64Array, Int64Array
    from trajmeter.metrics.tools.arguments import Arguments, JsonKey
    from trajmeter.metrics.tools.comparison import Place
    from trajmeter.metrics.tools.policies import Policy

__all__ = ["likeness_of_all"]

_FEW = 8
"""Up to this many pairs are compared one by one, which is faster than building trees."""

_VALUE, _OBJECT, _LIST, _PLACES = range(4)
_KIND, _END, _CHILDREN, _CODE, _NUMBER, _TOLERANCE, _LOSS = 0, 2, 3, 4, 5, 6, 7
_NO_NUMBER, _NO_UNIT = -1, -2

_MOST_DECIMALS = 30
"""Decimals of a unit; numbers with more are compared pair by pair."""

_BITS = 125
"""Bits of a number, and of its product with a relative tolerance."""

_NOTHING_BELOW = PolicyTree()


def likeness_of_all(
    expected: Sequence[Arguments], got: Sequence[Arguments], tree: PolicyTree
) -> Float64Array:
    """Compare all arguments of a tool's reference calls with all of its actual calls.

    Args:
        expected: Arguments of the reference calls.
        got: Arguments of the actual calls.
        tree: Policies of the tool.

    Returns:
        The likeness of each pair according to :func:`compare_arguments`: a row for each reference
        call, a column for each actual one.
    """
    shape = len(expected), len(got)
    if shape[0] * shape[1] <= _FEW or _asks_functions(tree):
        found = np.zeros(shape)
        unsure: Iterable[Sequence[int]] = np.ndindex(shape)
    else:
        found = _Trees(tree).likeness(expected, got)
        unsure = np.argwhere(found < 0).tolist()
    known: dict[tuple[JsonKey, JsonKey], float] = {}
    for row, column in unsure:
        keys = json_key(expected[row]), json_key(got[column])
        if keys not in known:
            known[keys] = compare_arguments(expected[row], got[column], tree).likeness
        found[row, column] = known[keys]
    return found


def _asks_functions(tree: PolicyTree) -> bool:
    return callable(tree.policy) or any(map(_asks_functions, tree.below.values()))


class _Trees:
    """Calls in the form that the kernel reads."""

    def __init__(self, tree: PolicyTree) -> None:
        self._tree = tree
        self._nodes: list[list[int]] = []
        self._codes: dict[JsonKey, int] = {}
        self._keys: dict[str, int] = {}
        self._is_reference = False
        # Under each tolerance, by place: nodes and their numbers.
        self._tolerated: dict[tuple[Tolerance, Place], list[tuple[list[int], float]]] = {}

    def likeness(self, expected: Sequence[Arguments], got: Sequence[Arguments]) -> Float64Array:
        """Likeness of all pairs; -1 for those that the kernel cannot decide."""
        self._is_reference = True
        reference = self._roots(expected)
        self._is_reference = False
        actual = self._roots(got)
        numbers, tolerances = self._numbers()
        nodes = np.array(self._nodes, np.int64).reshape(-1)
        found = kernels.active().likeness(nodes, numbers, tolerances, reference, actual)
        return found.reshape(len(expected), len(got))

    def _roots(self, side: Sequence[Arguments]) -> Int64Array:
        roots = []
        for arguments in side:
            roots.append(len(self._nodes))
            self._add(arguments, "exact", self._tree, (), 0)
        return np.array(roots, np.int64)

    def _add(
        self, value: JsonValue, inherited: Policy, tree: PolicyTree, place: Place, key: int
    ) -> int:
        """Add a value with its nested values.

        Returns:
            The number of differences if the other side lacks it.
        """
        policy = inherited if tree.policy is None else tree.policy
        node = [_VALUE, key, 0, 0, 0, _NO_NUMBER, 0, 1]
        self._nodes.append(node)
        within: list[tuple[int, str | int, JsonValue]] = []
        if policy == "ignore":
            node[_KIND] = _PLACES
            for name in tree.below:
                item = child_of(value, name)
                if item is not ABSENT:
                    within.append((self._key(name), name, cast("JsonValue", item)))
        elif isinstance(value, dict):
            node[_KIND], node[_CODE] = _OBJECT, policy == "subset"
            within = [(self._key(name), name, item) for name, item in value.items()]
        elif isinstance(value, list):
            node[_KIND] = _LIST
            within = [(index, index, item) for index, item in enumerate(value)]
        else:
            self._add_value(node, value, policy, place)
        losses = [
            self._add(
                item, policy, tree.below.get(str(name), _NOTHING_BELOW), (*place, name), number
            )
            for number, name, item in sorted(within, key=itemgetter(0))
        ]
        node[_END], node[_CHILDREN] = len(self._nodes), len(within)
        if policy == "ignore":
            node[_LOSS] = sum(losses)
        elif policy == "subset" and not self._is_reference:
            node[_LOSS] = 0
        return node[_LOSS]

    def _add_value(self, node: list[int], value: JsonValue, policy: Policy, place: Place) -> None:
        if isinstance(policy, Fold) and isinstance(value, str):
            value = folded(value, policy)
        node[_CODE] = self._codes.setdefault(json_key(value), len(self._codes))
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if is_number and isinstance(policy, Tolerance):
            of_place = self._tolerated.setdefault((policy, place), [])
            of_place.append((node, cast("float", value)))

    def _key(self, name: str) -> int:
        return self._keys.setdefault(name, len(self._keys))

    def _numbers(self) -> tuple[Int64Array, Int64Array]:
        """Numbers and tolerances in the kernel's form, once their nodes refer to them."""
        numbers: list[int] = []
        tolerances: list[int] = []
        for at, ((tolerance, _), found) in enumerate(self._tolerated.items()):
            written = [_decimal(number) for _, number in found]
            unit = min(max(0, *(decimals for _, decimals in written)), _MOST_DECIMALS)
            bounds = _bounds(tolerance, unit)
            tolerances += bounds
            largest = 2**_BITS // max(bounds[1:])
            for (node, _), (digits, decimals) in zip(found, written, strict=True):
                number = digits * 10 ** (unit - decimals) if decimals <= unit else largest + 1
                node[_NUMBER], node[_TOLERANCE] = _NO_UNIT, at
                if abs(number) <= largest:
                    node[_NUMBER] = len(numbers)
                    numbers.append(number)
        return _words(numbers), _words(tolerances)


def _decimal(number: float) -> tuple[int, int]:
    """A number as written: its digits as a whole number, and how many of them are decimals."""
    if isinstance(number, int):
        return number, 0
    digits, _, exponent = repr(number).partition("e")
    whole, _, fraction = digits.partition(".")
    fraction = fraction.rstrip("0")
    return int(whole + fraction), len(fraction) - int(exponent or 0)


def _bounds(tolerance: Tolerance, unit: int) -> tuple[int, int, int]:
    """The absolute bound in a unit with this many decimals; the relative one as a fraction."""
    digits, decimals = _decimal(tolerance.absolute)
    absolute = digits * 10 ** max(unit - decimals, 0) // 10 ** max(decimals - unit, 0)
    numerator, decimals = _decimal(tolerance.relative)
    numerator, denominator = numerator * 10 ** max(-decimals, 0), 10 ** max(decimals, 0)
    if numerator > 2 * denominator:  # no two numbers differ by more than twice the larger
        numerator, denominator = 2, 1
    # A finer fraction leaves no room for numbers, so none of their pairs can be decided.
    return min(absolute, 2**_BITS * 2), numerator, min(denominator, 2**_BITS + 1)


def _words(numbers: Sequence[int]) -> Int64Array:
    """Numbers as words of 64 bits, the low one of each first."""
    packed = b"".join(number.to_bytes(16, "little", signed=True) for number in numbers)
    return np.frombuffer(packed, np.dtype("<i8")).astype(np.int64)
