"""Matches the tool calls of record batches with those of their tasks.

If arguments must be equal, the extension matches whole batches from their columns; uncertain
attempts, and those under other policies, are matched as records.
"""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trajmeter import kernels
from trajmeter.arrays import ROWS_AT_ONCE, booleans, filled, nulls, numbers, taken
from trajmeter.arrays.nested import entries
from trajmeter.arrays.text import coded, repeated_text, text_array, text_bytes
from trajmeter.metrics.result_arrays import result_arrays
from trajmeter.metrics.row_records import records_of
from trajmeter.metrics.states import coded_tasks, merged
from trajmeter.metrics.tools.call_columns import call_columns
from trajmeter.metrics.tools.policies import POLICIES_KEY
from trajmeter.metrics.tools.result import ToolsResult, unscored
from trajmeter.records import Cause, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    import numpy.typing as npt

    from trajmeter.arrays import Array, Booleans
    from trajmeter.kernels import Float64Array, Int64Array
    from trajmeter.metrics.tools.call_columns import CallColumns
    from trajmeter.records import Task, ToolCall, Trajectory

__all__ = ["score_batch"]

_NO_TASK, _ABSTAINS, _MATCHED, _BY_RECORD = range(4)


def score_batch(
    tasks: Sequence[Task | None],
    rows: pa.RecordBatch,
    *,
    is_exact: bool,
    score: Callable[[Task | None, Trajectory], ToolsResult],
) -> dict[str, Array]:
    """Match the calls of every row.

    Args:
        tasks: Task of each row.
        rows: Valid rows in the columns of :func:`trajmeter.schemas.trajectory_schema`.
        is_exact: Whether arguments have to be equal if a task does not say otherwise.
        score: Matches the calls of a record.

    Returns:
        Every column of :class:`ToolsResult` by its dotted path.
    """
    each, codes = coded_tasks(tasks)
    can_match = is_exact and kernels.backend() == "rust"
    kinds = np.array([_kind(task, can_match=can_match) for task in each], np.int64)[codes]
    calls = call_columns(rows)
    unusable = np.diff(entries(cast("Any", rows.column("unusable"))).offsets) > 0
    is_missing = (kinds >= _MATCHED) & ~calls.recorded & ~unusable
    by_record = (kinds >= _MATCHED) & ~is_missing
    matched = _match(each, np.where(by_record & (kinds == _MATCHED), codes, -1), calls)
    by_record &= ~matched.is_known
    dropped = filled(rows.column("dropped_calls"), 0)
    parts = [(np.flatnonzero(matched.is_known), matched.columns(dropped))]
    for outcome, cause, is_alike in (
        (Outcome.NOT_SCORED, Cause.MISSING_TASK, kinds == _NO_TASK),
        (Outcome.ABSTAINED, None, kinds == _ABSTAINS),
        (Outcome.NOT_SCORED, Cause.MISSING_CALLS, is_missing),
    ):
        at = np.flatnonzero(is_alike)
        alike = result_arrays(ToolsResult, [unscored(outcome, cause, dropped=0)])
        columns = {name: column.take(np.zeros(len(at), np.int64)) for name, column in alike.items()}
        parts.append((at, columns | {"dropped_calls": numbers(dropped[at])}))
    at = np.flatnonzero(by_record)
    parts.append((at, result_arrays(ToolsResult, _scored(tasks, rows, at, score))))
    return merged(parts)


def _kind(task: Task | None, *, can_match: bool) -> int:
    if task is None:
        return _NO_TASK
    if task.expected_tool_calls is None:
        return _ABSTAINS
    is_exact = can_match and task.metadata.get(POLICIES_KEY) is None
    return _MATCHED if is_exact else _BY_RECORD


def _scored(
    tasks: Sequence[Task | None],
    rows: pa.RecordBatch,
    at: Int64Array,
    score: Callable[[Task | None, Trajectory], ToolsResult],
) -> Iterator[ToolsResult]:
    """Results of some rows, whose records are created one by one."""
    for start in range(0, len(at), ROWS_AT_ONCE):
        few = at[start : start + ROWS_AT_ONCE]
        for row, record in zip(few.tolist(), records_of(rows.take(few)), strict=True):
            yield score(tasks[row], record)


