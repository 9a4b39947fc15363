"""Statistics: resampling of clusters.

scipy's bootstrap resamples rows as if they were independent; it is included as a reference for the
cost. The rows are a million attempts at 10,000 tasks; the *task sums* are what remains of them when
clusters are drawn. Summarizing a results table is measured among the commands.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

from benches.contest import Built, Case, Entry, entries
from trajmeter import kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_benchmark.fixture import BenchmarkFixture

    from trajmeter.kernels import Float64Array, Int64Array, Kernels

_RESAMPLES = 1_000
_PER_TASK = 100
_FIGURES = 20
_ROUNDS = {"scipy on the rows": 1}


def _task_sums(tasks: int, figures: int) -> tuple[Float64Array, Int64Array]:
    random = np.random.default_rng(0)
    sums = random.random((tasks, figures)) * _PER_TASK
    return sums, np.full((tasks, figures), _PER_TASK)


def _limits(backend: Kernels, sums: Float64Array, sizes: Int64Array) -> tuple[float, float]:
    tasks, figures = sums.shape
    means = backend.cluster_means(sums.ravel(), sizes.ravel(), tasks, figures, 0, _RESAMPLES)
    low, high = np.quantile(means.reshape(_RESAMPLES, figures)[:, 0], [0.025, 0.975])
    return float(low), float(high)


def _scipy(bootstrap: Callable[..., Any]) -> tuple[float, float]:
    random = np.random.default_rng(0)
    found = bootstrap(n_resamples=_RESAMPLES, method="percentile", rng=random)
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


def _build_rows(size: int) -> Built:
    sums, sizes = _task_sums(max(size // _PER_TASK, 2), 1)
    rows = np.random.default_rng(1).random(size)
    python, rust = kernels.load("python"), kernels.load("rust")
    return Built(
        {
            "python": partial(_limits, python, sums, sizes),
            "rust": partial(_limits, rust, sums, sizes),
            "scipy on the rows": partial(
                _scipy, partial(stats.bootstrap, (rows,), np.mean, batch=1)
            ),
        },
        _limits(rust, sums, sizes),
        {"scipy on the rows": (0.5, 0.5)},
    )


def _mean_difference(a: Float64Array, b: Float64Array, axis: int = -1) -> Float64Array:
    difference: Float64Array = np.mean(b - a, axis=axis)
    return difference


def _build_pairs(size: int) -> Built:
    a, b = np.random.default_rng(2).random((2, size))
    differences, ones = (b - a)[:, None] + 1.0, np.ones((size, 1), np.int64)
    rust = kernels.load("rust")
    paired = partial(stats.bootstrap, (a, b + 1.0), _mean_difference, paired=True, vectorized=True)
    return Built(
        {
            "rust": partial(_limits, rust, differences, ones),
            "scipy paired": partial(_scipy, paired),
        },
        _limits(rust, differences, ones),
    )


def _build_figures(backend: Kernels, size: int) -> Built:
    sums, sizes = _task_sums(size, _FIGURES)
    one = np.ascontiguousarray(sums[:, :1]), np.ascontiguousarray(sizes[:, :1])
    return Built(
        {
            "20 figures": partial(_limits, backend, sums, sizes),
            "one figure": partial(_limits, backend, *one),
        },
        _limits(backend, *one),
    )


def _build_signs(size: int) -> Built:
    sums = np.random.default_rng(3).normal(0.0, 1.0, size)

    def hits(backend: Kernels) -> float:
        (found,) = backend.sign_flips(sums, np.array([1e-12]), size, 1, 0, _RESAMPLES)
        return float(found)

    rust, python = kernels.load("rust"), kernels.load("python")
    return Built({"rust": partial(hits, rust), "python": partial(hits, python)}, hits(python))


def _close(answer: object, expected: object) -> bool:
    return bool(np.allclose(np.asarray(answer), np.asarray(expected), rtol=0.1))


def _figures(name: str) -> Case:
    return Case(
        kernel="cluster_means",
        workload=f"20 figures of 10,000 tasks at once, {name}",
        size=10_000,
        unit="task",
        build=partial(_build_figures, kernels.load("rust" if name == "rust" else "python")),
        contenders=("20 figures", "one figure"),
        same=_close,
        prepared="sums and sizes of the tasks",
        bars={"one figure": 1 / 3},
        parallel=name == "rust",
    )


CASES = [
    Case(
        kernel="cluster_means",
        workload="1,000,000 attempts at 10,000 tasks, numpy alone",
        size=1_000_000,
        unit="attempt",
        build=_build_rows,
        contenders=("python", "rust", "scipy on the rows"),
        same=_close,
        prepared="sums and sizes of the tasks; for scipy the values of the attempts",
        bars={"scipy on the rows": 50.0},
    ),
    Case(
        kernel="cluster_means",
        workload="differences of 10,000 tasks",
        size=10_000,
        unit="task",
        build=_build_pairs,
        contenders=("rust", "scipy paired"),
        same=_close,
        prepared="differences of the tasks; for scipy both values",
        bars={"scipy paired": 4.0},
        parallel=True,
    ),
    _figures("rust"),
    _figures("python"),
    Case(
        kernel="sign_flips",
        workload="10,000 tasks, 1,000 patterns",
        size=10_000,
        unit="task",
        build=_build_signs,
        contenders=("rust", "python"),
        same=_close,
        prepared="differences of the tasks",
        parallel=True,
    ),
]


@pytest.mark.parametrize("entry", entries(CASES), ids=str)
def bench_statistics(benchmark: BenchmarkFixture, entry: Entry) -> None:
    entry.run(benchmark, rounds=_ROUNDS.get(entry.contender))
