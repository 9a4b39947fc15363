"""Span kernels, compared with the twin and a good formulation in numpy.

There are three shapes. *Dense*: 16 bytes of file per span, so most spans overlap, like views of a
working set. *Sparse*: 10,000 bytes per span, so few overlap, as in a large repository; no method
may rely on small files. *Sorted*: sparse and already in order, like the results of an earlier
operation; numpy also has little to do here, and there is no bar.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest

from benches.contest import Built, Case, Entry, entries
from trajmeter import kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_benchmark.fixture import BenchmarkFixture

    from trajmeter.kernels import Int64Array, SpanArrays

_BYTES_PER_SPAN = {"dense": 16, "sparse": 10_000, "sorted": 10_000}
_LONGEST = {"dense": 64, "sparse": 4_000, "sorted": 4_000}


def _spans(shape: str, size: int, seed: int) -> SpanArrays:
    random = np.random.default_rng(seed)
    start = random.integers(0, size * _BYTES_PER_SPAN[shape], size)
    if shape == "sorted":
        start.sort()
    return start, start + random.integers(1, _LONGEST[shape], size)


def _numpy_union(start: Int64Array, end: Int64Array) -> SpanArrays:
    order = np.argsort(start)
    start, reach = start[order], np.maximum.accumulate(end[order])
    gap = np.flatnonzero(start[1:] > reach[:-1])
    first, last = np.concatenate(([0], gap + 1)), np.concatenate((gap, [len(start) - 1]))
    return start[first], reach[last]


def _numpy_measure(start: Int64Array, end: Int64Array) -> int:
    start, end = _numpy_union(start, end)
    return int((end - start).sum())


def _numpy_intersection(
    start: Int64Array, end: Int64Array, other_start: Int64Array, other_end: Int64Array
) -> SpanArrays:
    start, end = _numpy_union(start, end)
    other_start, other_end = _numpy_union(other_start, other_end)
    low = np.sort(np.concatenate((start, other_start)), kind="stable")[1:]
    high = np.sort(np.concatenate((end, other_end)), kind="stable")[:-1]
    shared = low < high
    return low[shared], high[shared]


_NUMPY: dict[str, Callable[..., object]] = {
    "union": _numpy_union,
    "measure": _numpy_measure,
    "intersection": _numpy_intersection,
}


def _build(kernel: str, shape: str, size: int) -> Built:
    sides = 2 if kernel == "intersection" else 1
    arrays = [array for side in range(sides) for array in _spans(shape, size, side)]
    functions = {
        name: partial(getattr(kernels.load(name), kernel), *arrays) for name in ("rust", "python")
    }
    functions["numpy"] = partial(_NUMPY[kernel], *arrays)
    return Built(functions, functions["numpy"]())


def _same(answer: object, expected: object) -> bool:
    return bool(np.array_equal(np.asarray(answer), np.asarray(expected)))


def _case(kernel: str, shape: str, size: int) -> Case:
    twin = size <= 1_000_000  # the twin takes too long for ten million
    bars = {}
    if size >= 1_000_000 and shape != "sorted":
        bars = {"numpy": 5.0} | ({"python": 50.0} if twin else {})
    return Case(
        kernel=kernel,
        workload=f"{size:,} spans, {shape}",
        size=size,
        unit="span",
        build=partial(_build, kernel, shape),
        contenders=("rust", "python", "numpy") if twin else ("rust", "numpy"),
        same=_same,
        prepared="int64 arrays",
        bars=bars,
        parallel=size >= 1_000_000 and shape != "sorted",
    )


CASES = [
    _case(kernel, shape, size)
    for kernel in ("union", "intersection", "measure")
    for size in (1_000, 1_000_000, 10_000_000)
    for shape in ("dense", "sparse", "sorted")
]


@pytest.mark.parametrize("entry", entries(CASES), ids=str)
def bench_spans(benchmark: BenchmarkFixture, entry: Entry) -> None:
    entry.run(benchmark)
