"""Definitions in a source file: functions, classes and the like, found by tree-sitter."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast

from trajmeter.snapshots._languages import grammar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node, Parser, Query

    from trajmeter.snapshots._languages import LanguageRules

__all__ = ["Definition", "Naming", "definitions"]

Naming: TypeAlias = Literal["default", "contextbench"]
"""How to name definitions that have no name in the grammar: see :func:`_name` and
:func:`_contextbench_names`."""


class Definition(NamedTuple):
    """A definition in the form of a snapshot file."""

    kind: str
    start: int
    end: int
    name: str | None


class _Grammar(NamedTuple):
    parser: Parser
    query: Query
    """Finds definitions everywhere, using compiled code."""
    kinds: frozenset[int]
    """Ids of the nodes that are definitions."""
    holders: frozenset[int]
    """Ids of the nodes that can contain definitions; see :attr:`LanguageRules.holders`."""


@cache
def _tools(language: LanguageRules) -> _Grammar:
    known = grammar(language)  # first, because it reports what is missing
    from tree_sitter import Parser, Query

    kinds, holders = (
        frozenset(cast("int", known.id_for_node_kind(name, True)) for name in names)  # noqa: FBT003 - it accepts no keyword
        for names in (language.kinds, language.holders)
    )
    alternatives = " ".join(f"({kind})" for kind in language.kinds)
    return _Grammar(Parser(known), Query(known, f"[{alternatives}] @found"), kinds, holders)


def definitions(content: bytes, language: LanguageRules, naming: Naming) -> list[Definition]:
    """Find the definitions in a file, ordered by start, with longer ones first.

    Args:
        content: The file. Syntax errors affect at most the definitions that contain them.
        language: Its language.
        naming: How to name definitions that have no name in the grammar.

    Raises:
        ExtraMissingError: tree-sitter or the grammar is not installed.
    """
    tools = _tools(language)
    root = tools.parser.parse(content).root_node
    nodes = _held(root, tools) if tools.holders and not root.has_error else _all(root, tools)
    nodes.sort(key=lambda node: (node.start_byte, -node.end_byte))
    names = map(_name, nodes) if naming == "default" else _contextbench_names(nodes)
    return [
        Definition(node.type, *node.byte_range, name)
        for node, name in zip(nodes, names, strict=True)
    ]


def _all(root: Node, tools: _Grammar) -> list[Node]:
    """The definitions below a node, searching everywhere."""
    from tree_sitter import QueryCursor

    return QueryCursor(tools.query).captures(root).get("found", [])


def _held(root: Node, tools: _Grammar) -> list[Node]:
    """The definitions below a node, skipping nodes that cannot contain one.

    Statements are a tenth of a tree, so this takes a quarter of the time of a query.
    """
    found: list[Node] = []
    cursor = root.walk()
    if not cursor.goto_first_child():
        return found
    while True:
        node = cursor.node
        kind = 0 if node is None else node.kind_id
        if node is not None and kind in tools.kinds:
            found.append(node)
        if kind in tools.holders and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return found


# What a name hangs on, in the order to look: `int *f(void)` has its name in a declarator, and the
# name of `impl Shape for Square<T>` is that of its type.
_FIELDS = ("name", "declarator", "property", "type")

_UNNAMED_FIELDS = {"reference_declarator", "parenthesized_declarator"}
"""Nodes of C++ and C that declare their last child."""

_HOLDERS: dict[str, str] = {
    "variable_declarator": "name",
    "assignment_expression": "left",
    "pair": "key",
    "field_definition": "property",
    "type_definition": "declarator",
}
"""Nodes that name what they contain, and the field with the name."""


def _name(node: Node) -> str | None:
    """The name of a definition, as a person would call it.

    If the grammar has none: a Go type declaration is named after its first type, an ``impl`` after
    its type, a C function as it is declared, and an arrow function or a struct without a name after
    the variable, property or type that it becomes.
    """
    own = node.child_by_field_name("name")
    if own is None:
        if node.type == "type_declaration":  # of Go
            own = next(iter(node.named_children), None)
        elif node.type in {"function_definition", "impl_item"}:
            own = node
        elif node.parent is not None and node.parent.type in _HOLDERS:
            own = node.parent.child_by_field_name(_HOLDERS[node.parent.type])
    named = None if own is None else _innermost(own)
    return None if named is None else _text(named)


def _innermost(node: Node) -> Node | None:
    """The node that contains only the name, within one that qualifies or declares it."""
    while not node.type.startswith("abstract_"):  # the declarator of `operator bool()`
        inner = next(filter(None, map(node.child_by_field_name, _FIELDS)), None)
        if inner is None and node.type in _UNNAMED_FIELDS:
            inner = next(reversed(node.named_children), None)
        if inner is None:
            return node
        node = inner
    return None


_RANKS = {
    "identifier": 0,
    "field_identifier": 1,
    "property_identifier": 2,
    "type_identifier": 3,
    "scoped_identifier": 3,
    "namespace_identifier": 3,
}
"""Nodes that ContextBench takes for names; it prefers lower ranks."""


def _contextbench_names(nodes: Sequence[Node]) -> Iterator[str | None]:
    """The names that ContextBench uses: their own, or the first identifier of the lowest rank.

    It looks in the declarator, if the definition has one.

    Args:
        nodes: The definitions, outer ones before those that they contain.
    """
    names: list[str | None] = []
    known: dict[int, Node | None] = {}
    for node in reversed(nodes):
        own = node.child_by_field_name("name")
        if own is None or not own.text:
            own = _identifier(node.child_by_field_name("declarator") or node, known)
        names.append(None if own is None else _text(own))
    return reversed(names)


def _identifier(node: Node, known: dict[int, Node | None]) -> Node | None:
    """The first identifier of the lowest rank in a node.

    Args:
        node: The node.
        known: Those of nodes looked at before, so that nested ones are not searched again.
    """
    best = None
    left = [node]
    while left:
        each = left.pop()
        found: Node | None = each
        if each.id in known:
            found = known[each.id]
        else:
            left.extend(reversed(each.named_children))
        if found is None or found.type not in _RANKS or not found.text:
            continue
        if best is None or _RANKS[found.type] < _RANKS[best.type]:
            best = found
        if _RANKS[found.type] == 0:
            break
    known[node.id] = best
    return best


def _text(node: Node) -> str | None:
    text = node.text
    return text.decode(errors="replace") if text else None
