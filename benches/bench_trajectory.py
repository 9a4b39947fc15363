"""The trajectory kernel, compared with the twin and formulations in numpy.

There are three shapes, with three views in each step. *Saturating*: 50 files of 100 KB and views of
200 to 4,000 bytes, so that hardly anything is new after some hundred steps. *Sparse*: as many such
views, in files that grow with their number, so that they hardly overlap; no method may rely on
small files, or on the seen bytes soon becoming one piece. *Sets*: unit spans, like files,
definitions and edited lines.

Trajectories of ten steps, typical of agents, are computed one at a time and as a batch; those of a
thousand steps as a batch. They all differ, because a processor soon learns the branches of a
repeated one.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pytest

from benches.contest import Built, Case, Entry, entries
from trajmeter import kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_benchmark.fixture import BenchmarkFixture

    from trajmeter.kernels import Int64Array, TrajectoryArrays

Arrays: TypeAlias = "tuple[Int64Array, ...]"

_FILES = 50
_FILE_SIZE = 100_000
_SET_SIZE = 2_000
_VIEWS = 3
_STEPS = 10
_GOLD = 5


def _spans(shape: str, size: int, file_size: int, random: np.random.Generator) -> Arrays:
    """Return the keys, starts and ends of this many spans."""
    if shape == "sets":
        code = random.integers(0, _SET_SIZE, size)
        return np.zeros(size, np.int64), code, code + 1
    length = random.integers(200, 4_001, size)
    start = random.integers(0, file_size - 4_000, size)
    return random.integers(0, _FILES, size), start, start + length


def _workload(shape: str, steps: int, trajectories: int, seed: int = 0) -> Arrays:
    """Return the kernel's arguments for this many trajectories and steps."""
    random = np.random.default_rng(seed)
    file_size = _FILE_SIZE
    if shape == "sparse":
        file_size += steps * _VIEWS * 8_400 // _FILES
    return (
        *_spans(shape, trajectories * steps * _VIEWS, file_size, random),
        np.arange(trajectories * steps + 1) * _VIEWS,
        np.arange(trajectories + 1) * steps,
        *_spans(shape, _GOLD * trajectories, file_size, random),
        np.arange(trajectories + 1) * _GOLD,
    )


def _covered(start: Int64Array, end: Int64Array) -> int:
    """Return the number of bytes in a union, on one line."""
    order = np.argsort(start)
    start, reach = start[order], np.maximum.accumulate(end[order])
    return int(np.maximum(reach - np.maximum(start, np.append(0, reach[:-1])), 0).sum())


def _totals(workload: Arrays) -> tuple[int, int, int, int]:
    """Return the sums of all sizes, additions, gold additions and gold sizes, from unions alone."""
    key, start, end, steps, trajectories, gold_key, gold_start, gold_end, gold_offsets = workload
    length = int(max(end.max(), gold_end.max())) + 1
    files = _FILES * length

    def lines(rows: Int64Array, key: Int64Array) -> Int64Array:
        return rows * files + key * length

    step = np.repeat(np.arange(len(steps) - 1), np.diff(steps))
    row = np.repeat(np.arange(len(trajectories) - 1), np.diff(steps[trajectories]))
    gold_row = np.repeat(np.arange(len(gold_offsets) - 1), np.diff(gold_offsets))
    by_step, by_row, gold = lines(step, key), lines(row, key), lines(gold_row, gold_key)
    seen, golden = (by_row + start, by_row + end), (gold + gold_start, gold + gold_end)
    both = _covered(*(np.concatenate(pair) for pair in zip(seen, golden, strict=True)))
    sizes = _covered(by_step + start, by_step + end), _covered(*seen), _covered(*golden)
    return sizes[0], sizes[1], sizes[1] + sizes[2] - both, sizes[2]


def _same(answer: object, expected: object) -> bool:
    results: TrajectoryArrays = answer  # type: ignore[assignment] # what contenders return
    return tuple(int(result.sum()) for result in results) == expected


def _same_in_all(answer: object, expected: object) -> bool:
    calls: list[TrajectoryArrays] = answer  # type: ignore[assignment] # what contenders return
    return _same(tuple(np.concatenate(parts) for parts in zip(*calls, strict=True)), expected)


def _numpy_masks(
    key: Int64Array,
    start: Int64Array,
    end: Int64Array,
    step_offsets: Int64Array,
    _: Int64Array,
    gold_key: Int64Array,
    gold_start: Int64Array,
    gold_end: Int64Array,
    *__: Int64Array,
) -> Arrays:
    """Compute one trajectory in small files, with a boolean per byte."""
    size = int(max(end.max(), gold_end.max()))
    seen, own, gold = (np.zeros((_FILES, size), bool) for _ in range(3))
    for place, first, last in zip(gold_key, gold_start, gold_end, strict=True):
        gold[place, first:last] = True
    rows = []
    views = list(zip(key.tolist(), start.tolist(), end.tolist(), strict=True))
    for begin, stop in pairwise(step_offsets.tolist()):
        size = added = gold_added = 0
        for place, first, last in views[begin:stop]:
            size += last - first - np.count_nonzero(own[place, first:last])
            own[place, first:last] = True
            fresh = ~seen[place, first:last]
            added += np.count_nonzero(fresh)
            gold_added += np.count_nonzero(fresh & gold[place, first:last])
            seen[place, first:last] = True
        for place, first, last in views[begin:stop]:
            own[place, first:last] = False
        rows.append((size, added, gold_added))
    return (*np.array(rows, np.int64).T, np.array([np.count_nonzero(gold)]))


