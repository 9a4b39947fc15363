"""Reading files of any known format; each file or record is recognised by its content."""

from __future__ import annotations

import os
import reprlib
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Generic

from pydantic import ValidationError

from trajmeter import json_input
from trajmeter.arguments import paths_and_records
from trajmeter.errors import ReadError
from trajmeter.readers._containers import entries
from trajmeter.readers._formats import Evidence, RecordFormat, RecordT
from trajmeter.readers._recognition import file_format, format_of
from trajmeter.readers._registry import formats, record_formats
from trajmeter.records import ReadProblem, Task, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.readers._containers import Entry
    from trajmeter.records import Source

__all__ = [
    "EntryReader",
    "files_of",
    "problem_at",
    "read_records",
    "read_tasks",
    "read_trajectories",
    "refuse",
]

# If none of its first records is recognised, it is the wrong file, which is reported once.
_PATIENCE = 20


def read_trajectories(
    paths: str | Path | Iterable[str | Path],
    *,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> Iterator[Trajectory]:
    """Read trajectories, one by one, in the order of the files and of their records.

    Args:
        paths: One or more files of any known format: ContextBench predictions, runs of
            mini-swe-agent, execution results of test cases, or Trajectory records, as JSON lines, a
            JSON document or Parquet; runs of fc-eval and captured output of its tests, ASV results,
            and rows of benchmarks, also as CSV. Formats are detected from content. A folder is read
            as a run of fc-eval or several, or else all files ``*.traj.json`` in it and all ASV
            results beside those of a baseline.
        on_problem: Called with every file and record that cannot be read, as soon as it is found;
            the rest is read. Without it, the first problem raises.

    Yields:
        The trajectories. JSON lines and Parquet are read in parts, in constant memory.

    Raises:
        ReadError: Without ``on_problem``: a file or record cannot be read; the message says where.
        ExtraMissingError: A file is Parquet, and pyarrow is not installed.

    Example:
        >>> from trajmeter.readers import read_trajectories
        >>> problems = []
        >>> list(read_trajectories("absent.jsonl", on_problem=problems.append))
        []
        >>> print(problems[0])
        absent.jsonl: No such file or directory
    """
    for path in paths_and_records(paths, name="paths"):
        yield from _read(Path(path), Trajectory, on_problem or refuse)


def read_tasks(
    paths: str | Path | Iterable[str | Path],
    *,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> Iterator[Task]:
    """Read tasks, one by one, in the order of the files and of their records.

    Args:
        paths: One or more files of any known format: ContextBench gold, test cases, or Task
            records, as JSON lines, a JSON document or Parquet. Formats are detected from content.
        on_problem: As for :func:`read_trajectories`.

    Yields:
        The tasks.

    Raises:
        ReadError: Without ``on_problem``: a file or record cannot be read; the message says where.
        ExtraMissingError: A file is Parquet, and pyarrow is not installed.

    Warns:
        UserWarning: A key of a task has no effect and resembles one that has, or an assertion is of
            a type that no rule checks; once for each file.
    """
    for path in paths_and_records(paths, name="paths"):
        yield from _read(Path(path), Task, on_problem or refuse)


def _read(
    path: Path, makes: type[RecordT], report: Callable[[ReadProblem], None]
) -> Iterator[RecordT]:
    try:
        whole = file_format(path, makes)
    except ReadError as error:
        report(ReadProblem(file=str(path), message=str(error)))
        return
    if whole is not None:
        yield from whole.records(path, report)
        return
    for file in files_of(path, report):
        yield from read_records(file, makes, report)


def files_of(path: Path, report: Callable[[ReadProblem], None]) -> list[Path]:
    """The files of records that a path names: itself, or those in the folder."""
    if not path.is_dir():
        return [path]
    # Format by format; two versions of one share their files.
    searches = [known.files_in for known in formats() if isinstance(known, RecordFormat)]
    files = [file for search in dict.fromkeys(searches) for file in search(path)]
    unreadable = _unreadable_folders(path)
    for problem in unreadable:
        report(problem)
    if not files and not unreadable:
        report(ReadProblem(file=str(path), message=_nothing_to_read()))
    return files


def _unreadable_folders(path: Path) -> list[ReadProblem]:
    """The folders in a folder, itself included, whose files cannot be listed."""
    errors: list[OSError] = []
    for _ in os.walk(path, onerror=errors.append):
        pass
    return [
        ReadProblem(file=str(error.filename), message=error.strerror or str(error))
        for error in errors
    ]


def _nothing_to_read() -> str:
    *most, last = dict.fromkeys(known.in_folder for known in formats() if known.in_folder)
    expected = f"{', '.join(most)} or {last}"
    return f"nothing to read in the folder, expected {expected}; otherwise name the files"


def read_records(
    path: Path, makes: type[RecordT], report: Callable[[ReadProblem], None]
) -> Iterator[RecordT]:
    """Read the records of a file that some format recognises, and report the others."""
    reader = EntryReader(path, makes, report)
    for entry in entries(path):
        record = reader.read(entry)
        if record is not None:
            yield record
        if reader.is_over:
            return
    reader.finish()


class EntryReader(Generic[RecordT]):
    """Turns the entries of one file into records, and reports those that no format recognises.

    Unrecognised entries are held back until one is recognised; if none is, they are one problem.
    """

    def __init__(
        self, path: Path, makes: type[RecordT], report: Callable[[ReadProblem], None]
    ) -> None:
        self._file = str(path)
        self._makes: type[Task | Trajectory] = makes
        self._candidates: Sequence[RecordFormat[RecordT]] = record_formats(makes)
        self._report = report
        self._strangers: list[ReadProblem] = []
        self._doubts: dict[str, list[str]] = {}
        self._is_known = False
        self.is_over = False
        """Whether reading stops here, because nothing in the file is recognised."""
        self.known: tuple[str, str] | None = None
        """Name and description of the format that recognised the last entry."""

    def accept(self) -> None:
        """Note that an entry was recognised."""
        self._is_known = True
        self._report_strangers()

    def read(self, entry: Entry) -> RecordT | None:
        """Read an entry; ``None`` if it is not a record, which is reported."""
        source, value = entry
        self.known = None
        if isinstance(value, ReadError):
            self._report(problem_at(source, str(value)))
            return None
        try:
            known = format_of(value, self._candidates) if isinstance(value, dict) else None
        except ReadError as error:
            self._report(problem_at(source, str(error)))
            return None
        if known is None or not isinstance(value, dict):
            self._strangers.append(problem_at(source, _unrecognised(value, self._makes)))
            if self._is_known:
                self._report_strangers()
            elif len(self._strangers) == _PATIENCE:
                self.is_over = True
                self.finish()
            return None
        self.known = known.name, known.description
        record = _record(known, value, source, self._report)
        if record is not None:
            for doubt in known.doubts(value):
                self._doubts.setdefault(doubt, []).append(str(source))
        self.accept()
        return record

    def finish(self) -> None:
        """Report what was held back, and warn of doubts, at the end of the file."""
        strangers = self._strangers
        if len(strangers) > 1:
            message = (
                f"none of its first {len(strangers)} records can be used: {strangers[0].message}"
            )
            strangers[:] = [ReadProblem(file=self._file, message=message)]
        self._report_strangers()
        _warn_of(self._doubts)

    def _report_strangers(self) -> None:
        for problem in self._strangers:
            self._report(problem)
        self._strangers.clear()


def _record(
    known: RecordFormat[RecordT],
    value: dict[str, JsonValue],
    source: Source,
    report: Callable[[ReadProblem], None],
) -> RecordT | None:
    """Read a record of a known format; report it and give ``None`` where that is not possible."""
    try:
        return known.read(value, source)
    except ReadError as error:
        report(problem_at(source, str(error)))
    except ValidationError as error:
        report(problem_at(source, json_input.describe_error(error)))
    return None


def _warn_of(doubts: Mapping[str, Sequence[str]]) -> None:
    """Warn of each doubt once, with the first place that it is about."""
    for doubt, places in doubts.items():
        more = f" (and in {len(places) - 1:,} more)" if len(places) > 1 else ""
        warnings.warn(f"{places[0]}: {doubt}{more}", stacklevel=3)


def _unrecognised(value: JsonValue, makes: type[Task | Trajectory]) -> str:
    expected = "expected a task" if makes is Task else "expected a trajectory"
    if not isinstance(value, dict):
        return f"{expected}, got {json_input.type_name(value)}"
    other = _description(value, Trajectory) if makes is Task else _description(value, Task)
    if other:
        return f"{expected}, got {other}"
    return (
        f"{expected}, got an object with the keys {reprlib.repr(list(value))}, "
        "which no format recognises ('trajmeter formats' lists them); "
        "docs/formats.md describes 'Our own records' and how to read 'Other formats'"
    )


def _description(value: dict[str, JsonValue], makes: type[RecordT]) -> str | None:
    """What records of the format of this one are called, if it surely is one of that kind."""
    try:
        known = format_of(value, record_formats(makes))
    except ReadError:
        return None
    if known is None:
        return None
    # A key that many formats share is not enough to call a record by the name of one.
    is_possible = known.evidence_in(value) == Evidence.POSSIBLE
    return None if is_possible and value.keys() - makes.model_fields.keys() else known.description


def problem_at(source: Source, message: str) -> ReadProblem:
    return ReadProblem(file=source.file, line=source.line, record=source.record, message=message)


def refuse(problem: ReadProblem) -> None:
    raise ReadError(str(problem))
