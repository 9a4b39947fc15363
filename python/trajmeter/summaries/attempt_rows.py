"""Attempts of results tables as rows: selected columns of all, or everything about each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from trajmeter.errors import ConfigurationError
from trajmeter.summaries.attempt_keys import VARYING_TEXTS, AttemptKeys, KeyColumns
from trajmeter.summaries.key_numbers import TextNumbers
from trajmeter.summaries.result_sums import ReadColumns
from trajmeter.summaries.result_tables import table_labels
from trajmeter.summaries.wanted_figures import IDENTITY, NUMERIC, declared_figures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trajmeter.arrays import Array
    from trajmeter.kernels import BoolArray, Float64Array, Int64Array
    from trajmeter.readers.results import ResultsTable

__all__ = ["OUTSIDE", "AttemptRows", "CodedTexts", "ColumnKinds", "read_attempts"]

OUTSIDE = ("abstained", "not_scored")
"""Outcomes of figures that no mean includes, even if a rule gives them a value."""
_MOST_HELD = 1 << 29
"""Maximum number of bytes of tables in text formats to keep."""
_SAID = ("outcome", "cause", "reason", "error")
"""Suffixes of columns that hold only text."""


class ColumnKinds(NamedTuple):
    """Columns by the type with which they are read."""

    texts: list[str]
    """Columns of text."""
    numbers: list[str]
    """Columns of numbers and booleans."""
    values: list[str]
    """Columns of other types, such as lists, read as JSON."""

    def after(self, first: ReadColumns) -> ColumnKinds:
        """These columns after some others, whose errors are then found first."""
        texts = dict.fromkeys((*first.texts, *self.texts))
        return ColumnKinds([*texts], [*dict.fromkeys((*first.numbers, *self.numbers))], self.values)


@dataclass(frozen=True, slots=True, eq=False)
class CodedTexts:
    """A column of text."""

    codes: Int64Array
    """Index of each attempt's text; -1 for none."""
    texts: tuple[str, ...]
    """Distinct texts."""


@dataclass(frozen=True, slots=True, eq=False)
class AttemptRows:
    """Attempts in table order, without duplicates."""

    tables: tuple[ResultsTable, ...]
    """The tables."""
    by: tuple[str, ...]
    """Columns of the groups."""
    groups: tuple[tuple[str | None, ...], ...]
    """Key of each group."""
    group: Int64Array
    """Group of each attempt."""
    tasks: tuple[str | None, ...]
    """Id of each task."""
    task: Int64Array
    """Task of each attempt."""
    texts: dict[str, CodedTexts]
    """Requested columns of text."""
    numbers: dict[str, Float64Array]
    """Requested columns of numbers and booleans; NaN if missing."""
    values: dict[str, CodedTexts]
    """Other requested columns, as JSON."""
    columns: ColumnKinds
    """All columns of the tables."""
    kept: BoolArray
    """Which rows of the tables are kept."""
    held: dict[int, list[pa.RecordBatch]]
    """All columns of tables that are kept in memory, by position of the table."""
    judged_by: dict[str, str]
    """For each figure, the column that says whether its value counts; figures without one always
    count."""
    required: tuple[ReadColumns, ...]
    """Columns of each table in a text format without which a row does not count."""

    def __len__(self) -> int:
        """Number of attempts."""
        return len(self.group)

    def everything(self) -> Iterator[pa.RecordBatch]:
        """All columns, batch by batch: texts, numbers as doubles, others as JSON.

        They are read again unless they were kept, which they are only for the first call.
        """
        row = 0
        for place, table in enumerate(self.tables):
            own = self.required[place]
            for batch in self.held.pop(place, None) or table.batches(
                *self.columns.after(own), required=own.names
            ):
                stop = row + batch.num_rows
                kept = self.kept[row:stop]
                yield batch if kept.all() else batch.filter(pa.array(kept))
                row = stop


