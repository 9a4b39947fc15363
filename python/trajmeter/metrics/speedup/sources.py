"""Counts that rows may lack, and the texts that say from which source a value is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trajmeter.arrays import Array, booleans, call_function, numbers, present, text_scalar
from trajmeter.metrics.speedup.check_columns import integers

if TYPE_CHECKING:
    from trajmeter.kernels import BoolArray, Int64Array

__all__ = ["Counts", "texts_where"]


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


def texts_where(is_chosen: BoolArray, text: str, instead: Array) -> Array:
    """Replace the text of the chosen rows; the others keep that of ``instead``."""
    column: Array = call_function("if_else", [booleans(is_chosen), text_scalar(text), instead])
    return column
