"""Reading files of any known format; each file or record is recognised by its content."""

from __future__ import annotations

import reprlib
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from trajmeter import json_input
from trajmeter.arguments import paths_and_records
from trajmeter.errors import ReadError
from trajmeter.readers._containers import entries
from trajmeter.readers._formats import (
    Evidence,
    RecordFormat,
    file_formats,
    formats,
    record_formats,
)
from trajmeter.records import ReadProblem, Task, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.readers._formats import FileFormat, RecordT
    from trajmeter.records import Source

__all__ = ["read_tasks", "read_trajectories"]

# Formats of whole files are recognised by this much of a file's beginning.
_HEAD = 1 << 16

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
        yield from _read(Path(path), Trajectory, on_problem or _refuse)


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
        yield from _read(Path(path), Task, on_problem or _refuse)


def _read(
    path: Path, makes: type[RecordT], report: Callable[[ReadProblem], None]
) -> Iterator[RecordT]:
    whole = _file_format(path, makes)
    if whole is not None:
        yield from whole.records(path, report)
        return
    files = _files_in(path) if path.is_dir() else [path]
    if not files:
        report(ReadProblem(file=str(path), message=_nothing_to_read()))
    for file in files:
        yield from _read_records(file, makes, report)


def _file_format(path: Path, makes: type[RecordT]) -> FileFormat[RecordT] | None:
    """The format that reads a folder or a file as a whole, if there is one."""
    head = b""
    if path.is_file():
        try:
            with path.open("rb") as file:
                head = file.read(_HEAD)
        except OSError:  # reported when the file is read for records
            return None
    return next((known for known in file_formats(makes) if known.recognises(path, head)), None)


def _files_in(folder: Path) -> list[Path]:
    """The files of records in a folder, format by format; two versions of one share their files."""
    searches = [known.files_in for known in formats() if isinstance(known, RecordFormat)]
    return [file for search in dict.fromkeys(searches) for file in search(folder)]


def _nothing_to_read() -> str:
    *most, last = dict.fromkeys(known.in_folder for known in formats() if known.in_folder)
    expected = f"{', '.join(most)} or {last}"
    return f"nothing to read in the folder, expected {expected}; otherwise name the files"


def _read_records(
    path: Path, makes: type[RecordT], report: Callable[[ReadProblem], None]
) -> Iterator[RecordT]:
    """Read the records of a file that some format recognises, and report the others."""
    candidates = record_formats(makes)
    strangers: list[ReadProblem] = []
    doubts: dict[str, list[str]] = {}
    is_known = False
    for source, value in entries(path):
        if isinstance(value, ReadError):
            report(_problem(source, str(value)))
            continue
        known = _recognise(value, candidates)
        if known is not None and isinstance(value, dict):
            is_known = True
            record = _record(known, value, source, report)
            if record is not None:
                for doubt in known.doubts(value):
                    doubts.setdefault(doubt, []).append(str(source))
                yield record
        else:
            strangers.append(_problem(source, _unrecognised(value, candidates)))
        if is_known:
            _report_all(strangers, report)
        elif len(strangers) == _PATIENCE:
            break
    if len(strangers) > 1:
        message = f"none of its first {len(strangers)} records can be used: {strangers[0].message}"
        strangers = [ReadProblem(file=str(path), message=message)]
    _report_all(strangers, report)
    _warn_of(doubts)


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
        report(_problem(source, str(error)))
    except ValidationError as error:
        report(_problem(source, json_input.describe_error(error)))
    return None


def _warn_of(doubts: Mapping[str, Sequence[str]]) -> None:
    """Warn of each doubt once, with the first place that it is about."""
    for doubt, places in doubts.items():
        more = f" (and in {len(places) - 1:,} more)" if len(places) > 1 else ""
        warnings.warn(f"{places[0]}: {doubt}{more}", stacklevel=3)


def _report_all(problems: list[ReadProblem], report: Callable[[ReadProblem], None]) -> None:
    for problem in problems:
        report(problem)
    problems.clear()


def _recognise(
    value: JsonValue, candidates: Sequence[RecordFormat[RecordT]]
) -> RecordFormat[RecordT] | None:
    """The format with the strongest evidence among those that recognise a record."""
    if isinstance(value, dict):
        for known in candidates:
            if known.recognises(value):
                return known
    return None


def _unrecognised(value: JsonValue, candidates: Sequence[RecordFormat[RecordT]]) -> str:
    *most, last = [known.description for known in candidates]
    expected = f"{', '.join(most)} or {last}"
    if not isinstance(value, dict):
        return f"expected {expected}, got {json_input.type_name(value)}"
    # None of the candidates recognises it, so this is a format of the other kind.
    other = _recognise(value, [known for known in formats() if isinstance(known, RecordFormat)])
    # A key that many formats share is not enough to call a record by the name of one.
    if other and (
        other.evidence > Evidence.POSSIBLE or value.keys() <= other.makes.model_fields.keys()
    ):
        return f"expected {expected}, got {other.description}"
    return (
        f"expected {expected}, got an object with the keys {reprlib.repr(list(value))}; "
        "docs/formats.md describes 'Our own records' and how to read 'Other formats'"
    )


def _problem(source: Source, message: str) -> ReadProblem:
    return ReadProblem(file=source.file, line=source.line, record=source.record, message=message)


def _refuse(problem: ReadProblem) -> None:
    raise ReadError(str(problem))
