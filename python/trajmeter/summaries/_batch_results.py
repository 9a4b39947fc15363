"""Records, results and errors of a batch, for metric families that count objects."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from trajmeter.arrays import ROWS_AT_ONCE, present
from trajmeter.errors import InputError
from trajmeter.metrics import MetricError
from trajmeter.metrics.typed_results import typed_results

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from trajmeter.metrics import Result
    from trajmeter.metrics.columns import FamilyColumns
    from trajmeter.records import Trajectory

__all__ = ["errors_of", "records_in", "results_of"]


def records_in(rows: pa.RecordBatch) -> Iterator[Trajectory]:
    """Records of a batch; only a few are held at a time."""
    from trajmeter.metrics.row_records import records_of  # not every metric needs records

    starts = range(0, rows.num_rows, ROWS_AT_ONCE)
    return chain.from_iterable(records_of(rows.slice(start, ROWS_AT_ONCE)) for start in starts)


def errors_of(
    family: FamilyColumns, scored: pa.RecordBatch, results: Sequence[Result | MetricError] | None
) -> dict[int, MetricError]:
    """The errors of a metric, by row.

    Args:
        family: The family.
        scored: Rows of the results table.
        results: Results of the rows, if they were scored one by one.
    """
    messages = scored.column(f"{family.name}.error")
    if messages.null_count == len(messages):
        return {}
    errors = {}
    for row in present(messages).nonzero()[0].tolist():
        error = results[row] if results is not None else None
        if not isinstance(error, MetricError):
            # There was a result, but it does not fit its column.
            error = MetricError(messages[row].as_py(), code=InputError.code)
        errors[row] = error
    return errors


def results_of(
    family: FamilyColumns,
    scored: pa.RecordBatch,
    results: Sequence[Result | MetricError] | None,
    errors: Mapping[int, MetricError],
) -> Iterator[Result | MetricError]:
    """The result of each row, as in the table.

    Args:
        family: The family.
        scored: Rows of the results table.
        results: Results of the rows, if they were scored one by one.
        errors: Errors of the metric, by row.
    """
    of_rows: Iterator[Result | MetricError]
    if results is None:
        starts = range(0, scored.num_rows, ROWS_AT_ONCE)
        parts = (typed_results(family, scored.slice(start, ROWS_AT_ONCE)) for start in starts)
        of_rows = chain.from_iterable(parts)
    else:
        of_rows = iter(results)
    return (errors.get(row, result) for row, result in enumerate(of_rows))
