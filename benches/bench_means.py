"""Geometric means, plain and grouped.

Ratios are log-normal around 1, like speedups. ``numpy.sum`` over the same array is the cost of
reading the memory once. Groups of 265 are the benchmarks of a large suite. Groups of 3 are repeated
runs, where the overhead per group outweighs its values.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from benches.contest import Built, Case, Entry, entries
from trajmeter import kernels

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

    from trajmeter.kernels import Float64Array


def _values(size: int) -> Float64Array:
    return np.random.default_rng(0).lognormal(0.0, 0.5, size)


def _exp_mean_log(values: Float64Array) -> float:
    return float(np.exp(np.mean(np.log(values))))


def _build(size: int) -> Built:
    values = _values(size)
    return Built(
        {
            "rust": partial(kernels.load("rust").gmean, values),
            "python": partial(kernels.load("python").gmean, values),
            "numpy exp(mean(log))": partial(_exp_mean_log, values),
            "numpy.sum": partial(np.sum, values),
        },
        _exp_mean_log(values),
        {"numpy.sum": sum(values.tolist())},
    )


def _polars_grouped(frame: pl.DataFrame) -> Float64Array:
    mean = pl.col("value").log().mean().exp()
    grouped = frame.lazy().group_by("group", maintain_order=True).agg(mean).collect()
    return grouped["value"].to_numpy()


def _build_grouped(length: int, size: int) -> Built:
    groups = max(size // length, 1)
    values = _values(groups * length)
    offsets = np.arange(0, len(values) + 1, length)
    frame = pl.DataFrame({"group": np.repeat(np.arange(groups), length), "value": values})
    return Built(
        {
            "rust": partial(kernels.load("rust").gmean_grouped, values, offsets),
            "python": partial(kernels.load("python").gmean_grouped, values, offsets),
            "polars": partial(_polars_grouped, frame),
        },
        np.exp(np.log(values).reshape(groups, length).mean(axis=1)),
    )


def _close(answer: object, expected: object) -> bool:
    return bool(np.allclose(np.asarray(answer), np.asarray(expected), rtol=1e-12))


def _grouped(groups: int, length: int) -> Case:
    return Case(
        kernel="gmean_grouped",
        workload=f"{groups:,} groups of {length}",
        size=groups * length,
        unit="value",
        build=partial(_build_grouped, length),
        contenders=("rust", "python", "polars"),
        same=_close,
        prepared="float64 values and offsets; a data frame for polars",
        bars={"python": 20.0, "polars": 3.0},
        parallel=True,
    )


CASES = [
    Case(
        kernel="gmean",
        workload="20,000,000 values",
        size=20_000_000,
        unit="value",
        build=_build,
        contenders=("rust", "python", "numpy.sum", "numpy exp(mean(log))"),
        same=_close,
        prepared="float64 array",
        bars={"numpy.sum": 0.8, "numpy exp(mean(log))": 5.0},
        parallel=True,
    ),
    _grouped(957, 265),
    _grouped(1_000_000, 3),
]


@pytest.mark.parametrize("entry", entries(CASES), ids=str)
def bench_means(benchmark: BenchmarkFixture, entry: Entry) -> None:
    entry.run(benchmark)
