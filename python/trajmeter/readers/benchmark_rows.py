"""Flat tables of benchmarks: a row for each task, agent, model and benchmark.

The columns are ``task_id``, ``agent``, ``model``, ``benchmark`` and the ratios ``agent_nop`` and
``oracle_nop``, or the times ``nop_seconds``, ``agent_seconds`` and ``oracle_seconds``; optionally
``significant``, and of the attempt, in any of its rows, ``attempt``, the counts of tests and of the
snapshot as fc-eval names them (``test_failed``, ``snapshot_status`` …), ``is_resolved``,
``trajectory_length``, ``task_cost_usd``, ``total_input_tokens`` and ``total_output_tokens``. A row
without a benchmark tells of an attempt that measured nothing. The files are JSON lines, a JSON
list, CSV or Parquet.
"""

from __future__ import annotations

import math
from codecs import BOM_UTF8
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._benchmark_csv import csv_rows, is_header
from trajmeter.readers._containers import entries
from trajmeter.readers._loose_values import as_count, as_int
from trajmeter.readers.fceval_results import pytest_summary, snapshot_summary
from trajmeter.records import (
    Measurements,
    PytestSummary,
    ReadProblem,
    RunLog,
    SnapshotSummary,
    Source,
    Trajectory,
    Usage,
)
from trajmeter.records.measurements import agent_key, finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from pydantic import JsonValue

__all__ = ["CONTENT", "AttemptIdentity", "AttemptRows", "attempts_of", "read", "sniff"]

CONTENT = "rows of benchmarks"

_ENTRY_FIELDS = {
    "agent_nop": "agent/nop",
    "oracle_nop": "oracle/nop",
    "significant": "significant",
    "nop_seconds": "nop_seconds",
    "agent_seconds": "agent_seconds",
    "oracle_seconds": "oracle_seconds",
}
"""Columns of a benchmark, with the fields of its entry that they become."""


class AttemptIdentity(NamedTuple):
    """What tells an attempt from others."""

    task_id: str
    """The task."""
    agent: str | None
    """Name of the agent."""
    model: str | None
    """Name of the model."""
    attempt: str | None
    """Number of a repeated attempt."""


_OF_A_ROW = {*AttemptIdentity._fields, "benchmark", *_ENTRY_FIELDS}
_OF_A_RECORD = ("turns", "measurements")
_TELLING = ("agent_nop", "agent_seconds", "benchmark")
_VALUES = [column for column in _ENTRY_FIELDS if column != "significant"]
_TEXTS = {*AttemptIdentity._fields, "benchmark", "tests", "snapshot_status"}

# By so much of its beginning a file is told to be JSON, past blank lines and a byte order mark.
_BEGINNING = 1 << 12
_PARQUET = b"PAR1"


def sniff(path: Path, head: bytes) -> bool:
    """Whether a file that begins with ``head`` is such a table, or one that lacks a column."""
    if not path.is_file():
        return False
    if head.startswith(_PARQUET):
        return _is_parquet_table(path)
    if _is_json(head):  # a quote within a text is escaped, so that these are whole texts: keys
        return _names_measurements(name for name in _TELLING if b'"%b"' % name.encode() in head)
    lines = head.removeprefix(BOM_UTF8).lstrip().splitlines()
    return bool(lines) and is_header(lines[0])


