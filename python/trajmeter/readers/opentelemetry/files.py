"""Files of spans: exports in OTLP's JSON, printed by the SDK, or exported by Phoenix."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from trajmeter import json_input
from trajmeter.readers._files.containers import PARQUET_MAGIC, holds_parquet
from trajmeter.readers._files.entries import values_in
from trajmeter.readers._files.parquet_schema import column_names
from trajmeter.readers._files.problems import problem_at
from trajmeter.readers._logs.sessions import STRANGERS
from trajmeter.readers._logs.values import as_list, json_row
from trajmeter.readers._recognition.evidence import beginning
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.opentelemetry.phoenix import has_columns, is_row, page_of, unfolded
from trajmeter.readers.opentelemetry.runs import CARRIED_BY_RUNS
from trajmeter.readers.opentelemetry.sdk_spans import is_sdk_span, sdk_span_of
from trajmeter.readers.opentelemetry.spans import Span, spans_in
from trajmeter.readers.opentelemetry.traces import attempt_of
from trajmeter.records import ReadProblem, Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pydantic import JsonValue

__all__ = ["OPENTELEMETRY_SPANS"]


def _recognises(path: Path, head: bytes) -> Evidence | None:
    if head.startswith(PARQUET_MAGIC):
        return Evidence.CERTAIN if has_columns(column_names(path, head)) else None
    first = islice((value for value in beginning(head) if value != []), STRANGERS + 1)
    return Evidence.CERTAIN if any(map(_is_export, first)) else None


def _is_export(value: JsonValue) -> bool:
    """Whether a value is an export, a span on its own, or a list or page of such."""
    first = value[0] if isinstance(value, list) and value else value
    page = page_of(first)
    return _is_known(page[0] if page else first)


def _is_known(value: object) -> bool:
    """Whether a value is an export, or a span on its own."""
    return isinstance(value, dict) and (
        "resourceSpans" in value or is_sdk_span(value) or is_row(value)
    )


def _spans_in(value: JsonValue, refuse: Callable[[str], None]) -> Iterator[Span]:
    """The spans of an export, of a list or page of such, or a span on its own."""
    if not isinstance(value, dict):
        if not isinstance(value, list):
            refuse(f"expected an object, got {json_input.type_name(value)}")
        for each in as_list(value):
            yield from _spans_in(each, refuse)
    elif is_sdk_span(value) or is_row(value):
        span = sdk_span_of(unfolded(value) if is_row(value) else value)
        if span is not None:
            yield span
    elif "resourceSpans" in value:
        yield from spans_in(value)
    elif isinstance(value.get("data"), list):
        yield from _spans_in(value["data"], refuse)
    else:
        refuse("expected a span with its context and parent_id, or an export with resourceSpans")


def _records(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """The attempts of a file, one per trace; spans are written when they end, in any order.

    A span that was exported again counts once.
    """
    traces: dict[str, list[Span]] = {}
    seen: set[tuple[str, str]] = set()
    for span in _spans(path, report):
        if span.id is not None:
            if (span.trace, span.id) in seen:
                continue
            seen.add((span.trace, span.id))
        traces.setdefault(span.trace, []).append(span)
    found = False
    for trace, spans in traces.items():
        attempt = attempt_of(spans, Source(file=str(path), record=trace))
        if attempt is not None:
            found = True
            yield attempt
    if not found:
        message = "no span is a call of a model or of a tool by the conventions for generative AI"
        report(ReadProblem(file=str(path), message=message))


def _spans(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Span]:
    is_table = holds_parquet(path)
    for source, value in values_in(path, report):
        content = json_row(value) if is_table and isinstance(value, dict) else value
        yield from _spans_in(content, partial(_refuse, source, report))


def _refuse(source: Source, report: Callable[[ReadProblem], None], message: str) -> None:
    report(problem_at(source, message))


OPENTELEMETRY_SPANS = FileFormat(
    name="opentelemetry-spans",
    description="spans of OpenTelemetry for generative AI (OTLP, Python SDK or Phoenix)",
    makes=Trajectory,
    carries=CARRIED_BY_RUNS,
    origin="OTLP JSON file exporter 0.66b1 and the Python SDK 1.44.0, with the spans of "
    "pydantic-ai 2.68.0, OpenLLMetry 0.33.12 to 0.62.4, OpenInference 0.1.72 and mlflow 3.17.2; "
    "arize-phoenix-client 3.5.0",
    recognises=_recognises,
    records=_records,
)
