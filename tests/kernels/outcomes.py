"""Outcomes of kernels as values to compare: results, or errors with all of their fields."""

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
    """An exception of Trajmeter: the fields that both backends must agree on."""

    kind: type[TrajmeterError]
    code: str
    message: str


def outcome(function: Callable[..., object], *arguments: object) -> Outcome:
    try:
        return function(*arguments)
    except TrajmeterError as error:
        return Refusal(type(error), error.code, str(error))


def alike(left: Outcome, right: Outcome) -> bool:
    """Return whether two outcomes agree: integers and errors exactly, floats within tolerance."""
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
