"""Reads results tables into sums."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from trajmeter.arrays.text import coded
from trajmeter.errors import ConfigurationError
from trajmeter.metrics.figure_names import matching_figures
from trajmeter.readers.results import parameters_of, rows_by_column
from trajmeter.statistics.distributions import has_t
from trajmeter.summaries.attempt_keys import VARYING_TEXTS, AttemptKeys, KeyColumns, check_key
from trajmeter.summaries.figure_sums import BatchOutcomes, FigureSums, NumberedRows, UnitRows
from trajmeter.summaries.result_sums import ReadColumns, ResultSums
from trajmeter.summaries.result_tables import short_names, table_labels
from trajmeter.summaries.wanted_figures import IDENTITY, chosen_figures, known_figures
from trajmeter.system.processors import threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from trajmeter.kernels import BoolArray
    from trajmeter.metrics.figures import FigureInfo
    from trajmeter.readers.results import ResultRows, ResultsTable
    from trajmeter.summaries.options import Reading

__all__ = ["read_sums"]

_MANY_ROWS = 20_000
"""Number of rows of a batch from which on figures are summed in parallel."""


def read_sums(
    tables: Sequence[ResultsTable], reading: Reading, *, labels: Sequence[str] | None = None
) -> ResultSums:
    """Read tables in one pass and sum their figures.

    Args:
        tables: The tables.
        reading: What to read.
        labels: Names of the tables if they define groups; by default their own names.

    Raises:
        UnknownNameError: No table has a requested figure.
        ConfigurationError: An attempt occurs twice, a metric has two settings, no table has a key,
            or no figure has a direction.
        ReadError: A table cannot be read.
    """
    columns = list(dict.fromkeys(name for table in tables for name in table.columns))
    for name in reading.by:
        check_key(name, [*IDENTITY, *columns], "--by")
    check_key(reading.cluster, columns, "--cluster")
    known = known_figures(tables, columns, reading)
    wanted, chosen = chosen_figures(known, reading)
    keys = KeyColumns(reading.by, reading.cluster)
    labels = labels or table_labels(tables)
    sums = _Reader(tables, chosen, known, reading, keys).read(labels, None)
    found = sums.keys.duplicates(keep=reading.duplicates or "first")
    if found.first is not None:
        if reading.duplicates is None:
            raise ConfigurationError(sums.repeated(found.first))
        sums = _Reader(tables, chosen, known, reading, keys).read(labels, found.kept)
    return ResultSums(
        tables=short_names(tables),
        by=reading.by,
        keys=sums.keys,
        figures=sums.figures,
        requested=tuple(wanted),
        rows_of=sums.rows_of,
        columns=tuple(sums.columns),
    )


class _Reader:
    """Reads tables into sums."""

    def __init__(
        self,
        tables: Sequence[ResultsTable],
        chosen: Sequence[str],
        known: Mapping[str, FigureInfo],
        reading: Reading,
        columns: KeyColumns,
    ) -> None:
        self._tables = tables
        self._reading = reading
        self._columns = columns
        self._settings: dict[str, dict[tuple[str | None, ...], str]] = {}
        self.keys = AttemptKeys(columns)
        self.rows_of: dict[int, int] = {}
        self.figures: dict[str, FigureSums] = {}
        condition, succeeding = reading.success, None
        if condition is not None:
            succeeding = matching_figures([condition.figure], known)[0]
        for name in chosen:
            info = known[name]
            counts = (*info.numerator, *info.denominator)
            if not any(all(count in table.columns for count in counts) for table in tables):
                info = info.model_copy(update={"numerator": (), "denominator": ()})
            self.figures[name] = FigureSums(
                info, condition.holds if condition and name == succeeding else None
            )

    def read(self, labels: Sequence[str], kept: BoolArray | None) -> _Reader:
        """Read every table; with ``kept``, only these rows."""
        row = 0
        self.starts: list[tuple[int, str]] = []
        self.columns: list[ReadColumns] = []
        for table, label in zip(self._tables, labels, strict=True):
            self.starts.append((row, table.name))
            own = _Layout(table, self.figures)
            check = self._check_settings(table, own.families)
            texts = dict.fromkeys((*self._columns.texts, *own.texts, *check))
            self.columns.append(ReadColumns((*texts,), (*own.numbers,)))
            repeating = [name for name in texts if name not in VARYING_TEXTS]
            for batch in rows_by_column(table, list(texts), own.numbers, repeating=repeating):
                stop = row + batch.num_rows
                part = batch if kept is None else batch.filter(pa.array(kept[row:stop]))
                self._add(part, label, own, check)
                row = stop
        return self

    def _add(self, batch: ResultRows, label: str, own: _Layout, check: Sequence[str]) -> None:
        if not batch.num_rows:
            return

        def numbered() -> NumberedRows:
            return self._numbered(batch, label, own)

        def add(name: str, found: Callable[[], NumberedRows]) -> None:
            column = batch.column(name)  # on one thread while another numbers the rows
            units, outcomes = found()
            group = own.figures[name]
            of_group = outcomes[group] if group else None
            self.figures[name].add(batch, name, column, of_group, units, label)

        imported = has_t if self._reading.uses_t else None
        _do_all(numbered, add, own.figures, batch.num_rows, beside=imported)
        for family in {column.partition(".")[0] for column in check}:
            settings = [name for name in check if name.partition(".")[0] == family]
            self._read_settings(batch, family, settings, label)

    def _numbered(self, batch: ResultRows, label: str, own: _Layout) -> NumberedRows:
        """Data shared by all figures of a batch."""
        units, groups = self.keys.add(batch, label)
        counts = np.bincount(groups)
        for group in np.flatnonzero(counts).tolist():
            self.rows_of[group] = self.rows_of.get(group, 0) + int(counts[group])
        outcomes = {
            group: BatchOutcomes(batch, f"{group}.outcome", f"{group}.cause")
            for group in own.outcomes
        }
        return NumberedRows(UnitRows.of(units, groups), outcomes)

    def _check_settings(self, table: ResultsTable, families: Iterable[str]) -> list[str]:
        """Columns with a metric's settings, if the metadata lack them."""
        described = parameters_of(table.metadata)
        columns = []
        for family in families:
            if family in described:
                settings = described[family]
                text = json.dumps(settings.get("parameters", {}), sort_keys=True)
                self._compare(family, (str(settings.get("version")), text), table.name)
                continue
            own = [f"{family}.version", f"{family}.parameters"]
            columns += [name for name in own if name in table.columns]
        return columns

    def _read_settings(
        self, batch: ResultRows, family: str, settings: Sequence[str], table: str
    ) -> None:
        columns = [coded(batch.column(name)) for name in settings]
        pairs = np.unique(np.stack([column.codes for column in columns]), axis=1)
        for codes in pairs.T.tolist():
            texts = [
                None if code < 0 else column.texts[code]
                for code, column in zip(codes, columns, strict=True)
            ]
            if any(text is not None for text in texts):
                self._compare(family, tuple(texts), table)

    def _compare(self, family: str, settings: tuple[str | None, ...], table: str) -> None:
        known = self._settings.setdefault(family, {settings: table})
        known.setdefault(settings, table)
        if len(known) > 1 and not self._reading.mixed_settings:
            first, second = known.items()
            raise ConfigurationError(
                f"metric {family} has two settings, whose scores are not comparable: "
                f"{_shown(*first)} and {_shown(*second)}; score both alike, or allow it with "
                "--mixed-settings"
            )

    def repeated(self, first: tuple[int, int]) -> str:
        """The first duplicate attempt, and where it occurs."""
        identity = ", ".join(
            f"{name} {value!r}" for name, value in self.keys.identity(first[0]).items()
        )
        places = []
        for row in first:
            start, table = [each for each in self.starts if each[0] <= row][-1]
            places.append(f"{table}, row {row - start + 1}")
        return (
            f"one attempt occurs twice and would count twice: {identity} "
            f"({' and '.join(places)}); say which counts with --duplicates first|last"
        )


