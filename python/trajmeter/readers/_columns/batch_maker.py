"""Makes record batches with every column from rows of trajectories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.conforming.defaults import absent_columns, with_defaults
from trajmeter.errors import InputError
from trajmeter.readers._files.problems import problem_at
from trajmeter.records import Source
from trajmeter.remote import is_named_in_utf8
from trajmeter.schemas import trajectory_batch, trajectory_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    import pyarrow as pa

    from trajmeter.kernels._rust import JsonColumns
    from trajmeter.records import ReadProblem, Trajectory

__all__ = ["BatchMaker"]

_ROWS = 250
"""Rows per batch when files are read as records."""
_TURNS = 10_000
"""Maximum number of turns in such a batch; turns take most of its memory."""


class BatchMaker:
    """Makes batches with the schema of :func:`trajmeter.schemas.trajectory_schema`.

    Args:
        wanted: Names of the columns to fill.
        report: Called with each record that has a value that does not fit its column.
    """

    def __init__(self, wanted: Collection[str], report: Callable[[ReadProblem], None]) -> None:
        self._wanted = wanted
        self._report = report
        self.lost: list[Trajectory] = []
        """Records that have a value that does not fit its column."""

    def gather(self, records: Iterator[Trajectory]) -> Iterator[pa.RecordBatch]:
        """Yield batches of records, each of up to some hundred rows."""
        rows: list[Trajectory] = []
        turns = 0
        for record in records:
            rows.append(record)
            turns += len(record.turns or ())
            if len(rows) == _ROWS or turns >= _TURNS:
                yield from self.batches(rows)
                rows, turns = [], 0
        yield from self.batches(rows)

    def batches(self, records: list[Trajectory]) -> list[pa.RecordBatch]:
        """Make batches of records; report those with a value that does not fit its column."""
        if not records:
            return []
        try:
            return [trajectory_batch(records, columns=self._wanted)]
        except InputError as error:
            if len(records) == 1:
                source = records[0].source or Source(file="")
                if not is_named_in_utf8(source.file):
                    place = source.model_copy(update={"file": _escaped(source.file)})
                    # The task may be named after the file.
                    fields = {"source": place, "task_id": _escaped(records[0].task_id)}
                    return self.batches([records[0].model_copy(update=fields)])
                self.lost.append(records[0])
                self._report(problem_at(source, str(error)))
                return []
            return [batch for record in records for batch in self.batches([record])]

    def in_schema(self, found: pa.RecordBatch | JsonColumns) -> pa.RecordBatch:
        """Return a batch with every column; missing columns are null."""
        import pyarrow as pa

        batch = found if isinstance(found, pa.RecordBatch) else pa.record_batch(found)
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        absent = zip(trajectory_schema().names, absent_columns(batch.num_rows), strict=True)
        arrays = [columns.get(name, nulls) for name, nulls in absent]
        return pa.RecordBatch.from_arrays(arrays, schema=trajectory_schema())

    def own(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """Return rows of trajectory columns with the defaults that records have."""
        return with_defaults(self.in_schema(rows), self._wanted)


def _escaped(name: str) -> str:
    """A name with the bytes that are not UTF-8 escaped."""
    return name.encode("utf-8", "backslashreplace").decode()
