"""Calls of a reference, made ready to be matched with those of many attempts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from trajmeter.kernels import Int64Array
    from trajmeter.metrics.tools.calls import Calls
    from trajmeter.metrics.tools.policies import ArgumentPolicies, PolicyTree

__all__ = ["Reference", "prepare"]


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """Calls of a reference with their policies, and codes that tell which calls match by equality.

    A code is the place of the first reference call that is matched by the same calls; -1 stands for
    a call that equality says nothing of.
    """

    calls: Calls
    """The calls."""
    trees: Mapping[str, PolicyTree]
    """Policies of each tool of the reference."""
    compared: Collection[str]
    """Tools of which every two calls have to be compared."""
    codes: Sequence[int]
    """Code of each call."""
    code_array: Int64Array
    """The same for the kernels."""
    repeated: Mapping[int, Sequence[int]]
    """Places of each code that several calls have."""
    _code_of: Mapping[object, int]
    _ignored: Collection[str]

    def __len__(self) -> int:
        return len(self.calls)

    def codes_of(self, actual: Calls) -> list[int]:
        """Code of each actual call; -1 also where the reference has none like it."""
        code_of = self._code_of
        identities = _identities(actual, self.compared, self._ignored)
        return [code_of.get(identity, -1) for identity in identities]


def prepare(calls: Calls, policies: ArgumentPolicies) -> Reference:
    """Code the calls of a reference under the policies of their tools."""
    trees = {name: policies.tree_of(name) for name in set(calls.names)}
    compared = {name for name, tree in trees.items() if not tree.is_equality}
    ignored = {name for name, tree in trees.items() if tree.is_equality and tree.policy == "ignore"}
    code_of: dict[object, int] = {None: -1}
    identities = _identities(calls, compared, ignored)
    codes = [code_of.setdefault(identity, at) for at, identity in enumerate(identities)]
    places: dict[int, list[int]] = {}
    for at, code in enumerate(codes):
        if code >= 0:
            places.setdefault(code, []).append(at)
    return Reference(
        calls=calls,
        trees=trees,
        compared=compared,
        codes=codes,
        code_array=np.array(codes, np.int64),
        repeated={code: each for code, each in places.items() if len(each) > 1},
        _code_of=code_of,
        _ignored=ignored,
    )


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
