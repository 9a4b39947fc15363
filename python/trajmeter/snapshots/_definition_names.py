"""Names of definitions, as a person or ContextBench would call them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tree_sitter import Node

__all__ = ["HOLDERS", "Holders", "contextbench_names", "default_name", "holders_by_child"]

HOLDERS: dict[str, dict[str, str]] = {
    "arrow_function": {
        "variable_declarator": "name",
        "assignment_expression": "left",
        "pair": "key",
        "field_definition": "property",
    },
    "class_specifier": {"type_definition": "declarator"},
    "struct_specifier": {"type_definition": "declarator"},
}
"""For definitions that may have no name: the nodes that name what they contain, and the field with
the name."""

Holders: TypeAlias = "Mapping[int, Node]"
"""Nodes of :data:`HOLDERS` by the ids of their children."""

# What a name hangs on, in the order to look: `int *f(void)` has its name in a declarator, and the
# name of `impl Shape for Square<T>` is that of its type.
_FIELDS = ("name", "declarator", "property", "type")

_UNNAMED_FIELDS = {"reference_declarator", "parenthesized_declarator"}
"""Nodes of C++ and C that declare their last child."""

_TYPES_OF_ELEMENTS = {"array_type", "dictionary_type"}
"""Nodes whose fields name the types of their elements."""


def holders_by_child(holders: Iterable[Node]) -> Holders:
    """The nodes that name what they contain, by the ids of their children."""
    return {child.id: holder for holder in holders for child in holder.named_children}


def default_name(node: Node, holders: Holders) -> str | None:
    """The name of a definition, as a person would call it.

    If the grammar has none: a Go type declaration is named after its first type, an ``impl`` after
    its type, a C function as it is declared, and an arrow function or a struct without a name after
    the variable, property or type that it becomes.
    """
    own = node.child_by_field_name("name")
    if own is None:
        if node.type == "type_declaration":  # of Go, where comments may come first
            types = (child for child in node.named_children if child.type.startswith("type_"))
            own = next(types, None)
        elif node.type in {"function_definition", "impl_item"}:
            own = node
        elif node.id in holders:
            holder = holders[node.id]
            own = holder.child_by_field_name(HOLDERS[node.type][holder.type])
    named = None if own is None else _innermost(own)
    return None if named is None else _text(named)


def _innermost(node: Node) -> Node | None:
    """The node that contains only the name, within one that qualifies or declares it."""
    while not node.type.startswith("abstract_"):  # the declarator of `operator bool()`
        if node.type in _TYPES_OF_ELEMENTS:
            return node
        inner = next(filter(None, map(node.child_by_field_name, _FIELDS)), None)
        if inner is None and node.type in _UNNAMED_FIELDS:
            inner = _last(node, lambda child: not child.is_extra)
        elif inner is None and node.type == "user_type":  # of Swift: `Library.Shelf<Book>`
            inner = _last(node, lambda child: child.type == "type_identifier")
        if inner is None:
            return node
        node = inner
    return None


def _last(node: Node, wanted: Callable[[Node], bool]) -> Node | None:
    return next(filter(wanted, reversed(node.named_children)), None)


_RANKS = {
    "identifier": 0,
    "field_identifier": 1,
    "property_identifier": 2,
    "type_identifier": 3,
    "scoped_identifier": 3,
    "namespace_identifier": 3,
}
"""Nodes that ContextBench takes for names; it prefers lower ranks."""


def contextbench_names(nodes: Sequence[Node]) -> Iterator[str | None]:
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
