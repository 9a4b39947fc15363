"""Trajectories of every shape that the records allow, generated from the record's own schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from tests.metrics.turns.strategies import calls as turn_calls
from tests.metrics.turns.strategies import runs
from trajmeter.records import (
    LARGEST_COUNT,
    Failure,
    Measurements,
    PytestSummary,
    RunLog,
    SnapshotSummary,
    Source,
    Trajectory,
    Usage,
    View,
)
from trajmeter.shapes import trajectory_shape

if TYPE_CHECKING:
    from trajmeter.shapes import Shape

INT64 = st.integers(-(2**63), 2**63 - 1)
TEXT = st.text(st.characters(codec="utf-8"), max_size=4)
JSON = st.recursive(
    st.none() | st.booleans() | INT64 | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)


def _values(shape: Shape) -> st.SearchStrategy[Any]:
    """Values that the model accepts for this shape."""
    if shape.choices:
        return st.sampled_from(sorted(shape.choices))
    if shape.kind == "json":
        return st.dictionaries(TEXT, JSON, max_size=2) if shape.is_object else JSON
    if shape.item is not None:
        item = _values(shape.item)
        if shape.kind == "list":
            return st.lists(item, max_size=2)
        return st.dictionaries(TEXT, item, max_size=2)
    if shape.kind == "record":
        required = {m.name: _values(m.shape) for m in shape.members if m.required}
        optional = {m.name: _values(m.shape) for m in shape.members if not m.required}
        return st.fixed_dictionaries(required, optional=optional)
    scalars: dict[str, st.SearchStrategy[Any]] = {
        "boolean": st.booleans(),
        "integer": INT64,
        "number": st.floats(allow_nan=False),
        "text": TEXT,
    }
    return scalars[shape.kind]


any_trajectories = _values(trajectory_shape()).map(Trajectory.model_validate)
"""Every field filled with anything that it takes."""

_LOOSE_JSON = st.sampled_from([None, "{", "[1]", '"x"', "{}", '{"a": [null]}', "NaN", ""])
_LOOSE_CHOICES = st.sampled_from([None, "lines", "failed", "not_run", "other"])


def _loose(shape: Shape) -> st.SearchStrategy[Any]:
    """Values that a column accepts for this shape, whether or not the model does."""
    if shape.choices:
        return _LOOSE_CHOICES
    if shape.kind == "json":
        return _LOOSE_JSON
    if shape.item is not None:
        item = _loose(shape.item)
        if shape.kind == "mapping":
            item = st.tuples(TEXT, item)
        return st.none() | st.lists(item, max_size=2)
    if shape.kind == "record":
        optional = {member.name: _loose(member.shape) for member in shape.members}
        return st.none() | st.fixed_dictionaries({}, optional=optional)
    return st.none() | _values(shape)


loose_rows = st.fixed_dictionaries(
    {"task_id": st.sampled_from(["a", "a", "a", None])},
    optional={m.name: _loose(m.shape) for m in trajectory_shape().members if not m.required},
)
"""Rows of the Trajectory schema, most of which are no trajectories."""

_TASKS = ("one", "uno", "two", "three", "unknown")
_PATHS = st.sampled_from(["a.py", "./a.py", "/repo/a.py", "b/c.py", "absent.py", ""]) | (
    st.sampled_from(["'b\\c.py'", "/testbed/b/c.py", "../a.py", "/etc/a.py", "x/fix.patch", "c.py"])
)
_PATCHES = st.sampled_from(
    [None, "", "no diff", "--- a/a.py\n+++ b/a.py\n@@ -2,2 +2,2 @@\n-a\n+b\n-c\n"]
)
_VIEWS = st.builds(
    View,
    path=_PATHS,
    extent=st.sampled_from(["lines", "bytes", "whole", "unknown"]),
    start=st.none() | st.integers(-1, 9),
    end=st.none() | st.integers(-1, 12),
    symbols=st.lists(st.sampled_from(["f", "g"]), max_size=1).map(tuple),
    listed=st.booleans(),
)
_VIEWED = st.none() | st.lists(_VIEWS, max_size=3).map(tuple)
_SMALL = st.none() | st.integers(0, 9)
_TOKENS = st.none() | st.integers(-1, 9)
_USAGE = st.builds(
    Usage,
    input_tokens=_TOKENS,
    output_tokens=_TOKENS,
    total_tokens=_TOKENS,
    cached_input_tokens=_TOKENS,
)
_FAILURES = st.builds(
    Failure, reason=st.sampled_from([None, "max_turns_exceeded", "timeout"]), message=st.none()
)
_SOURCES = st.builds(
    Source, file=st.just("f"), line=st.none() | st.integers(1, 3), record=st.none() | st.just("r")
)


@st.composite
def trajectories(draw: st.DrawFn) -> Trajectory:
    """Attempts in which every family finds something to score."""
    turns = draw(st.none() | runs)
    if turns is not None:
        turns = tuple(
            turn.model_copy(
                update={
                    "views": draw(_VIEWED),
                    "number": draw(_SMALL),
                    "usage": draw(st.none() | _USAGE),
                }
            )
            for turn in turns
        )
    return Trajectory(
        task_id=draw(st.sampled_from(_TASKS)),
        agent=draw(st.sampled_from([None, "owl", "jay"])),
        model=draw(st.sampled_from([None, "m"])),
        attempt=draw(st.none() | st.just("2")),
        source=draw(st.none() | _SOURCES),
        turns=turns,
        turn_count=draw(_SMALL),
        tool_calls=draw(st.none() | st.lists(turn_calls, max_size=2).map(tuple)),
        final_views=draw(_VIEWED),
        final_output=draw(st.sampled_from([None, "", "a b", "c"])),
        final_patch=draw(_PATCHES),
        usage=draw(st.none() | _USAGE),
        failure=draw(st.none() | _FAILURES),
        passed=draw(st.none() | st.booleans()),
    )


_RATIOS = st.floats(0.01, 100) | st.sampled_from(
    [None, True, "2", float("nan"), float("inf"), 0, -1.0, 3, 10**400, 1.0]
)
_BENCHMARKS = st.sampled_from(["m.A.f(1)", "m.A.f(2)", "n.g", "Ü.h", "error", ""])
_ENTRIES = st.fixed_dictionaries(
    {"agent/nop": st.floats(0.5, 2), "oracle/nop": st.floats(0.5, 2)},
    optional={"significant": st.sampled_from([True, False])},
) | st.fixed_dictionaries(
    {},
    optional={
        "agent/nop": _RATIOS,
        "oracle/nop": _RATIOS,
        "nop_seconds": _RATIOS,
        "agent_seconds": _RATIOS,
        "oracle_seconds": _RATIOS,
        "significant": st.sampled_from([True, None, "yes"]),
        "fallback_to_baseline": st.booleans(),
    },
)
_TABLES = st.dictionaries(_BENCHMARKS, _ENTRIES, max_size=4) | st.dictionaries(
    _BENCHMARKS, _ENTRIES | st.sampled_from([None, 2.0, "x", [1]]), max_size=3
)
_KEYS = st.sampled_from(["fixer:a/b", "fixer:a-b", "fixer:c", "oracle:unknown", "nop:unknown"])
_ADVANTAGES = st.fixed_dictionaries(
    {}, optional={"agent_advantage": _RATIOS, "num_valid_benchmarks": _RATIOS}
)
_MEASURED = st.fixed_dictionaries({"ratios": _TABLES}).map(
    Measurements.model_validate
) | st.fixed_dictionaries(
    {},
    optional={
        "seconds": st.dictionaries(_BENCHMARKS, _RATIOS, max_size=3),
        "ratios": _TABLES,
        "ratios_by_agent": st.dictionaries(_KEYS, _TABLES | st.none(), max_size=2),
        "advantages_by_agent": st.dictionaries(_KEYS, _ADVANTAGES | st.none(), max_size=2),
        "last_agent": _KEYS,
        "discards": st.lists(st.sampled_from(["ratios", "ratios_by_agent"]), max_size=2),
        "payload": st.just({"task_speedup": 1.5, "pytest_failed": True, "is_resolved": False}),
    },
).map(Measurements.model_validate)
_COUNTS = st.sampled_from([0, 0, 1, 2, LARGEST_COUNT])
_TESTED = st.builds(
    PytestSummary,
    passed=_COUNTS,
    failed=_COUNTS,
    error=_COUNTS,
    status=st.sampled_from([None, "passed"]),
    problem=st.sampled_from([None, None, "not_run", "unreadable"]),
    captured=st.booleans(),
)
_COMPARED = st.builds(
    SnapshotSummary, pass_to_fail=_COUNTS, status=st.sampled_from(["passed", "Passed", "failed"])
)
_COSTS = st.none() | st.sampled_from([0.5, -1.0, float("inf")])
_LOGS = st.builds(
    RunLog,
    trajectory_length=_SMALL,
    entries=_SMALL,
    input_tokens=_SMALL,
    output_tokens=_SMALL,
    tokens_before_bad_entry=st.booleans(),
    events=st.none() | st.dictionaries(st.sampled_from(["i", "o"]), st.integers(0, 3), max_size=2),
    task_cost_usd=_COSTS,
    total_cost_usd=_COSTS,
    costs_by_agent_model=st.none() | st.dictionaries(_KEYS, _RATIOS, max_size=2),
    model_name=st.sampled_from([None, "gpt-4o"]),
    problems=st.sampled_from([(), ("line 3",)]),
)
measured_trajectories = st.builds(
    Trajectory,
    task_id=st.sampled_from(_TASKS),
    agent=st.sampled_from(["fixer", "fixer", "oracle", "nop", None]),
    model=st.sampled_from([None, "a/b", "a-b", "c"]),
    attempt=st.none() | st.sampled_from(["1", "2"]),
    trial=st.none() | st.just("t"),
    instance=st.none() | st.just("2"),
    measurements=st.none() | _MEASURED,
    pytest_summary=st.none() | _TESTED,
    snapshot_summary=st.none() | _COMPARED,
    run_log=st.none() | _LOGS,
    usage=st.none() | _USAGE,
    passed=st.none() | st.booleans(),
    failure=st.none() | _FAILURES,
)
"""Attempts whose benchmarks were measured: plain tables, and everything that files got wrong."""
