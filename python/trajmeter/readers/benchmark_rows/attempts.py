"""Attempts from the rows of a benchmark table."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._checks import pytest_summary, snapshot_summary
from trajmeter.readers._files.problems import problem_at
from trajmeter.readers._logs.values import as_count, as_int
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
from trajmeter.records.record import Record, default_fields, frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pydantic import JsonValue

__all__ = [
    "ENTRY_FIELDS",
    "OF_A_RECORD",
    "TEXT_COLUMNS",
    "AttemptIdentity",
    "AttemptRows",
    "attempts_of",
    "plain",
]

_RecordT = TypeVar("_RecordT", bound=Record)

ENTRY_FIELDS = {
    "agent_nop": "agent/nop",
    "oracle_nop": "oracle/nop",
    "significant": "significant",
    "nop_seconds": "nop_seconds",
    "agent_seconds": "agent_seconds",
    "oracle_seconds": "oracle_seconds",
}
"""Columns of a benchmark, with the corresponding fields of its entry."""


class AttemptIdentity(NamedTuple):
    """Identity of an attempt."""

    task_id: str
    """The task."""
    agent: str | None
    """Name of the agent."""
    model: str | None
    """Name of the model."""
    attempt: str | None
    """Number of the repeated attempt."""


_OF_A_ROW = {*AttemptIdentity._fields, "benchmark", *ENTRY_FIELDS}
OF_A_RECORD = ("turns", "measurements")
"""Columns that would identify a row as a record."""
_VALUES = [column for column in ENTRY_FIELDS if column != "significant"]
TEXT_COLUMNS = frozenset((*AttemptIdentity._fields, "benchmark", "tests", "snapshot_status"))
"""Columns whose values are always text."""


def attempts_of(
    rows: Iterable[tuple[Source, JsonValue | ReadError]], report: Callable[[ReadProblem], None]
) -> Iterator[Trajectory]:
    """Gather rows into attempts, in the order of their first rows.

    Args:
        rows: Rows, each with its source, or the error for one that cannot be read.
        report: Called with every row that cannot be read.
    """
    attempts: dict[AttemptIdentity, AttemptRows] = {}
    for source, value in rows:
        try:
            _add(attempts, source, value)
        except ReadError as error:
            report(problem_at(source, str(error)))
    for identity, attempt in attempts.items():
        yield attempt.trajectory(identity)


@dataclass(slots=True)
class AttemptRows:
    """The rows of one attempt."""

    source: Source
    """Position of the first row."""
    entries: dict[str, Any] = field(default_factory=dict)
    """Entries by benchmark."""
    about: dict[str, Any] = field(default_factory=dict)
    """Columns of the attempt, each with its first value."""

    def trajectory(self, identity: AttemptIdentity) -> Trajectory:
        """The attempt described by the rows."""
        about, key = self.about, agent_key(identity.agent, identity.model)
        usage = _valid(
            Usage,
            input_tokens=as_count(about.get("total_input_tokens")),
            output_tokens=as_count(about.get("total_output_tokens")),
            cost_usd=finite(about.get("total_cost")),
        )
        ratios = {key: self.entries} if self.entries else {}
        return _valid(
            Trajectory,
            task_id=identity.task_id,
            agent=identity.agent,
            model=identity.model,
            attempt=identity.attempt,
            source=self.source,
            usage=None if usage == _valid(Usage) else usage,
            passed=_truth(about.get("is_resolved")),
            # Merging a trial's files asks which fields were set.
            measurements=Measurements.model_construct({"ratios_by_agent"}, ratios_by_agent=ratios),
            pytest_summary=_tests(about),
            snapshot_summary=_snapshot(about),
            run_log=_valid(
                RunLog,
                trajectory_length=as_count(about.get("trajectory_length")),
                task_cost_usd=finite(about.get("task_cost_usd")),
            ),
        )


def _valid(model: type[_RecordT], /, **values: Any) -> _RecordT:  # noqa: ANN401 - of any field
    return frozen(model, default_fields(model, **values))


def _add(
    attempts: dict[AttemptIdentity, AttemptRows], source: Source, row: JsonValue | ReadError
) -> None:
    """Add a row to its attempt.

    Raises:
        ReadError: The row cannot be read or is not an object, names no task, or has measurements
            without a benchmark, or of a benchmark that an earlier row measured.
    """
    if isinstance(row, ReadError):
        raise row
    if not isinstance(row, dict):
        raise ReadError(f"expected an object, got {json_input.type_name(row)}")
    if not row.keys().isdisjoint(OF_A_RECORD):
        raise ReadError("expected a row of benchmarks like the others in the file, got a record")
    task_id = _name(row, "task_id")
    if task_id is None:
        raise ReadError("task_id is missing")
    agent, model, attempt = (_name(row, column) for column in ("agent", "model", "attempt"))
    identity = AttemptIdentity(task_id, agent, model, attempt)
    benchmark = _name(row, "benchmark")
    found = attempts.setdefault(identity, AttemptRows(source))
    if benchmark in found.entries:
        raise ReadError(f"a second row of the benchmark {benchmark!r}, left out")
    if benchmark is not None:
        found.entries[benchmark] = {
            name: plain(row[column]) for column, name in ENTRY_FIELDS.items() if column in row
        }
    elif any(row.get(column) is not None for column in _VALUES):
        raise ReadError("the row has measurements, but names no benchmark")
    for name, value in row.items():
        if name not in _OF_A_ROW and not _is_missing(value):
            found.about.setdefault(name, plain(value))


def _is_missing(value: object) -> bool:
    """Whether a value is missing; in a number column, pandas writes NaN for that."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def plain(value: object) -> object:
    """Convert a value to JSON: decimals to numbers; bytes, dates and the like to text."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, dict):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


def _name(row: Mapping[str, JsonValue], column: str) -> str | None:
    value = row.get(column)
    if value is None or isinstance(value, str):
        return value
    # In pandas, an integer column with a missing value becomes floats.
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise ReadError(f"{column} is {value!r}, expected text")


def _truth(value: object) -> bool | None:
    """True or false, which some tables write as 1 or 0; ``None`` for anything else."""
    return bool(value) if value in (0, 1) else None


def _tests(about: Mapping[str, Any]) -> PytestSummary | None:
    counts = [about[column] for column in ("test_failed", "test_error") if column in about]
    if not counts:
        return None
    if any(as_int(count) is None for count in counts):  # an unreadable count is not zero
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
