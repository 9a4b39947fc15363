"""The contract both backends fulfil: one typed protocol, checked against each by mypy.

Spans travel as two 1-D, C-contiguous ``int64`` arrays, ``start`` and ``end``, half-open. A ragged
batch is its values and ``int64`` offsets of length n + 1, non-decreasing, which may begin above 0.
Arrays are borrowed and never copied; they must not change during a call.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Float64Array", "Int64Array", "Kernels"]

Int64Array: TypeAlias = npt.NDArray[np.int64]
Float64Array: TypeAlias = npt.NDArray[np.float64]


class Kernels(Protocol):
    """Every kernel, with the same name, order of arguments and errors in Rust and in Python.

    The definitions stand in the docstrings of the twin, ``trajmeter.kernels._python``.
    """

    def measure(self, start: Int64Array, end: Int64Array) -> int:
        """Number of bytes that the spans cover, overlaps counted once."""
