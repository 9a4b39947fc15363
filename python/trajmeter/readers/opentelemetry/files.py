"""Files of spans, as JSON lines or a document: exports in OTLP's JSON, or printed by the SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter import json_input
from trajmeter.readers._files.containers import values_in
from trajmeter.readers._recognition.evidence import beginning
from trajmeter.readers._recognition.formats import Evidence, FileFormat
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


def _recognises(_: Path, head: bytes) -> Evidence | None:
    first = next((value for value in beginning(head) if value != []), None)
    if isinstance(first, list):
        first = first[0]
    is_export = isinstance(first, dict) and "resourceSpans" in first
    return Evidence.CERTAIN if is_export or is_sdk_span(first) else None


def _spans_in(value: JsonValue) -> Iterator[Span]:
    """The spans of an export, of a list of such, or a span on its own."""
    if isinstance(value, list):
        for each in value:
            yield from _spans_in(each)
    elif not isinstance(value, dict) or not is_sdk_span(value):
        yield from spans_in(value)
    elif (span := sdk_span_of(value)) is not None:
        yield span


def _records(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """The attempts of a file, one per trace; spans are written when they end, in any order.

    A span that was exported again counts once.
    """
    traces: dict[str, list[Span]] = {}
    seen: set[tuple[str, str]] = set()
    for source, value in values_in(path, report):
        if not isinstance(value, (dict, list)):
            said = f"expected an object, got {json_input.type_name(value)}"
            report(
                ReadProblem(file=source.file, line=source.line, record=source.record, message=said)
            )
        for span in _spans_in(value):
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


OPENTELEMETRY_SPANS = FileFormat(
    name="opentelemetry-spans",
    description="spans of OpenTelemetry for generative AI (JSON of OTLP or of the Python SDK)",
    makes=Trajectory,
    carries=CARRIED_BY_RUNS,
    origin="OTLP JSON file exporter 0.66b1 and the Python SDK 1.44.0, with the spans of "
    "pydantic-ai 2.68.0 and OpenLLMetry 0.33.12 to 0.62.4",
    recognises=_recognises,
    records=_records,
)
