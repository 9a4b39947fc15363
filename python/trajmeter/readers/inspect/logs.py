"""Inspect's files: archives (``.eval``) and documents (``.json``)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.content import open_content
from trajmeter.readers._files.problems import problem_with
from trajmeter.readers._recognition.evidence import beginning
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.inspect.archive import Archive, first_entry, sample_in
from trajmeter.readers.inspect.columns import pieces_of, pieces_of_document
from trajmeter.readers.inspect.sample import attempt_of
from trajmeter.readers.messages.fields import CARRIED_BY_MESSAGES
from trajmeter.records import ReadProblem, Source, Trajectory
from trajmeter.validation_errors import describe_error

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from pathlib import Path

    from trajmeter.kernels._rust import JsonReader
    from trajmeter.readers._recognition.formats import Piece

__all__ = ["INSPECT_ARCHIVES", "INSPECT_DOCUMENTS"]

_CARRIES = (
    *CARRIED_BY_MESSAGES,
    "agent",
    "attempt",
    "turns.duration_seconds",
    "turns.tool_calls.duration_seconds",
    "usage",
    "duration_seconds",
    "failure",
    "passed",
    "metadata",
)
_ABOUT = frozenset({"config", "created", "dataset"})
"""Keys of ``eval`` that come first if keys are sorted."""
_ORIGIN = "Inspect (inspect-ai 0.3.285)"


def _is_archive(path: Path, head: bytes) -> Evidence | None:
    first = first_entry(head)
    if first is None:
        return None
    is_named = first == "header.json" or first.startswith(("_journal/", "samples/"))
    return Evidence.CERTAIN if is_named or path.suffix == ".eval" else None


def _samples(
    path: Path,
    report: Callable[[ReadProblem], None],
    columns: Collection[str] | None = None,
) -> Iterator[Trajectory]:
    """The samples of an archive, one in memory at a time."""
    try:
        with open_content(path) as file:
            archive = Archive(file)
            header = _header(archive, path, report)
            for name in archive.samples:
                yield from _attempt(
                    lambda name=name: archive.sample(name),  # type: ignore[misc] # bound at once
                    header,
                    Source(file=str(path), record=name),
                    report,
                    columns,
                )
    except (OSError, ReadError) as error:
        report(problem_with(path, error))


def _header(
    archive: Archive, path: Path, report: Callable[[ReadProblem], None]
) -> Mapping[str, Any]:
    """Data about all samples; if it is broken, samples are read without it."""
    try:
        return archive.header()
    except ReadError as error:
        report(ReadProblem(file=str(path), record="header", message=str(error)))
        return {}


def _attempt(
    sample: Callable[[], Mapping[str, Any]],
    header: Mapping[str, Any],
    source: Source,
    report: Callable[[ReadProblem], None],
    columns: Collection[str] | None,
) -> Iterator[Trajectory]:
    """Convert a sample to an attempt; reports it if it cannot be read."""
    try:
        yield attempt_of(sample(), header, source, columns=columns)
    except ReadError as error:
        report(ReadProblem(file=source.file, record=source.record, message=str(error)))
    except ValidationError as error:
        message = describe_error(error)
        report(ReadProblem(file=source.file, record=source.record, message=message))


def _is_document(_: Path, head: bytes) -> Evidence | None:
    values = beginning(head)
    first = values[0] if values else None
    about = first.get("eval") if isinstance(first, dict) else None
    if not isinstance(first, dict) or not isinstance(about, dict):
        return None
    # Sorted keys put the version and the status after the samples.
    is_sorted = len(values) == 1 and about.keys() >= _ABOUT
    is_log = ("version" in first and "status" in first) or is_sorted
    return Evidence.CERTAIN if is_log else None


def _samples_of_document(
    path: Path,
    report: Callable[[ReadProblem], None],
    columns: Collection[str] | None = None,
) -> Iterator[Trajectory]:
    try:
        with open_content(path) as file:
            log = json_input.parse(file.read())
    except (OSError, ReadError) as error:
        report(problem_with(path, error))
        return
    samples = log.get("samples") if isinstance(log, dict) else None
    if not isinstance(log, dict) or not isinstance(samples, list):
        report(ReadProblem(file=str(path), message="the log has no samples"))
        return
    for index, sample in enumerate(samples):
        source = Source(file=str(path), record=f"samples[{index}]")
        yield from _attempt(lambda sample=sample: sample_in(sample), log, source, report, columns)  # type: ignore[misc] # bound at once


def _pieces(path: Path, reader: JsonReader, columns: Collection[str]) -> Iterator[Piece] | None:
    return pieces_of(path, reader, partial(_attempt, columns=columns))


def _pieces_of_document(
    path: Path, reader: JsonReader, columns: Collection[str]
) -> Iterator[Piece] | None:
    return pieces_of_document(path, reader, partial(_attempt, columns=columns))


INSPECT_ARCHIVES = FileFormat(
    name="inspect-archives",
    description="logs of Inspect (.eval)",
    makes=Trajectory,
    carries=_CARRIES,
    origin=_ORIGIN,
    recognises=_is_archive,
    records=_samples,
    part=_samples,
    pieces=_pieces,
)

INSPECT_DOCUMENTS = FileFormat(
    name="inspect-documents",
    description="logs of Inspect (.json)",
    makes=Trajectory,
    carries=_CARRIES,
    origin=_ORIGIN,
    recognises=_is_document,
    records=_samples_of_document,
    part=_samples_of_document,
    pieces=_pieces_of_document,
)
