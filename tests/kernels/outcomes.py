"""What a kernel says, as a value that can be compared: a result, or an error told in full."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from trajmeter.errors import TrajmeterError
from trajmeter.kernels import GMEAN_RELATIVE_TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Callable

LEAST_DOUBLE = 5e-324
"""Means that are this small differ by whole steps, whatever the tolerance."""

Outcome: TypeAlias = object


@dataclass(frozen=True)
class Refusal:
    """An exception of ours: what is promised to be the same for both backends."""

    kind: type[TrajmeterError]
    code: str
    message: str


def outcome(function: Callable[..., object], *arguments: object) -> Outcome:
    try:
        return function(*arguments)
    except TrajmeterError as error:
        return Refusal(type(error), error.code, str(error))


def alike(left: Outcome, right: Outcome) -> bool:
    """Whether two outcomes are the same: integers and errors exactly, floats within tolerance."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(alike, left, right))
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        if left.dtype != right.dtype or left.shape != right.shape:
            return False
        if left.dtype == np.float64:
            return all(map(alike, left.tolist(), right.tolist()))
        return np.array_equal(left, right)
    if isinstance(left, float) and isinstance(right, float):
        tolerance = GMEAN_RELATIVE_TOLERANCE
        same = math.isclose(left, right, rel_tol=tolerance, abs_tol=LEAST_DOUBLE)
        return same or (math.isnan(left) and math.isnan(right))
    return type(left) is type(right) and left == right
