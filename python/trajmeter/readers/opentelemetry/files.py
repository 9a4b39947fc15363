"""Files of the OTLP exporter: JSON lines with one export each, or one document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.readers._files.containers import values_in
from trajmeter.readers._recognition.evidence import beginning
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.opentelemetry.runs import CARRIED_BY_RUNS
from trajmeter.readers.opentelemetry.spans import Span, spans_in
from trajmeter.readers.opentelemetry.traces import attempt_of
from trajmeter.records import ReadProblem, Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["OPENTELEMETRY_SPANS"]


def _recognises(_: Path, head: bytes) -> Evidence | None:
    values = beginning(head)
    first = values[0] if values else None
    return Evidence.CERTAIN if isinstance(first, dict) and "resourceSpans" in first else None


def _records(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """The attempts of a file, one per trace; spans are written when they end, in any order.

    A span that was exported again counts once.
    """
    traces: dict[str, list[Span]] = {}
    seen: set[tuple[str, str]] = set()
    for _, value in values_in(path, report):
        for span in spans_in(value):
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
    description="spans of OpenTelemetry for generative AI (OTLP in JSON)",
    makes=Trajectory,
    carries=CARRIED_BY_RUNS,
    origin="OTLP JSON file exporter 0.66b1, with the spans of pydantic-ai 2.68.0 "
    "and OpenLLMetry 0.33.12 to 0.62.4",
    recognises=_recognises,
    records=_records,
)
