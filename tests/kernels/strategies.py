"""Strategies for spans, ranges and values, valid and invalid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from trajmeter.kernels import Float64Array, Int64Array, SpanArrays

INT64_MAX = 2**63 - 1
SMALL = 40
"""Bytes of a small file: spans drawn from it often touch, overlap and repeat."""


def integers(values: list[int]) -> Int64Array:
    return np.array(values, np.int64)


def columns(pairs: list[tuple[int, int]]) -> SpanArrays:
    return integers([start for start, _ in pairs]), integers([end for _, end in pairs])


def _span(largest: int) -> SearchStrategy[tuple[int, int]]:
    byte = st.integers(0, largest)
    return st.tuples(byte, byte).map(lambda pair: (min(pair), max(pair)))


def pairs(max_size: int = 12) -> SearchStrategy[list[tuple[int, int]]]:
    """Valid spans of a small file, or of one of the largest possible size."""
    small = st.lists(_span(SMALL), max_size=max_size)
    return small | st.lists(_span(INT64_MAX) | _span(SMALL), max_size=max_size)


def small_pairs(max_size: int = 12) -> SearchStrategy[list[tuple[int, int]]]:
    return st.lists(_span(SMALL), max_size=max_size)


def any_pairs(max_size: int = 12) -> SearchStrategy[list[tuple[int, int]]]:
    """Spans as in a broken log: valid ones mixed with negative and reversed ones."""
    edge = st.sampled_from([-INT64_MAX - 1, -1, 0, 1, SMALL, INT64_MAX]) | st.integers(-3, SMALL)
    return pairs(max_size) | st.lists(_span(SMALL) | st.tuples(edge, edge), max_size=max_size)


@st.composite
def offsets(draw: st.DrawFn, length: int, rows: int | None = None) -> Int64Array:
    """Rows over ``length`` values, some empty, which may begin above 0 and end early."""
    count = draw(st.integers(0, 4)) if rows is None else rows
    cuts = draw(st.lists(st.integers(0, length), min_size=count + 1, max_size=count + 1))
    return integers(sorted(cuts))


@st.composite
def any_offsets(draw: st.DrawFn, length: int) -> Int64Array:
    """Offsets, few of which are valid."""
    return integers(draw(st.lists(st.integers(-1, length + 1), max_size=4)))


def values(*, good: bool) -> SearchStrategy[Float64Array]:
    """Values for a geometric mean: ratios, any size, zeros, infinity; optionally invalid ones."""
    number = st.floats(0.0, allow_nan=False, allow_infinity=False)
    special = [0.0, -0.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, float("inf")]
    usual = st.floats(1e-3, 1e3) | number | st.sampled_from(special)
    drawn: SearchStrategy[Any] = usual if good else usual | st.floats()
    return st.lists(drawn, max_size=40).map(lambda listed: np.array(listed, np.float64))
