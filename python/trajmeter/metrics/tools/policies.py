"""Policies: how to compare the arguments of two calls, by tool and place."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal, TypeAlias

from trajmeter.errors import ConfigurationError
from trajmeter.metrics.tools.arguments import DEEPEST

if TYPE_CHECKING:
    from pydantic import JsonValue

__all__ = ["POLICIES_KEY", "ArgumentPolicies", "Fold", "Policy", "PolicyTree", "Tolerance"]


POLICIES_KEY = "tool_policies"
"""Key of a task's metadata for policies for its calls."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Numbers may differ by this much; other values are compared exactly."""

    absolute: float = 0.0
    """Greatest difference, itself included."""
    relative: float = 0.0
    """Greatest difference as a fraction of the larger number's size; either bound suffices."""


@dataclass(frozen=True, slots=True)
class Fold:
    """Texts may differ in these ways; other values are compared exactly."""

    case: bool = True
    """Case is ignored, by Unicode's full case folding."""
    whitespace: bool = True
    """White space at the ends is ignored, and any amount within counts as one space."""


Comparer: TypeAlias = Callable[[object, object], bool]
"""Returns whether the actual value, its second argument, is acceptable for the reference value."""

Policy: TypeAlias = "Literal['exact', 'ignore', 'subset'] | Tolerance | Fold | Comparer"
"""How two values are compared:

``exact``: equal as JSON. ``ignore``: not compared, and may be absent. ``subset``: what the
reference has must be in the actual value, also in nested objects. Or a tolerance for numbers, a
folding for texts, or a function of both values.
"""

_KEYS = ("default", "tools", "paths")

Path: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PolicyTree:
    """Policies of a place in the arguments, and of the places below it."""

    policy: Policy | None = None
    """Policy of this place; ``None`` to inherit that of the place above."""
    below: dict[str, PolicyTree] = field(default_factory=dict)
    """Places below that have policies of their own, by key or list index."""

    @property
    def is_equality(self) -> bool:
        """Whether knowing which arguments are equal is enough to match them."""
        return not self.below and self.policy in ("exact", "ignore")


