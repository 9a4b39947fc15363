"""Scoring of context from Python objects, as a harness does: whole attempts, and turn by turn.

Records are built in advance, and their paths are already cached, as they are after other attempts
at the same repository. *Saturating*: views of up to 60 lines in 50 files of 400 lines, which soon
overlap. *Sparse*: views of single lines in 50 files so long that only one line in ten is ever seen.
They rarely overlap, so nothing may depend on having few pieces.
"""

from __future__ import annotations

import random
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
import pytest

from benches.contest import Built, Case, Entry, entries
from trajmeter import kernels
from trajmeter.metrics.context import ContextTracker, prepare, score
from trajmeter.records import Extent, GoldRange, Task, Trajectory, Turn, View
from trajmeter.snapshots import Definitions, FileSnapshot, Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_benchmark.fixture import BenchmarkFixture

    from trajmeter.metrics.context import ContextResult, PreparedTask

_FILES = [f"src/package_{number // 10}/module_{number}.py" for number in range(50)]
_LINE = 40
_LEAST_LINES = 400
_LONGEST = {"saturating": 60, "sparse": 1}


@cache
def _snapshot(lines: int) -> Snapshot:
    """Files with equal lines, and a definition for every 20 of them."""
    start = np.arange(0, lines * _LINE, 20 * _LINE, dtype=np.int64)
    definitions = Definitions(
        kind=("function_definition",) * len(start),
        start=start,
        end=start + 18 * _LINE,
        name=tuple(f"function_{number}" for number in range(len(start))),
    )
    line_starts = np.arange(0, lines * _LINE + 1, _LINE, dtype=np.int64)
    file = FileSnapshot(lines * _LINE, line_starts, definitions)
    return Snapshot("acme/widget", "c0ffee", dict.fromkeys(_FILES, file))


def _lines(shape: str, steps: int) -> int:
    """Lines of each file."""
    return _LEAST_LINES if shape == "saturating" else max(_LEAST_LINES, 30 * steps // len(_FILES))


def _trajectory(shape: str, steps: int) -> Trajectory:
    """Three views per step, with paths as in a container."""
    chance = random.Random(steps)  # noqa: S311 - a workload, not a secret
    lines = _lines(shape, steps)

    def view() -> View:
        start = chance.randint(1, lines - 60)
        end = start + chance.randrange(_LONGEST[shape])
        path = f"/testbed/{chance.choice(_FILES)}"
        return View(path=path, extent=Extent.LINES, start=start, end=end)

    turns = (Turn(views=(view(), view(), view())) for _ in range(steps))
    return Trajectory(task_id="t", turns=tuple(turns))


def _prepared(lines: int, backend: kernels.BackendName) -> PreparedTask:
    gold = tuple(
        GoldRange(path=path, first_line=10 * number + 1, last_line=10 * number + 80)
        for number, path in enumerate(_FILES[:4])
    )
    task = Task(id="t", repo="acme/widget", gold_ranges=gold)
    return prepare(task, _snapshot(lines), kernels=kernels.load(backend))


def _track(prepared: PreparedTask, trajectory: Trajectory) -> ContextResult:
    tracker = ContextTracker(prepared)
    for turn in trajectory.turns or ():
        tracker.update(turn.views or ())
    return tracker.result()


def _build(
    function: Callable[[PreparedTask, Trajectory], ContextResult], shape: str, steps: int
) -> Built:
    trajectory = _trajectory(shape, steps)
    lines = _lines(shape, steps)
    functions = {
        "rust": partial(function, _prepared(lines, "rust"), trajectory),
        "python": partial(function, _prepared(lines, "python"), trajectory),
    }
    return Built(functions, score(_prepared(lines, "python"), trajectory))


def _same(answer: object, expected: object) -> bool:
    return answer == expected


def _case(
    kernel: str,
    function: Callable[[PreparedTask, Trajectory], ContextResult],
    steps: int,
    shape: str,
    most_seconds: float | None,
) -> Case:
    return Case(
        kernel=kernel,
        workload=f"{steps:,} steps of 3 views, {shape}",
        size=steps,
        unit="step",
        build=partial(_build, function, shape),
        contenders=("rust", "python"),
        same=_same,
        prepared="records, task, snapshot",
        most_seconds=most_seconds,
    )


_SCORE_SECONDS = 20e-6
"""One small trajectory, its result included."""
_UPDATE_SECONDS = 2e-6
"""One update of three views."""

CASES = [
    _case("context score", score, 10, "saturating", _SCORE_SECONDS),
    _case("context score", score, 10, "sparse", _SCORE_SECONDS),
    _case("context score", score, 100_000, "saturating", None),
    _case("context score", score, 100_000, "sparse", None),
    _case("context tracker", _track, 1_000, "saturating", 1_000 * _UPDATE_SECONDS),
    _case("context tracker", _track, 1_000, "sparse", 1_000 * _UPDATE_SECONDS),
    _case("context tracker", _track, 100_000, "sparse", 100_000 * _UPDATE_SECONDS),
]


@pytest.mark.parametrize("entry", entries(CASES), ids=str)
def bench_context(benchmark: BenchmarkFixture, entry: Entry) -> None:
    entry.run(benchmark)
