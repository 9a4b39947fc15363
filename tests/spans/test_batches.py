"""The public functions on many sets of spans: worked examples on both backends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from trajmeter.errors import ArrayError
from trajmeter.spans import (
    KeyedSpans,
    SpanBatch,
    difference_batched,
    intersection_batched,
    measure_batched,
    trajectory,
    trajectory_figures,
    union_batched,
)

if TYPE_CHECKING:
    from trajmeter.kernels import Kernels

ROWS = SpanBatch(np.array([0, 8, 30]), np.array([10, 20, 40]), np.array([0, 2, 3]))
OTHERS = SpanBatch(np.array([5, 35]), np.array([12, 36]), np.array([0, 1, 2]))


@pytest.fixture(autouse=True)
def _on_each_backend(kernels: Kernels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trajmeter.spans.batches.active", lambda: kernels)


def listed(batch: SpanBatch) -> list[list[int]]:
    assert isinstance(batch, SpanBatch)
    return [batch.start.tolist(), batch.end.tolist(), batch.offsets.tolist()]


def test_each_row_is_a_separate_set() -> None:
    assert measure_batched(ROWS).tolist() == [20, 10]
    assert listed(union_batched(ROWS)) == [[0, 30], [20, 40], [0, 1, 2]]
    assert listed(intersection_batched(ROWS, OTHERS)) == [[5, 35], [12, 36], [0, 1, 2]]
    assert listed(difference_batched(ROWS, OTHERS)) == [
        [0, 12, 30, 36],
        [5, 20, 35, 40],
        [0, 2, 4],
    ]


def test_rows_without_partners_are_refused() -> None:
    fewer = OTHERS._replace(offsets=OTHERS.offsets[:2])
    with pytest.raises(ArrayError, match=r"^other_offsets has 2 values, expected 3"):
        intersection_batched(ROWS, fewer)


def test_a_trajectory_of_two_steps() -> None:
    """Bytes 0 to 60, then 40 to 100, of which 50 to 80 are gold: 10 of them seen at first."""
    seen = KeyedSpans(np.array([0, 0]), np.array([0, 40]), np.array([60, 100]))
    gold = KeyedSpans(np.array([0]), np.array([50]), np.array([80]))
    one = np.array([0, 1])
    measured = trajectory(
        seen,
        step_offsets=np.array([0, 1, 2]),
        trajectory_offsets=np.array([0, 2]),
        gold=gold,
        gold_offsets=one,
    )
    assert measured.size.tolist() == [60, 60]
    assert measured.added.tolist() == [60, 40]
    assert measured.gold_added.tolist() == [10, 20]
    assert measured.gold_size.tolist() == [30]
    figures = trajectory_figures(measured, np.array([0, 2]))
    assert figures.coverage.tolist() == [1 / 3, 1.0]
    assert figures.auc_coverage.tolist() == pytest.approx([2 / 3])
    assert figures.redundancy.tolist() == pytest.approx([1 / 6])
