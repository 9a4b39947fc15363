"""Alignment, edit distance and assignment: worked examples, laws, and both backends alike."""

from __future__ import annotations

import json
from itertools import permutations
from math import inf, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.outcomes import alike, outcome
from trajmeter.errors import ArrayError, InputError, ValueDomainError
from trajmeter.kernels._python.assignment_whole import assign_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels import BoolArray, Float64Array, Int64Array, Kernels

CASES = json.loads((Path(__file__).parents[1] / "cases" / "sequences.json").read_text())


def codes(steps: list[int]) -> Int64Array:
    return np.array(steps, np.int64)


def matrix(reference: list[int], actual: list[int]) -> BoolArray:
    return np.array([r == a and r >= 0 for r in reference for a in actual], np.bool_)


@pytest.mark.parametrize("case", CASES["sequences"], ids=lambda case: case["name"])
def test_sequences(kernels: Kernels, case: dict[str, Any]) -> None:
    reference, actual = case["reference"], case["actual"]
    pair = codes(reference), codes(actual)
    given = matrix(reference, actual), len(reference), len(actual)

    assert kernels.align(*pair).tolist() == case["partners"]
    assert kernels.align_matches(*given).tolist() == case["partners"]
    assert kernels.edit_distance(*pair) == case["distance"]
    assert kernels.edit_distance_matches(*given) == case["distance"]


@pytest.mark.parametrize("case", CASES["assignments"], ids=lambda case: case["name"])
def test_assignments(kernels: Kernels, case: dict[str, Any]) -> None:
    weights = np.array(case["weights"], np.float64)
    flat, shape = weights.reshape(-1), weights.shape

    assert kernels.assign(flat, *shape, full=False).tolist() == case["positive"]
    assert kernels.assign(flat, *shape, full=True).tolist() == case["full"]


def test_no_rows_and_no_columns(kernels: Kernels) -> None:
    empty = np.array([], np.float64)

    assert kernels.assign(empty, 0, 3, full=True).tolist() == []
    assert kernels.assign(empty, 2, 0, full=True).tolist() == [-1, -1]
    assert kernels.align_matches(np.array([], np.bool_), 2, 0).tolist() == [-1, -1]
    assert kernels.edit_distance_matches(np.array([], np.bool_), 0, 4) == 4


@pytest.mark.parametrize("bad", [nan, inf, -inf, 1e101, -1e101])
def test_invalid_weights(kernels: Kernels, bad: float) -> None:
    with pytest.raises(ValueDomainError, match=r"^weight 1 is .*, expected a number from -1e\+100"):
        kernels.assign(np.array([0.5, bad, nan]), 1, 3, full=True)


def test_wrong_shapes(kernels: Kernels) -> None:
    flags = np.array([True, False], np.bool_)
    with pytest.raises(ArrayError, match="matches has 2 values, expected 6: 2 rows of 3"):
        kernels.align_matches(flags, 2, 3)
    with pytest.raises(ArrayError, match="weights has 1 values, expected 2: 1 rows of 2"):
        kernels.assign(np.array([1.0]), 1, 2, full=False)
    with pytest.raises(InputError, match="rows is -2, expected an int of 0 or more"):
        kernels.edit_distance_matches(flags, -2, -1)
    with pytest.raises(ArrayError, match=r"matches has dtype int64, expected .* bool array"):
        kernels.align_matches(codes([0, 1]), 1, 2)  # type: ignore[arg-type] # what is tested
    with pytest.raises(ArrayError, match="actual has dtype float64"):
        kernels.align(codes([0]), np.array([0.0]))


steps = st.lists(st.integers(-1, 3), max_size=12)
long_steps = st.lists(st.integers(-1, 5), min_size=60, max_size=140)


@given(reference=steps | long_steps, actual=steps | long_steps)
def test_sequences_agree(
    rust: Kernels, twin: Kernels, reference: list[int], actual: list[int]
) -> None:
    pair = codes(reference), codes(actual)
    given = matrix(reference, actual), len(reference), len(actual)
    partners = twin.align(*pair)
    distance = twin.edit_distance(*pair)

    assert alike(rust.align(*pair), partners)
    assert alike(rust.align_matches(*given), partners)
    assert alike(twin.align_matches(*given), partners)
    assert rust.edit_distance(*pair) == distance
    assert rust.edit_distance_matches(*given) == distance
    assert twin.edit_distance_matches(*given) == distance


