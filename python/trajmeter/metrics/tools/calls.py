"""Calls prepared for matching: those of an attempt, and those of a reference."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trajmeter.metrics.tools.arguments import Malformed, are_simple, keyed_arguments

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from trajmeter.kernels import Int64Array
    from trajmeter.metrics.tools.arguments import Arguments, JsonKey
    from trajmeter.metrics.tools.policies import ArgumentPolicies, PolicyTree
    from trajmeter.records import ToolCall, Trajectory

__all__ = [
    "Calls",
    "Reference",
    "calls_of",
    "names_of",
    "prepare_reference",
    "read_calls",
    "read_steps",
]


@dataclass(slots=True)
class Calls:
    """Calls, or steps of another kind, in order, with a list for each of their properties."""

    names: Sequence[str]
    """Name of each call's tool, or the step itself."""
    arguments: Sequence[Arguments]
    """Arguments of each call; empty if malformed."""
    keys: Sequence[JsonKey | None]
    """Equal for calls whose arguments are equal as JSON; ``None`` if malformed."""
    malformed: dict[int, str] = field(default_factory=dict)
    """Why the arguments of a call are not a JSON object, by its position; such calls match
    nothing."""
    records: Sequence[ToolCall] = ()
    """The calls as recorded; empty for steps of another kind."""

    def __len__(self) -> int:
        return len(self.names)


def read_calls(calls: Sequence[ToolCall]) -> Calls:
    """Read the arguments of every call."""
    names = [call.name for call in calls]
    recorded = [call.arguments for call in calls]
    if are_simple(recorded):  # Most are, and one by one takes twice as long.
        simple_keys = list(map(frozenset, map(dict.items, recorded)))
        return Calls(names, recorded, simple_keys, records=calls)
    arguments: list[Arguments] = []
    keys: list[JsonKey | None] = []
    malformed: dict[int, str] = {}
    for at, each in enumerate(recorded):
        read = keyed_arguments(each)
        if isinstance(read, Malformed):
            malformed[at] = read.reason
            read = {}, None
        arguments.append(read[0])
        keys.append(read[1])
    return Calls(names, arguments, keys, malformed, calls)


def read_steps(names: Sequence[str]) -> Calls:
    """Represent steps of any kind (files, nodes, agents) as calls without arguments."""
    return Calls(list(names), [{} for _ in names], [()] * len(names))


_latest: tuple[Trajectory, Calls] | None = None


def calls_of(trajectory: Trajectory) -> Calls | None:
    """Read the calls of an attempt; ``None`` if neither they nor turns were recorded.

    The latest attempt's calls are cached, because several families score an attempt in turn.
    """
    global _latest  # noqa: PLW0603 - one reference, replaced as a whole
    latest = _latest
    if latest is not None and latest[0] is trajectory:
        return latest[1]
    calls = trajectory.calls
    if calls is None:
        return None
    read = read_calls(calls)
    _latest = trajectory, read
    return read


def names_of(trajectory: Trajectory) -> Sequence[str] | None:
    """Return only the names of an attempt's calls, in order; ``None`` as in :func:`calls_of`."""
    latest = _latest
    if latest is not None and latest[0] is trajectory:
        return latest[1].names
    calls = trajectory.calls
    return None if calls is None else [call.name for call in calls]


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """Calls of a reference with their policies, and codes that say which calls match by equality.

    A code is the index of the first reference call matched by the same calls; -1 means that
    equality does not decide for the call.
    """

    calls: Calls
    """The calls."""
    trees: Mapping[str, PolicyTree]
    """Policies of each tool of the reference."""
    compared: Collection[str]
    """Tools whose calls must be compared pair by pair."""
    codes: Sequence[int]
    """Code of each call."""
    code_array: Int64Array
    """The same for the kernels."""
    repeated: Mapping[int, Sequence[int]]
    """Positions of each code that several calls have."""
    _code_of: Mapping[object, int]
    _ignored: Collection[str]

    def __len__(self) -> int:
        return len(self.calls)

    def codes_of(self, actual: Calls) -> list[int]:
        """Code of each actual call; also -1 if the reference has no equal call."""
        code_of = self._code_of
        identities = _identities(actual, self.compared, self._ignored)
        return [code_of.get(identity, -1) for identity in identities]


def prepare_reference(calls: Calls, policies: ArgumentPolicies) -> Reference:
    """Code the calls of a reference under the policies of their tools."""
    import numpy as np  # files are already being read when it is imported

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
    """Key that two calls share if and only if they match; ``None`` if equality does not decide."""
    named_keys = zip(calls.names, calls.keys, strict=True)
    if not calls.malformed and not compared and not ignored:
        return named_keys
    return [
        None if key is None or name in compared else (name if name in ignored else (name, key))
        for name, key in named_keys
    ]