class _Matched(NamedTuple):
    """What the extension found in each row."""

    is_known: Booleans
    """Whether it was certain."""
    figures: Int64Array
    """Matched and aligned calls, whether both sides are equal, and the edit distance."""
    mismatches: Array
    """What does not match, as JSON."""
    reference_size: Int64Array
    """Number of reference calls."""
    actual_size: Int64Array
    """Number of actual calls."""

    def columns(self, dropped: Int64Array) -> dict[str, Array]:
        """Columns of the rows with a certain result."""
        rows = np.flatnonzero(self.is_known)
        matched, aligned, exact, distance = self.figures[rows].T
        expected, actual = self.reference_size[rows], self.actual_size[rows]
        columns: dict[str, Array] = {
            **_scored_group(len(rows)),
            "exact": booleans(exact == 1),
            "in_order": booleans(aligned == expected),
            "any_order": booleans((matched == expected) & (matched == actual)),
            "subset": booleans(matched == actual),
            "superset": booleans(matched == expected),
            "edit_distance": numbers(distance),
            "mismatches": taken(self.mismatches, numbers(rows)),
            "dropped_calls": numbers(dropped[rows]),
            "reason": nulls(len(rows), pa.string()),
        }
        for name, count in (("any_order_grades", matched), ("in_order_grades", aligned)):
            for key, column in _grades(count, expected, actual).items():
                columns[f"{name}.{key}"] = column
        return columns


def _scored_group(rows: int) -> dict[str, Array]:
    outcome = repeated_text(Outcome.SCORED.value, rows)
    return {"outcome": outcome, "cause": nulls(rows, pa.string())}


def _grades(matched: Int64Array, expected: Int64Array, actual: Int64Array) -> dict[str, Array]:
    precision = _share(matched, actual, nothing=1.0)
    recall = _share(matched, expected, nothing=1.0)
    return {
        **_scored_group(len(matched)),
        "matched": numbers(matched),
        "reference_size": numbers(expected),
        "actual_size": numbers(actual),
        "precision": numbers(precision),
        "recall": numbers(recall),
        "f1": numbers(_share(2 * precision * recall, precision + recall, nothing=0.0)),
    }


def _share(
    part: npt.NDArray[np.number[Any]], whole: npt.NDArray[np.number[Any]], *, nothing: float
) -> Float64Array:
    share = np.full(len(part), nothing, np.float64)
    np.divide(part, whole, out=share, where=whole != 0)
    return share


def _match(tasks: Sequence[Task | None], reference_of: Int64Array, calls: CallColumns) -> _Matched:
    """Match the calls of those rows that have a reference."""
    actual_size = np.diff(calls.offsets)
    if not (reference_of >= 0).any():
        none = np.zeros(len(reference_of), np.int64)
        figures = np.full((len(none), 4), -1, np.int64)
        return _Matched(none > 0, figures, nulls(len(none), pa.string()), none, actual_size)
    from trajmeter.kernels._rust import match_calls

    wanted = set(reference_of.tolist())
    references = [
        (task.expected_tool_calls or ()) if task and at in wanted else ()
        for at, task in enumerate(tasks)
    ]
    names, codes = coded(pc.struct_field(calls.calls, "name"))
    code_of = {name: code for code, name in enumerate(names)}
    expected = list(chain.from_iterable(references))
    expected_codes = [code_of.setdefault(call.name, len(code_of)) for call in expected]
    sizes = np.array([len(each) for each in references], np.int64)
    figures, mismatches, offsets = match_calls(
        (codes, text_bytes(pc.struct_field(calls.calls, "arguments").fill_null("")), calls.offsets),
        (
            np.array(expected_codes, np.int64),
            text_bytes(text_array(_json(call) for call in expected)),
            np.concatenate([[0], np.cumsum(sizes)]),
        ),
        reference_of,
        text_bytes(text_array(code_of)),
    )
    by_row = figures.reshape(len(reference_of), -1)
    memory: list[Any] = [offsets.astype(np.int32), mismatches]
    buffers = [None, *map(pa.py_buffer, memory)]
    texts = pa.Array.from_buffers(pa.string(), len(by_row), buffers)
    return _Matched(by_row[:, 0] >= 0, by_row, texts, sizes[reference_of], actual_size)


def _json(call: ToolCall) -> str:
    """Arguments of a reference call as JSON; empty if it has none, and invalid if not JSON."""
    try:
        return "" if call.arguments is None else json.dumps(call.arguments)
    except (ValueError, RecursionError):
        return "?"
