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

if TYPE_CHECKING:
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
def test_weights_that_are_no_weights(kernels: Kernels, bad: float) -> None:
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
