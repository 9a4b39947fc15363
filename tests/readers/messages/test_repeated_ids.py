"""Calls of one turn that share an id."""

from __future__ import annotations

import time

import pytest

from tests.readers.messages.test_cases import asks, gives, results
from trajmeter.readers.messages import message_turns

MANY = 20_000


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


@pytest.mark.parametrize("ids", [["c"] * MANY, [f"c{n}" for n in range(MANY)]])
def test_results_of_many_calls_find_these_in_linear_time(ids: list[str]) -> None:
    calls = [(each, "f", "{}") for each in ids]
    given = [gives(f"{n}", each) for n, each in enumerate(ids)]
    began = time.process_time()
    first, second = message_turns([asks(*calls), asks(*calls), *given]).turns
    assert time.process_time() - began < 2
    assert [call.result for call in second.tool_calls] == [f"{n}" for n in range(MANY)]
    assert {call.result for call in first.tool_calls} == {None}
