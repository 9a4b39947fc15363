"""Files of Langfuse: traces with their observations, or observations alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.sessions import events, first_objects
from trajmeter.readers._logs.values import as_list
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.langfuse.observations import metadata_of, run_of
from trajmeter.readers.messages.shapes import identity_of
from trajmeter.readers.opentelemetry.runs import CARRIED_BY_RUNS, attempt_of_runs
from trajmeter.records import ReadProblem, Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

__all__ = ["LANGFUSE_TRACES"]

_OF_TRACES = frozenset({"id", "timestamp", "sessionId", "userId"})
"""Keys of a trace that precede its content."""


def _is_observation(value: object) -> bool:
    return isinstance(value, dict) and "type" in value and "startTime" in value


def _is_trace(value: Mapping[str, Any]) -> bool:
    observations = as_list(value.get("observations"))
    return any(map(_is_observation, observations)) or (
        "observations" in value and value.keys() >= _OF_TRACES
    )


def _page(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The items of a page of the API; a downloaded trace with its observations; else the value."""
    trace = None if _is_observation(value) else value.get("trace")
    if isinstance(trace, dict) and ("observations" in value or trace.keys() >= _OF_TRACES):
        return [{**trace, **{key: value[key] for key in value if key == "observations"}}]
    if "meta" not in value:
        return [value]
    return [each for each in as_list(value.get("data")) if isinstance(each, dict)]


def _recognises(_: Path, head: bytes) -> Evidence | None:
    values = [each for value in first_objects(head) for each in _page(value) if each]
    certain = sum(
        _is_trace(each) or ("traceId" in each and _is_observation(each)) for each in values
    )
    # A long trace may be cut off before its observations.
    likely = sum("observations" not in each and each.keys() >= _OF_TRACES for each in values)
    if 2 * (certain + likely) <= len(values):
        return None
    return Evidence.CERTAIN if certain else Evidence.LIKELY


def _records(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """The attempts of a file, one per trace; observations may come in any order."""
    traces: dict[str, _Trace] = {}
    for event in events(path, report):
        for value in _page(event.value):
            is_trace = _is_trace(value)
            name = identity_of(value.get("id" if is_trace else "traceId"))
            if not is_trace and not _is_observation(value):
                event.problem("expected a trace with observations, or an observation")
            elif name is None:
                event.problem("a trace without an id, or an observation without a traceId")
            else:
                traces.setdefault(name, _Trace()).add(value, is_trace=is_trace)
    found = False
    for name, trace in traces.items():
        attempt = trace.attempt(name, Source(file=str(path), record=name))
        if attempt is not None:
            found = True
            yield attempt
    if traces and not found:
        report(ReadProblem(file=str(path), message="no observation is of a model or of a tool"))


class _Trace:
    """What a file has of a trace."""

    def __init__(self) -> None:
        self._observations: dict[str, Mapping[str, Any]] = {}
        self._metadata: list[Mapping[str, Any]] = []

    def add(self, value: Mapping[str, Any], *, is_trace: bool) -> None:
        """Add the trace with its observations, or one of them; the last copy of each counts."""
        if is_trace:
            self._metadata.append(metadata_of(value))
        observations = as_list(value.get("observations")) if is_trace else [value]
        for each in filter(_is_observation, observations):
            key = identity_of(each.get("id")) or f"observation {len(self._observations)}"
            self._observations[key] = each

    def attempt(self, name: str, source: Source) -> Trajectory | None:
        """The attempt; ``None`` if no model or tool was called."""
        observations = self._observations.values()
        metadata = (*self._metadata, *map(metadata_of, observations))
        named = (identity_of(each.get("task_id")) for each in metadata)
        task = next((each for each in named if each is not None), None)
        return attempt_of_runs([run_of(each, name) for each in observations], source, task)


LANGFUSE_TRACES = FileFormat(
    name="langfuse-traces",
    description="traces of Langfuse",
    makes=Trajectory,
    carries=CARRIED_BY_RUNS,
    origin="Langfuse's public API (langfuse 5.0.4), each trace or observation as a line",
    recognises=_recognises,
    records=_records,
)
