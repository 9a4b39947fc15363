"""Trajectories for the tests of the kernels, as nested lists and as the arrays of one batch."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels import Int64Array

Span: TypeAlias = "tuple[int, int, int]"
Steps: TypeAlias = "Sequence[Sequence[Span]]"
Trajectory: TypeAlias = "tuple[Steps, Sequence[Span]]"


def offsets_of(rows: Sequence[Sequence[object]]) -> Int64Array:
    return np.array([0, *accumulate(map(len, rows))], np.int64)


def columns_of(spans: Sequence[Span]) -> list[Int64Array]:
    return [np.array([span[side] for span in spans], np.int64) for side in range(3)]


def arguments(trajectories: Sequence[Trajectory]) -> list[Int64Array]:
    """Trajectories as the arrays of one batch."""
    steps = [step for steps, _ in trajectories for step in steps]
    golds = [gold for _, gold in trajectories]
    return [
        *columns_of([span for step in steps for span in step]),
        offsets_of(steps),
        offsets_of([steps for steps, _ in trajectories]),
        *columns_of([span for gold in golds for span in gold]),
        offsets_of(golds),
    ]


def scattered(trajectories: int) -> list[Int64Array]:
    """Distinct trajectories of 10 steps of 3 views."""
    random = np.random.default_rng(7)
    spans = 30 * trajectories
    start, gold_start = (random.integers(0, 100_000, size) for size in (spans, 5 * trajectories))
    return [
        random.integers(0, 50, spans),
        start,
        start + random.integers(1, 4_000, spans),
        np.arange(0, spans + 1, 3),
        np.arange(0, 10 * trajectories + 1, 10),
        random.integers(0, 50, 5 * trajectories),
        gold_start,
        gold_start + 1_000,
        np.arange(0, 5 * trajectories + 1, 5),
    ]
