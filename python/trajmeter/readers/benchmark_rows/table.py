"""Flat benchmark tables: one row per task, agent, model and benchmark.

The columns are ``task_id``, ``agent``, ``model``, ``benchmark``, and either the ratios
``agent_nop`` and ``oracle_nop`` or the times ``nop_seconds``, ``agent_seconds`` and
``oracle_seconds``; optionally ``significant``. Columns of the attempt may be filled in any of its
rows: ``attempt``, the counts of tests and of the snapshot under fc-eval's names (``test_failed``,
``snapshot_status`` …), ``is_resolved``, ``trajectory_length``, ``task_cost_usd``,
``total_input_tokens`` and ``total_output_tokens``. A row without a benchmark denotes an attempt
that measured nothing. The files are JSON lines, a JSON list, CSV or Parquet.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from typing import TYPE_CHECKING

from trajmeter import json_input
from trajmeter.kernels import backend
from trajmeter.readers._files.containers import PARQUET_MAGIC, is_json_lines
from trajmeter.readers._files.content import open_content
from trajmeter.readers._files.entries import Entry, entries
from trajmeter.readers._files.parquet_schema import column_names
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.benchmark_rows.attempts import TEXT_COLUMNS, attempts_of
from trajmeter.readers.benchmark_rows.csv import csv_rows, is_header
from trajmeter.records import Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

    import pyarrow as pa

    from trajmeter.records import ReadProblem

__all__ = ["TABLES"]

_TELLING = ("agent_nop", "agent_seconds", "benchmark")

# Enough of a file to recognise JSON, after blank lines and a byte order mark.
_BEGINNING = 1 << 12


def _recognises(path: Path, head: bytes) -> Evidence | None:
    """Whether it is such a table, or one that lacks a column."""
    if path.is_dir():
        return None
    if head.startswith(PARQUET_MAGIC):
        is_known = _names_measurements(column_names(path, head))
    elif _is_json(head):  # quotes within text are escaped, so these are complete strings: keys
        is_known = _names_measurements(name for name in _TELLING if b'"%b"' % name.encode() in head)
    else:
        lines = head.removeprefix(BOM_UTF8).lstrip().splitlines()
        is_known = bool(lines) and is_header(lines[0])
    return Evidence.LIKELY if is_known else None


def _read(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """Read every attempt, in the order of first rows."""
    return attempts_of(_rows(path), report)


def _rows(path: Path) -> Iterator[Entry]:
    with open_content(path) as file:
        start = file.read(_BEGINNING)
    is_csv = not start.startswith(PARQUET_MAGIC) and not _is_json(start)
    return csv_rows(path, texts=TEXT_COLUMNS) if is_csv else entries(path, may_be_own=False)


def _batches(path: Path, columns: Collection[str]) -> Iterator[pa.RecordBatch] | None:
    """Every attempt in columns; ``None`` if the file must be read in the record form."""
    if backend() != "rust":
        return None
    with open_content(path) as file:
        start = file.read(_BEGINNING)
    if start.startswith(PARQUET_MAGIC):
        from trajmeter.readers.benchmark_rows.parquet import read_parquet

        return read_parquet(path, columns)
    if is_json_lines(path):
        from trajmeter.readers.benchmark_rows.lines import read_lines

        return read_lines(path, columns)
    if not _is_json(start):
        from trajmeter.readers.benchmark_rows.csv_columns import read_csv

        return read_csv(path, columns)
    return None


def _is_json(head: bytes) -> bool:
    return json_input.first_byte(head) in (b"{", b"[")


def _names_measurements(names: Iterable[str]) -> bool:
    """Whether there are measurement columns; ``agent_seconds`` alone occurs in other files."""
    found = set(names)
    return "agent_nop" in found or {"agent_seconds", "benchmark"} <= found


TABLES = FileFormat(
    name="benchmark-rows",
    description="rows of benchmarks",
    makes=Trajectory,
    carries=(
        "agent",
        "model",
        "attempt",
        "usage.input_tokens",
        "usage.output_tokens",
        "usage.cost_usd",
        "passed",
        "measurements.ratios_by_agent",
        "pytest_summary",
        "snapshot_summary",
        "run_log.trajectory_length",
        "run_log.task_cost_usd",
    ),
    origin="tables of benchmark results",
    recognises=_recognises,
    records=_read,
    batches=_batches,
)