class ArgumentPolicies:
    """Policies for comparing arguments: a default, and others per tool and per path.

    Args:
        default: Policy of all arguments of tools without a policy of their own.
        tools: Policies by tool name.
        paths: Policies by tool name and path in the arguments: dotted keys and list indices
            (``"filter.0.id"``), or a sequence of them for keys that contain a dot. A path's policy
            overrides those above it. Instead of a mapping, an iterable of objects with ``path`` and
            ``policy`` is accepted.

    Policies may be written as in JSON: ``"exact"``, ``"ignore"``, ``"subset"``, ``"fold"``,
    ``{"tolerance": {"abs": 0.5, "rel": 0.01}}``, ``{"fold": ["case", "whitespace"]}``.

    Raises:
        ConfigurationError: A policy is invalid; the message says where.

    Example:
        >>> policies = ArgumentPolicies(
        ...     "exact", tools={"search": "fold"}, paths={"open": {"window.id": "ignore"}}
        ... )
        >>> policies.tree_of("search").policy
        Fold(case=True, whitespace=True)
        >>> policies.tree_of("open").below["window"].below["id"].policy
        'ignore'
    """

    def __init__(
        self,
        default: object = "exact",
        *,
        tools: Mapping[str, object] | None = None,
        paths: Mapping[str, object] | None = None,
    ) -> None:
        self._default = _read_policy(default, "default")
        self._tools = {
            tool: _read_policy(policy, f"tools[{tool!r}]") for tool, policy in (tools or {}).items()
        }
        self._paths = {
            tool: _read_paths(each, f"paths[{tool!r}]") for tool, each in (paths or {}).items()
        }
        self._trees: dict[str, PolicyTree] = {}

    @classmethod
    def read(cls, given: object) -> ArgumentPolicies:
        """Read policies from an object with ``default``, ``tools`` and ``paths``, all optional.

        Raises:
            ConfigurationError: It is anything else.
        """
        if not isinstance(given, Mapping):
            raise ConfigurationError(f"policies are {given!r}, expected an object")
        unknown = [key for key in given if key not in _KEYS]
        if unknown:
            close = get_close_matches(str(unknown[0]).lower(), _KEYS, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise ConfigurationError(
                f"policies have the key {unknown[0]!r}, expected default, tools or paths{hint}"
            )
        tools, paths = given.get("tools"), given.get("paths")
        for name, part in (("tools", tools), ("paths", paths)):
            if part is not None and not isinstance(part, Mapping):
                raise ConfigurationError(f"{name} is {part!r}, expected an object of tool names")
        return cls(given.get("default", "exact"), tools=tools, paths=paths)

    @property
    def is_exact(self) -> bool:
        """Whether the arguments of every tool have to be equal."""
        policies = (self._default, *self._tools.values())
        return not self._paths and all(policy == "exact" for policy in policies)

    def tree_of(self, tool: str) -> PolicyTree:
        """Policies of one tool's arguments; the root always has one."""
        tree = self._trees.get(tool)
        if tree is None:
            tree = PolicyTree(self._tools.get(tool, self._default))
            # Shorter paths first, so that longer ones find their parents.
            for path, policy in sorted(self._paths.get(tool, {}).items(), key=lambda p: len(p[0])):
                tree = _with(tree, path, policy)
            self._trees[tool] = tree
        return tree

    def describe(self) -> dict[str, JsonValue]:
        """All policies as JSON, functions by name."""
        return {
            "default": _describe(self._default),
            "tools": {tool: _describe(policy) for tool, policy in self._tools.items()},
            "paths": {
                tool: [{"path": list(path), "policy": _describe(p)} for path, p in paths.items()]
                for tool, paths in self._paths.items()
            },
        }


def _with(tree: PolicyTree, path: Path, policy: Policy) -> PolicyTree:
    if not path:
        return PolicyTree(policy, tree.below)
    first, rest = path[0], path[1:]
    below = _with(tree.below.get(first, PolicyTree()), rest, policy)
    return PolicyTree(tree.policy, {**tree.below, first: below})


def _read_policy(policy: object, place: str) -> Policy:
    match policy:
        case "exact" | "ignore" | "subset" | Fold():
            return policy
        case "fold":
            return Fold()
        case {"fold": str() | [*_] as parts, **others} if not others:
            return _read_fold([parts] if isinstance(parts, str) else parts, place)
        case {"tolerance": Mapping() as bounds, **others} if not others:
            return _read_tolerance(bounds, place)
        case Tolerance(absolute, relative):
            return Tolerance(_read_bound(absolute, place), _read_bound(relative, place))
    if callable(policy):
        return policy
    raise ConfigurationError(
        f"the policy {place} is {policy!r}, expected 'exact', 'ignore', 'subset', 'fold', "
        "{'fold': [...]}, {'tolerance': {...}} or a function"
    )


def _read_fold(parts: Iterable[object], place: str) -> Fold:
    unknown = [part for part in parts if part not in ("case", "whitespace")]
    if unknown:
        raise ConfigurationError(
            f"the policy {place} folds {unknown[0]!r}, expected 'case' or 'whitespace'"
        )
    return Fold(case="case" in parts, whitespace="whitespace" in parts)


def _read_tolerance(bounds: Mapping[object, object], place: str) -> Tolerance:
    names = {"abs": "absolute", "absolute": "absolute", "rel": "relative", "relative": "relative"}
    read: dict[str, float] = {}
    for key, bound in bounds.items():
        if not isinstance(key, str) or key not in names:
            raise ConfigurationError(
                f"the policy {place} has the tolerance {key!r}, expected 'abs' or 'rel'"
            )
        read[names[key]] = _read_bound(bound, place)
    return Tolerance(**read)


def _read_bound(bound: object, place: str) -> float:
    if isinstance(bound, (int, float)) and not isinstance(bound, bool) and 0 <= bound < math.inf:
        return bound
    raise ConfigurationError(
        f"the policy {place} has a tolerance of {bound!r}, expected a finite number of 0 or more"
    )


def _read_paths(paths: object, place: str) -> dict[Path, Policy]:
    pairs: list[tuple[object, object]]
    if isinstance(paths, Mapping):
        pairs = list(paths.items())
    else:
        pairs = []
        for index, entry in enumerate(paths if isinstance(paths, (list, tuple)) else [paths]):
            if not isinstance(entry, Mapping) or set(entry) != {"path", "policy"}:
                raise ConfigurationError(
                    f"{place}[{index}] is {entry!r}, expected an object with path and policy"
                )
            pairs.append((entry["path"], entry["policy"]))
    return {
        _read_path(path, place): _read_policy(policy, f"{place}[{path!r}]")
        for path, policy in pairs
    }


def _read_path(path: object, place: str) -> Path:
    if isinstance(path, str):
        path = path.split(".")
    if isinstance(path, (list, tuple)) and all(
        isinstance(part, (str, int)) and not isinstance(part, bool) for part in path
    ):
        if len(path) > DEEPEST + 1:
            raise ConfigurationError(
                f"{place} has a path of {len(path)} parts, expected {DEEPEST + 1} at most: "
                "no arguments are nested more deeply"
            )
        return tuple([str(part) for part in path])
    raise ConfigurationError(
        f"{place} has the path {path!r}, expected dotted keys, or a list of keys and indices"
    )


def _describe(policy: Policy) -> JsonValue:
    if isinstance(policy, str):
        return policy
    if isinstance(policy, Tolerance):
        return {"tolerance": {"abs": policy.absolute, "rel": policy.relative}}
    if isinstance(policy, Fold):
        return {"fold": [name for name in ("case", "whitespace") if getattr(policy, name)]}
    return getattr(policy, "__qualname__", repr(policy))
