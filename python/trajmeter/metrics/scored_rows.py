"""Columns of scored attempts, built from their rows of values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trajmeter.kernels import Coded
from trajmeter.metrics.scored_columns import Items, Numbers, Pairs, of_integers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trajmeter.kernels import BoolArray, Float64Array
    from trajmeter.metrics.column import Column
    from trajmeter.metrics.scored_columns import AttemptField
    from trajmeter.records import Task, Trajectory

__all__ = ["Attempted", "ScoredRows", "attempted", "code_texts", "place_columns"]


class Attempted(NamedTuple):
    """The data of an attempt that is kept until it is counted."""

    task_id: str
    """Id of its task if found, else as written in the record."""
    agent: str | None
    """Name of the agent."""
    model: str | None
    """Name of the model."""
    instance: str | None
    """Distinguishes agents with the same name and model."""
    attempt: str | None
    """Distinguishes repeated attempts."""
    passed: bool | None
    """Whether it passed."""


def attempted(task: Task | None, trajectory: Trajectory) -> Attempted:
    """Extract the data of an attempt that is kept until it is counted."""
    return Attempted(
        task.id if task else trajectory.task_id,
        trajectory.agent,
        trajectory.model,
        trajectory.instance,
        trajectory.attempt,
        trajectory.passed,
    )


def place_columns(columns: Iterable[Column]) -> dict[str, tuple[int, Column]]:
    """Columns by name, each with its position in a row."""
    return {column.name: (index, column) for index, column in enumerate(columns)}


class ScoredRows:
    """Columns of rows of values; see :class:`~trajmeter.metrics.scored_columns.ScoredColumns`.

    Args:
        columns: Columns by name, from :func:`place_columns`.
        rows: Values of each attempt, in the order of the columns.
        attempts: Data of each attempt that its row lacks.
    """

    def __init__(
        self,
        columns: Mapping[str, tuple[int, Column]],
        rows: Sequence[Sequence[Any]],
        attempts: Sequence[Attempted],
    ) -> None:
        self._columns = columns
        self._values: list[tuple[Any, ...]] = list(zip(*rows, strict=True))
        self._attempts = attempts
        self._numbers: dict[str, Numbers] = {}

    def __len__(self) -> int:
        return len(self._attempts)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def numbers(self, name: str) -> Numbers:
        """A column of numbers or booleans."""
        if name not in self._numbers:
            self._numbers[name] = self._read_numbers(name)
        return self._numbers[name]

    def _read_numbers(self, name: str) -> Numbers:
        position, column = self._columns[name]
        values = self._values[position]
        present = np.array([value is not None for value in values], np.bool_)
        if column.shape.kind == "integer":
            return of_integers(np.array([value or 0 for value in values], np.int64), present)
        return Numbers(_floats([value or 0.0 for value in values]), present, None)

    def texts(self, name: str) -> Coded:
        """A column of texts."""
        return code_texts(self._values[self._columns[name][0]])

    def items(self, name: str) -> Items:
        """A column of lists of texts."""
        lists = self._values[self._columns[name][0]]
        found = [(row, text) for row, each in enumerate(lists) for text in each or ()]
        rows = np.array([row for row, _ in found], np.int64)
        return Items(rows, code_texts(text for _, text in found))

    def pairs(self, name: str) -> Pairs:
        """A column of mappings from text to numbers."""
        mappings = self._values[self._columns[name][0]]
        found = [
            (row, key, value)
            for row, each in enumerate(mappings)
            for key, value in (each or {}).items()
        ]
        rows = np.array([row for row, _, _ in found], np.int64)
        keys = code_texts(key for _, key, _ in found)
        return Pairs(rows, keys, _floats([value for _, _, value in found]))

    def attempts(self, field: AttemptField) -> Coded:
        """What identifies the attempts."""
        return code_texts(getattr(own, field) for own in self._attempts)

    def passed(self) -> BoolArray:
        """Whether each attempt is known to have passed."""
        return np.array([bool(own.passed) for own in self._attempts], np.bool_)


def code_texts(values: Iterable[str | None]) -> Coded:
    """Number texts in the order of first occurrence."""
    places: dict[str, int] = {}
    codes = [-1 if each is None else places.setdefault(each, len(places)) for each in values]
    return Coded(list(places), np.array(codes, np.int64))


def _floats(values: list[Any]) -> Float64Array:
    """Numbers as floats; infinite if outside the range of floats."""
    try:
        return np.array(values, np.float64)
    except OverflowError:
        return np.array([_float(value) for value in values], np.float64)


def _float(value: Any) -> float:  # noqa: ANN401 - whatever number a metric gives
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
