"""Rows of a batch that are no trajectories."""

from __future__ import annotations

from trajmeter.records import Record

__all__ = ["RowProblem"]


class RowProblem(Record):
    """A row that could not be read as a trajectory and was left out."""

    batch: int
    """Number of the batch, from 0."""
    row: int
    """Number of the row in the batch, from 0."""
    message: str
    """What was wrong, the value, and what was expected."""

    def __str__(self) -> str:
        """Place and message in one line."""
        return f"batch {self.batch}, row {self.row}: {self.message}"
