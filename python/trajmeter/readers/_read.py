"""Reading files of any known format, each record recognised by what it holds."""

from __future__ import annotations

import reprlib
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from pydantic import ValidationError

from trajmeter import json_input
from trajmeter.arguments import paths_and_records
from trajmeter.errors import ReadError
from trajmeter.readers import (
    asv_results,
    benchmark_rows,
    captured_output,
    contextbench_gold,
    contextbench_predictions,
    fceval_run,
    mini_swe_agent,
    mini_swe_agent_2,
    rule_cases,
    rule_executions,
    task_records,
    trajectory_records,
)
from trajmeter.readers._containers import entries
from trajmeter.records import ReadProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.records import Source, Task, Trajectory

__all__ = ["read_tasks", "read_trajectories"]

_RecordT_co = TypeVar("_RecordT_co", covariant=True)


class _Collection(Protocol):
    """A format of attempts that can be read together only: a folder, or rows of one table."""

    @property
    def CONTENT(self) -> str:  # noqa: N802 - the modules' constant
        """What it holds, in words."""

    def sniff(self, path: Path, head: bytes) -> bool:
        """Whether a folder, or a file that begins with ``head``, is of this format."""

    def read(self, path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
        """Read its attempts, and report what is left out."""


class _Format(Protocol[_RecordT_co]):
    """A format on disk: the modules of this package that read one."""

    @property
    def CONTENT(self) -> str:  # noqa: N802 - the modules' constant
        """What a file of this format holds, in words."""

    def sniff(self, record: Mapping[str, JsonValue]) -> bool:
        """Whether the record is of this format."""

    def read(self, record: Mapping[str, JsonValue], source: Source) -> _RecordT_co:
        """Turn the record into one of ours."""


# The first that recognises a record reads it: the ones with telling keys come first.
_TRAJECTORIES: tuple[_Format[Trajectory], ...] = (
    contextbench_predictions,
    mini_swe_agent,
    mini_swe_agent_2,
    asv_results,
    rule_executions,
    trajectory_records,
)
_COLLECTIONS: tuple[_Collection, ...] = (fceval_run, benchmark_rows, captured_output)
_TASKS: tuple[_Format[Task], ...] = (contextbench_gold, rule_cases, task_records)

# By so much of its beginning a file is recognised that is read as a whole.
_HEAD = 1 << 16

# A file none of whose first records is recognised is the wrong file, which is said once.
_PATIENCE = 20

# In a folder of runs lie logs and lists as well, so that here names have to tell.
_RUN_FILES = "*.traj.json"
_NOTHING = (
    f"a folder without anything to read: a run of fc-eval, ASV results beside "
    f"{' or '.join(asv_results.BASELINE_FILES)}, or files {_RUN_FILES}; name the files themselves"
)


def read_trajectories(
    paths: str | Path | Iterable[str | Path],
    *,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> Iterator[Trajectory]:
    """Read trajectories, one by one, in the order of the files and of their records.

    Args:
        paths: One file or several, each of any format known: ContextBench predictions, runs of
            mini-swe-agent, execution results of test cases, or trajectories of ours; as JSON lines,
            a JSON document or Parquet; runs of fc-eval and captured output of its tests, ASV
            results, and rows of benchmarks, also as CSV. The formats are told by content. Of a
            folder, runs of fc-eval are read, or all files ``*.traj.json`` below it, or all ASV
            results beside those of a baseline.
        on_problem: Called with every file and every record that is left out because it cannot be
            read, as soon as it is met. Without it the first such problem raises.

    Yields:
        The trajectories. Of JSON lines and Parquet only the current part is in memory.

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
    report = on_problem or _refuse
    for path in _each(paths):
        collection = _collection(path)
        if collection is not None:
            yield from collection.read(path, report)
        else:
            yield from _read(path, _TRAJECTORIES, _TASKS, report)


def read_tasks(
    paths: str | Path | Iterable[str | Path],
    *,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> Iterator[Task]:
    """Read tasks, one by one, in the order of the files and of their records.

    Args:
        paths: One file or several, each of any format known: ContextBench gold, test cases, or
            tasks of ours; as JSON lines, a JSON document or Parquet. The formats are told by
            content.
        on_problem: As for :func:`read_trajectories`.

    Yields:
        The tasks.

    Raises:
        ReadError: Without ``on_problem``: a file or record cannot be read; the message says where.
        ExtraMissingError: A file is Parquet, and pyarrow is not installed.
    """
    for path in _each(paths):
        yield from _read(path, _TASKS, _TRAJECTORIES, on_problem or _refuse)


def _each(paths: str | Path | Iterable[str | Path]) -> Iterator[Path]:
    yield from map(Path, paths_and_records(paths, name="paths"))


def _collection(path: Path) -> _Collection | None:
    """The format that a folder or a file is read in as a whole."""
    head = b""
    if path.is_file():
        try:
            with path.open("rb") as file:
                head = file.read(_HEAD)
        except OSError:  # which reading the file as one of records reports
            return None
    return next((known for known in _COLLECTIONS if known.sniff(path, head)), None)


def _read(
    given: Path,
    formats: Sequence[_Format[_RecordT_co]],
    others: Sequence[_Format[object]],
    report: Callable[[ReadProblem], None],
) -> Iterator[_RecordT_co]:
    files = _files(given)
    if not files:
        report(ReadProblem(file=str(given), message=_NOTHING))
    for path in files:
        for reader, value, source in _recognised(path, formats, others, report):
            try:
                record = reader.read(value, source)
            except ReadError as error:
                report(_problem(source, str(error)))
            except ValidationError as error:
                report(_problem(source, json_input.describe_error(error)))
            else:
                yield record


def _files(path: Path) -> Sequence[Path]:
    """The files to read of a folder that keeps one a run, or one an agent."""
    if not path.is_dir():
        return [path]
    suites = {file.parent for name in asv_results.BASELINE_FILES for file in path.rglob(name)}
    return sorted(path.rglob(_RUN_FILES)) + [
        file for suite in sorted(suites) for file in sorted(suite.glob("*.json"))
    ]


def _recognised(
    path: Path,
    formats: Sequence[_Format[_RecordT_co]],
    others: Sequence[_Format[object]],
    on_problem: Callable[[ReadProblem], None],
) -> Iterator[tuple[_Format[_RecordT_co], dict[str, JsonValue], Source]]:
    """The records of a file that some format knows, with that format; reports the others."""
    strangers: list[ReadProblem] = []
    is_known = False
    for source, value in entries(path):
        if isinstance(value, ReadError):
            on_problem(_problem(source, str(value)))
            continue
        reader = _recognise(value, formats)
        if reader is not None and isinstance(value, dict):
            is_known = True
            yield reader, value, source
        else:
            strangers.append(_problem(source, _unrecognised(value, formats, others)))
        if is_known:
            _report(strangers, on_problem)
        elif len(strangers) == _PATIENCE:
            break
    if len(strangers) > 1:
        message = f"none of its first {len(strangers)} records can be used: {strangers[0].message}"
        strangers = [ReadProblem(file=str(path), message=message)]
    _report(strangers, on_problem)


def _report(problems: list[ReadProblem], on_problem: Callable[[ReadProblem], None]) -> None:
    for problem in problems:
        on_problem(problem)
    problems.clear()


def _recognise(
    value: JsonValue, formats: Sequence[_Format[_RecordT_co]]
) -> _Format[_RecordT_co] | None:
    if isinstance(value, dict):
        for known in formats:
            if known.sniff(value):
                return known
    return None


def _unrecognised(
    value: JsonValue, formats: Sequence[_Format[object]], others: Sequence[_Format[object]]
) -> str:
    *most, last = [known.CONTENT for known in formats]
    expected = f"{', '.join(most)} or {last}"
    other = _recognise(value, others)
    if other is not None:
        return f"expected {expected}, got {other.CONTENT}"
    got = json_input.type_name(value)
    if isinstance(value, dict):
        got += f" with the keys {reprlib.repr(list(value))}"
    return f"expected {expected}, got {got}"


def _problem(source: Source, message: str) -> ReadProblem:
    return ReadProblem(file=source.file, line=source.line, record=source.record, message=message)


def _refuse(problem: ReadProblem) -> None:
    raise ReadError(str(problem))
