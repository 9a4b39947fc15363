"""Scores the answers of record batches: each distinct answer to a task once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trajmeter import json_input
from trajmeter.arrays import ROWS_AT_ONCE, nulls
from trajmeter.arrays.text import coded, text_array, text_scalar
from trajmeter.errors import InputError
from trajmeter.metrics.answers.coverage import folded, tool_trace
from trajmeter.metrics.answers.expected import (
    agent_figures,
    expectations,
    hop_figures,
    retrieval_figures,
    tool_figures,
)
from trajmeter.metrics.answers.result import Coverage, Hops, RetrievalFigures
from trajmeter.metrics.engine import metric_error
from trajmeter.metrics.result_arrays import result_arrays
from trajmeter.metrics.states import coded_lists, coded_tasks, distinct
from trajmeter.records import Cause, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trajmeter.arrays import Array
    from trajmeter.kernels import Int64Array
    from trajmeter.metrics._result import Group
    from trajmeter.metrics.answers.coverage import ToolTrace
    from trajmeter.records import Question, Task

__all__ = ["score_batch"]


def score_batch(tasks: Sequence[Task | None], rows: pa.RecordBatch) -> dict[str, Array]:
    """Score the answer of every row.

    Args:
        tasks: Task of each row.
        rows: Valid rows in the columns of :func:`trajmeter.schemas.trajectory_schema`.

    Returns:
        Every column of :class:`AnswersResult` by its dotted path, and errors, if any.
    """
    each, codes = coded_tasks(tasks)
    questions, raised = _read(each)
    sources = rows.column("sources")
    lists = coded_lists(sources)
    columns = _named(
        "retrieval",
        RetrievalFigures,
        _facts(questions, codes, lambda question: question.expected_sources, lists),
        lambda row: retrieval_figures(questions[codes[row]], sources[row].as_py()),
    )
    outputs = rows.column("final_output")
    columns |= _named(
        "hops",
        Hops,
        (codes, *_hop_facts(questions, codes, outputs, lists)),
        lambda row: hop_figures(questions[codes[row]], outputs[row].as_py(), sources[row].as_py()),
    )
    columns |= _took_part(questions, codes, rows.column("metadata"))
    if raised:
        columns = _with_errors(columns, [raised.get(code) for code in codes.tolist()])
    return columns


def _read(tasks: Sequence[Task | None]) -> tuple[list[Question | None], dict[int, str]]:
    """What each task expects, and the errors of tasks with invalid metadata."""
    questions: list[Question | None] = []
    raised: dict[int, str] = {}
    for at, task in enumerate(tasks):
        try:
            questions.append(expectations(task))
        except InputError as error:
            questions.append(None)
            raised[at] = metric_error(error).message
    return questions, raised


def _facts(
    questions: Sequence[Question | None],
    codes: Int64Array,
    ask: Callable[[Question], tuple[str, ...]],
    seen: Int64Array,
) -> tuple[Int64Array, Int64Array]:
    """What each row should contain, as a code, and what was seen; 0 if nothing is expected."""
    expected = [None if question is None else ask(question) for question in questions]
    places: dict[object, int] = {}
    keys = np.array([places.setdefault(each, len(places)) for each in expected], np.int64)
    return keys[codes], np.where(np.array(list(map(bool, expected)), np.bool_)[codes], seen, 0)


def _named(
    name: str,
    model: type[Group],
    facts: tuple[Int64Array, ...],
    score: Callable[[int], Group],
) -> dict[str, Array]:
    """Columns of a group, scored once for all rows that agree in these facts."""
    first, codes = distinct(*facts)
    columns = result_arrays(model, map(score, first.tolist()))
    return {f"{name}.{key}": column.take(codes) for key, column in columns.items()}


def _hop_facts(
    questions: Sequence[Question | None], codes: Int64Array, outputs: Array, lists: Int64Array
) -> tuple[Int64Array, Int64Array]:
    """Which hops each answer contains, and its sources; 0 if its task has none."""
    has_hops = np.array([bool(each and each.required_hops) for each in questions], np.bool_)
    wanted = [
        [[folded(alias) for alias in hop.any_of] for hop in question.required_hops]
        if question is not None
        else []
        for question in questions
    ]
    rows = np.flatnonzero(has_hops[codes])
    found = np.zeros(len(codes), np.int64)
    places: dict[tuple[bool, ...] | None, int] = {}
    for start in range(0, len(rows), ROWS_AT_ONCE):
        few = rows[start : start + ROWS_AT_ONCE]
        texts = cast("list[str | None]", outputs.take(few).to_pylist())
        for row, text in zip(few.tolist(), texts, strict=True):
            held = None if text is None else _held(folded(text), wanted[codes[row]])
            found[row] = places.setdefault(held, len(places))
    return found, np.where(has_hops[codes], lists, 0)


def _held(text: str, hops: Sequence[Sequence[str]]) -> tuple[bool, ...]:
    return tuple([any(alias in text for alias in aliases) for aliases in hops])


def _took_part(
    questions: Sequence[Question | None], codes: Int64Array, metadata: Array
) -> dict[str, Array]:
    """Columns for tools and agents."""
    texts, which = coded(metadata)
    traces: dict[int, ToolTrace] = {}

    def trace_of(row: int) -> ToolTrace:
        code = int(which[row])
        if code not in traces:
            parsed = {} if code < 0 else json_input.parse(texts[code].encode())
            traces[code] = tool_trace(cast("dict[str, Any]", parsed))
        return traces[code]

    return {
        **_named(
            "tools",
            Coverage,
            _facts(questions, codes, lambda question: question.required_tools, which),
            lambda row: tool_figures(questions[codes[row]], trace_of(row)),
        ),
        **_named(
            "agents",
            Coverage,
            _facts(questions, codes, lambda question: question.required_agents, which),
            lambda row: agent_figures(questions[codes[row]], trace_of(row)),
        ),
    }


def _with_errors(columns: Mapping[str, Array], errors: Sequence[str | None]) -> dict[str, Array]:
    """Columns in which rows with an error are not scored."""
    raised = text_array(errors)
    void: dict[str, Array] = {}
    for name, column in columns.items():
        instead = {"outcome": Outcome.NOT_SCORED.value, "cause": Cause.METRIC_ERROR.value}
        text = instead.get(name.rpartition(".")[2])
        value = nulls(1, column.type)[0] if text is None else text_scalar(text)
        void[name] = pc.if_else(raised.is_valid(), value, column)
    return void | {"error": raised}
