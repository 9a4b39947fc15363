"""Attempts of a benchmark table as record batches, without an object per row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trajmeter.arrays.members import with_member
from trajmeter.benchmark_tables import BENCHMARK_TABLES
from trajmeter.benchmark_tables.columns import with_tables
from trajmeter.readers.benchmark_rows.attempts import AttemptIdentity, AttemptRows
from trajmeter.records.source import source_at
from trajmeter.schemas import trajectory_batch, trajectory_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    import pyarrow as pa

    from trajmeter.kernels import Int64Array

__all__ = ["ABOUT", "AttemptColumns", "attempt_batches"]

ABOUT = (
    *("test_passed", "test_failed", "test_error", "test_skipped", "test_total", "tests"),
    *("snapshot_passed", "snapshot_failed", "snapshot_skipped", "snapshot_total"),
    *("snapshot_pass_to_fail", "snapshot_status"),
    *("is_resolved", "trajectory_length", "task_cost_usd"),
    *("total_input_tokens", "total_output_tokens", "total_cost"),
)
"""Columns of an attempt that its record contains."""

_ROWS = 1_024
"""Maximum number of attempts in a batch: whole pages of results, which are then not copied."""
_BENCHMARKS = 1 << 17
"""Maximum number of benchmarks in a batch, unless one attempt has more: some 16 MB of JSON."""
_BENCHMARKS_IN_COLUMNS = 1 << 18
"""The same where tables are columns: some 5 MB, which are large enough not to be joined."""


class AttemptColumns(NamedTuple):
    """Attempts in the order of their first rows."""

    identity: AttemptIdentityColumns
    """Identity of each attempt."""
    line: Sequence[Any] | None
    """Line of each attempt's first row, from 1; or ``None`` if rows are records of a file."""
    record: Sequence[str] | None
    """Name of each attempt's first row."""
    size: Int64Array
    """Number of benchmarks of each attempt."""
    ratios_by_agent: Callable[[int, int], Any]
    """Returns the tables of a range of attempts as JSON, each under its own name; called once per
    range, in order."""
    tables: Callable[[int, int], Any] | None
    """Returns the tables of a range as columns; ``None`` if only JSON can represent them."""
    about: Mapping[str, Sequence[object]]
    """Values of the columns :data:`ABOUT`; ``None`` if an attempt has none."""


class AttemptIdentityColumns(NamedTuple):
    """Text columns that identify attempts."""

    task_id: Any
    agent: Any
    model: Any
    attempt: Any


def attempt_batches(
    file: str, attempts: AttemptColumns, columns: Collection[str]
) -> Iterator[pa.RecordBatch]:
    """Make batches of attempts, equal to the records made by :class:`AttemptRows`.

    Args:
        file: Name of the file.
        attempts: The attempts.
        columns: Names of the columns to fill.
    """
    count = len(attempts.size)
    ends = np.cumsum(attempts.size)
    if BENCHMARK_TABLES not in columns:
        attempts = attempts._replace(tables=None)
    benchmarks = _BENCHMARKS if attempts.tables is None else _BENCHMARKS_IN_COLUMNS
    patterns = _patterns(attempts.about, count, columns)
    start = 0
    while start < count:
        before = ends[start - 1] if start else 0
        most = int(np.searchsorted(ends, before + benchmarks, side="right"))
        stop = min(max(start + 1, most), start + _ROWS, count)
        yield _batch(file, attempts, patterns, start, stop)
        start = stop


class _Patterns(NamedTuple):
    """Distinct data of attempts, except their benchmarks."""

    rows: pa.RecordBatch
    of_attempt: Int64Array


def _patterns(
    about: Mapping[str, Sequence[object]], count: int, columns: Collection[str]
) -> _Patterns:
    """Rows as produced by the record form from the columns of an attempt."""
    numbers: dict[str, int] = {}
    found: list[dict[str, object]] = []
    of_attempt = np.zeros(count, np.int64)
    for place, values in enumerate(zip(*about.values(), strict=True) if about else ()):
        key = repr(values)  # distinguishes 1 from 1.0 and true
        number = numbers.setdefault(key, len(numbers))
        if number == len(found):
            named = zip(about, values, strict=True)
            found.append({name: value for name, value in named if value is not None})
        of_attempt[place] = number
    nobody = AttemptIdentity("", None, None, None)
    source = source_at("")
    records = [
        AttemptRows(source, about=each).trajectory(nobody) for each in (found if about else [{}])
    ]
    return _Patterns(trajectory_batch(records, columns=columns), of_attempt)


def _batch(
    file: str, attempts: AttemptColumns, patterns: _Patterns, start: int, stop: int
) -> pa.RecordBatch:
    import pyarrow as pa

    from trajmeter.arrays import field, numbers, taken
    from trajmeter.arrays.text import repeated_text, text_array

    count = stop - start
    schema = trajectory_schema()
    pattern = patterns.of_attempt[start:stop]
    columns = dict(zip(schema.names, taken(patterns.rows, pattern).columns, strict=True))
    identity = attempts.identity._asdict().items()
    columns |= {name: column.slice(start, count) for name, column in identity}
    lines = None if attempts.line is None else attempts.line[start:stop]
    records = None if attempts.record is None else attempts.record[start:stop]
    columns["source"] = pa.StructArray.from_arrays(
        [
            repeated_text(file, count),
            pa.nulls(count, pa.int64()) if lines is None else numbers(np.array(lines, np.int64)),
            pa.nulls(count, pa.string()) if records is None else text_array(records),
        ],
        fields=[*schema.field("source").type],
    )
    tables = None
    measurements = columns["measurements"]
    if field(measurements, "ratios_by_agent").null_count == 0:  # is wanted
        if attempts.tables is None:
            ratios = attempts.ratios_by_agent(start, stop)
        else:
            ratios = pa.nulls(count, pa.string())
            tables = attempts.tables(start, stop)
        columns["measurements"] = with_member(measurements, ["ratios_by_agent"], lambda _: ratios)
    batch = pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)
    return batch if tables is None else with_tables(batch, tables)
