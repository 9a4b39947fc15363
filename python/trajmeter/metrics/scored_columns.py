"""Scored attempts as columns, whether stored as rows of values or in Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from trajmeter.kernels import BoolArray, Coded, Float64Array, Int64Array

__all__ = [
    "AttemptField",
    "GroupedRows",
    "Items",
    "Numbers",
    "Pairs",
    "ScoredColumns",
    "of_integers",
]

AttemptField: TypeAlias = Literal["task_id", "agent", "model", "instance", "attempt"]
"""Texts that identify an attempt."""

_LARGEST = 1 << 53
"""Largest integer up to which all integers are floats."""

_LOW = (1 << 32) - 1


class Numbers(NamedTuple):
    """A column of numbers or booleans."""

    values: Float64Array
    """Its values; 0 if missing."""
    present: BoolArray
    """Which rows have a value."""
    rest: Float64Array | None
    """What to add to the values to get integers that no float represents; ``None`` for nothing."""

    @property
    def rounded(self) -> Float64Array:
        """The values as floats, correctly rounded."""
        return self.values if self.rest is None else self.values + self.rest


class Items(NamedTuple):
    """A column of lists of texts."""

    rows: Int64Array
    """Row of each text, in order."""
    texts: Coded
    """The texts."""


class Pairs(NamedTuple):
    """A column of mappings from text to numbers."""

    rows: Int64Array
    """Row of each pair, in order."""
    keys: Coded
    """The texts."""
    values: Float64Array
    """The numbers."""


class GroupedRows(NamedTuple):
    """Groups of some rows."""

    rows: Int64Array
    """Group of each row, as an index into ``numbers``."""
    numbers: Int64Array
    """The distinct groups of these rows."""


class ScoredColumns(Protocol):
    """The columns of some scored attempts."""

    def __len__(self) -> int:
        """Number of attempts."""

    def __contains__(self, name: object, /) -> bool:
        """Whether there is a column of this name, as some groups may not be requested."""

    def numbers(self, name: str) -> Numbers:
        """A column of numbers or booleans, by its name in a results table."""

    def texts(self, name: str) -> Coded:
        """A column of texts, by its name in a results table."""

    def items(self, name: str) -> Items:
        """A column of lists of texts, by its name in a results table."""

    def pairs(self, name: str) -> Pairs:
        """A column of mappings from text to numbers, by its name in a results table."""

    def attempts(self, field: AttemptField) -> Coded:
        """What identifies the attempts; ``task_id`` is the id of the task if it was found."""

    def passed(self) -> BoolArray:
        """Whether each attempt is known to have passed."""


def of_integers(values: Int64Array, present: BoolArray) -> Numbers:
    """A column of integers; 0 if missing."""
    if max(-int(values.min(initial=0)), int(values.max(initial=0))) <= _LARGEST:
        return Numbers(values.astype(np.float64), present, None)
    low = values & _LOW
    return Numbers((values - low).astype(np.float64), present, low.astype(np.float64))
