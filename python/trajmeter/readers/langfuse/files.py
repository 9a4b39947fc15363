"""Files of Langfuse: traces with their observations, observations alone, and scheduled exports."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ReadError
from trajmeter.readers._files.containers import PARQUET_MAGIC
from trajmeter.readers._files.content import open_content
from trajmeter.readers._files.csv_lines import csv_rows
from trajmeter.readers._files.parquet_schema import column_names
from trajmeter.readers._logs.sessions import Event, events, first_objects
from trajmeter.readers._logs.values import as_list, json_row
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.langfuse.observations import metadata_of, run_of
from trajmeter.readers.langfuse.rows import has_columns, is_header, renamed
from trajmeter.readers.langfuse.scores import is_score, scores_of
from trajmeter.readers.messages.shapes import identity_of
from trajmeter.readers.opentelemetry.runs import CARRIED_BY_RUNS, attempt_of_runs, with_scores
from trajmeter.records import ReadProblem, Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from pathlib import Path

__all__ = ["LANGFUSE_TRACES"]

_OF_TRACES = frozenset({"id", "timestamp", "sessionId", "userId"})
"""Keys of a trace that precede its content."""
_HEAD = 1 << 16
_TRIED = 5
"""Number of files by which a folder is recognised."""
_EXPORTED = ("traces", "observations", "observations_v2", "scores")
"""Folders of a scheduled export."""
_OBSERVED = frozenset({"observations", "observations_v2"})
_OWN = frozenset({*_EXPORTED, "manifests"})
"""What may be in the folder of a scheduled export."""
_UNOBSERVED = (
    "no observations; of an export, name the folder that holds all its folders and nothing else"
)


def _is_observation(value: object) -> bool:
    return isinstance(value, dict) and "type" in value and "startTime" in value


def _is_trace(value: Mapping[str, Any]) -> bool:
    observations = as_list(value.get("observations"))
    return any(map(_is_observation, observations)) or (
        value.keys() >= _OF_TRACES and not _is_observation(value)
    )


def _page(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The items of a page of the API; a downloaded trace with its observations; else the value."""
    trace = None if _is_observation(value) else value.get("trace")
    if isinstance(trace, dict) and ("observations" in value or trace.keys() >= _OF_TRACES):
        return [{**trace, **{key: value[key] for key in value if key == "observations"}}]
    if "meta" not in value:
        return [renamed(value)]
    return [renamed(each) for each in as_list(value.get("data")) if isinstance(each, dict)]


def _recognises(path: Path, head: bytes) -> Evidence | None:
    if not head and path.is_dir():
        return Evidence.CERTAIN if _is_export_folder(path) else None
    if head.startswith(PARQUET_MAGIC):
        return Evidence.CERTAIN if has_columns(column_names(path, head)) else None
    if _is_csv(head):
        return Evidence.CERTAIN
    values = [each for value in first_objects(head) for each in _page(value) if each]
    certain = sum(
        "observations" in each
        if _is_trace(each)
        else "traceId" in each and (_is_observation(each) or is_score(each))
        for each in values
    )
    # A long trace may be cut off before its observations.
    likely = sum("observations" not in each and each.keys() >= _OF_TRACES for each in values)
    if certain + likely == 0 or 2 * (certain + likely) < len(values):
        return None
    return Evidence.CERTAIN if certain else Evidence.LIKELY


def _is_csv(head: bytes) -> bool:
    lines = head.splitlines()
    return bool(lines) and is_header(lines[0])


def _is_export_folder(folder: Path) -> bool:
    """Whether a folder is an export or its observations, without logs of others beside them."""
    if folder.name not in _OBSERVED:
        names = (each.name for each in folder.iterdir())
        if any(name not in _OWN and not name.startswith(".") for name in names):
            return False
    return any(map(_is_export, islice(_files_in(folder, _OBSERVED), _TRIED)))


def _is_export(path: Path) -> bool:
    try:
        with open_content(path) as file:
            head = file.read(_HEAD)
    except (OSError, ReadError):
        return False
    return _recognises(path, head) is not None


def _files_in(folder: Path, names: Collection[str] = _EXPORTED) -> Iterator[Path]:
    """The files of a scheduled export, those of each kind in the order of their names."""
    own = [folder] if folder.name in _OBSERVED else []
    for inner in (*own, *(folder / name for name in _EXPORTED if name in names)):
        if inner.is_dir():
            files = (each for each in inner.iterdir() if each.is_file())
            yield from sorted(each for each in files if not each.name.startswith("."))


def _events(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Event]:
    """The objects in a file, or in the files of a scheduled export."""
    if path.is_dir():
        for each in _files_in(path):
            try:
                yield from _events(each, report)
            except (OSError, ReadError) as error:
                report(ReadProblem(file=str(each), message=str(error)))
        return
    with open_content(path) as file:
        head = file.read(_HEAD)
    if _is_csv(head):
        for source, row in csv_rows(path, report):
            yield Event(source, row, report)
        return
    for event in events(path, report):
        is_table = head.startswith(PARQUET_MAGIC)
        yield event._replace(value=json_row(event.value)) if is_table else event


def _records(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """The attempts of a file, one per trace; observations may come in any order."""
    traces: dict[str, _Trace] = {}
    for event in _events(path, report):
        for value in _page(event.value):
            is_trace = _is_trace(value)
            name = identity_of(value.get("id" if is_trace else "traceId"))
            if not (is_trace or _is_observation(value) or is_score(value)):
                event.problem("expected a trace with observations, or an observation")
            elif name is not None:
                traces.setdefault(name, _Trace()).add(value, is_trace=is_trace)
            elif not is_score(value):  # scores may be of sessions or of experiments
                event.problem("a trace without an id, or an observation without a traceId")
    found = False
    for name, trace in traces.items():
        attempt = trace.attempt(name, Source(file=str(path), record=name))
        if attempt is not None:
            found = True
            yield attempt
    if traces and not found:
        is_observed = any(trace.is_observed for trace in traces.values())
        message = "no observation is of a model or of a tool" if is_observed else _UNOBSERVED
        report(ReadProblem(file=str(path), message=message))


class _Trace:
    """What a file has of a trace."""

    def __init__(self) -> None:
        self._observations: dict[str, Mapping[str, Any]] = {}
        self._metadata: list[Mapping[str, Any]] = []
        self._scores: dict[str, Mapping[str, Any]] = {}

    @property
    def is_observed(self) -> bool:
        """Whether it has observations."""
        return bool(self._observations)

    def add(self, value: Mapping[str, Any], *, is_trace: bool) -> None:
        """Add a trace, an observation or a score; the last copy of each counts."""
        if is_trace:
            self._metadata.append(metadata_of(value))
        for score in as_list(value.get("scores")) if is_trace else [value]:
            if is_score(score):
                key = identity_of(score.get("id")) or f"score {len(self._scores)}"
                self._scores[key] = score
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
        attempt = attempt_of_runs([run_of(each, name) for each in observations], source, task)
        return None if attempt is None else with_scores(attempt, scores_of(self._scores.values()))


LANGFUSE_TRACES = FileFormat(
    name="langfuse-traces",
    description="traces of Langfuse",
    makes=Trajectory,
    carries=(*CARRIED_BY_RUNS, "passed"),
    origin="Langfuse's public API (langfuse 5.0.4), each trace or observation as a line, "
    "and its scheduled exports",
    recognises=_recognises,
    records=_records,
    folder_files=_OBSERVED,
)
