"""Tasks with expectations of every kind, and attempts that meet some of them."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from trajmeter.records import Assertion, Task, ToolCall, Trajectory, Turn, Usage, Verdict

IDS = ("one", "two", "three", "unknown")

_TEXTS = st.sampled_from(
    ["", " ", "ok", "OK", "ERROR:", "É", "ß", "ΑΣ", "ας", "İ", "i̇", "a\x1c", "K"]
)
_SAID = st.lists(_TEXTS, max_size=4).map("".join)
_NAMES = st.sampled_from(["a", "b", " a", "b ", ""])
_LISTED = st.none() | _TEXTS | st.lists(st.none() | _TEXTS, max_size=3) | st.just({"a": 1})
_TOOLS = st.none() | _NAMES | st.lists(st.none() | _NAMES, max_size=3)
_LIMITS = st.sampled_from(
    [None, 0, 1, 2.5, "3", " 1_000 ", True, -1, "x", float("inf"), float("nan"), 10**400, 1e-300]
)
_ASSERTIONS = st.builds(
    Assertion,
    name=st.sampled_from([None, "n", "m"]),
    type=st.sampled_from(
        [
            "transcript_contains",
            "transcript_not_contains",
            "output_contains",
            "tool_called",
            "llm_judge",
            "",
        ]
    ),
    check=_TEXTS | _TEXTS | _NAMES | st.none() | st.sampled_from([5, ["a"], {"a": 1}]),
    tool=st.none() | _NAMES | st.none() | _NAMES | st.sampled_from([5, ["a"]]),
)

_VALUES = st.sampled_from(
    [None, True, 1, 1.0, 1.05, 1.1, 2, "A b", "a  B", "x", [1, 2], [2], {"q": 1}, {}]
)
_OBJECTS = st.dictionaries(st.sampled_from(["q", "n", "0"]), _VALUES, max_size=3)
_LOOSE = st.sampled_from(
    ["", "{", "[1]", "null", "7", "NaN", '{"q": NaN}', '{"q": 1, "q": 2}', '{"q":1e400}', [1], 7]
)
_NESTED = json.loads('{"q": ' * 110 + "1" + "}" * 110)
_ARGUMENTS = (
    st.none()
    | _OBJECTS
    | _OBJECTS
    | _OBJECTS.map(json.dumps)
    | _OBJECTS.map(lambda value: json.dumps(value, separators=(",", ":"), sort_keys=True))
    | _LOOSE
    | st.just(_NESTED)
)
_CALLS = st.builds(ToolCall, name=_NAMES, arguments=_ARGUMENTS)
_POLICY = st.sampled_from(
    [
        "exact",
        "ignore",
        "subset",
        "fold",
        {"fold": ["case"]},
        {"tolerance": {"abs": 0.1}},
        {"tolerance": {"rel": 0.5}},
    ]
)
_BY_TOOL = st.dictionaries(_NAMES, _POLICY, max_size=2)
_BY_PATH = st.dictionaries(
    _NAMES,
    st.dictionaries(st.sampled_from(["q", "n", "q.0", "q.q"]), _POLICY, max_size=2),
    max_size=2,
)
_POLICIES = st.fixed_dictionaries(
    {}, optional={"default": _POLICY, "tools": _BY_TOOL, "paths": _BY_PATH}
) | st.sampled_from([{"default": "fuzzy"}, {"defualt": 1}, [], "exact"])
_HOPS = st.lists(
    st.fixed_dictionaries(
        {"any_of": st.lists(st.sampled_from(["ok", "É", "a  b", "K", "ΑΣ"]), max_size=2)},
        optional={"id": st.just("h"), "source": st.sampled_from(["s", "t"])},
    ),
    max_size=2,
)

_METADATA = st.fixed_dictionaries(
    {},
    optional={
        "expected_tools": _TOOLS,
        "forbidden_tools": _TOOLS,
        "error_markers": _LISTED,
        "completion_markers": _LISTED,
        "max_latency_ms": _LIMITS,
        "max_credits": _LIMITS,
        "max_cost_usd": _LIMITS,
        "max_tokens": _LIMITS,
        "tool_policies": _POLICIES,
        "required_hops": _HOPS | st.just("none"),
        "required_tools": st.lists(st.sampled_from(["A", "b"]), max_size=2) | st.just("A"),
        "required_agents": st.lists(st.sampled_from(["ann", " Bob "]), max_size=2),
    },
)


@st.composite
def tasks(draw: st.DrawFn) -> list[Task]:
    """Three tasks; the last may share its expectations with the first."""
    made = [
        Task(
            id=name,
            question=draw(st.sampled_from([None, "", "q"])),
            max_turns=draw(st.none() | st.integers(0, 3)),
            assertions=tuple(draw(st.lists(_ASSERTIONS, max_size=4))),
            expected_tool_calls=draw(st.none() | st.lists(_CALLS, max_size=4).map(tuple)),
            expected_sources=draw(st.sampled_from([None, (), ("s",), ("s", "t", "s")])),
            metadata=draw(_METADATA),
        )
        for name in IDS[:2]
    ]
    return [*made, made[0].model_copy(update={"id": IDS[2]})]


_AMOUNTS = st.sampled_from([None, 0.0, 0.5, 2.5, -1.0, float("inf"), float("nan"), 1e308, 3.0])
_COUNTS = st.sampled_from([None, 0, 1, 7, -1, 2**62, 2**63 - 1])
_USAGES = st.builds(
    Usage,
    input_tokens=_COUNTS,
    output_tokens=_COUNTS,
    total_tokens=_COUNTS,
    cost_usd=_AMOUNTS,
    credits=_AMOUNTS,
)
_SPENT = _USAGES | st.builds(Usage, total_tokens=st.just(3), cost_usd=st.just(1.0)) | st.none()
_TURNS = st.builds(Turn, tool_calls=st.lists(_CALLS, max_size=3).map(tuple), usage=_SPENT)
_VERDICTS = st.builds(
    Verdict,
    name=st.sampled_from(["n", "m", "llm_judge", "z"]),
    result=st.sampled_from(["pass", "fail", "refused", "timeout", "?"]),
    reason=st.none() | st.just("because"),
)
_TRACES = st.none() | st.lists(
    st.sampled_from(
        [
            "A",
            " b ",
            None,
            5,
            {"tool": "A", "domain": "ann"},
            {"name": "b"},
            {"function": {"name": "b"}},
        ]
    ),
    max_size=3,
)
_SAID_OF_ANSWER = st.fixed_dictionaries(
    {},
    optional={
        "tool_trace": _TRACES,
        "tools_used": _TRACES,
        "tool_calls": _TRACES | st.sampled_from([2, True]),
        "agents_used": st.lists(st.sampled_from(["ann", "Bob"]), max_size=2) | st.just("ann"),
    },
)
_UNUSABLE: st.SearchStrategy[dict[str, str]] = (
    st.just({})
    | st.just({})
    | st.dictionaries(
        st.sampled_from(
            [
                "transcript",
                "final_output",
                "tool_calls",
                "duration_seconds",
                "turn_count",
                "usage.cost_usd",
            ]
        ),
        st.just("it is no such thing"),
        max_size=2,
    )
)

attempts = st.builds(
    Trajectory,
    task_id=st.sampled_from(IDS),
    turns=st.none() | st.lists(_TURNS, max_size=3).map(tuple),
    turn_count=st.none() | st.integers(-1, 3) | st.just(-(2**63)),
    tool_calls=st.none() | st.none() | st.lists(_CALLS, max_size=4).map(tuple),
    dropped_calls=st.integers(0, 2),
    transcript=st.none() | _SAID,
    final_output=st.none() | _SAID,
    sources=st.sampled_from([None, (), ("s",), ("t", "t", "u")]),
    usage=_SPENT,
    duration_seconds=_AMOUNTS | st.just(1.001),
    verdicts=st.none() | st.lists(_VERDICTS, max_size=3).map(tuple),
    unusable=_UNUSABLE,
    metadata=_SAID_OF_ANSWER,
)
