"""The figures of a trajectory: both backends alike on good and bad input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.batches import columns_of, offsets_of
from trajmeter.errors import ArrayError, OffsetsError
from trajmeter.kernels import load

if TYPE_CHECKING:
    from trajmeter.kernels import Kernels

MAXIMUM = 2**63 - 1

numbers = st.integers(0, MAXIMUM)


@given(st.lists(st.tuples(st.lists(st.tuples(numbers, numbers, numbers), max_size=6), numbers)))
def test_backends_agree_on_figures(
    rust: Kernels, batch: list[tuple[list[tuple[int, int, int]], int]]
) -> None:
    """Bit for bit: both divide the same two doubles."""
    steps = [step for steps, _ in batch for step in steps]
    arrays = (
        *columns_of(steps),
        np.array([gold for _, gold in batch], np.int64),
        offsets_of([steps for steps, _ in batch]) + 3,
    )
    twin = load("python").trajectory_figures(*arrays)
    for ours, theirs in zip(rust.trajectory_figures(*arrays), twin, strict=True):
        assert ours.tobytes() == theirs.tobytes()


FIGURES = (
    np.array([60, 60]),
    np.array([60, 40]),
    np.array([10, 20]),
    np.array([30]),
    np.array([7, 9]),
)


@pytest.mark.parametrize(
    ("place", "value", "refusal", "message"),
    [
        (0, np.array([60.0, 60.0]), ArrayError, "size has dtype float64"),
        (1, np.array([60]), ArrayError, "added has 1 values, expected 2, as many as size"),
        (2, np.array([1]), ArrayError, "gold_added has 1 values, expected 2, as many as size"),
        (3, np.array([1, 2]), ArrayError, "gold_size has 2 values, expected 1"),
        (4, np.array([7, 8]), ArrayError, "size has 2 values, expected 1"),
        (4, np.array([7, 10]), OffsetsError, "trajectory_offsets[1] is 10, expected at most 9"),
        (4, np.array([0], np.int64)[:0], OffsetsError, "trajectory_offsets is empty"),
        (4, np.array([9, 7]), OffsetsError, "trajectory_offsets[1] is 7, expected at least 9"),
    ],
)
def test_bad_arguments_of_figures(
    kernels: Kernels, place: int, value: Any, refusal: type[Exception], message: str
) -> None:
    arrays: list[Any] = [*FIGURES[:place], value, *FIGURES[place + 1 :]]
    with pytest.raises(refusal) as error:
        kernels.trajectory_figures(*arrays)
    assert str(error.value).startswith(message)
