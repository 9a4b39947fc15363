"""Assignment and alignment of tool calls, compared with the twin and other libraries.

*Calls*: weights as any-order matching produces them, where every fifth call has a matching partner
and the others are more or less similar. *Random*: arbitrary weights, where every row is assigned by
a chain of changes. *Likeness*: every two calls of one tool are compared, with flat arguments of
four keys, one of which is a number with a tolerance; the bar is the time that matching them may
take. Sequences to align have 40 kinds of steps, so that they share many.

scipy solves the same assignment in C++. numpy aligns row by row over vectors of lengths, and cannot
do more: within a row, every length depends on the one before it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal
from unittest import mock

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from benches.contest import Built, Case, Entry, entries
from trajmeter import kernels
from trajmeter.metrics.tools import ArgumentPolicies
from trajmeter.metrics.tools.comparison import compare_arguments
from trajmeter.metrics.tools.likeness import likeness_of_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_benchmark.fixture import BenchmarkFixture

    from trajmeter.kernels import Float64Array, Int64Array
    from trajmeter.metrics.tools.arguments import Arguments

_KINDS = 40
_SIDE = 200
_LONG = 5_000
_ALIKE = 300


def _weights(shape: Literal["calls", "random"], side: int) -> Float64Array:
    random = np.random.default_rng(0)
    likeness = random.random((side, side))
    if shape == "random":
        return likeness
    weights = np.floor(likeness * 2**20)
    matching = random.permutation(side)[: side // 5]
    weights[matching, matching[::-1]] = 2**20 * (side + 1.0)
    return weights


def _assign(weights: Float64Array, backend: kernels.BackendName) -> float:
    chosen = kernels.load(backend).assign(weights.reshape(-1), *weights.shape, full=True)
    return float(weights[np.arange(len(chosen)), chosen].sum())


def _scipy(weights: Float64Array) -> float:
    rows, columns = linear_sum_assignment(weights, maximize=True)
    return float(weights[rows, columns].sum())


def _build_assignment(shape: Literal["calls", "random"], size: int) -> Built:
    weights = _weights(shape, min(size, _SIDE))
    functions = {
        "rust": partial(_assign, weights, "rust"),
        "python": partial(_assign, weights, "python"),
        "scipy": partial(_scipy, weights),
    }
    return Built(functions, _scipy(weights))


def _arguments(at: int, window: float) -> Arguments:
    return {"q": f"text {at % 7}", "page": at % 5, "window": window, "all": at % 2 == 0}


def _build_likeness(size: int) -> Built:
    side = min(size, _ALIKE)
    tree = ArgumentPolicies(tools={"search": {"tolerance": {"abs": 0.5}}}).tree_of("search")
    expected, got = (
        [_arguments(at, at / 10 + shift) for at in range(side)] for shift in (0.0, 0.04)
    )

    def compare(backend: kernels.BackendName) -> Float64Array:
        with mock.patch.object(kernels, "active", return_value=kernels.load(backend)):
            return likeness_of_all(expected, got, tree)

    functions = {"rust": partial(compare, "rust"), "python": partial(compare, "python")}
    answer = [[compare_arguments(one, other, tree).likeness for other in got] for one in expected]
    return Built(functions, np.array(answer))


def _is_close(answer: object, expected: object) -> bool:
    return bool(np.allclose(np.asarray(answer), np.asarray(expected), rtol=1e-12))


def _numpy_align(reference: Int64Array, actual: Int64Array) -> Int64Array:
    lengths = np.zeros((len(reference) + 1, len(actual) + 1), np.int16)
    for row, step in enumerate(reference):
        above = lengths[row]
        here = np.maximum(above[1:], above[:-1] + (actual == step))
        np.maximum.accumulate(here, out=lengths[row + 1, 1:])
    partners = np.full(len(reference), -1)
    row, column = len(reference), len(actual)
    while row and column:
        if lengths[row, column - 1] == lengths[row, column]:
            column -= 1
        elif lengths[row - 1, column] == lengths[row, column]:
            row -= 1
        else:
            row, column = row - 1, column - 1
            partners[row] = column
    return partners


def _numpy_distance(reference: Int64Array, actual: Int64Array) -> int:
    places = np.arange(len(actual) + 1)
    above = places
    for row, step in enumerate(reference, start=1):
        here = np.minimum(above[:-1] + (actual != step), above[1:] + 1)
        # Each column may be reached from the left at 1 a column.
        above = np.minimum.accumulate(np.concatenate(([row], here)) - places) + places
    return int(above[-1])


def _build_sequences(
    kernel: str,
    peer: Callable[[Int64Array, Int64Array], object],
    size: int,
) -> Built:
    random = np.random.default_rng(0)
    pair = (random.integers(0, _KINDS, size), random.integers(0, _KINDS, size))
    functions: dict[str, Callable[[], object]] = {
        "rust": partial(getattr(kernels.load("rust"), kernel), *pair),
        "python": partial(getattr(kernels.load("python"), kernel), *pair),
        "numpy": partial(peer, *pair),
    }
    return Built(functions, peer(*pair))


def _equal(answer: object, expected: object) -> bool:
    return np.array_equal(np.asarray(answer), np.asarray(expected))


CASES = [
    *(
        Case(
            kernel="assign",
            workload=f"{_SIDE} x {_SIDE}, {shape}",
            size=_SIDE,
            unit="row",
            build=partial(_build_assignment, shape),
            contenders=("rust", "python", "scipy"),
            same=_is_close,
            prepared="float64 weights",
            bars={"python": 50.0, "scipy": 1.0},
        )
        for shape in ("calls", "random")
    ),
    Case(
        kernel="likeness",
        workload=f"{_ALIKE} x {_ALIKE} calls of one tool, a number under a tolerance",
        size=_ALIKE,
        unit="call",
        build=_build_likeness,
        contenders=("rust", "python"),
        same=_is_close,
        prepared="arguments as dictionaries; what the trees of them take is timed, too",
        bars={"python": 10.0},
        most_seconds=0.05,
    ),
    *(
        Case(
            kernel=kernel,
            workload=f"{_LONG:,} x {_LONG:,} steps of {_KINDS} kinds",
            size=_LONG,
            unit="step",
            build=partial(_build_sequences, kernel, peer),
            contenders=("rust", "python", "numpy"),
            same=_equal,
            prepared="int64 codes",
            bars={"python": 50.0, "numpy": 10.0},
        )
        for kernel, peer in (("align", _numpy_align), ("edit_distance", _numpy_distance))
    ),
]


@pytest.mark.parametrize("entry", entries(CASES), ids=str)
def bench_sequences(benchmark: BenchmarkFixture, entry: Entry) -> None:
    entry.run(benchmark)
