from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.metrics.rules import read_budget, read_texts

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ()),
        ("a", ("a",)),
        (" ", ()),
        (["a", " ", "", " b\x1f", "a"], ("a", "b", "a")),
        (("a",), ("a",)),
        (["a", None, 5, True, ["b"]], ("a",)),
        ({"a": 1}, ()),
        (5, ()),
        (True, ()),
    ],
)
def test_texts_are_trimmed_and_other_values_dropped(
    value: object, expected: tuple[str, ...]
) -> None:
    assert read_texts(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (5, 5.0),
        (0.5, 0.5),
        ("1000", 1000.0),
        ("\x1c 1_000 \n", 1000.0),
        ("\u0661\u0660", 10.0),  # Arabic-Indic digits
        ("1e3", 1000.0),
        ("Infinity", math.inf),
        (10**400, math.inf),
        (math.inf, math.inf),
        (None, None),
        (0, None),
        (-1, None),
        (-(10**400), None),
        ("-5", None),
        ("nan", None),
        (math.nan, None),
        (True, None),
        ("True", None),
        ("", None),
        ("1000ms", None),
        ("0x10", None),
        ([5], None),
        ({"a": 5}, None),
    ],
)
def test_only_numbers_above_0_are_budgets(value: object, expected: float | None) -> None:
    assert read_budget(value) == expected


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists))
def test_nothing_raises(value: object) -> None:
    budget = read_budget(value)
    assert budget is None or budget > 0
    assert all(text and text == text.strip() for text in read_texts(value))


def test_reference_cases(reference_data: Path) -> None:
    cases = json.loads((reference_data / "rules" / "cases.json").read_text())["coercion"]
    assert cases
    for case in cases:
        if case["kind"] == "string_list":
            assert list(read_texts(case["input"])) == case["expected"], case
        else:
            assert read_budget(case["input"]) == case["expected"], case
