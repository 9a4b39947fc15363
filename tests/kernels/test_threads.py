"""Threads: none for small input, the same results with any number, the GIL, forks and panics."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from trajmeter.errors import InternalError
from trajmeter.kernels import load

if TYPE_CHECKING:
    from trajmeter.kernels import Kernels

# A batch large enough for threads, and one number that tells its results from any other's.
BATCH = """
import hashlib, os, sys, numpy as np
from trajmeter.kernels import load
rust = load("rust")
random = np.random.default_rng(7)
bounds = np.concatenate(([0], np.cumsum(random.integers(0, 40, 40_000))))
start = random.integers(0, 10_000, bounds[-1])
end = start + random.integers(0, 500, bounds[-1])
values = random.lognormal(0.0, 3.0, bounds[-1])
def results():
    yield rust.measure_batched(start, end, bounds)
    yield from rust.union_batched(start, end, bounds)
    yield from rust.intersection_batched(start, end, bounds, start, end + 1, bounds)
    yield rust.gmean_grouped(values, bounds)
    yield np.array(rust.gmean(values))
    yield rust.cluster_means(values[:4_000], np.arange(4_000) % 5, 4_000, 1, 3, 300)
    yield rust.sign_flips(values[:4_000] - 1.0, np.zeros(1), 4_000, 1, 3, 300)
def digest():
    return hashlib.sha256(b"".join(result.tobytes() for result in results())).hexdigest()
"""
THREADS = """
def threads():
    return sum(open(f"/proc/self/task/{id}/comm").read().startswith("trajmeter")
               for id in os.listdir("/proc/self/task"))
"""

pytestmark = pytest.mark.usefixtures("rust")


def run(program: str, threads: int = 2) -> str:
    environment = os.environ | {"RAYON_NUM_THREADS": str(threads)}
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", BATCH + program]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout


def test_results_do_not_depend_on_the_number_of_threads() -> None:
    """To the last bit, means included."""
    digests = {run("print(digest())", threads) for threads in (1, 2, 3, 8)}
    assert len(digests) == 1


needs_tasks = pytest.mark.skipif(
    not Path("/proc/self/task").is_dir(), reason="threads are counted in /proc"
)


@needs_tasks
def test_large_batches_use_threads_and_small_ones_start_none() -> None:
    program = """
rust.measure_batched(start[:5_000], end[:5_000], np.array([0, 1_000, 5_000]))
rust.gmean(values[:100_000])
rust.union(start[:100_000], end[:100_000])
print(threads())
digest()
while threads() < 3: pass  # a thread has its name once it runs
print(threads())
"""
    assert run(THREADS + program, threads=3).split() == ["0", "3"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform cannot fork")
def test_a_forked_child_computes_as_its_parent_does() -> None:
    """The threads of the parent are not there in the child: waiting for them would never end."""
    program = """
expected = digest()
child = os.fork()
if child == 0:
    os._exit(0 if digest() == expected else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert run(program) == "0\n"


@needs_tasks
def test_a_child_forked_before_the_first_batch_has_threads_of_its_own() -> None:
    program = """
child = os.fork()
if child == 0:
    digest()
    while threads() < 3: pass
    os._exit(threads())
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert run(THREADS + program, threads=3) == "3\n"


def test_the_gil_is_released(rust: Kernels) -> None:
    """Another thread runs while a kernel does; fails by the time limit of a test."""
    size = 3_000_000
    start = np.random.default_rng(0).integers(0, 2**40, size)
    end = start + 10
    done = threading.Event()
    ticks = 0

    def count() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    most = 0
    while most < 5:  # a held GIL would let the other thread in once, between two calls
        before = ticks
        rust.union(start, end)
        most = max(most, ticks - before)
    done.set()
    counter.join()


def test_a_panic_is_an_internal_error() -> None:
    """Past the checks, bad offsets lead outside the values; pyo3's own exception no one catches."""
    from trajmeter.kernels import _rust

    one = np.array([1])
    for offsets in (np.array([0, 5]), np.array([], np.int64)):
        with pytest.raises(InternalError, match=r"^a kernel panicked: .*; please report this$"):
            _rust.measure_batched(one, one, offsets)


def test_an_array_that_went_around_the_checks_is_an_internal_error() -> None:
    from trajmeter.kernels import _rust

    with pytest.raises(InternalError, match=r"^unchecked array: "):
        _rust.measure(np.arange(4)[::2], np.arange(4)[::2])


def test_loading_twice_returns_the_same_kernels(rust: Kernels) -> None:
    assert load("rust") is rust
