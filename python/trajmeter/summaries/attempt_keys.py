"""Keys of attempts as numbers: group, task and cluster of each row, and duplicate rows.

A *unit* is the set of rows with the same group, task and cluster: sums are kept per unit, and every
figure of a group is computed from its units.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from trajmeter.arrays import numbers
from trajmeter.arrays.text import repeated_text
from trajmeter.errors import ConfigurationError
from trajmeter.summaries.key_numbers import MOST, PairNumbers, TextNumbers, numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels import BoolArray, Int64Array
    from trajmeter.readers.results import ResultRows

__all__ = ["FILE", "VARYING_TEXTS", "AttemptKeys", "Duplicates", "KeyColumns", "Units", "check_key"]


class KeyColumns(NamedTuple):
    """Columns that identify attempts and group them."""

    by: tuple[str, ...]
    """Columns of the groups; ``file`` is the table."""
    cluster: str
    """Column that defines clusters."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Columns to read as text."""
        groups = [name for name in self.by if name != FILE]
        return tuple(dict.fromkeys([*_IDENTITY, *groups, self.cluster]))


FILE = "file"
"""Column of groups that is the table itself."""
_KEY = ["task", "group", "agent", "model", "attempt"]
"""Columns that identify an attempt, except the source, which is compared if these repeat."""
_IDENTITY = ("task_id", "agent", "model", "attempt", "source")

VARYING_TEXTS = ("attempt", "source")
"""Columns whose texts may all be different."""


class Units(NamedTuple):
    """Group, task and cluster of each unit, as numbers."""

    group: Int64Array
    """Group of each unit."""
    task: Int64Array
    """Task of each unit."""
    cluster: Int64Array
    """Cluster of each unit."""


class Duplicates(NamedTuple):
    """Attempts that occur more than once."""

    kept: BoolArray
    """Which of all rows count, in reading order."""
    first: tuple[int, int] | None
    """The first row that is repeated, and its position; ``None`` if there are none."""