def read_attempts(
    tables: Sequence[ResultsTable],
    required: Sequence[ReadColumns],
    *,
    by: Sequence[str],
    texts: Sequence[str] = (),
    numbers: Sequence[str] = (),
    values: Sequence[str] = (),
    duplicates: str | None = None,
    keeps_text: bool = False,
) -> AttemptRows:
    """Read some columns of all attempts.

    Args:
        tables: The tables.
        required: Columns of each table without which a row does not count: those of its sums, so
            that both count the same rows. An unreadable value elsewhere is reported and missing.
        by: Columns of the groups, possibly including ``file``.
        texts: Text columns, if a table has them.
        numbers: Number columns, if a table has them.
        values: Other columns, if a table has them.
        duplicates: Which duplicate counts, ``"first"`` or ``"last"``; by default they are an error.
        keeps_text: Whether to keep all columns of tables in text formats for
            :meth:`AttemptRows.everything`, if they are not too large.

    Raises:
        ConfigurationError: An attempt occurs twice.
        ReadError: A table cannot be read.
    """
    whole_columns = ReadColumns((), ())  # those of Arrow and Parquet are readable or not
    required = [
        whole_columns if table.is_columnar else own
        for table, own in zip(tables, required, strict=True)
    ]
    kinds = _kinds(tables, [*IDENTITY, *by], numbers, texts, required)
    columns = KeyColumns(tuple(by), "task_id")
    keys = AttemptKeys(columns)
    outcomes = {f"{name.rpartition('.')[0]}.outcome" for name in numbers}
    wanted = [name for name in values if name in kinds.values]
    held_texts = [name for name in kinds.texts if name in texts or name in outcomes]
    held = {name: _HeldTexts() for name in dict.fromkeys(("task_id", *held_texts, *wanted))}
    held_numbers: dict[str, list[Array]] = {
        name: [] for name in dict.fromkeys(numbers) if name in kinds.numbers
    }
    groups: list[Int64Array] = []
    whole = _Whole(kinds)
    for place, (table, label) in enumerate(zip(tables, table_labels(tables), strict=True)):
        is_kept = keeps_text and not table.is_columnar and whole.begin(place)
        read = ColumnKinds([*dict.fromkeys((*columns.texts, *held_texts))], [*held_numbers], wanted)
        if not table.is_columnar:  # everything that is wrong is reported now
            read = kinds.after(required[place])._replace(values=kinds.values if is_kept else wanted)
        repeating = [name for name in read.texts if name not in VARYING_TEXTS]
        for batch in table.batches(*read, repeating=repeating, required=required[place].names):
            if is_kept:
                whole.add(batch)
            groups.append(keys.add(batch, label)[1])
            for name, column in held.items():
                column.add(batch.column(name))
            for name, parts in held_numbers.items():
                parts.append(batch.column(name))
    repeated = keys.duplicates(keep=duplicates or "first")
    if repeated.first is not None and duplicates is None:
        identity = ", ".join(
            f"{name} {value!r}" for name, value in keys.identity(repeated.first[0]).items()
        )
        raise ConfigurationError(
            f"one attempt occurs twice and would count twice: {identity}; say which counts with "
            "--duplicates first|last"
        )
    kept = repeated.kept
    judged_by = _outcome_columns(tables, [*held, *held_numbers])
    coded_texts = {name: column.coded(kept) for name, column in held.items()}
    task, tasks = _tasks(coded_texts["task_id"])
    return AttemptRows(
        tables=tuple(tables),
        by=tuple(by),
        groups=tuple(keys.groups()),
        group=(np.concatenate(groups) if groups else np.empty(0, np.int64))[kept],
        tasks=tasks,
        task=task,
        texts={
            name: coded_texts[name] for name in texts if name in coded_texts and name in kinds.texts
        },
        numbers={
            name: _counted(_joined(parts, kept), coded_texts.get(judged_by.get(name, "")))
            for name, parts in held_numbers.items()
        },
        values={name: coded_texts[name] for name in wanted},
        columns=kinds,
        kept=kept,
        held=whole.held,
        judged_by=judged_by,
        required=tuple(required),
    )


