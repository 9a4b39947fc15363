"""Line starts of a source file."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest

from benches.contest import Built, Case, Entry, entries
from trajmeter import kernels

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

    from trajmeter.kernels import Int64Array


def _text(size: int) -> bytes:
    """Return lines of 0 to 79 letters, 40 on average with their newline, as in source code."""
    random = np.random.default_rng(0)
    text = np.full(size, ord("x"), np.uint8)
    ends = np.cumsum(random.integers(0, 80, size // 30 + 1) + 1)
    text[ends[ends < size]] = ord("\n")
    return text.tobytes()


def _numpy_line_starts(buffer: bytes) -> Int64Array:
    newlines = np.flatnonzero(np.frombuffer(buffer, np.uint8) == ord("\n"))
    return np.concatenate(([0], newlines + 1))


def _build(size: int) -> Built:
    text = _text(size)
    functions = {name: partial(kernels.load(name).line_starts, text) for name in ("rust", "python")}
    functions["numpy"] = partial(_numpy_line_starts, text)
    return Built(functions, _numpy_line_starts(text))


def _same(answer: object, expected: object) -> bool:
    return bool(np.array_equal(np.asarray(answer), np.asarray(expected)))


CASES = [
    Case(
        kernel="line_starts",
        workload="10 MB of lines of 40 bytes",
        size=10_000_000,
        unit="byte",
        build=_build,
        contenders=("rust", "python", "numpy"),
        same=_same,
        prepared="bytes",
        least_rate=2e9,
    )
]


@pytest.mark.parametrize("entry", entries(CASES), ids=str)
def bench_lines(benchmark: BenchmarkFixture, entry: Entry) -> None:
    entry.run(benchmark)