class AttemptKeys:
    """Numbers groups and units of attempts, table by table.

    Args:
        columns: Columns of the keys.
    """

    def __init__(self, columns: KeyColumns) -> None:
        self._columns = columns
        self._texts: dict[str, TextNumbers] = {}
        self._groups: list[PairNumbers] = [PairNumbers() for _ in columns.by]
        self._task_clusters = PairNumbers()
        self._units = PairNumbers()
        self._seen: list[pa.RecordBatch] = []
        self.rows = 0

    def add(self, batch: ResultRows, file: str) -> tuple[Int64Array, Int64Array]:
        """Unit and group of each row of a batch.

        Args:
            batch: Rows with all columns of :attr:`KeyColumns.texts`.
            file: Name of the table.
        """
        by_name = {name: batch.column(name) for name in self._columns.texts}
        if FILE in self._columns.by:
            by_name[FILE] = repeated_text(file, batch.num_rows)
        task = self._codes("task_id").of(by_name["task_id"], alone=True)
        cluster = task
        if not self.are_tasks:
            cluster = self._codes(self._columns.cluster, is_key=True).of(
                by_name[self._columns.cluster], alone=True
            )
        codes = {
            name: self._codes(name, is_key=True).of(by_name[name], alone=False)
            for name in dict.fromkeys((*self._columns.by, "agent", "model"))
        }
        group = np.zeros(batch.num_rows, np.int64)
        for name, pairs in zip(self._columns.by, self._groups, strict=True):
            group = pairs.of(group, codes[name])
        self._seen.append(
            pa.record_batch(
                {
                    "task": numbers(task),
                    "group": numbers(group),
                    "agent": numbers(codes["agent"]),
                    "model": numbers(codes["model"]),
                    "attempt": by_name["attempt"],
                    "source": by_name["source"],
                }
            )
        )
        self.rows += batch.num_rows
        pair = task if self.are_tasks else self._task_clusters.of(task, cluster)
        return self._units.of(group, pair), group

    def units(self) -> Units:
        """The units found."""
        pair = self._units.second
        if self.are_tasks:
            return Units(self._units.first, pair, pair)
        return Units(
            self._units.first, self._task_clusters.first[pair], self._task_clusters.second[pair]
        )

    def groups(self) -> list[tuple[str | None, ...]]:
        """Key of each group, by its number."""
        if not self._groups:
            return [()]
        keys = []
        for number in range(len(self._groups[-1].first)):
            key: list[str | None] = []
            place = number
            for name, pairs in zip(reversed(self._columns.by), reversed(self._groups), strict=True):
                code = int(pairs.second[place])
                key.append(None if code < 0 else self._codes(name, is_key=True).keys[code])
                place = int(pairs.first[place])
            keys.append(tuple(reversed(key)))
        return keys

    @property
    def by(self) -> tuple[str, ...]:
        """Columns of the groups."""
        return self._columns.by

    @property
    def are_tasks(self) -> bool:
        """Whether clusters are tasks."""
        return self._columns.cluster == "task_id"

    @property
    def tasks(self) -> Sequence[str | None]:
        """Id of each task; ``None`` for that of a row without an id."""
        return self._codes("task_id").keys

    @property
    def clusters(self) -> Sequence[str | None]:
        """Key of each cluster; ``None`` for that of a row without a value."""
        cluster = self._columns.cluster
        return self._codes(cluster, is_key=cluster != "task_id").keys

    def duplicates(self, *, keep: str) -> Duplicates:
        """Find rows of one group that identify the same attempt.

        Args:
            keep: Which duplicate counts: ``"first"`` or ``"last"``.
        """
        kept = np.ones(self.rows, np.bool_)
        # Texts of the group's key need no comparison, and sources only if the others repeat.
        key = [name for name in _KEY if name not in self._columns.by]
        if not self._may_repeat(key) or not self._may_repeat([*key, "source"]):
            return Duplicates(kept, None)
        seen = pa.Table.from_batches(self._seen)
        columns = [seen.column(name).to_pylist() for name in [*_KEY, "source"]]
        last: dict[tuple[object, ...], int] = {}
        first: tuple[int, int] | None = None
        for row, key in enumerate(zip(*columns, strict=True)):
            before = last.get(key)
            if before is None:
                last[key] = row
                continue
            first = first or (before, row)
            kept[row if keep == "first" else before] = False
            last[key] = before if keep == "first" else row
        return Duplicates(kept, first)

    def _may_repeat(self, names: Sequence[str]) -> bool:
        """Whether two rows may be equal in some columns; nulls are equal."""
        if not self.rows:
            return False
        seen = pa.Table.from_batches(self._seen)
        packed, size = np.zeros(self.rows, np.int64), 1
        for name in names:
            codes = numbered(seen.column(name))
            count = int(codes.max(initial=-1)) + 2
            if size * count > MOST:
                known, packed = np.unique(packed, return_inverse=True)
                size = len(known)
            packed *= count
            packed += codes
            packed += 1
            size *= count
        packed.sort()
        return bool((packed[1:] == packed[:-1]).any())

    def identity(self, row: int) -> dict[str, str]:
        """What identifies a row, as far as recorded."""
        (seen,) = pa.Table.from_batches(self._seen).slice(row, 1).to_pylist()
        seen["task_id"] = self.tasks[seen["task"]]
        for name in ("agent", "model"):
            code = seen[name]
            seen[name] = None if code < 0 else self._codes(name, is_key=True).keys[code]
        return {name: seen[name] for name in _IDENTITY if seen[name] is not None}

    def _codes(self, name: str, *, is_key: bool = False) -> TextNumbers:
        """Numbers of a column's texts; as a key, a column has numbers of its own."""
        return self._texts.setdefault(f"{name} of a key" if is_key else name, TextNumbers())


def check_key(name: str, known: Sequence[str], option: str) -> None:
    """Reject a key that no table has.

    Raises:
        ConfigurationError: It is not a column.
    """
    if name != FILE and name not in known:
        expected = "; expected a results table, as written by trajmeter score -o"
        hint = expected if name == "task_id" else ""
        raise ConfigurationError(f"{option}: no table has a column {name!r}{hint}")
