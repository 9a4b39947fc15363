"""Calls of one turn that share an id."""

from __future__ import annotations

import pytest

from tests.readers.messages.test_cases import asks, gives, results
from tests.steps import assert_linear
from trajmeter.readers.messages import message_turns


def test_results_of_calls_that_share_an_id_are_in_the_order_of_these() -> None:
    """Some servers number the parallel calls of each answer alike."""
    three = asks(("call_0", "f", "{}"), ("c1", "g", "{}"), ("call_0", "h", "{}"))
    given = [gives("f1", "call_0"), gives("g1", "c1"), gives("h1", "call_0")]
    assert results([three, *given]) == [[("f", "f1"), ("g", "g1"), ("h", "h1")]]
    assert results([three, *given, gives("h2", "call_0")])[0][2] == ("h", "h2")
    again = [asks(("call_0", "k", "{}")), gives("k1", "call_0")]
    assert results([three, *given[:2], *again]) == [
        [("f", "f1"), ("g", "g1"), ("h", None)],
        [("k", "k1")],
    ]


@pytest.mark.parametrize("pattern", ["c", "c{}"])
def test_results_of_many_calls_find_these_in_linear_time(pattern: str) -> None:
    def find(size: int) -> None:
        ids = [pattern.format(n) for n in range(size)]
        calls = [(each, "f", "{}") for each in ids]
        given = [gives(f"{n}", each) for n, each in enumerate(ids)]
        first, second = message_turns([asks(*calls), asks(*calls), *given]).turns
        assert [call.result for call in second.tool_calls] == [f"{n}" for n in range(size)]
        assert {call.result for call in first.tool_calls} == {None}

    assert_linear(find)
