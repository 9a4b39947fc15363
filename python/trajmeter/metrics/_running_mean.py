"""A mean made value by value, with how many attempts had one."""

from __future__ import annotations

from fractions import Fraction

from trajmeter.metrics._result import Mean

__all__ = ["RunningMean"]


class RunningMean:
    """A mean whose sum is exact, so that the order of the attempts does not matter."""

    __slots__ = ("_scored", "_sum", "_total")

    def __init__(self) -> None:
        self._sum: int | Fraction = 0
        self._scored = 0
        self._total = 0

    def add(self, value: float | None) -> None:
        """Count one attempt, and its value if it has one."""
        self._total += 1
        if value is not None:
            self._scored += 1
            if value:  # many values are 0, and fractions are slow
                self._sum += value if isinstance(value, int) else Fraction(value)

    def mean(self) -> Mean:
        """The mean so far."""
        value = float(self._sum / self._scored) if self._scored else None
        return Mean(value=value, scored=self._scored, total=self._total)
