"""Valid rows of a batch of trajectories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trajmeter.arrays import ROWS_AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from trajmeter.records import Trajectory

__all__ = ["Rows"]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Valid rows of a batch."""

    number: int
    """Number of their batch."""
    batch: pa.RecordBatch
    """The rows in the columns of the Trajectory schema."""

    def __len__(self) -> int:
        return self.batch.num_rows

    def part(self, start: int, stop: int) -> Rows:
        """The rows from ``start`` to before ``stop``."""
        return Rows(self.number, self.batch.slice(start, stop - start))

    def records(self) -> Iterator[Trajectory]:
        """The rows as records, created on demand."""
        from trajmeter.metrics.row_records import records_of  # not every metric needs records

        for start in range(0, len(self), ROWS_AT_ONCE):
            yield from records_of(self.batch.slice(start, ROWS_AT_ONCE))
