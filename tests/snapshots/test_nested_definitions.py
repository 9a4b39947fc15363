"""Definitions that are nested deeply, or follow what a grammar cannot parse."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

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
    ("file", "source"),
    [
        ("a.go", b"{" * 200_000),
        ("a.kt", b"class A { fun f() {\n" * 20_000),
        ("a.js", b"f(() => {" * 10_000 + b"})" * 10_000),
        ("a.js", b"() =>" * 20_000 + b"1"),
        ("a.js", b"(() => {this.a;" * 10_000 + b"})" * 10_000),
        ("a.c", b"struct {" * 10_000 + b"int x;" + b"} a;" * 10_000),
    ],
    ids=["braces", "unclosed", "callbacks", "arrows", "properties", "structs"],
)
@pytest.mark.parametrize("naming", ["default", "contextbench"])
def test_time_grows_with_the_file(file: str, source: bytes, naming: Naming) -> None:
    language = language_of(file)
    assert language is not None
    begin = time.process_time()
    found = definitions(source, language, naming)
    # These take a quarter of a second; if the time grew with its square, ten seconds and more.
    assert time.process_time() - begin < 5
    for each in found:
        assert 0 <= each.start < each.end <= len(source)
