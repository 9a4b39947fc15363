"""Compares the arguments of a call with those of a reference call, place by place."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from trajmeter.metrics.tools.policies import Fold, PolicyTree, Tolerance

if TYPE_CHECKING:
    from pydantic import JsonValue

    from trajmeter.metrics.tools.arguments import Arguments
    from trajmeter.metrics.tools.policies import Policy

__all__ = [
    "ABSENT",
    "Comparison",
    "Difference",
    "Place",
    "child_of",
    "compare_arguments",
    "folded",
]

Place: TypeAlias = "tuple[str | int, ...]"


class Difference(NamedTuple):
    """One place in which the arguments of two calls do not match."""

    path: Place
    """Keys and list indices that lead to the place."""
    expected: JsonValue
    """Value in the reference; ``None`` if absent."""
    got: JsonValue
    """Value in the actual call; ``None`` if absent."""
    reason: str
    """What is wrong."""


class Comparison(NamedTuple):
    """Result of comparing the arguments of two calls."""

    agreed: int
    """Places that match."""
    differences: tuple[Difference, ...]
    """Places that do not match, in the order of the reference, then of the actual call."""

    @property
    def matches(self) -> bool:
        """Whether no place differs."""
        return not self.differences

    @property
    def likeness(self) -> float:
        """Places that match / places compared; 1 if nothing was compared."""
        places = self.agreed + len(self.differences)
        return self.agreed / places if places else 1.0


def compare_arguments(expected: Arguments, got: Arguments, policies: PolicyTree) -> Comparison:
    """Compare the arguments of a call with those of a reference call.

    Args:
        expected: Arguments of the reference call.
        got: Arguments of the actual call.
        policies: Policies of the tool.

    Example:
        >>> from trajmeter.metrics.tools.policies import ArgumentPolicies
        >>> exact = ArgumentPolicies().tree_of("search")
        >>> compare_arguments({"q": "a", "n": 1}, {"q": "a", "n": 2}, exact).differences[0].path
        ('n',)
    """
    comparer = _Comparer()
    comparer.visit(expected, got, policies.policy or "exact", policies, ())
    return Comparison(comparer.agreed, tuple(comparer.differences))


class _Absent:
    """Represents an absent value, as opposed to null."""


ABSENT: Final = _Absent()
"""The only instance."""

_NOTHING_BELOW = PolicyTree()

_LONGEST_INDEX = 18
"""Digits of an index; no list is as long as 10**18."""


class _Comparer:
    def __init__(self) -> None:
        self.agreed = 0
        self.differences: list[Difference] = []

    def visit(
        self,
        expected: JsonValue | _Absent,
        got: JsonValue | _Absent,
        inherited: Policy,
        tree: PolicyTree,
        place: Place,
    ) -> None:
        policy = inherited if tree.policy is None else tree.policy
        if policy == "ignore" or callable(policy):
            if callable(policy):
                self._ask(policy, expected, got, place)
            self._visit_own(expected, got, policy, tree, place)
        elif isinstance(expected, _Absent):
            # Under ``subset``, what the reference lacks is not compared.
            if policy != "subset" and not isinstance(got, _Absent):
                self._differ(expected, got, place, "the reference does not have it")
        elif isinstance(got, _Absent):
            self._differ(expected, got, place, "it is absent")
        elif isinstance(expected, dict) and isinstance(got, dict):
            self._visit_objects(expected, got, policy, tree, place)
        elif isinstance(expected, list) and isinstance(got, list):
            self._visit_lists(expected, got, policy, tree, place)
        elif _are_alike(expected, got, policy):
            self.agreed += 1
        else:
            self._differ(expected, got, place, "it differs")

    def _visit_objects(
        self,
        expected: dict[str, JsonValue],
        got: dict[str, JsonValue],
        policy: Policy,
        tree: PolicyTree,
        place: Place,
    ) -> None:
        if not expected and not got:
            self.agreed += 1
        for key, value in expected.items():
            below = tree.below.get(key, _NOTHING_BELOW)
            self.visit(value, got.get(key, ABSENT), policy, below, (*place, key))
        if policy != "subset":
            for key, value in got.items():
                if key not in expected:
                    below = tree.below.get(key, _NOTHING_BELOW)
                    self.visit(ABSENT, value, policy, below, (*place, key))

    def _visit_lists(
        self,
        expected: list[JsonValue],
        got: list[JsonValue],
        policy: Policy,
        tree: PolicyTree,
        place: Place,
    ) -> None:
        if len(expected) != len(got):
            reason = f"it has {len(got)} elements, expected {len(expected)}"
            self._differ(expected, got, place, reason)
            return
        if not expected:
            self.agreed += 1
        for index, (value, other) in enumerate(zip(expected, got, strict=True)):
            below = tree.below.get(str(index), _NOTHING_BELOW)
            self.visit(value, other, policy, below, (*place, index))

    def _visit_own(
        self,
        expected: JsonValue | _Absent,
        got: JsonValue | _Absent,
        policy: Policy,
        tree: PolicyTree,
        place: Place,
    ) -> None:
        """Compare nested places that have their own policies; the rest is ignored."""
        for key, below in tree.below.items():
            value, other = child_of(expected, key), child_of(got, key)
            is_list = isinstance(expected, list) or isinstance(got, list)
            step = int(key) if is_list and _is_index(key) else key
            # Below a function nothing is compared either, except places with their own policy.
            above: Policy = "ignore" if callable(policy) else policy
            self.visit(value, other, above, below, (*place, step))

    def _ask(
        self,
        policy: Policy,
        expected: JsonValue | _Absent,
        got: JsonValue | _Absent,
        place: Place,
    ) -> None:
        if isinstance(expected, _Absent) and isinstance(got, _Absent):
            return
        if isinstance(expected, _Absent) or isinstance(got, _Absent):
            self.visit(expected, got, "exact", _NOTHING_BELOW, place)
        elif callable(policy) and policy(expected, got):
            self.agreed += 1
        else:
            self._differ(expected, got, place, "the policy's function rejects it")

    def _differ(
        self,
        expected: JsonValue | _Absent,
        got: JsonValue | _Absent,
        place: Place,
        reason: str,
    ) -> None:
        self.differences.append(
            Difference(
                place,
                None if isinstance(expected, _Absent) else expected,
                None if isinstance(got, _Absent) else got,
                reason,
            )
        )


def child_of(value: JsonValue | _Absent, key: str) -> JsonValue | _Absent:
    """The value of an object or list at a key of a path."""
    if isinstance(value, dict):
        return value.get(key, ABSENT)
    if isinstance(value, list) and _is_index(key) and int(key) < len(value):
        return value[int(key)]
    return ABSENT


def _is_index(key: str) -> bool:
    """Whether a key of a path is a list index."""
    if not key.isascii() or not key.isdecimal() or len(key) > _LONGEST_INDEX:
        return False
    return key == "0" or key[0] != "0"


def _are_alike(expected: JsonValue, got: JsonValue, policy: Policy) -> bool:
    """Whether two values, not both objects or both lists, are alike."""
    if isinstance(expected, bool) or isinstance(got, bool):
        return expected is got
    if isinstance(expected, (int, float)) and isinstance(got, (int, float)):
        return expected == got or (
            isinstance(policy, Tolerance) and _are_close(expected, got, policy)
        )
    if isinstance(expected, str) and isinstance(got, str) and isinstance(policy, Fold):
        return folded(expected, policy) == folded(got, policy)
    return type(expected) is type(got) and expected == got


def _are_close(expected: float, got: float, tolerance: Tolerance) -> bool:
    # Compared as the written decimals: as doubles, 1.1 differs from 1.0 by more than 0.1.
    one, other = _decimal(expected), _decimal(got)
    difference = abs(one - other)
    if difference <= _decimal(tolerance.absolute):
        return True
    return difference <= _decimal(tolerance.relative) * max(abs(one), abs(other))


def _decimal(number: float) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def folded(text: str, fold: Fold) -> str:
    """Text without the differences that are ignored."""
    if fold.whitespace:
        text = " ".join(text.split())
    return text.casefold() if fold.case else text
