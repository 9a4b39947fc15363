"""Validates the rows of a batch as trajectories, column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pydantic import ValidationError

from trajmeter.arrays import concatenated_batches, nulls
from trajmeter.arrays.members import with_member
from trajmeter.conforming.casting import conform, misfits
from trajmeter.conforming.checking import faulty
from trajmeter.errors import ConfigurationError, InputError, ReadError
from trajmeter.records import Record
from trajmeter.schemas import trajectory_from_row
from trajmeter.scoring.rows import Rows
from trajmeter.validation_errors import describe_error

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from trajmeter.arrays import Array
    from trajmeter.kernels import Int64Array

__all__ = ["RowProblem", "admit"]


class RowProblem(Record):
    """A row that could not be read as a trajectory and was skipped."""

    batch: int
    """Number of the batch, from 0."""
    row: int
    """Number of the row in the batch, from 0."""
    message: str
    """What was wrong, the value, and what was expected."""

    def __str__(self) -> str:
        """Location and message in one line."""
        return f"batch {self.batch}, row {self.row}: {self.message}"


def admit(
    batch: pa.RecordBatch,
    number: int,
    *,
    report: Callable[[RowProblem], None],
    with_results: bool = True,
) -> Rows:
    """Return the valid rows of a batch, and report the others.

    Args:
        batch: Rows in columns that can be cast to the Trajectory schema.
        number: Number of the batch, for the report.
        report: Called with every skipped row.
        with_results: Whether to keep tool results; otherwise they are neither checked nor kept.

    Raises:
        InputError: It is not a batch.
        ConfigurationError: The type of a column cannot be cast to the schema.
    """
    if not isinstance(batch, pa.RecordBatch):
        raise InputError(
            f"batch {number} is a {type(batch).__name__}, expected a RecordBatch; a Table gives "
            "them with to_batches()"
        )
    problems = dict(_broken(batch))
    sound, numbers = _without(batch, np.arange(len(batch)), problems)
    try:
        whole = conform(sound)
    except ConfigurationError:
        faults_by_row = {int(numbers[row]): message for row, message in misfits(sound).items()}
        if not faults_by_row:
            raise
        problems |= faults_by_row
        sound, numbers = _without(sound, numbers, faults_by_row)
        whole = conform(sound)
    if not with_results:
        for calls in (("tool_calls",), ("turns", "tool_calls")):
            index = whole.schema.names.index(calls[0])
            column = with_member(whole.column(index), (*calls[1:], "result"), _emptied)
            whole = whole.set_column(index, whole.schema.field(index), column)
    suspects = np.flatnonzero(faulty(whole))
    if len(suspects):
        rows = whole.take(suspects).to_pylist()
        faults = zip(numbers[suspects].tolist(), map(_fault_of, rows), strict=True)
        faults_by_row = {row: fault for row, fault in faults if fault is not None}
        whole, numbers = _without(whole, numbers, faults_by_row)
        problems |= faults_by_row
    for row in sorted(problems):
        report(RowProblem(batch=number, row=row, message=problems[row]))
    return Rows(number, whole)


def _emptied(array: Array) -> Array:
    return nulls(len(array), array.type)


def _without(
    batch: pa.RecordBatch, numbers: Int64Array, left_out: Collection[int]
) -> tuple[pa.RecordBatch, Int64Array]:
    """The rows that are not skipped, and their numbers."""
    if not left_out:
        return batch, numbers
    kept = ~np.isin(numbers, list(left_out))
    try:
        return batch.filter(pa.array(kept)), numbers[kept]
    except pa.ArrowNotImplementedError:  # text views, for example, can only be sliced
        ends = np.flatnonzero(np.diff(kept, prepend=False, append=False)).reshape(-1, 2)
        runs = [batch.slice(begin, end - begin) for begin, end in ends.tolist()]
        return concatenated_batches(runs or [batch.slice(0, 0)]), numbers[kept]


def _broken(batch: pa.RecordBatch) -> Iterator[tuple[int, str]]:
    """Rows with invalid memory according to Arrow, such as text that is not UTF-8."""
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


def _fault_of(row: dict[str, Any]) -> str | None:
    """What is wrong with a row; ``None`` if it is a valid record."""
    try:
        trajectory_from_row(row)
    except ValidationError as error:
        return describe_error(error)
    except ReadError as error:
        return str(error)
    return None