def read(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """Read every attempt, in the order in which they first occur."""
    return attempts_of(_rows(path), report)


def attempts_of(
    rows: Iterable[tuple[Source, JsonValue | ReadError]], report: Callable[[ReadProblem], None]
) -> Iterator[Trajectory]:
    """Gather rows into attempts, in the order in which they first occur.

    Args:
        rows: Rows with where they stand.
        report: Called with every row that is left out because it cannot be read.
    """
    attempts: dict[AttemptIdentity, AttemptRows] = {}
    for source, value in rows:
        try:
            _add(attempts, source, value)
        except ReadError as error:
            message = str(error)
            report(
                ReadProblem(
                    file=source.file, line=source.line, record=source.record, message=message
                )
            )
    for identity, attempt in attempts.items():
        yield attempt.trajectory(identity)


def _rows(path: Path) -> Iterator[tuple[Source, JsonValue | ReadError]]:
    with path.open("rb") as file:
        start = file.read(_BEGINNING)
    is_csv = not start.startswith(_PARQUET) and not _is_json(start)
    return csv_rows(path, texts=_TEXTS) if is_csv else entries(path)


def _is_json(head: bytes) -> bool:
    return json_input.first_byte(head) in (b"{", b"[")


def _names_measurements(names: Iterable[str]) -> bool:
    """Whether there are columns of measurements; seconds of an agent stand in other files too."""
    found = set(names)
    return "agent_nop" in found or {"agent_seconds", "benchmark"} <= found


def _is_parquet_table(path: Path) -> bool:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:  # whoever reads the file then says what is missing
        return False
    try:
        names = ParquetFile(path).schema_arrow.names
    except (ArrowException, OSError):  # likewise
        return False
    return _names_measurements(names)


@dataclass(slots=True)
class AttemptRows:
    """What the rows of one attempt hold."""

    source: Source
    """Where the first of them stands."""
    entries: dict[str, Any] = field(default_factory=dict)
    """Entries by benchmark."""
    about: dict[str, Any] = field(default_factory=dict)
    """Columns of the attempt, the first value of each."""

    def trajectory(self, identity: AttemptIdentity) -> Trajectory:
        """Make the attempt of them."""
        about, key = self.about, agent_key(identity.agent, identity.model)
        usage = Usage(
            input_tokens=as_count(about.get("total_input_tokens")),
            output_tokens=as_count(about.get("total_output_tokens")),
            cost_usd=finite(about.get("total_cost")),
        )
        return Trajectory(
            task_id=identity.task_id,
            agent=identity.agent,
            model=identity.model,
            attempt=identity.attempt,
            source=self.source,
            usage=None if usage == Usage() else usage,
            passed=_truth(about.get("is_resolved")),
            measurements=Measurements(ratios_by_agent={key: self.entries} if self.entries else {}),
            pytest_summary=_tests(about),
            snapshot_summary=_snapshot(about),
            run_log=RunLog(
                trajectory_length=as_count(about.get("trajectory_length")),
                task_cost_usd=finite(about.get("task_cost_usd")),
            ),
        )


def _add(
    attempts: dict[AttemptIdentity, AttemptRows], source: Source, row: JsonValue | ReadError
) -> None:
    """Add a row to its attempt.

    Raises:
        ReadError: The row cannot be read or is none, names no task, measures no benchmark, or one
            that is there already.
    """
    if isinstance(row, ReadError):
        raise row
    if not isinstance(row, dict):
        raise ReadError(f"expected an object, got {json_input.type_name(row)}")
    if not row.keys().isdisjoint(_OF_A_RECORD):
        raise ReadError("expected a row of benchmarks like the others of the file, got a record")
    task_id = _name(row, "task_id")
    if task_id is None:
        raise ReadError("task_id is missing")
    agent, model, attempt = (_name(row, column) for column in ("agent", "model", "attempt"))
    identity = AttemptIdentity(task_id, agent, model, attempt)
    benchmark = _name(row, "benchmark")
    found = attempts.setdefault(identity, AttemptRows(source))
    if benchmark in found.entries:
        raise ReadError(f"there is a row of the benchmark {benchmark!r} already, which counts")
    if benchmark is not None:
        found.entries[benchmark] = {
            name: _plain(row[column]) for column, name in _ENTRY_FIELDS.items() if column in row
        }
    elif any(row.get(column) is not None for column in _VALUES):
        raise ReadError("the row has measurements, but names no benchmark")
    for name, value in row.items():
        if name not in _OF_A_ROW and not _is_missing(value):
            found.about.setdefault(name, _plain(value))


def _is_missing(value: object) -> bool:
    """Whether nothing is known; in a column of numbers pandas writes NaN for that."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def _plain(value: object) -> object:
    """A value as JSON has it: databases write numbers as decimals, also into Parquet."""
    return float(value) if isinstance(value, Decimal) else value


def _name(row: Mapping[str, JsonValue], column: str) -> str | None:
    value = row.get(column)
    if value is None or isinstance(value, str):
        return value
    # A column of numbers that lacks one holds floats, as pandas has it.
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise ReadError(f"{column} is {value!r}, expected text")


def _truth(value: object) -> bool | None:
    """True or false, also as 1 or 0, which is all that some tables have; else nothing is known."""
    return bool(value) if value in (0, 1) else None


def _tests(about: Mapping[str, Any]) -> PytestSummary | None:
    counts = [about[column] for column in ("test_failed", "test_error") if column in about]
    if not counts:
        return None
    if any(as_int(count) is None for count in counts):  # which is not to say that none failed
        return PytestSummary(problem="unreadable", status="failed")
    summary = pytest_summary(about)
    if "tests" in about:
        return summary
    status = "failed" if summary.failed + summary.error else "passed"
    return summary.model_copy(update={"status": status})


def _snapshot(about: Mapping[str, Any]) -> SnapshotSummary | None:
    if about.keys().isdisjoint(("snapshot_status", "snapshot_pass_to_fail")):
        return None
    summary = snapshot_summary(about)
    if "snapshot_status" in about:
        return summary
    changed = as_int(about["snapshot_pass_to_fail"])
    status = "failed" if changed is None or changed > 0 else "passed"
    return summary.model_copy(update={"status": status})
