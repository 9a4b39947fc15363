"""Definitions in a source file: functions, classes and the like, found by tree-sitter."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast

from trajmeter.snapshots._definition_names import (
    HOLDERS,
    contextbench_names,
    default_name,
    holders_by_child,
)
from trajmeter.snapshots._languages import grammar

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

    from trajmeter.snapshots._languages import LanguageRules

__all__ = ["Definition", "Naming", "definitions"]

Naming: TypeAlias = Literal["default", "contextbench"]
"""How to name definitions that have no name in the grammar: see :func:`default_name` and
:func:`contextbench_names`."""


class Definition(NamedTuple):
    """A definition in the form of a snapshot file."""

    kind: str
    start: int
    end: int
    name: str | None


class _Grammar(NamedTuple):
    parser: Parser
    query: Query
    """Finds definitions everywhere, using compiled code, and the nodes that name what they hold."""
    kinds: frozenset[int]
    """Ids of the nodes that are definitions."""
    holders: frozenset[int]
    """Ids of the nodes that can contain definitions; see :attr:`LanguageRules.holders`."""


@cache
def _tools(language: LanguageRules) -> _Grammar:
    known = grammar(language)  # first, because it reports what is missing
    from tree_sitter import Parser, Query

    def id_of(kind: str) -> int | None:
        return known.id_for_node_kind(kind, True)  # noqa: FBT003 - it accepts no keyword

    kinds, holders = (
        frozenset(cast("int", id_of(kind)) for kind in names)
        for names in (language.kinds, language.holders)
    )
    wanted = [f"({kind}) @found" for kind in language.kinds]
    wanted += [
        f"({holder} ({kind})) @holder"
        for kind in language.kinds
        for holder in HOLDERS.get(kind, ())
    ]
    return _Grammar(Parser(known), Query(known, " ".join(wanted)), kinds, holders)


def definitions(content: bytes, language: LanguageRules, naming: Naming) -> list[Definition]:
    """Find the definitions in a file, ordered by start, with longer ones first.

    Args:
        content: The file. Where its grammar cannot parse it, definitions may be missing.
        language: Its language.
        naming: How to name definitions that have no name in the grammar. Like ContextBench,
            ``"contextbench"`` also keeps whitespace and comments at their ends.

    Raises:
        ExtraMissingError: tree-sitter or the grammar is not installed.
    """
    tools = _tools(language)
    root = tools.parser.parse(content).root_node
    is_sound = not root.has_error
    captures = _held(root, tools) if tools.holders and is_sound else _all(root, tools)
    nodes = sorted(captures["found"], key=lambda node: (node.start_byte, -node.end_byte))
    if naming == "contextbench":
        return [
            Definition(node.type, *node.byte_range, name)
            for node, name in zip(nodes, contextbench_names(nodes), strict=True)
        ]
    holders = holders_by_child(captures["holder"])
    found = [
        Definition(node.type, node.start_byte, _end(node, content), default_name(node, holders))
        for node in nodes
    ]
    found.sort(key=lambda definition: (definition.start, -definition.end))
    return found


def _end(node: Node, content: bytes) -> int:
    """The end of a definition's last token.

    In Scala's grammar, a definition without braces ends where the next token begins, after
    comments that belong to the next definition.
    """
    while content[node.end_byte - 1 : node.end_byte].isspace():
        tokens = (
            child
            for child in reversed(node.children)
            if child.start_byte < child.end_byte and not child.is_extra
        )
        last = next(tokens, None)
        if last is None:
            break
        node = last
    return node.end_byte


_Captures: TypeAlias = "defaultdict[str, list[Node]]"


def _all(root: Node, tools: _Grammar) -> _Captures:
    """The definitions below a node, searching everywhere.

    A query takes quadratic time in the children of one node. Only a node with an error can have
    very many, so those are visited one by one.
    """
    from tree_sitter import QueryCursor

    everywhere, here = QueryCursor(tools.query), QueryCursor(tools.query)
    here.set_max_start_depth(0)
    found: _Captures = defaultdict(list)
    left = [root]
    while left:
        node = left.pop()
        cursor = here if node.has_error else everywhere
        for capture, nodes in cursor.captures(node).items():
            found[capture] += nodes
        if node.has_error:
            left += [child for child in reversed(node.children) if child.is_named]
    return found


def _held(root: Node, tools: _Grammar) -> _Captures:
    """The definitions below a node, skipping nodes that cannot contain one.

    Statements are a tenth of a tree, so this takes a quarter of the time of a query.
    """
    found: _Captures = defaultdict(list)
    cursor = root.walk()
    if not cursor.goto_first_child():
        return found
    while True:
        node = cursor.node
        kind = 0 if node is None else node.kind_id
        if node is not None and kind in tools.kinds:
            found["found"].append(node)
        if kind in tools.holders and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return found
