"""Kernel workloads that take Python some milliseconds."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trajmeter.bench.report import Timing
from trajmeter.errors import InternalError
from trajmeter.kernels import GMEAN_RELATIVE_TOLERANCE, NO_NUMBER, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trajmeter.kernels import Int64Array, Kernels

__all__ = ["Workload", "agree", "time_kernels", "workloads"]

_ROUNDS = 5
_ROUND_SECONDS = 0.02
"""Short calls are repeated for this long in a round."""
_LONG_SECONDS = 0.2
"""A call that takes this long is timed only once more."""


class Workload(NamedTuple):
    """A kernel and its arguments."""

    kernel: str
    """Name of the kernel."""
    work: str
    """Description of the input."""
    run: Callable[[Kernels], Any]
    """Calls the kernel of a backend."""


def time_kernels(*, on_progress: Callable[[str], None]) -> tuple[Timing, ...]:
    """Time each kernel with both backends, after comparing their results.

    Args:
        on_progress: Called with what is being timed.

    Raises:
        BackendError: The Rust extension is missing or broken.
        InternalError: The backends give different answers.
    """
    on_progress("timing kernels")
    rust, python = load("rust"), load("python")
    timings = []
    for kernel, work, run in workloads():
        if not agree(run(rust), run(python)):
            raise InternalError(f"{kernel}: the backends give different answers; please report it")
        timings.append(
            Timing(
                name=kernel,
                work=work,
                rust_seconds=_seconds(run, rust),
                python_seconds=_seconds(run, python),
            )
        )
    return tuple(timings)


def workloads() -> Iterator[Workload]:
    """One fixed workload per kernel."""
    chance = np.random.default_rng(0)
    start, other = (chance.integers(0, 10**8, 20_000) for _ in range(2))
    end, other_end = start + 2_000, other + 2_000
    yield Workload("union", "20,000 spans", lambda k: k.union(start, end))
    yield Workload(
        "intersection",
        "20,000 spans twice",
        lambda k: k.intersection(start, end, other, other_end),
    )
    yield Workload(
        "difference", "20,000 spans twice", lambda k: k.difference(start, end, other, other_end)
    )
    steps = _steps(chance)
    yield Workload("trajectory", "1,000 trajectories of 10 steps", lambda k: k.trajectory(*steps))
    turns = _turns(chance, 10_000)
    yield Workload("turn_counts", "10,000 turns in 500 runs", lambda k: k.turn_counts(**turns))
    steps_of_two = chance.integers(0, 40, (2, 300))
    yield Workload("align", "300 steps twice", lambda k: k.align(*steps_of_two))
    yield Workload("edit_distance", "300 steps twice", lambda k: k.edit_distance(*steps_of_two))
    weights = chance.random(60 * 60)
    yield Workload(
        "assign", "60 calls and 60 others", lambda k: k.assign(weights, 60, 60, full=True)
    )
    text = b"".join(b"x" * length + b"\n" for length in chance.integers(0, 79, 25_000).tolist())
    yield Workload("line_starts", "1 MB of text", lambda k: k.line_starts(text))
    patch = _patch(100)
    yield Workload("edited_lines", "a patch of 100 files", lambda k: k.edited_lines(patch))
    values = chance.lognormal(0, 1, 100_000)
    yield Workload("gmean", "100,000 values", lambda k: k.gmean(values))
    levels = _levels(chance)
    yield Workload(
        "level_advantages", "40 attempts of 250 ratios", lambda k: k.level_advantages(*levels)
    )


def _seconds(run: Callable[[Kernels], object], kernels: Kernels) -> float:
    """Duration of the fastest call."""

    def one_round(calls: int) -> float:
        began = perf_counter()
        for _ in range(calls):
            run(kernels)
        return (perf_counter() - began) / calls

    once = one_round(1)
    if once > _LONG_SECONDS:
        return min(once, one_round(1))
    calls = max(round(_ROUND_SECONDS / max(once, 1e-7)), 1)
    return min(once, *(one_round(calls) for _ in range(_ROUNDS)))


def agree(answer: Any, other: Any) -> bool:  # noqa: ANN401 - whatever kernels return
    """Whether two results are equal: integers exactly, doubles within the contract's tolerance."""
    if isinstance(answer, tuple):
        return len(answer) == len(other) and all(map(agree, answer, other))
    first, second = np.asarray(answer), np.asarray(other)
    if first.shape != second.shape or first.dtype != np.float64:
        return np.array_equal(first, second)
    tolerance = GMEAN_RELATIVE_TOLERANCE
    return np.allclose(first, second, rtol=tolerance, atol=1e-12, equal_nan=True)


def _steps(chance: np.random.Generator) -> tuple[Int64Array, ...]:
    """Arguments of ``trajectory``: steps of three views in 50 files, and five spans of gold."""

    def spans(count: int) -> tuple[Int64Array, ...]:
        start = chance.integers(0, 96_000, count)
        return chance.integers(0, 50, count), start, start + chance.integers(200, 4_001, count)

    return (
        *spans(30_000),
        np.arange(10_001) * 3,
        np.arange(1_001) * 10,
        *spans(5_000),
        np.arange(1_001) * 5,
    )


def _turns(chance: np.random.Generator, count: int) -> dict[str, Any]:
    """Arguments of ``turn_counts``: runs of 20 turns with a call each."""
    return {
        "success": chance.integers(-1, 2, count),
        "program": chance.integers(0, 2, count),
        "reason": chance.integers(-1, 5, count),
        "error": chance.integers(-1, 15, count),
        "number": np.full(count, NO_NUMBER),
        "call_success": chance.integers(-1, 2, count),
        "call": chance.integers(0, 1_000, count),
        "call_offsets": np.arange(count + 1),
        "run_offsets": np.arange(0, count + 1, 20),
        "unreadable": np.array([3, 2, 1]),
        "reasons": 5,
    }


def _patch(files: int) -> str:
    return "".join(
        f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n"
        "@@ -10,3 +10,4 @@ def f():\n a\n-b\n+c\n+d\n e\n"
        for name in (f"src/module_{number}.py" for number in range(files))
    )


def _levels(chance: np.random.Generator) -> tuple[Any, ...]:
    """Arguments of ``level_advantages``: attempts at one task of 250 benchmarks."""
    names = [f"module{n % 6}.Class{n % 3}.time_{n // 3}({n}, 'x')".encode() for n in range(250)]
    attempts = 40
    return (
        b"".join(names),
        np.cumsum([0, *map(len, names)]),
        "C",
        " ",
        np.tile(np.arange(250), attempts),
        chance.lognormal(0.1, 0.5, 250 * attempts),
        chance.lognormal(0.3, 0.5, 250 * attempts),
        np.arange(0, 250 * attempts + 1, 250),
    )
