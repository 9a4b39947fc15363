"""Retrieval quality: sets of sources, and what happens where one of them is empty."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.metrics.answers import FRAMEWORK_COMPARISON, retrieval
from trajmeter.metrics.answers.coverage import objects_only_trace, tool_trace

if TYPE_CHECKING:
    from pathlib import Path

SOURCES = st.lists(st.sampled_from(["a.md", "b.md", "c.md", "A.md"]), max_size=6)


@pytest.mark.parametrize(
    ("retrieved", "expected", "precision", "recall"),
    [
        (["a", "b"], ["a", "c", "d"], 1 / 2, 1 / 3),
        (["a", "b", "b"], ["a"], 1 / 2, 1.0),  # a copy is no second source: 1 of {a, b}
        (["A"], ["a"], 0.0, 0.0),  # names are compared exactly
        ([], ["a"], 0.0, 0.0),
        (["a"], [], None, None),
        ([], [], None, None),
    ],
)
def test_default_counts_sets(
    retrieved: list[str], expected: list[str], precision: float | None, recall: float | None
) -> None:
    assert retrieval(retrieved, expected) == (precision, recall)


@pytest.mark.parametrize(
    ("retrieved", "expected", "precision", "recall"),
    [
        (["a", "b", "b"], ["a"], 1 / 3, 1.0),  # every copy counts: 1 of 3
        (["a", "a", "b"], ["a"], 2 / 3, 1.0),
        (["a"], [], 0.0, 1.0),
        ([], ["a"], 0.0, 0.0),
    ],
)
def test_a_comparison_of_frameworks_counts_copies(
    retrieved: list[str], expected: list[str], precision: float, recall: float
) -> None:
    assert retrieval(retrieved, expected, profile=FRAMEWORK_COMPARISON) == (precision, recall)


@given(SOURCES, SOURCES)
def test_order_and_copies_change_nothing(retrieved: list[str], expected: list[str]) -> None:
    assert retrieval(retrieved, expected) == retrieval(retrieved[::-1] * 2, expected[::-1])


@given(SOURCES, SOURCES)
def test_figures_stay_between_0_and_1(retrieved: list[str], expected: list[str]) -> None:
    default = retrieval(retrieved, expected)
    original = retrieval(retrieved, expected, profile=FRAMEWORK_COMPARISON)
    for figure in (*default, *original):
        assert figure is None or 0.0 <= figure <= 1.0


def test_published_cases(reference_data: Path) -> None:
    cases = json.loads((reference_data / "compare/retrieval/cases.json").read_text())["cases"]
    for case in cases:
        found = retrieval(case["retrieved"], case["expected"], profile=FRAMEWORK_COMPARISON)
        assert found == (case["precision"], case["recall"]), case["id"]
        if case["expected"]:
            on_sets = (case["on_sets"]["precision"], case["on_sets"]["recall"])
            assert retrieval(case["retrieved"], case["expected"]) == on_sets, case["id"]


@pytest.mark.parametrize("read", [tool_trace, objects_only_trace])
def test_true_is_not_a_number_of_calls_but_is_1_in_the_original(read: Any) -> None:
    trace = [{"tool": "sql"}, {"tool": "lookup"}]
    for flag, original in ((True, 1), (False, 0)):
        metadata = {"tool_trace": trace, "tool_calls": flag}
        assert read(metadata).calls == 2
        calls = read(metadata, profile=FRAMEWORK_COMPARISON).calls
        assert (calls, type(calls)) == (original, int)


def test_a_trace_in_the_shape_of_openai_is_read_but_not_by_the_profile() -> None:
    function = {"name": "SQL", "arguments": "{}"}
    metadata = {"tool_calls": [{"type": "function", "function": function}]}
    assert tool_trace(metadata).tools == {"sql"}
    assert tool_trace(metadata, profile=FRAMEWORK_COMPARISON).tools == set()


@pytest.mark.parametrize(
    ("metadata", "default", "original"),
    [
        ({"tool_trace": [{"domain": "ops"}]}, (set(), True), (set(), False)),
        ({"tool_calls": [{"function": {"name": "sql"}}]}, ({"sql"}, True), (set(), False)),
        ({"tool_trace": "sql", "tools_used": ["lookup"]}, ({"lookup"}, True), (set(), False)),
        ({"tool_trace": 0, "tools_used": ["lookup"]}, ({"lookup"}, True), ({"lookup"}, True)),
        ({"tool_trace": [{"tool": 5}, "sql", 7]}, ({"sql"}, True), ({"5", "sql"}, True)),
    ],
)
def test_which_trace_the_profile_reads(
    metadata: dict[str, Any], default: tuple[set[str], bool], original: tuple[set[str], bool]
) -> None:
    found = tool_trace(metadata)
    assert (set(found.tools), found.reported) == default
    found = tool_trace(metadata, profile=FRAMEWORK_COMPARISON)
    assert (set(found.tools), found.reported) == original
