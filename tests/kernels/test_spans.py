"""Span kernels: worked cases, a naive oracle, laws, and rows as the single kernels treat them."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.strategies import (
    columns,
    integers,
    offsets,
    pairs,
    small_pairs,
)
from trajmeter.errors import TrajmeterError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajmeter.kernels import Kernels, SpanArrays

Pairs = list[tuple[int, int]]

CASES = json.loads((Path(__file__).parents[1] / "cases" / "spans.json").read_text())["cases"]


def listed(spans: SpanArrays) -> Pairs:
    start, end = spans
    return list(zip(start.tolist(), end.tolist(), strict=True))


def covered(spans: Iterable[tuple[int, int]]) -> set[int]:
    """The bytes themselves, one by one: too simple to be wrong."""
    return {byte for start, end in spans for byte in range(start, end)}


def runs(covered_bytes: set[int]) -> Pairs:
    """The longest spans that hold nothing but these bytes."""
    starts = sorted(byte for byte in covered_bytes if byte - 1 not in covered_bytes)
    ends = sorted(byte + 1 for byte in covered_bytes if byte + 1 not in covered_bytes)
    return list(zip(starts, ends, strict=True))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kernel']}: {case['name']}")
def test_worked_case(kernels: Kernels, case: dict[str, Any]) -> None:
    sides = [case[side] for side in ("spans", "others") if side in case]
    arguments = [array for side in sides for array in columns(side)]
    kernel = getattr(kernels, case["kernel"])
    if "error" in case:
        with pytest.raises(TrajmeterError) as caught:
            kernel(*arguments)
        assert (caught.value.code, str(caught.value)) == tuple(case["error"].values())
        return
    result = kernel(*arguments)
    if isinstance(result, tuple):
        result = [list(span) for span in listed(result)]
    assert result == case["expected"]


@given(spans=small_pairs(), others=small_pairs())
def test_operations_are_those_of_sets_of_bytes(
    kernels: Kernels, spans: Pairs, others: Pairs
) -> None:
    left, right = columns(spans), columns(others)
    assert listed(kernels.union(*left)) == runs(covered(spans))
    assert kernels.measure(*left) == len(covered(spans))
    shared = covered(spans) & covered(others)
    assert listed(kernels.intersection(*left, *right)) == runs(shared)
    remaining = covered(spans) - covered(others)
    assert listed(kernels.difference(*left, *right)) == runs(remaining)


@given(spans=pairs(), others=pairs(), seed=st.randoms(use_true_random=False))
def test_set_operations_obey_the_laws_of_sets(
    kernels: Kernels, spans: Pairs, others: Pairs, seed: Any
) -> None:
    merged = kernels.union(*columns(spans))
    assert listed(kernels.union(*merged)) == listed(merged), "merging twice is merging once"
    shuffled = seed.sample(spans, len(spans))
    assert listed(kernels.union(*columns(shuffled))) == listed(merged), "order does not matter"
    assert all(end < start for (_, end), (start, _) in pairwise(listed(merged)))

    left, right = columns(spans), columns(others)
    shared = kernels.intersection(*left, *right)
    assert listed(kernels.intersection(*right, *left)) == listed(shared)
    remaining = kernels.difference(*left, *right)
    assert kernels.measure(*shared) + kernels.measure(*remaining) == kernels.measure(*left)
    both = kernels.measure(*columns(spans + others))
    assert both == kernels.measure(*left) + kernels.measure(*right) - kernels.measure(*shared)


@given(data=st.data(), spans=pairs(), others=pairs())
def test_a_batch_treats_each_row_as_the_single_kernel_does(
    kernels: Kernels, data: st.DataObject, spans: Pairs, others: Pairs
) -> None:
    start, end = columns(spans)
    bounds = data.draw(offsets(len(spans)))
    rows = [(start[a:b], end[a:b]) for a, b in pairwise(bounds.tolist())]
    assert kernels.measure_batched(start, end, bounds).tolist() == [
        kernels.measure(*row) for row in rows
    ]
    assert unbatched(kernels.union_batched(start, end, bounds)) == [
        listed(kernels.union(*row)) for row in rows
    ]

    other_start, other_end = columns(others)
    other_bounds = data.draw(offsets(len(others), len(rows)))
    other_rows = [(other_start[a:b], other_end[a:b]) for a, b in pairwise(other_bounds.tolist())]
    sides = (start, end, bounds, other_start, other_end, other_bounds)
    partners = list(zip(rows, other_rows, strict=True))
    for kernel in ("intersection", "difference"):
        assert unbatched(getattr(kernels, f"{kernel}_batched")(*sides)) == [
            listed(getattr(kernels, kernel)(*row, *other)) for row, other in partners
        ]


def unbatched(batch: tuple[Any, Any, Any]) -> list[Pairs]:
    start, end, bounds = batch
    assert bounds[0] == 0
    assert bounds[-1] == len(start) == len(end)
    return [listed((start[a:b], end[a:b])) for a, b in pairwise(bounds.tolist())]


def test_a_batch_names_a_bad_span_by_its_place_among_all(kernels: Kernels) -> None:
    start, end = columns([(-1, 0), (0, 4), (9, 7), (3, 5)])
    with pytest.raises(TrajmeterError, match=r"^span 2 is \[9, 7\)"):
        kernels.measure_batched(start, end, integers([1, 2, 4]))


def test_a_batch_does_not_look_at_spans_outside_its_rows(kernels: Kernels) -> None:
    start, end = columns([(-1, 0), (0, 4), (2, 6), (9, 7)])
    assert kernels.measure_batched(start, end, integers([1, 3])).tolist() == [6]


def test_a_batch_without_rows(kernels: Kernels) -> None:
    none, bounds = integers([]), integers([0])
    assert kernels.measure_batched(none, none, bounds).tolist() == []
    assert [array.tolist() for array in kernels.union_batched(none, none, bounds)] == [[], [], [0]]


@pytest.mark.parametrize("universe", [16, 64, 1_000, 10**12])
@pytest.mark.parametrize("size", [300, 5_000, 70_000])
def test_many_spans_as_the_bytes_say(kernels: Kernels, size: int, universe: int) -> None:
    """Sizes at which the method changes, against counting how many spans are open."""
    random = np.random.default_rng(size)
    start = random.integers(0, size * universe, size)
    end = start + random.integers(0, 3 * universe, size)
    edges = np.concatenate((start, end))
    order = np.argsort(edges, kind="stable")  # at one place, starts come before ends
    open_spans = np.cumsum(np.repeat([1, -1], size)[order])
    closes = np.flatnonzero(open_spans == 0)
    opens = np.concatenate(([0], closes[:-1] + 1))
    expected = np.stack((edges[order][opens], edges[order][closes]))
    expected = expected[:, expected[0] < expected[1]]
    assert np.array_equal(np.stack(kernels.union(start, end)), expected)
    assert kernels.measure(start, end) == int((expected[1] - expected[0]).sum())
