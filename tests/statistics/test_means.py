"""The public geometric means: what goes in and comes out, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from trajmeter import gmean, gmean_grouped
from trajmeter.errors import ArrayError, EmptyInputError, OffsetsError, ValueDomainError


@pytest.mark.parametrize(
    "values",
    [
        [2.0, 8.0],
        (2, 8),
        [np.float32(2.0), np.int64(8)],
        (value for value in (2.0, 8.0)),
        np.array([2.0, 8.0]),
        np.array([2, 8]),
        np.array([2, 8], np.uint8),
        np.array([2.0, 8.0], np.float32),
        np.array([8.0, 0.0, 2.0, 0.0])[::2],
    ],
)
def test_numbers_of_any_kind(values: Any) -> None:
    # sqrt(2 * 8) = 4
    assert gmean(values) == 4.0


def test_groups_are_of_the_kind_of_the_values() -> None:
    means = gmean_grouped([2, 8, 5], [0, 2, 2, 3])
    assert means[0] == pytest.approx(4.0, rel=1e-15)
    assert math.isnan(means[1])
    assert means[2] == 5.0
    array = gmean_grouped(np.array([2.0, 8.0]), np.array([0, 2]))
    assert isinstance(array, np.ndarray)
    assert array.tolist() == [4.0]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (5, "^values is a int, expected numbers$"),
        ("12", "^values is a str, expected numbers$"),
        (None, "^values is a NoneType, expected numbers$"),
        ([1, None], r"^values\[1\] is None, expected a number$"),
        ([True], r"^values\[0\] is True, expected a number$"),
        (["1"], r"^values\[0\] is '1', expected a number$"),
        ([1j], r"^values\[0\] is 1j, expected a number$"),
        ([1, 10**400], r"^values\[1\] is beyond 64 bits, expected a smaller number$"),
        (np.array([True]), "^values has dtype bool, expected a 1-D, C-contiguous float64 array$"),
        (np.array(["a"]), "^values has dtype <U1, expected"),
        (np.array([[1.0]]), r"^values has shape \(1, 1\), expected"),
        (np.ma.masked_array([1.0], mask=[True]), "^values is a MaskedArray, expected"),
    ],
)
def test_values_that_are_not_numbers_are_refused(values: Any, message: str) -> None:
    with pytest.raises(ArrayError, match=message):
        gmean(values)
    with pytest.raises(ArrayError, match=message):
        gmean_grouped(values, [0])


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ([0.0, 1.0], r"\[0\] is 0\.0, expected an integer$"),
        ([False, True], r"\[0\] is False, expected an integer$"),
        ("01", " is a str, expected numbers$"),
        (np.array([0.0, 1.0]), " has dtype float64, expected"),
    ],
)
def test_invalid_offsets_are_refused(offsets: Any, message: str) -> None:
    with pytest.raises(ArrayError, match=f"^offsets{message}"):
        gmean_grouped([1.0], offsets)


def test_errors_of_the_kernel_come_through() -> None:
    with pytest.raises(EmptyInputError):
        gmean([])
    with pytest.raises(ValueDomainError, match=r"^value 1 is -1\.0,"):
        gmean([1.0, -1])
    with pytest.raises(OffsetsError, match=r"^offsets\[1\] is 2, expected at most 1"):
        gmean_grouped([1.0], [0, 2])