def _do_all(
    first: Callable[[], NumberedRows],
    work: Callable[[str, Callable[[], NumberedRows]], None],
    figures: Iterable[str],
    rows: int,
    *,
    beside: Callable[[], object] | None,
) -> None:
    """Process figures independently of each other, on threads if that takes long.

    Args:
        first: Computed once and passed to all.
        work: Takes a figure and a function that waits for the result of ``first``.
        figures: The figures.
        rows: Number of rows.
        beside: Run on this thread while others work; without threads it is not run.
    """
    names = list(figures)
    count = min(threads(), len(names) + 1)
    if rows < _MANY_ROWS or count <= 1:
        found = first()
        for name in names:
            work(name, lambda: found)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(count) as pool:
        done = pool.submit(first)  # before all others, as they may wait for it
        all_done = pool.map(lambda name: work(name, done.result), names)
        if beside is not None:
            beside()
        done.result()  # its error comes first, as on a single thread
        for _ in all_done:  # re-raises errors
            pass


class _Layout:
    """The columns of a table that are read."""

    def __init__(self, table: ResultsTable, figures: Mapping[str, FigureSums]) -> None:
        self.figures: dict[str, str | None] = {}
        """Group of each figure that the table has; ``None`` if it has no group."""
        numbers: list[str] = []
        for name, sums in figures.items():
            if name not in table.columns:
                continue
            group = name.rpartition(".")[0]
            has_outcome = sums.info.outcome and f"{group}.outcome" in table.columns
            self.figures[name] = group if has_outcome else None
            numbers += [name, *sums.info.numerator, *sums.info.denominator]
        self.numbers = list(dict.fromkeys(numbers))
        self.outcomes = list(dict.fromkeys(filter(None, self.figures.values())))
        self.texts = [f"{group}.{part}" for group in self.outcomes for part in ("outcome", "cause")]
        self.families = list(dict.fromkeys(name.partition(".")[0] for name in self.figures))


def _shown(settings: tuple[str | None, ...], table: str) -> str:
    known = " ".join(text for text in settings if text is not None)
    return f"{known} ({table})"
