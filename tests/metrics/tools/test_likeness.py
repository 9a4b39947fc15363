"""The likeness of all pairs: what comparing them one by one gives, on both backends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajmeter import kernels as backends
from trajmeter.metrics.tools import ArgumentPolicies, match_calls
from trajmeter.metrics.tools.comparison import compare_arguments
from trajmeter.metrics.tools.likeness import likeness_of_all
from trajmeter.records import ToolCall

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels import Kernels
    from trajmeter.metrics.tools.arguments import Arguments

NAMES = st.sampled_from(["a", "b", "0", "1"])
NUMBERS = (
    st.integers(-3, 3)
    | st.sampled_from([0.1, 0.2, 0.3, 1.1, 1e-9, 1e300, -1e300, 5e-324, 1e23, 10**23, 10**40, 0.0])
    | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.sampled_from(["a", "A", " a", "a  b", "A b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
ARGUMENTS = st.lists(st.dictionaries(NAMES, VALUES, max_size=3), min_size=3, max_size=4)
TOLERANCES = st.sampled_from([0, 0.1, 1, 1e-300, 1e300, 0.25, 3])
POLICIES = st.sampled_from(["exact", "ignore", "subset", "fold"]) | st.builds(
    lambda absolute, relative: {"tolerance": {"abs": absolute, "rel": relative}},
    TOLERANCES,
    TOLERANCES,
)
PATHS = st.dictionaries(st.lists(NAMES, min_size=1, max_size=3).map(".".join), POLICIES, max_size=4)


def one_by_one(
    expected: Sequence[Arguments], got: Sequence[Arguments], policies: ArgumentPolicies
) -> list[list[float]]:
    tree = policies.tree_of("t")
    return [[compare_arguments(one, other, tree).likeness for other in got] for one in expected]


@settings(max_examples=300, deadline=None)
@given(expected=ARGUMENTS, got=ARGUMENTS, default=POLICIES, paths=PATHS)
def test_all_pairs_are_compared_as_one_pair_is(
    rust: Kernels,
    expected: list[Arguments],
    got: list[Arguments],
    default: object,
    paths: dict[str, object],
) -> None:
    policies = ArgumentPolicies(default, paths={"t": paths})
    wanted = one_by_one(expected, got, policies)
    for backend in (rust, backends.load("python")):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(backends, "active", lambda backend=backend: backend)
            found = likeness_of_all(expected, got, policies.tree_of("t"))
        assert found.tolist() == wanted


@pytest.mark.parametrize("side", [3, 12])
def test_a_bound_that_is_met_exactly_is_met(side: int) -> None:
    """In doubles 0.3 - 0.2 lies below 0.1, and 1.1 - 1.0 above it."""
    numbers: list[Arguments] = [{"n": step / 10} for step in range(side)]
    policies = ArgumentPolicies({"tolerance": {"abs": 0.1}})
    found = likeness_of_all(numbers, numbers, policies.tree_of("t"))
    near = [[float(abs(row - column) <= 1) for column in range(side)] for row in range(side)]
    assert found.tolist() == near


def test_numbers_too_far_apart_to_have_a_unit_are_compared_pair_by_pair() -> None:
    numbers: list[Arguments] = [{"n": n} for n in (5e-324, 0.0, 1e300, 10**400, 1.5e300)]
    policies = ArgumentPolicies({"tolerance": {"abs": 1, "rel": 0.5}})
    found = likeness_of_all(numbers, numbers, policies.tree_of("t"))
    assert found.tolist() == one_by_one(numbers, numbers, policies)


@pytest.mark.parametrize("policy", [{"tolerance": {"abs": 0.5, "rel": 0.001}}, "subset", "fold"])
def test_many_calls_of_one_tool_are_matched(policy: object, rust: Kernels) -> None:
    sides = [
        [
            ToolCall(name="t", arguments={"x": number * 1.7 + shift, "q": f"Text {number % 7}"})
            for number in range(300)
        ]
        for shift in (0.0, 0.25)
    ]
    policies = ArgumentPolicies(policy)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backends, "active", lambda: rust)
        result = match_calls(*sides, policies=policies)
    assert result.any_order is (policy not in ("subset", "fold"))