@given(
    flags=st.lists(st.booleans(), max_size=30),
    rows=st.integers(-1, 6),
    columns=st.integers(-1, 6),
)
def test_any_matrix_agrees(
    rust: Kernels, twin: Kernels, flags: list[bool], rows: int, columns: int
) -> None:
    if rows * columns > 0:
        flags = (flags * rows * columns)[: rows * columns] if flags else flags
    arguments = np.array(flags, np.bool_), rows, columns
    for kernel in ("align_matches", "edit_distance_matches"):
        ours = outcome(getattr(rust, kernel), *arguments)
        assert alike(ours, outcome(getattr(twin, kernel), *arguments))


numbers = st.integers(-3, 6).map(float) | st.floats(-10, 10) | st.sampled_from([nan, inf, 1e100])


@given(
    data=st.data(),
    rows=st.integers(0, 7),
    columns=st.integers(0, 7),
    full=st.booleans(),
    only_integers=st.booleans(),
)
def test_assignments_agree(
    rust: Kernels,
    twin: Kernels,
    data: st.DataObject,
    rows: int,
    columns: int,
    full: bool,
    only_integers: bool,
) -> None:
    element = st.integers(-3, 6).map(float) if only_integers else numbers
    weights = np.array(
        data.draw(st.lists(element, min_size=rows * columns, max_size=rows * columns)), np.float64
    )

    def assign(backend: Kernels) -> object:
        return outcome(lambda: backend.assign(weights, rows, columns, full=full))

    assert alike(assign(rust), assign(twin))


@given(size=st.integers(2, 6), data=st.data(), full=st.booleans())
def test_of_equal_pairings_both_choose_the_same(
    rust: Kernels, twin: Kernels, size: int, data: st.DataObject, full: bool
) -> None:
    few = st.sampled_from([0.0, 1.0, 2.0])
    weights = np.array(data.draw(st.lists(few, min_size=size**2, max_size=size**2)))
    chosen = twin.assign(weights, size, size, full=full)
    assert alike(rust.assign(weights, size, size, full=full), chosen)


@pytest.mark.parametrize("values", [[0, 1], [1, 2**31], [0, 1, 5, 2**20, 2**31], range(-40, 900)])
@pytest.mark.parametrize(("rows", "columns"), [(64, 64), (80, 70), (70, 120)])
def test_long_chains_of_changes_are_the_same(
    rust: Kernels, twin: Kernels, values: Sequence[int], rows: int, columns: int
) -> None:
    for seed in range(5):
        random = np.random.default_rng(seed)
        weights = random.choice(np.array(values, np.float64), rows * columns)
        chosen = twin.assign(weights, rows, columns, full=True)
        assert alike(rust.assign(weights, rows, columns, full=True), chosen)


@given(rows=st.integers(1, 7), more=st.integers(0, 4), data=st.data())
def test_chains_are_found_by_their_bits_alike(
    rust: Kernels, rows: int, more: int, data: st.DataObject
) -> None:
    row = st.lists(st.integers(-4, 4).map(float), min_size=rows + more, max_size=rows + more)
    costs = data.draw(st.lists(row, min_size=rows, max_size=rows))
    weights: Float64Array = -np.array(costs).reshape(-1)
    assert assign_whole(costs) == rust.assign(weights, rows, rows + more, full=True).tolist()


@pytest.mark.parametrize("scale", [2.0**12, 2.0**-3])
def test_rounded_numbers_are_paired_the_same_by_both(
    rust: Kernels, twin: Kernels, scale: float
) -> None:
    # Too large to be added up exactly as whole numbers, and no whole numbers at all.
    weights: Float64Array = np.random.default_rng(0).integers(0, 2**40, 400) * np.float64(scale)
    chosen = twin.assign(weights, 20, 20, full=True)
    assert alike(rust.assign(weights, 20, 20, full=True), chosen)


@given(rows=st.integers(1, 4), columns=st.integers(1, 4), data=st.data(), full=st.booleans())
def test_no_pairing_weighs_more(
    twin: Kernels,
    rows: int,
    columns: int,
    data: st.DataObject,
    full: bool,
) -> None:
    listed = data.draw(
        st.lists(st.integers(-3, 6), min_size=rows * columns, max_size=rows * columns)
    )
    weights: Float64Array = np.array(listed, np.float64)
    table = weights.reshape(rows, columns)

    chosen = twin.assign(weights, rows, columns, full=full).tolist()

    made = [(row, column) for row, column in enumerate(chosen) if column >= 0]
    assert len({column for _, column in made}) == len(made)
    assert not full or len(made) == min(rows, columns)
    wide = table if rows <= columns else table.T
    totals = [
        sum(max(weight, 0.0) if not full else weight for weight in wide[range(len(wide)), order])
        for order in permutations(range(wide.shape[1]), len(wide))
    ]
    assert sum(table[pair] for pair in made) == max(totals)


