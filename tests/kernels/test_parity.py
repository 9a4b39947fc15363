"""Rust and its twin say the same: result, or class, code and message of the error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.outcomes import alike, outcome
from tests.kernels.strategies import any_offsets, any_pairs, columns, offsets, values

if TYPE_CHECKING:
    from trajmeter.kernels import Float64Array, Kernels

Pairs = list[tuple[int, int]]


def agree(rust: Kernels, twin: Kernels, kernel: str, *arguments: object) -> None:
    ours = outcome(getattr(rust, kernel), *arguments)
    specified = outcome(getattr(twin, kernel), *arguments)
    assert alike(ours, specified), f"{kernel}: rust {ours!r}, twin {specified!r}"


@given(spans=any_pairs(), others=any_pairs())
def test_both_backends_give_the_same_sets_of_spans(
    rust: Kernels, twin: Kernels, spans: Pairs, others: Pairs
) -> None:
    for kernel in ("measure", "union"):
        agree(rust, twin, kernel, *columns(spans))
    for kernel in ("intersection", "difference"):
        agree(rust, twin, kernel, *columns(spans), *columns(others))


@given(data=st.data(), spans=any_pairs(), others=any_pairs())
def test_both_backends_give_the_same_batches_of_spans(
    rust: Kernels, twin: Kernels, data: st.DataObject, spans: Pairs, others: Pairs
) -> None:
    rows = data.draw(offsets(len(spans)) | any_offsets(len(spans)))
    count = max(len(rows) - 1, 0)
    other_rows = data.draw(offsets(len(others), count) | any_offsets(len(others)))
    for kernel in ("measure_batched", "union_batched"):
        agree(rust, twin, kernel, *columns(spans), rows)
    sides = (*columns(spans), rows, *columns(others), other_rows)
    for kernel in ("intersection", "difference"):
        agree(rust, twin, f"{kernel}_batched", *sides)


@given(
    text=st.binary(max_size=20) | st.text("a\n", max_size=20).map(str.encode),
    spans=any_pairs(),
    size=st.none() | st.integers(-1, 30),
)
def test_both_backends_find_the_same_lines(
    rust: Kernels, twin: Kernels, text: bytes, spans: Pairs, size: int | None
) -> None:
    agree(rust, twin, "line_starts", text)
    starts = twin.line_starts(text)
    size = len(text) if size is None else size
    agree(rust, twin, "bytes_to_lines", starts, size, *columns(spans))


@given(data=st.data(), numbers=values(good=True) | values(good=False))
def test_both_backends_give_the_same_means(
    rust: Kernels, twin: Kernels, data: st.DataObject, numbers: Float64Array
) -> None:
    agree(rust, twin, "gmean", numbers)
    groups = data.draw(offsets(len(numbers)) | any_offsets(len(numbers)))
    agree(rust, twin, "gmean_grouped", numbers, groups)


@given(value=st.floats(max_value=-5e-324))
def test_messages_format_numbers_the_same(rust: Kernels, twin: Kernels, value: float) -> None:
    agree(rust, twin, "gmean", np.array([value]))


SHAPES = {
    "many rows of few": (40_000, 3, 50),
    "few rows of many": (40, 5_000, 100_000),
    "some rows empty, one huge": (3_000, 60, 2**40),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_large_batches(rust: Kernels, twin: Kernels, shape: tuple[int, int, int]) -> None:
    """Large enough for threads, with rows of every size."""
    count, longest, universe = shape
    random = np.random.default_rng(count)
    sides = []
    for _ in range(2):
        lengths = random.integers(0, longest, count)
        lengths[count // 2] = 20_000
        bounds = np.concatenate(([0], np.cumsum(lengths)))
        start = random.integers(0, universe, bounds[-1])
        end = start + random.integers(0, universe // 4, bounds[-1])
        sides += [start, end, bounds]
    for kernel in ("measure_batched", "union_batched"):
        agree(rust, twin, kernel, *sides[:3])
    for kernel in ("intersection_batched", "difference_batched"):
        agree(rust, twin, kernel, *sides)
    numbers = random.lognormal(0.0, 2.0, sides[2][-1])
    agree(rust, twin, "gmean_grouped", numbers, sides[2])
    sides[1][-1] = -1
    agree(rust, twin, "union_batched", *sides[:3])
