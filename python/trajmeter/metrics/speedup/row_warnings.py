"""Warnings about the rows of a batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from trajmeter.arrays import Array, ragged, taken
from trajmeter.arrays.nested import list_array
from trajmeter.arrays.text import text_array

if TYPE_CHECKING:
    from trajmeter.kernels import BoolArray

__all__ = ["Warnings", "add_problems"]


@dataclass(slots=True)
class Warnings:
    """Collects warnings about rows."""

    of_row: dict[int, list[str]] = field(default_factory=dict)
    """Warnings by row, in order; rows without warnings are absent."""

    def add(self, is_doubtful: BoolArray, text: str) -> None:
        """Add a warning to rows."""
        for row in np.flatnonzero(is_doubtful).tolist():
            self.append(row, text)

    def append(self, row: int, text: str) -> None:
        """Add a warning to a row."""
        self.of_row.setdefault(row, []).append(text)

    def column(self, rows: int) -> Array:
        """Return the column of warnings."""
        lengths = np.zeros(rows + 1, np.int64)
        for row, warnings in self.of_row.items():
            lengths[row + 1] = len(warnings)
        texts = chain.from_iterable(warnings for _, warnings in sorted(self.of_row.items()))
        return list_array(np.cumsum(lengths), text_array(texts))


def add_problems(problems: Array, warnings: Warnings) -> None:
    """Add the problems of each row, a list of texts, to its warnings."""
    places = np.flatnonzero(np.diff(ragged(problems).offsets))
    lists: list[Any] = taken(problems, places).to_pylist()
    for row, texts in zip(places.tolist(), lists, strict=True):
        for text in texts:
            warnings.append(row, text)
