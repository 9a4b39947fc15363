"""Reads files of any known format; each file or record is recognised by its content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import ReadError
from trajmeter.readers._entry_reader import EntryReader
from trajmeter.readers._files.entries import entries
from trajmeter.readers._files.inputs import inputs
from trajmeter.readers._files.problems import problem_with, refuse
from trajmeter.readers._recognition.choice import Choice
from trajmeter.records import ReadProblem, Task, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from trajmeter.readers._files.inputs import Input
    from trajmeter.readers._recognition.formats import RecordT

__all__ = [
    "read_records",
    "read_tasks",
    "read_trajectories",
]


def read_trajectories(
    paths: str | Path | Iterable[str | Path],
    *,
    input_format: str | None = None,
    mapping: Mapping[str, str] | None = None,
    profiles: Collection[str] = (),
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> Iterator[Trajectory]:
    """Read trajectories, one by one, in the order of the files and of their records.

    Args:
        paths: One or more files of any of the :func:`~trajmeter.readers.formats`, which are
            detected from content; gzip and zstd are decompressed. ``-`` is standard input,
            ``logs/**/*.json`` all files that match the pattern. In a folder, every file that some
            format recognises is read.
        input_format: Name of the format of all files, instead of detecting it.
        mapping: Columns, or keys, by the trajectory field they contain, with dots for nested ones,
            such as ``{"turns": "trajectory", "task_id": "instance_id"}``. Turns may be a list of
            messages. All others keep their names. Fields prefixed with ``task.`` are those of the
            task, for :func:`read_tasks`.
        profiles: Compatibility profiles; ``contextbench`` reads views of shell commands as
            ContextBench does.
        on_problem: Called with every file and record that cannot be read, as soon as it is found;
            the rest is read. Without it, the first problem raises.

    Yields:
        The trajectories. JSON lines and Parquet are read in parts, in constant memory.

    Raises:
        UnknownNameError: No format is called ``input_format``.
        ConfigurationError: The mapping names a field that trajectories do not have, or a column
            that a Parquet file lacks, or whose type cannot hold the field.
        ReadError: Without ``on_problem``: a file or record cannot be read; the message says where.
        ExtraMissingError: A file is Parquet and pyarrow is not installed, or is compressed with
            zstd and zstandard is not.

    Warns:
        UserWarning: Files of a folder are skipped because no format recognises them.

    Example:
        >>> from trajmeter.readers import read_trajectories
        >>> problems = []
        >>> list(read_trajectories("absent.jsonl", on_problem=problems.append))
        []
        >>> print(problems[0])
        absent.jsonl: No such file or directory
    """
    return _read(
        paths,
        Choice(Trajectory, input_format=input_format, mapping=mapping, profiles=profiles),
        on_problem or refuse,
    )


def read_tasks(
    paths: str | Path | Iterable[str | Path],
    *,
    mapping: Mapping[str, str] | None = None,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> Iterator[Task]:
    """Read tasks, one by one, in the order of the files and of their records.

    Args:
        paths: One or more files of any known format: ContextBench gold, test cases, or Task
            records, as JSON lines, a JSON document or Parquet. Formats are detected from content.
        mapping: Columns of the files, which then contain attempts, by task field, prefixed with
            ``task.``, such as ``{"task_id": "uid", "task.gold_patch": "patch"}``. If no column is
            mapped to ``task_id``, it is the one of that name, or ``instance_id``. Other fields are
            ignored, and unreadable rows are skipped: with the same mapping,
            :func:`read_trajectories` reports them.
        on_problem: As for :func:`read_trajectories`.

    Yields:
        The tasks.

    Raises:
        ReadError: Without ``on_problem``: a file or record cannot be read; the message says where.
        ConfigurationError: The mapping names a field that tasks do not have, or a column that a
            Parquet file lacks, or whose type cannot hold the field.
        ExtraMissingError: A file is Parquet, and pyarrow is not installed.

    Warns:
        UserWarning: A key of a task has no effect but resembles one that does, or an assertion has
            a type that no rule checks; once per file.
    """
    report = on_problem or refuse
    if mapping is None:
        return _read(paths, Choice(Task), report)
    from trajmeter.readers._recognition.mapped_tasks import TaskColumns, mapped_tasks

    return mapped_tasks(inputs(paths, Choice(Trajectory)), TaskColumns(mapping), report)


def _read(
    paths: str | Path | Iterable[str | Path],
    choice: Choice[RecordT],
    report: Callable[[ReadProblem], None],
) -> Iterator[RecordT]:
    for each in inputs(paths, choice):
        for problem in each.problems:
            report(problem)
        if not each.problems and not each.is_repetition():
            yield from _read_input(each, choice, report)
        if each.is_end and each.notes is not None:
            for problem in each.notes.end():
                report(problem)


def _read_input(
    file: Input, choice: Choice[RecordT], report: Callable[[ReadProblem], None]
) -> Iterator[RecordT]:
    """Read a file, or a folder as a whole."""
    if file.is_end:
        return
    try:
        known = file.format or choice.file_format(file.path)
    except ReadError as error:
        report(problem_with(file.path, error))
        file.note_reported()
        return
    if known is None:
        yield from read_records(file, choice, report)
        return
    file.note_read()
    yield from choice.records(known, file.path, report)


def read_records(
    file: Input, choice: Choice[RecordT], report: Callable[[ReadProblem], None]
) -> Iterator[RecordT]:
    """Yield the records of a file that some format recognises, and report the others."""
    reader = EntryReader(file, choice, report)
    if choice.mapping is not None:
        choice.mapping.check(file.path)
    found = entries(
        file.path,
        may_be_own=choice.mapping is None,
        within=file.within,
        longest=choice.max_line,
    )
    for entry in found:
        record = reader.read(entry)
        if record is not None:
            yield record
        if reader.is_over:
            return
    reader.finish()
