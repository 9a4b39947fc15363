"""The overlap join beside the twin.

A repository of files with classes of ten methods, and views of a screen in some of them: few, as
of one trajectory, and many, as of a set of them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest

from benches.contest import Built, Case, Entry, entries
from trajmeter import kernels

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

    from trajmeter.kernels import Int64Array, JoinArrays

_FILES = 1_000
_CLASSES = 20
_METHOD, _BLANK = 900, 100
_CLASS = 10 * (_METHOD + _BLANK)


def _definitions() -> tuple[Int64Array, Int64Array]:
    """Definitions of one file, in preorder."""
    classes = np.arange(_CLASSES) * _CLASS
    methods = classes[:, None] + np.arange(10) * (_METHOD + _BLANK) + _BLANK
    start = np.column_stack((classes, methods)).ravel()
    end = np.column_stack((classes + _CLASS, methods + _METHOD)).ravel()
    return start, end


def _build(size: int) -> Built:
    random = np.random.default_rng(0)
    one_start, one_end = _definitions()
    offsets = np.arange(_FILES + 1) * len(one_start)
    # A trajectory sees a handful of files, a set of them sees all.
    file = random.integers(0, min(_FILES, max(size // 3, 1)), size)
    start = random.integers(0, _CLASSES * _CLASS, size)
    end = start + random.integers(200, 4_001, size)
    arguments = (file, start, end, np.tile(one_start, _FILES), np.tile(one_end, _FILES), offsets)
    functions = {
        name: partial(kernels.load(name).overlap_join, *arguments) for name in ("rust", "python")
    }
    # All that begin before the span's end, less those that end before it begins.
    counts = np.searchsorted(one_start, end) - np.searchsorted(np.sort(one_end), start, "right")
    return Built(functions, np.append(0, counts.cumsum()))


def _same(answer: object, expected: object) -> bool:
    join: JoinArrays = answer  # type: ignore[assignment] # what contenders return
    return np.array_equal(join[1], np.asarray(expected)) and len(join[0]) == join[1][-1]


CASES = [
    Case(
        kernel="overlap_join",
        workload=f"{size:,} spans, 220 definitions a file",
        size=size,
        unit="span",
        build=_build,
        contenders=("rust", "python"),
        same=_same,
        prepared="int64 arrays",
        parallel=size > 100_000,
    )
    for size in (30, 1_000_000)
]


@pytest.mark.parametrize("entry", entries(CASES), ids=str)
def bench_overlap(benchmark: BenchmarkFixture, entry: Entry) -> None:
    entry.run(benchmark)
