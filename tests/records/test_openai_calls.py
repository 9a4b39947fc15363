"""Calls in the shape in which OpenAI's API writes them."""

from __future__ import annotations

from typing import Any

import pytest

from trajmeter.records.openai_calls import parsed_arguments


@pytest.mark.parametrize(
    ("arguments", "parsed"),
    [
        ('{"page": 2}', {"page": 2}),
        (' \n{"page": {"a": [1]}}\t\r\n', {"page": {"a": [1]}}),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ("", {}),
        (" \u00a0\n", {}),
        ("{}", {}),
        (
            r'{"a": "\ud83d\udea2 \ud83d", "b": "\\ud83d"}',
            {"a": "\U0001f6a2 \ufffd", "b": r"\ud83d"},
        ),
    ],
)
def test_arguments_that_are_an_object(arguments: str, parsed: Any) -> None:
    assert parsed_arguments(arguments) == parsed


@pytest.mark.parametrize(
    "arguments",
    [
        "{",
        "[1]",
        "null",
        '{"a": NaN}',
        '{"a": 1} {}',
        '{"a": 1}x',
        '\u00a0{"a": 1}',  # which JSON does not take as a blank
        '{"a": ' * 100_000,
        5,
        None,
        {"a": 1},
        [1],
    ],
    ids=range(12),
)
def test_all_other_calls_are_returned(arguments: Any) -> None:
    assert parsed_arguments(arguments) is arguments
