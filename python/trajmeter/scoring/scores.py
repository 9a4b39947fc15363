"""The outcome of scoring: results, rows and their summary."""

from __future__ import annotations

from functools import cached_property, partial
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any, Protocol

from trajmeter.errors import ExtraMissingError
from trajmeter.metrics import Scored
from trajmeter.writers import open_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from trajmeter.metrics import RowLayout
    from trajmeter.records import Trajectory
    from trajmeter.scoring.columns import ScoredRows
    from trajmeter.summaries.summary import Summary
    from trajmeter.writers import TableWriter

__all__ = ["ScoredAttempts", "ScoredColumns", "ScoredRecords", "Scores"]


class ScoredAttempts(Protocol):
    """Scored attempts, as records or as columns."""

    def __len__(self) -> int:
        """Number of attempts."""

    def results(self) -> list[Scored]:
        """Each attempt with one typed result per metric, in reading order."""

    def rows(self) -> Iterator[dict[str, Any]]:
        """One flat row for each attempt."""

    def batches(self, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """The rows in columns of a schema."""

    def write(self, table: TableWriter) -> None:
        """Write the rows."""


_ROWS = 10_000
"""Number of records to convert to columns at a time."""


class Scores:
    """Scored attempts and their summary.

    Args:
        attempts: The attempts.
        sum_up: Computes the summary.
        layout: Columns of their rows.
    """

    layout: RowLayout
    """Columns of the rows."""

    def __init__(
        self, attempts: ScoredAttempts, sum_up: Callable[[], Summary], layout: RowLayout
    ) -> None:
        self._attempts = attempts
        self._sum_up = sum_up
        self.layout = layout

    def __reduce__(self) -> tuple[Any, ...]:
        """Omit what the summary is computed from, such as the tasks."""
        return _with_summary, (self._attempts, self.summary, self.layout)

    @cached_property
    def summary(self) -> Summary:
        """Averages, with what was not scored and why; built on first access."""
        return self._sum_up()

    def __len__(self) -> int:
        """Number of attempts."""
        return len(self._attempts)

    def __repr__(self) -> str:
        """The number of scored attempts, and the metrics."""
        from trajmeter.reports.cells import counted

        names = ", ".join(family.name for family in self.layout.families)
        return f"<Scores: {counted(len(self), 'attempt')}; {names}>"

    def _repr_html_(self) -> str:
        """The tables of the summary, as notebooks show them."""
        from trajmeter.reports.scores import score_report, to_html

        return to_html(score_report(self.summary))

    @cached_property
    def results(self) -> list[Scored]:
        """Each attempt with one typed result per metric, in reading order.

        Attempts from files are scored in columns; their records and results are built from them on
        first access.
        """
        return self._attempts.results()

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One flat row for each attempt, ready for polars and pandas; built anew on each access."""
        return [*self._attempts.rows()]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Export the rows by the Arrow C interface, which polars, pandas and DuckDB read.

        Raises:
            ExtraMissingError: pyarrow is not installed.
        """
        table: Any = self.to_arrow()  # the method is untyped
        offered: object = table.__arrow_c_stream__(requested_schema)
        return offered

    def to_arrow(self) -> pa.Table:
        """The rows as a pyarrow table, in the columns common to all results of these metrics.

        A mapping is a list of its keys and values.

        Raises:
            ExtraMissingError: pyarrow is not installed.
        """
        from trajmeter.writers.arrow import arrow_schema, stored, stored_schema

        schema = arrow_schema(self.layout)
        import pyarrow as pa  # without pyarrow, the schema raises the error to show

        kept = stored_schema(schema)
        batches = [stored(batch, kept) for batch in self._attempts.batches(schema)]
        return pa.Table.from_batches(batches, kept)

    def to_polars(self) -> pl.DataFrame:
        """The rows as a polars data frame.

        Raises:
            ExtraMissingError: polars or pyarrow is not installed.
        """
        try:
            import polars as pl
        except ModuleNotFoundError as error:
            raise ExtraMissingError("polars is not installed: pip install polars") from error
        return pl.DataFrame(self)

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas data frame.

        Raises:
            ExtraMissingError: pandas or pyarrow is not installed.
        """
        table = self.to_arrow()
        try:
            return table.to_pandas()
        except ModuleNotFoundError as error:
            raise ExtraMissingError("pandas is not installed: pip install pandas") from error

    def write(self, path: str | Path) -> None:
        """Write the rows to a ``.jsonl``, ``.csv`` or ``.parquet`` file.

        Raises:
            ConfigurationError: The file cannot be written, or its suffix is unknown.
            ExtraMissingError: The format needs an extra that is not installed.
        """
        with open_table(path, self.layout) as table:
            self._attempts.write(table)


def _with_summary(attempts: ScoredAttempts, summary: Summary, layout: RowLayout) -> Scores:
    return Scores(attempts, partial(_same, summary), layout)


def _same(summary: Summary) -> Summary:
    return summary


class ScoredRecords:
    """Attempts that were scored as records.

    Args:
        scored: Each attempt with its results.
        layout: Columns of the rows.
    """

    def __init__(self, scored: Sequence[Scored], layout: RowLayout) -> None:
        self._scored = scored
        self._layout = layout

    def __len__(self) -> int:
        return len(self._scored)

    def results(self) -> list[Scored]:
        """Each attempt with its results."""
        return [*self._scored]

    def rows(self) -> Iterator[dict[str, Any]]:
        """One flat row for each attempt."""
        return map(self._layout.row, self._scored)

    def batches(self, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """The rows in columns."""
        from trajmeter.writers.arrow import rows_batch

        for start in range(0, len(self._scored), _ROWS):
            values = [self._layout.values(each) for each in self._scored[start : start + _ROWS]]
            yield rows_batch(self._layout, values, schema)

    def write(self, table: TableWriter) -> None:
        """Write the rows."""
        for scored in self._scored:
            table.write(self._layout.values(scored))


class ScoredColumns:
    """Attempts that were scored in columns.

    Args:
        parts: Rows with their results, in the order of the attempts.
        layout: Columns of the rows.
        records: Reads the attempts, if the rows lack some of their data.
    """

    def __init__(
        self,
        parts: Sequence[ScoredRows],
        layout: RowLayout,
        records: Callable[[], Iterator[Trajectory]] | None = None,
    ) -> None:
        self._parts = parts
        self._layout = layout
        self._records = records

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def results(self) -> list[Scored]:
        """Each attempt with its results, built from the columns."""
        records = None if self._records is None else self._records()
        return [scored for part in self._parts for scored in self._results_of(part, records)]

    def _results_of(
        self, part: ScoredRows, records: Iterator[Trajectory] | None
    ) -> Iterator[Scored]:
        from trajmeter.summaries._batch_results import errors_of, results_of  # needs pyarrow

        by_family = []
        for family in self._layout.families:
            own = part.results.get(family.name)
            errors = errors_of(family, part.scored, own)
            by_family.append(results_of(family, part.scored, own, errors))
        results = zip(*by_family, strict=True)
        attempts = part.rows.records() if records is None else islice(records, len(part))
        return map(Scored, part.tasks, attempts, results, repeat(self._layout))

    def rows(self) -> Iterator[dict[str, Any]]:
        """One flat row for each attempt."""
        from trajmeter.scoring.results import row_values

        for part in self._parts:
            columns = [
                row_values(column, array)
                for column, array in zip(self._layout.columns, part.scored.columns, strict=True)
            ]
            for values in zip(*columns, strict=True):
                yield dict(zip(self._layout.names, values, strict=True))

    def batches(self, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """The rows in columns."""
        del schema  # the rows have it
        for part in self._parts:
            yield part.scored

    def write(self, table: TableWriter) -> None:
        """Write the rows."""
        for part in self._parts:
            table.write_batch(part.scored)
