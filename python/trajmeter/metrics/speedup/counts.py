"""Counts that may be missing in some rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trajmeter.arrays import Array, numbers, present
from trajmeter.metrics.speedup.check_columns import integers

if TYPE_CHECKING:
    from trajmeter.kernels import BoolArray, Int64Array

__all__ = ["Counts"]


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts that may be missing in some rows."""

    values: Int64Array
    """Count of each row; of no meaning where there is none."""
    is_there: BoolArray
    """Whether the row has a count."""

    @classmethod
    def of(cls, column: Array) -> Counts:
        """The counts in a column; null is none."""
        return cls(integers(column), present(column))

    def where(self, is_kept: BoolArray) -> Counts:
        """The counts of some rows; the others have none."""
        return Counts(self.values, self.is_there & is_kept)

    def column(self) -> Array:
        """Return the column of counts."""
        return numbers(self.values, ~self.is_there)
