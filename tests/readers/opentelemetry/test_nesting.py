"""Spans nested in others, which a trace may nest in any way."""

from __future__ import annotations

import pytest

from tests.steps import assert_linear
from trajmeter.readers.opentelemetry.nesting import innermost, outermost
from trajmeter.readers.opentelemetry.spans import Span


def span(number: int, parent: int | None, operation: str) -> Span:
    return Span(
        trace="t",
        id=str(number),
        parent=None if parent is None else str(parent),
        operation=operation,
        start=None,
        end=None,
        error=None,
        exception=None,
        attributes={},
    )


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([span(1, None, "invoke_workflow"), span(2, 1, "task"), span(3, 2, "invoke_agent")], ["1"]),
        ([span(1, None, "task"), span(2, 1, "invoke_agent"), span(3, 1, "invoke_agent")], "23"),
        ([span(1, 2, "task"), span(2, 1, "task"), span(3, 1, "invoke_agent")], ["3"]),
        ([span(1, 2, "invoke_agent"), span(2, 1, "task"), span(3, 2, "invoke_agent")], ["1"]),
    ],
    ids=["within another", "beside each other", "in a circle", "in a circle of its own"],
)
def test_outermost_agents(spans: list[Span], expected: list[str]) -> None:
    assert [each.id for each in outermost(spans)] == [*expected]


@pytest.mark.parametrize("operation", ["chat", "invoke_agent"])
def test_spans_below_a_deep_program_are_found_in_linear_time(operation: str) -> None:
    def find(size: int) -> None:
        parts = [span(number, number - 1, "task") for number in range(1, size)]
        spans = [*parts, *(span(size + number, size - 1, operation) for number in range(size))]
        assert len(innermost(spans)) == len(spans)
        assert len(outermost(spans)) == (size if operation == "invoke_agent" else 0)

    assert_linear(find)
