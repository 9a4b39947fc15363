"""Strategies for all kinds of runs that turn analysis distinguishes."""

from __future__ import annotations

from hypothesis import strategies as st

from trajmeter.records import Failure, ToolCall, Turn

reasons = st.sampled_from(
    ["parse_error", "no_code_found", "multiple_code_blocks", "eval_error", "Z"]
)
failures = st.builds(Failure, reason=reasons | st.none(), message=st.sampled_from(["m", "n", None]))
calls = st.builds(
    ToolCall,
    name=st.sampled_from("ab"),
    arguments=st.sampled_from([None, {}, {"q": 1}, {"q": 1.0}, {"q": True}, "{", '{"q": 1}']),
    success=st.booleans() | st.none(),
    error=st.none() | st.just("gone"),
)
turns = st.builds(
    Turn,
    program=st.none() | st.sampled_from(["", "x"]),
    success=st.booleans() | st.none(),
    error=failures | st.none(),
    tool_calls=st.lists(calls, max_size=3).map(tuple),
)
runs = st.lists(turns, max_size=8).map(tuple)
