"""Definitions that are nested deeply, or follow what a grammar cannot parse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tree_sitter import Node

from tests.steps import assert_linear
from trajmeter.snapshots._definitions import definitions
from trajmeter.snapshots._languages import language_of

if TYPE_CHECKING:
    from trajmeter.snapshots._definitions import Naming


@pytest.mark.parametrize(("inside", "name"), [("1", None), ("deep", "deep")])
def test_contextbench_searches_nested_definitions_once(inside: str, name: str | None) -> None:
    levels = 3_000
    source = "(()=>" * levels + inside + ")" * levels
    language = language_of("a.js")
    assert language is not None
    found = definitions(source.encode(), language, "contextbench")
    assert [each.name for each in found] == [name] * levels


@pytest.mark.parametrize(
    ("file", "opening", "inside", "closing"),
    [
        ("a.kt", "class A { fun f() {\n", "", ""),
        ("a.js", "f(() => {", "", "})"),
        ("a.js", "() =>", "1", ""),
        ("a.js", "(() => {this.a;", "", "})"),
        ("a.c", "struct {", "int x;", "} a;"),
    ],
    ids=["unclosed", "callbacks", "arrows", "properties", "structs"],
)
@pytest.mark.parametrize("naming", ["default", "contextbench"])
def test_time_grows_with_the_levels(
    file: str,
    opening: str,
    inside: str,
    closing: str,
    naming: Naming,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # tree-sitter looks for the parent of a node from the root, in compiled code.
    monkeypatch.delattr(Node, "parent")
    language = language_of(file)
    assert language is not None

    def find(levels: int) -> None:
        source = (opening * levels + inside + closing * levels).encode()
        for each in definitions(source, language, naming):
            assert 0 <= each.start < each.end <= len(source)

    assert_linear(find)


@pytest.mark.parametrize("naming", ["default", "contextbench"])
def test_many_children_of_an_error_are_visited_once(naming: Naming) -> None:
    language = language_of("a.go")
    assert language is not None
    # A query of the whole tree takes longer than a test may.
    assert definitions(b"{" * 1_200_000, language, naming) == []
