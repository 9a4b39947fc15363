"""Names of definitions that are nested deeply and have none in the grammar."""

from __future__ import annotations

import pytest

from trajmeter.snapshots._definitions import definitions
from trajmeter.snapshots._languages import language_of


@pytest.mark.parametrize(("inside", "name"), [("1", None), ("deep", "deep")])
def test_contextbench_searches_nested_definitions_once(inside: str, name: str | None) -> None:
    levels = 3_000
    source = "(()=>" * levels + inside + ")" * levels
    language = language_of("a.js")
    assert language is not None
    found = definitions(source.encode(), language, "contextbench")
    assert [each.name for each in found] == [name] * levels