def _numpy_unique(
    _: Int64Array,
    code: Int64Array,
    __: Int64Array,
    step_offsets: Int64Array,
    ___: Int64Array,
    ____: Int64Array,
    gold_code: Int64Array,
    *_____: Int64Array,
) -> Arrays:
    """Compute one trajectory of sets, from first occurrences."""
    steps = len(step_offsets) - 1
    step = np.repeat(np.arange(steps), np.diff(step_offsets))
    size = np.bincount(np.unique(step * _SET_SIZE + code) // _SET_SIZE, minlength=steps)
    codes, first = np.unique(code, return_index=True)
    golden = np.unique(gold_code)
    added = np.bincount(step[first], minlength=steps)
    gold_added = np.bincount(step[first[np.isin(codes, golden)]], minlength=steps)
    return size, added, gold_added, np.array([len(golden)])


_NUMPY: dict[str, Callable[..., object]] = {"saturating": _numpy_masks, "sets": _numpy_unique}


def _build(shape: str, size: int) -> Built:
    return _built(shape, _workload(shape, size // _VIEWS, 1))


def _build_batch(shape: str, steps: int, size: int) -> Built:
    trajectories = max(1, size // (steps * _VIEWS))
    return _built(shape, _workload(shape, steps, trajectories))


def _built(shape: str, workload: Arrays) -> Built:
    functions: dict[str, Callable[[], object]] = {
        name: partial(kernels.load(name).trajectory, *workload) for name in ("rust", "python")
    }
    if shape in _NUMPY:
        functions["numpy"] = partial(_NUMPY[shape], *workload)
    return Built(functions, _totals(workload))


def _calls(
    kernel: Callable[..., TrajectoryArrays], workloads: list[Arrays]
) -> list[TrajectoryArrays]:
    return [kernel(*workload) for workload in workloads]


def _build_singles(shape: str, size: int) -> Built:
    workloads = [_workload(shape, _STEPS, 1, seed) for seed in range(size)]
    totals = tuple(map(sum, zip(*map(_totals, workloads), strict=True)))
    functions = {
        name: partial(_calls, kernels.load(name).trajectory, workloads)
        for name in ("rust", "python")
    }
    return Built(functions, totals)


def _case(shape: str, steps: int) -> Case:
    bars = {"saturating": 15.0, "sparse": 50.0}
    peers = ("python", "numpy") if shape in _NUMPY else ("python",)
    return Case(
        kernel="trajectory",
        workload=f"{steps:,} steps of {_VIEWS}, {shape}",
        size=steps * _VIEWS,
        unit="span",
        build=partial(_build, shape),
        # A million steps take the others too long.
        contenders=("rust", *peers) if steps == 100_000 else ("rust",),
        same=_same,
        prepared="int64 arrays",
        bars={"python": bars[shape]} if steps == 100_000 and shape in bars else {},
        least_rate=20e6,
    )


def _batch(shape: str, steps: int, trajectories: int) -> Case:
    return Case(
        kernel="trajectory",
        workload=f"{trajectories:,} trajectories of {steps:,} steps, {shape}",
        size=trajectories * steps * _VIEWS,
        unit="span",
        build=partial(_build_batch, shape, steps),
        contenders=("rust", "python"),
        same=_same,
        prepared="int64 arrays",
        least_rate=20e6,
        parallel=True,
    )


def _singles(shape: str) -> Case:
    calls = 500
    return Case(
        kernel="trajectory",
        workload=f"{calls} calls, each of {_STEPS} steps, {shape}",
        size=calls,
        unit="call",
        build=partial(_build_singles, shape),
        contenders=("rust", "python"),
        same=_same_in_all,
        prepared="int64 arrays",
        least_rate=1 / 2.6e-6,
    )


_SHAPES = ("saturating", "sparse", "sets")

CASES = [
    *(_singles(shape) for shape in _SHAPES),
    *(_batch(shape, _STEPS, 10_000) for shape in _SHAPES),
    *(_batch(shape, 1_000, 100) for shape in _SHAPES),
    *(_case(shape, steps) for shape in _SHAPES for steps in (100_000, 1_000_000)),
]


@pytest.mark.parametrize("entry", entries(CASES), ids=str)
def bench_trajectory(benchmark: BenchmarkFixture, entry: Entry) -> None:
    entry.run(benchmark)
