"""What every kernel refuses before it computes: arrays not flat, not plain, or of another dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.kernels.strategies import integers
from trajmeter.errors import ArrayError, OffsetsError

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.kernels import Kernels

ROWS = integers([0, 1, 3])
SPANS = {"start": integers([0, 4, 5]), "end": integers([3, 4, 9])}
OTHERS = {f"other_{name}": array for name, array in SPANS.items()}
FILE = {"line_starts": integers([0, 3, 7]), "size": 8}
VALUES = {"values": np.array([1.0, 2.0, 4.0])}
BOTH_SIDES = SPANS | {"offsets": ROWS} | OTHERS | {"other_offsets": ROWS}

ARGUMENTS: dict[str, dict[str, Any]] = {
    "measure": SPANS,
    "measure_batched": SPANS | {"offsets": ROWS},
    "union": SPANS,
    "union_batched": SPANS | {"offsets": ROWS},
    "intersection": SPANS | OTHERS,
    "intersection_batched": BOTH_SIDES,
    "difference": SPANS | OTHERS,
    "difference_batched": BOTH_SIDES,
    "bytes_to_lines": FILE | SPANS,
    "gmean": VALUES,
    "gmean_grouped": VALUES | {"offsets": ROWS},
}
ARRAYS = [
    (kernel, name)
    for kernel, arguments in ARGUMENTS.items()
    for name, value in arguments.items()
    if isinstance(value, np.ndarray)
]
ROW_ARRAYS = [(kernel, name) for kernel, name in ARRAYS if name.endswith("offsets")]


class Subclass(np.ndarray[Any, Any]):
    """What a kernel could not know the meaning of."""


def misaligned(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    memory = np.zeros(array.nbytes + 1, np.uint8)
    shifted: np.ndarray[Any, Any] = memory[1:].view(array.dtype)
    shifted[:] = array
    return shifted


SPOILED: dict[str, tuple[Callable[[np.ndarray[Any, Any]], object], str]] = {
    "list": (lambda array: array.tolist(), "is a list"),
    "none": (lambda _: None, "is a NoneType"),
    "other dtype": (lambda array: array.astype(np.float32), "has dtype float32"),
    "truth values": (lambda array: array.astype(bool), "has dtype bool"),
    "narrower": (lambda array: array.astype(np.int32), "has dtype int32"),
    "other byte order": (
        lambda array: array.astype(array.dtype.newbyteorder()),
        r"has dtype >[if]8",
    ),
    "two dimensions": (lambda array: array.reshape(-1, 1), r"has shape \(\d, 1\)"),
    "no dimension": (lambda array: np.array(array[0]), r"has shape \(\)"),
    "every other": (lambda array: np.repeat(array, 2)[::2], r"has strides \(16,\)"),
    "backwards": (lambda array: array[::-1], r"has strides \(-8,\)"),
    "misaligned": (misaligned, "is not aligned to 8 bytes"),
    "masked": (np.ma.masked_array, "is a MaskedArray"),
    "subclass": (lambda array: array.view(Subclass), "is a Subclass"),
}


@pytest.mark.parametrize(("kernel", "name"), ARRAYS)
@pytest.mark.parametrize(("spoil", "message"), SPOILED.values(), ids=SPOILED.keys())
def test_a_wrong_array_is_refused(
    kernels: Kernels,
    kernel: str,
    name: str,
    spoil: Callable[[np.ndarray[Any, Any]], object],
    message: str,
) -> None:
    arguments = ARGUMENTS[kernel]
    spoiled = arguments | {name: spoil(arguments[name])}
    dtype = arguments[name].dtype
    expected = rf"^{name} {message}.*, expected a 1-D, C-contiguous {dtype} array$"
    with pytest.raises(ArrayError, match=expected):
        getattr(kernels, kernel)(**spoiled)


@pytest.mark.parametrize("kernel", ARGUMENTS)
def test_good_arguments_are_taken(kernels: Kernels, kernel: str) -> None:
    getattr(kernels, kernel)(**ARGUMENTS[kernel])


@pytest.mark.parametrize("kernel", ARGUMENTS)
def test_arrays_that_cannot_be_written_are_read(kernels: Kernels, kernel: str) -> None:
    """As those of Arrow are."""
    frozen = {name: np.copy(value) for name, value in ARGUMENTS[kernel].items() if name != "size"}
    for array in frozen.values():
        array.setflags(write=False)
    getattr(kernels, kernel)(**ARGUMENTS[kernel] | frozen)


@pytest.mark.parametrize("kernel", ARGUMENTS)
def test_arrays_are_left_as_they_were(kernels: Kernels, kernel: str) -> None:
    arguments = {name: np.copy(value) for name, value in ARGUMENTS[kernel].items()}
    getattr(kernels, kernel)(**ARGUMENTS[kernel])
    assert all(np.array_equal(arguments[name], ARGUMENTS[kernel][name]) for name in arguments)


@pytest.mark.parametrize(
    ("kernel", "name", "other"),
    [
        *(
            (kernel, "end", "start")
            for kernel, arguments in ARGUMENTS.items()
            if "end" in arguments
        ),
        ("intersection", "other_end", "other_start"),
        ("difference_batched", "other_end", "other_start"),
        ("difference_batched", "other_offsets", "offsets"),
    ],
)
def test_lengths_that_differ(kernels: Kernels, kernel: str, name: str, other: str) -> None:
    arguments = ARGUMENTS[kernel]
    longer = np.concatenate((arguments[name], arguments[name][-1:]))
    count = len(arguments[other])
    message = rf"^{name} has {count + 1} values, expected {count}, as many as {other}$"
    with pytest.raises(ArrayError, match=message):
        getattr(kernels, kernel)(**arguments | {name: longer})


@pytest.mark.parametrize(("kernel", "name"), ROW_ARRAYS)
@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ([], r" is empty, expected at least 1 value: n \+ 1 offsets for n rows"),
        ([-1, 0], r"\[0\] is -1, expected 0 or more"),
        ([0, 2, 1], r"\[2\] is 1, expected at least 2, the offset before it"),
        ([0, 2, 1, 99], r"\[2\] is 1, expected at least 2, the offset before it"),
        ([0, 4], r"\[1\] is 4, expected at most 3, the number of (spans|values)"),
    ],
)
def test_offsets_that_cut_no_rows(
    kernels: Kernels, kernel: str, name: str, offsets: list[int], message: str
) -> None:
    with pytest.raises(OffsetsError, match=rf"^{name}{message}$"):
        getattr(kernels, kernel)(**ARGUMENTS[kernel] | {name: integers(offsets)})


@pytest.mark.parametrize("place", [1, 77, 999])
def test_many_offsets_that_fall_once(kernels: Kernels, place: int) -> None:
    offsets = np.arange(10, 1_010)
    offsets[place] = offsets[place - 1] - 1
    with pytest.raises(OffsetsError, match=rf"^offsets\[{place}\] is {offsets[place]}, expected"):
        kernels.gmean_grouped(np.ones(2_000), offsets)
