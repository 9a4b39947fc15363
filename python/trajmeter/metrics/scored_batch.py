"""Columns of scored attempts, from record batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from trajmeter.arrays import filled, flags, present, ragged
from trajmeter.arrays.nested import entries
from trajmeter.arrays.text import coded
from trajmeter.metrics.scored_columns import Items, Numbers, Pairs, of_integers
from trajmeter.metrics.scored_rows import code_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels import BoolArray, Coded, Int64Array
    from trajmeter.metrics.scored_columns import AttemptField
    from trajmeter.records import Task

__all__ = ["ScoredBatch"]


class ScoredBatch:
    """Columns of a batch; see :class:`~trajmeter.metrics.scored_columns.ScoredColumns`.

    Args:
        rows: Attempts, in the columns of :func:`trajmeter.schemas.trajectory_schema`.
        scored: Their rows in the results table.
        tasks: Their tasks.
    """

    def __init__(
        self, rows: pa.RecordBatch, scored: pa.RecordBatch, tasks: Sequence[Task | None]
    ) -> None:
        self._rows = rows
        self._scored = scored
        self._tasks = tasks
        self._numbers: dict[str, Numbers] = {}

    def __len__(self) -> int:
        return self._scored.num_rows

    def __contains__(self, name: object) -> bool:
        return name in self._scored.schema.names

    def numbers(self, name: str) -> Numbers:
        """A column of numbers or booleans."""
        if name not in self._numbers:
            self._numbers[name] = self._read_numbers(name)
        return self._numbers[name]

    def _read_numbers(self, name: str) -> Numbers:
        column = self._scored.column(name)
        there = present(column)
        if pa.types.is_integer(column.type):
            return of_integers(filled(column, 0), there)
        if pa.types.is_boolean(column.type):
            values = flags(column).astype(np.float64)
            return Numbers(values, there, None)
        return Numbers(filled(column, 0.0), there, None)

    def texts(self, name: str) -> Coded:
        """A column of texts."""
        return coded(self._scored.column(name))

    def items(self, name: str) -> Items:
        """A column of lists of texts."""
        texts, offsets = ragged(self._scored.column(name))
        return Items(_rows_of(offsets), coded(texts))

    def pairs(self, name: str) -> Pairs:
        """A column of mappings from text to numbers."""
        column: Any = self._scored.column(name)
        keys, values, offsets = entries(column)
        return Pairs(_rows_of(offsets), coded(keys), filled(values, 0.0))

    def attempts(self, field: AttemptField) -> Coded:
        """What identifies the attempts."""
        coded_field = coded(self._rows.column(field))
        if field != "task_id" or not any(self._tasks):
            return coded_field
        names = [coded_field.texts[code] for code in coded_field.codes.tolist()]
        return code_texts(
            task.id if task else name for task, name in zip(self._tasks, names, strict=True)
        )

    def passed(self) -> BoolArray:
        """Whether each attempt is known to have passed."""
        return flags(self._rows.column("passed"))


def _rows_of(offsets: Int64Array) -> Int64Array:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