class _Whole:
    """All columns of tables whose parsing takes longer than anything else, up to a size."""

    def __init__(self, kinds: ColumnKinds) -> None:
        self.held: dict[int, list[pa.RecordBatch]] = {}
        self._names = [*kinds.texts, *kinds.numbers, *kinds.values]
        self._left = _MOST_HELD

    def begin(self, place: int) -> bool:
        """Begin a table; return whether there is room for it."""
        self._place = place
        if self._left > 0:
            self.held[place] = []
        return self._left > 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Keep a batch; the table is dropped once there is no room for more."""
        self._left -= batch.nbytes
        if self._left < 0:
            self.held.pop(self._place, None)
        else:
            self.held[self._place].append(batch.select(self._names))


class _HeldTexts:
    """A column of texts, batch by batch."""

    def __init__(self) -> None:
        self._numbers = TextNumbers()
        self._parts: list[Int64Array] = []

    def add(self, column: Array) -> None:
        """Add the texts of a batch."""
        self._parts.append(self._numbers.of(column, alone=False))

    def coded(self, kept: BoolArray) -> CodedTexts:
        """The texts of the rows that are kept, numbered in the order of first occurrence."""
        codes = (np.concatenate(self._parts) if self._parts else np.empty(0, np.int64))[kept]
        keys, rows = self._numbers.keys, len(codes)
        firsts = np.full(len(keys) + 1, rows)  # the last is that of no text
        firsts[codes[::-1]] = np.arange(rows)[::-1]
        order = np.argsort(firsts[:-1], kind="stable")
        order = order[firsts[order] < rows]  # a dictionary may contain texts that no row has
        places = np.full(len(keys) + 1, -1)
        places[order] = np.arange(len(order))
        return CodedTexts(places[codes], tuple(keys[place] or "" for place in order.tolist()))


def _outcome_columns(tables: Sequence[ResultsTable], held: Iterable[str]) -> dict[str, str]:
    """Columns that say which values of a figure count, as in sums over results tables."""
    columns = {*held}
    declared = declared_figures(tables, columns)
    outcome_of = {}
    for name in columns:
        info = declared.get(name)
        outcome = f"{name.rpartition('.')[0]}.outcome"
        if outcome in columns and (info is None or (info.outcome and not info.stands)):
            outcome_of[name] = outcome
    return outcome_of


def _counted(column: Array, outcome: CodedTexts | None) -> Float64Array:
    """Values of a figure that count in the means."""
    values: Float64Array = column.to_numpy(zero_copy_only=False).astype(np.float64)
    if outcome is None:
        return values
    outside = [code for code, text in enumerate(outcome.texts) if text in OUTSIDE]
    return np.where(np.isin(outcome.codes, outside), np.nan, values) if outside else values


def _tasks(column: CodedTexts) -> tuple[Int64Array, tuple[str | None, ...]]:
    """The task of each attempt, and all tasks; an attempt without an id has its own task."""
    count, absent = len(column.texts), np.flatnonzero(column.codes < 0)
    codes = column.codes.copy()
    codes[absent] = np.arange(count, count + len(absent))
    return codes, (*column.texts, *[None] * len(absent))


def _joined(parts: Sequence[Array], kept: BoolArray) -> Array:
    if not parts:
        return pa.array([], pa.float64())
    whole = pa.concat_arrays([*parts])
    return whole if kept.all() else whole.filter(pa.array(kept))


def _kinds(
    tables: Sequence[ResultsTable],
    keys: Iterable[str],
    figures: Iterable[str],
    texts_wanted: Sequence[str],
    required: Sequence[ReadColumns],
) -> ColumnKinds:
    """The types with which columns are read; missing values do not matter.

    Required columns are read as required. Another that has different types in several tables, such
    as text or a number in one and a list in another, is read as JSON.
    """
    keys = {*keys, *(name for own in required for name in own.texts)}
    figures = {*figures, *(name for own in required for name in own.numbers)}
    kinds: dict[str, set[str]] = {}
    for table in tables:
        for name, kind in table.columns.items():
            kinds.setdefault(name, set()).add("number" if kind in NUMERIC else kind)
    texts, numbers, values = [], [], []
    for name, found in kinds.items():
        known = found - {"other", "unknown"}
        is_said = name.rpartition(".")[2] in _SAID or name in texts_wanted
        is_figure = name in figures and name not in texts_wanted
        if is_figure and name not in keys:  # of text if it is, say, True and False in CSV
            numbers.append(name)
        elif name in keys or found == {"text"} or (is_said and known <= {"text"}):
            texts.append(name)
        elif found - {"unknown"} == {"number"}:
            numbers.append(name)
        else:
            values.append(name)
    return ColumnKinds(texts, numbers, values)
