"""Texts of details as JSON."""

from __future__ import annotations

import json

import pytest

from trajmeter.reports.page.details import text_json


@pytest.mark.parametrize(
    "text",
    ["", "plain text", "</script>", 'a "quote"', "back\\slash", "é", "~^[]!#", "\x7f", "a\nb"],
)
def test_text_is_json_of_itself(text: str) -> None:
    found = json.loads(text_json(text))
    assert found == text if text.isprintable() or "\n" in text else found != text
