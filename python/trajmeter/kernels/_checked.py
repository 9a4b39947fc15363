"""The kernels as everyone calls them: check the arguments once, then compute with a backend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.kernels import _checks

if TYPE_CHECKING:
    from trajmeter.kernels._contract import Int64Array, Kernels

__all__ = ["CheckedKernels"]


class CheckedKernels:
    """Fulfils :class:`Kernels` with another implementation of it, behind the shared checks.

    Neither backend checks or prepares arrays of its own, so neither can check less than the other.
    """

    __slots__ = ("_backend",)

    def __init__(self, backend: Kernels) -> None:
        """Put the checks in front of ``backend``."""
        self._backend = backend

    def measure(self, start: Int64Array, end: Int64Array) -> int:
        """Check the arrays, then measure."""
        _checks.spans(start, end)
        return self._backend.measure(start, end)