@given(steps)
def test_a_sequence_is_itself(twin: Kernels, sequence: list[int]) -> None:
    known = [step for step in sequence if step >= 0]
    both = codes(known), codes(known)

    assert twin.align(*both).tolist() == list(range(len(known)))
    assert twin.edit_distance(*both) == 0


@given(steps, steps)
def test_distance_and_alignment_bound_each_other(
    twin: Kernels, reference: list[int], actual: list[int]
) -> None:
    pair = codes(reference), codes(actual)
    aligned = sum(partner >= 0 for partner in twin.align(*pair).tolist())
    distance = twin.edit_distance(*pair)

    # What is not aligned is removed and inserted, or replaced at half the price.
    assert max(len(reference), len(actual)) - aligned <= distance
    assert distance <= len(reference) + len(actual) - 2 * aligned
    assert distance == twin.edit_distance(*reversed(pair))


@given(
    nodes=st.lists(
        st.tuples(
            st.integers(-1, 4),
            st.integers(0, 2),
            st.integers(0, 6),
            st.integers(0, 2),
            st.integers(0, 1),
            st.integers(-3, 2),
            st.integers(-1, 1),
            st.integers(-1, 2),
        ),
        max_size=6,
    ),
    numbers=st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 2), max_size=4),
    tolerances=st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 2), max_size=6),
    roots=st.lists(st.integers(-1, 6), max_size=3),
)
def test_likeness_agrees_on_any_trees(
    rust: Kernels,
    twin: Kernels,
    nodes: list[tuple[int, ...]],
    numbers: list[int],
    tolerances: list[int],
    roots: list[int],
) -> None:
    flat = [value for node in nodes for value in node]
    arguments = [np.array(each, np.int64) for each in (flat, numbers, tolerances, roots, roots)]

    def likeness(backend: Kernels) -> object:
        return outcome(lambda: backend.likeness(*arguments))

    assert alike(likeness(rust), likeness(twin))


def _trees(*nodes: tuple[int, ...]) -> Int64Array:
    return np.array(nodes, np.int64).reshape(-1)


def test_likeness(kernels: Kernels) -> None:
    """Objects {0: code 0, 1: 15 of a unit} and {0: code 0, 1: 16}; 1 is tolerated, or nothing."""
    trees = _trees(
        (1, 0, 3, 2, 0, -1, 0, 1), (0, 0, 2, 0, 0, -1, 0, 1), (0, 1, 3, 0, 1, 0, 0, 1),
        (1, 0, 6, 2, 0, -1, 0, 1), (0, 0, 5, 0, 0, -1, 0, 1), (0, 1, 6, 0, 2, 1, 0, 1),
    )  # fmt: skip
    numbers, reference, actual = np.array([15, 0, 16, 0]), np.array([0]), np.array([3])
    for bounds, expected in (
        ((1, 0, 0, 0, 1, 0), 1.0),
        ((0, 0, 1, 0, 16, 0), 1.0),
        ((0, 0, 1, 0, 17, 0), 0.5),
    ):
        found = kernels.likeness(trees, numbers, np.array(bounds), reference, actual)
        assert found.tolist() == [expected]


def test_likeness_of_trees_that_lead_nowhere(kernels: Kernels) -> None:
    leaf, none = (0, 0, 1, 0, 0, -1, 0, 1), np.array([], np.int64)
    for node, message in (
        ((4, *leaf[1:]), "kind of node 0 is 4, expected 0 to 3"),
        ((0, 0, 2, *leaf[3:]), "end of node 0 is 2, expected 1 to 1"),
        ((*leaf[:5], 0, 0, 1), "number of node 0 is 0, expected -2 to -1"),
        ((*leaf[:7], 2), "loss of node 0 is 2, expected 0 to 1"),
    ):
        with pytest.raises(InputError, match=message):
            kernels.likeness(_trees(node), none, none, none, none)
    with pytest.raises(InputError, match="actual 0 is 1, expected 0 to 0"):
        kernels.likeness(_trees(leaf), none, none, none, np.array([1]))
    with pytest.raises(ArrayError, match="nodes has 7 values, expected 0: 0 rows of 8"):
        kernels.likeness(np.array(leaf[1:]), none, none, none, none)
