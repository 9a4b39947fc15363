"""Reads YAML files: their values only, and no more than fit in memory."""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.errors import ConfigurationError, ExtraMissingError
from trajmeter.patches import whole_characters

if TYPE_CHECKING:
    from pathlib import Path

    import yaml
    from yaml.nodes import Node

__all__ = ["read_yaml"]

_MOST_NODES = 100_000
"""Maximum number of values, keys and collections in a YAML file, including those that aliases
repeat.

A few hundred bytes of nested YAML aliases can expand to more values than fit in memory.
"""
_DEEPEST = 100
"""Maximum nesting of a YAML file, including aliases, as the code that handles it is recursive."""
_SHOWN_CHARACTERS = 40
"""Maximum number of characters of a wrong value in an error message."""
_MERGE = "tag:yaml.org,2002:merge"
_VALUE = "tag:yaml.org,2002:value"
"""What ``=`` is read as; as a key, it is text."""


def read_yaml(file: Path) -> Any:  # noqa: ANN401 - any YAML value
    """Read a YAML file with one document.

    Raises:
        ConfigurationError: It cannot be read, or is not YAML; the message names file and line.
        ExtraMissingError: pyyaml is not installed.

    Warns:
        UserWarning: A mapping has a key twice; the last one counts.
    """
    try:
        import yaml
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            "scenarios are YAML files, which need pyyaml: pip install 'trajmeter[harness]'"
        ) from error
    try:
        loader = _loader(file.read_text(encoding="utf-8-sig"))
        root = loader.get_single_node()
        if root is None:
            return None
        _check_nodes(root, loader, file)
        return loader.construct_document(root)
    except FileNotFoundError:
        raise ConfigurationError(f"{file}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file}: cannot be read: {error}") from error
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{file}: not valid YAML: {_fault(error)}") from error
    except RecursionError:
        raise _nested_too_deeply(file) from None


def _loader(text: str) -> yaml.SafeLoader:
    """A loader that names the place of a value that Python cannot represent."""
    import yaml

    class Loader(yaml.SafeLoader):
        def get_single_node(self) -> Node | None:
            try:
                return super().get_single_node()
            except (OverflowError, ValueError) as error:  # as for "\UFFFFFFFF"
                raise yaml.scanner.ScannerError(
                    problem="the number is too large", problem_mark=self.get_mark()
                ) from error

        def construct_object(self, node: Node, deep: bool = False) -> Any:  # noqa: ANN401, FBT001, FBT002 - as in the base class
            try:
                value = super().construct_object(node, deep)
                if isinstance(value, int):
                    str(value)  # fails for a number that Python reads in base 16, but never writes
            except (ArithmeticError, AttributeError, LookupError, ValueError) as error:
                shown = repr(node.value)[:_SHOWN_CHARACTERS]
                kind = node.tag.rpartition(":")[2]
                problem = f"{shown} cannot be read as {kind}"
                raise yaml.constructor.ConstructorError(
                    problem=problem, problem_mark=node.start_mark
                ) from error
            return value

    return Loader(text)


def _fault(error: yaml.YAMLError) -> str:
    """Where YAML is not valid, and why, in one line."""
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    if mark is None or problem is None:
        return " ".join(str(error).split())
    return f"line {mark.line + 1}, column {mark.column + 1}: {problem}"


class _Extent(NamedTuple):
    nodes: int
    """Values, keys and collections, counting repeats."""
    depth: int
    """Levels of nesting."""


def _check_nodes(root: Node, loader: yaml.SafeLoader, file: Path) -> None:
    """Check the size of a document with its aliases expanded; correct its texts.

    Raises:
        ConfigurationError: It is too large, is nested too deeply, or contains itself.
    """
    known: dict[int, _Extent | None] = {}

    def extent(node: Node) -> _Extent:
        if id(node) in known:  # an alias
            measured = known[id(node)]
            if measured is None:
                raise ConfigurationError(
                    f"{file}:{node.start_mark.line + 1}: an alias refers to a value that contains "
                    "the alias"
                )
            return measured
        known[id(node)] = None
        if isinstance(node.value, str):  # written in JSON, one character may be two escapes
            node.value = whole_characters(node.value)
        parts = [extent(part) for part in _parts(node)]
        nodes = 1 + sum(part.nodes for part in parts)
        depth = 1 + max((part.depth for part in parts), default=0)
        if nodes > _MOST_NODES:
            raise ConfigurationError(
                f"{file}:{node.start_mark.line + 1}: more than {_MOST_NODES:,} values, with those "
                "that aliases repeat"
            )
        if depth > _DEEPEST:
            raise _nested_too_deeply(file)
        _warn_of_repeated_keys(node, loader, file)
        known[id(node)] = _Extent(nodes, depth)
        return _Extent(nodes, depth)

    extent(root)


def _parts(node: Node) -> list[Node]:
    if isinstance(node.value, str):
        return []
    return [part for item in node.value for part in (item if isinstance(item, tuple) else (item,))]


def _warn_of_repeated_keys(node: Node, loader: yaml.SafeLoader, file: Path) -> None:
    if isinstance(node.value, str):
        return
    seen: dict[Hashable, str] = {}
    for key in (item[0] for item in node.value if isinstance(item, tuple)):
        if not isinstance(key.value, str) or key.tag == _MERGE:
            continue
        # yes and true are one key, 1 and "1" are two
        value = key.value if key.tag == _VALUE else loader.construct_object(key)
        if not isinstance(value, Hashable):  # such as !!seq x; the loader refuses it
            continue
        if value in seen:
            earlier = seen[value]
            problem = (
                f"{key.value} occurs twice"
                if earlier == key.value
                else f"{earlier} and {key.value} are the same key"
            )
            warnings.warn(
                f"{file}:{key.start_mark.line + 1}: {problem}; the last one counts", stacklevel=2
            )
        seen[value] = key.value


def _nested_too_deeply(file: Path) -> ConfigurationError:
    return ConfigurationError(f"{file}: nested too deeply: expected at most {_DEEPEST} levels")
