"""Files of MLflow's traces: JSON lines, a list, single traces, or rows of a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.readers._files.containers import PARQUET_MAGIC
from trajmeter.readers._files.content import open_content
from trajmeter.readers._files.csv_lines import csv_columns, csv_rows
from trajmeter.readers._files.parquet_schema import column_names
from trajmeter.readers._logs.sessions import Event, events, first_objects
from trajmeter.readers._logs.values import as_list, as_mapping, json_row
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.messages.shapes import identity_of
from trajmeter.readers.mlflow.assessments import scores_of
from trajmeter.readers.mlflow.spans import identity, parent_of, span_of
from trajmeter.readers.mlflow.traces import (
    has_columns,
    identity_of_trace,
    is_trace,
    page_of,
    spans_in,
    whole,
)
from trajmeter.readers.opentelemetry.runs import CARRIED_BY_RUNS, with_scores
from trajmeter.readers.opentelemetry.traces import attempt_of
from trajmeter.records import ReadProblem, Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = ["MLFLOW_TRACES"]

_SESSION = "mlflow.trace.session"
_HEAD = 1 << 16
"""Bytes that contain the header of a table."""


def _recognises(path: Path, head: bytes) -> Evidence | None:
    if head.startswith(PARQUET_MAGIC):
        return Evidence.CERTAIN if has_columns(column_names(path, head)) else None
    if _is_csv(head):
        return Evidence.CERTAIN
    values = [each for value in first_objects(head) for each in page_of(value) if each]
    traces = [each for each in values if is_trace(each)]
    if not traces or 2 * len(traces) < len(values):
        return None
    return (
        Evidence.CERTAIN
        if any(len(each) > 1 or "spans" in each for each in traces)
        else Evidence.LIKELY
    )


def _is_csv(head: bytes) -> bool:
    """Whether a file is a data frame of traces as CSV; its column of spans is not JSON."""
    columns = csv_columns(head.partition(b"\n")[0])
    return has_columns(columns) and "trace" in columns


def _events(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Event]:
    """The objects in a file: values, or rows of a table."""
    with open_content(path) as file:
        head = file.read(_HEAD)
    if _is_csv(head):
        for source, row in csv_rows(path, report):
            yield Event(source, row, report)
        return
    is_table = head.startswith(PARQUET_MAGIC)
    for event in events(path, report):
        yield event._replace(value=json_row(event.value)) if is_table else event


def _records(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """The attempts of a file, one per trace; of several copies of a trace, the last counts."""
    traces: dict[str, _Trace] = {}
    for event in _events(path, report):
        for value in map(whole, map(as_mapping, page_of(event.value))):
            name, spans = identity_of_trace(value), spans_in(value)
            if name is None:
                event.problem("expected a trace: an object with info and data, or with its spans")
            elif spans is None:
                event.problem(f"trace {name}: expected a list of spans in data")
            else:
                traces.setdefault(name, _Trace()).add(as_mapping(value.get("info")), spans, event)
    found = False
    for name, trace in traces.items():
        attempt = trace.attempt(name, Source(file=str(path), record=name))
        if attempt is not None:
            found = True
            yield attempt
    if traces and not found:
        report(ReadProblem(file=str(path), message="no span is of a model or of a tool"))


class _Trace:
    """What a file has of a trace."""

    def __init__(self) -> None:
        self._info: Mapping[str, Any] = {}
        self._spans: dict[str, Mapping[str, Any]] = {}

    def add(self, info: Mapping[str, Any], spans: Sequence[Any], event: Event) -> None:
        """Add a copy of the trace; the last copy of each span counts."""
        self._info = info or self._info
        for number, span in enumerate(spans):
            if not isinstance(span, dict):
                event.problem(
                    f"spans[{number}]: expected an object, got {json_input.type_name(span)}"
                )
                continue
            self._spans[identity(span) or f"span {len(self._spans)}"] = span

    def attempt(self, name: str, source: Source) -> Trajectory | None:
        """The attempt; ``None`` if no model or tool was called."""
        info = self._info
        tags, metadata = as_mapping(info.get("tags")), _metadata(info)
        named = (identity_of(each.get("task_id")) for each in (tags, metadata))
        task = next((each for each in named if each is not None), None)
        spans = self._spans.values()
        names = {str(span.get("name")) for span in spans}
        made = (span_of(span, name, task, names) for span in spans)
        attempt = attempt_of([span for span in made if span is not None], source)
        if attempt is None:
            return None
        if (session := identity_of(metadata.get(_SESSION))) is not None:
            about = {**attempt.metadata, "session": session}
            attempt = attempt.model_copy(update={"metadata": about})
        roots = {each for each, span in self._spans.items() if parent_of(span) is None}
        assessments = map(as_mapping, as_list(info.get("assessments")))
        return with_scores(attempt, scores_of(assessments, roots))


def _metadata(info: Mapping[str, Any]) -> Mapping[str, Any]:
    """The metadata of a trace, by its name in MLflow 3 or by the older one."""
    return as_mapping(info.get("trace_metadata")) or as_mapping(info.get("request_metadata"))


MLFLOW_TRACES = FileFormat(
    name="mlflow-traces",
    description="traces of MLflow",
    makes=Trajectory,
    carries=(*CARRIED_BY_RUNS, "passed"),
    origin="mlflow 2.22.5 to 3.17.2: Trace.to_json(), search_traces() as a data frame or a list, "
    "and the artifact traces.json",
    recognises=_recognises,
    records=_records,
)
