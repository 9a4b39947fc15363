"""Rows of a batch that are valid records, with the records where a metric asks for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pydantic import ValidationError

from trajmeter import json_lines
from trajmeter.columns.conforming import conform
from trajmeter.columns.problems import RowProblem
from trajmeter.columns.validity import doubtful
from trajmeter.errors import ReadError
from trajmeter.schemas import trajectory_from_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trajmeter.metrics.arrays import Booleans
    from trajmeter.records import Trajectory

__all__ = ["Rows", "admit"]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Valid rows of a batch."""

    number: int
    """Number of the batch they are of."""
    batch: pa.RecordBatch
    """The rows in the columns of the Trajectory schema."""
    records: list[Trajectory] | None
    """The same rows as records; ``None`` where no metric asked for them."""

    def __len__(self) -> int:
        return self.batch.num_rows

    def part(self, start: int, stop: int) -> Rows:
        """The rows from ``start`` to before ``stop``."""
        records = None if self.records is None else self.records[start:stop]
        return Rows(self.number, self.batch.slice(start, stop - start), records)

    def as_records(self) -> list[Trajectory]:
        """The rows as records, made now if they were not before."""
        if self.records is not None:
            return self.records
        return [trajectory_from_row(row) for row in self.batch.to_pylist()]


def admit(
    batch: pa.RecordBatch,
    number: int,
    *,
    with_records: bool,
    report: Callable[[RowProblem], None],
) -> Rows:
    """Take the rows of a batch that are valid records, and report the others.

    Args:
        batch: Rows in columns that can be brought to the Trajectory schema.
        number: Number of the batch, for the report.
        with_records: Whether a metric asks for records.
        report: Called with every row that is left out.

    Raises:
        ConfigurationError: A column cannot be brought to the schema.
    """
    whole = conform(batch)
    problems = dict(_broken(whole))
    records: dict[int, Trajectory] = {}
    is_sought = np.ones(len(whole), np.bool_) if with_records or problems else doubtful(whole)
    is_sought[list(problems)] = False
    for row, values in _values(whole, is_sought):
        record = _read(values)
        if isinstance(record, str):
            problems[row] = record
        else:
            records[row] = record
    for row in sorted(problems):
        report(RowProblem(batch=number, row=row, message=problems[row]))
    if problems:
        is_good = np.ones(len(whole), np.bool_)
        is_good[list(problems)] = False
        whole = whole.filter(pa.array(is_good))
    return Rows(number, whole, list(records.values()) if with_records else None)


def _broken(batch: pa.RecordBatch) -> Iterator[tuple[int, str]]:
    """Rows whose memory is not what Arrow says it is, such as texts that are no UTF-8."""
    if _fault(batch) is None:
        return
    for row in range(batch.num_rows):
        fault = _fault(batch.slice(row, 1))
        if fault is not None:
            yield row, fault


def _fault(batch: pa.RecordBatch) -> str | None:
    try:
        batch.validate(full=True)
    except pa.ArrowInvalid as error:
        return str(error)
    return None


def _values(batch: pa.RecordBatch, is_sought: Booleans) -> Iterator[tuple[int, dict[str, Any]]]:
    sought = batch.filter(pa.array(is_sought)).to_pylist()
    return zip(np.flatnonzero(is_sought).tolist(), sought, strict=True)


def _read(row: dict[str, Any]) -> Trajectory | str:
    """The record, or what is wrong with the row."""
    try:
        return trajectory_from_row(row)
    except ValidationError as error:
        return json_lines.explain(error)
    except ReadError as error:
        return str(error)
