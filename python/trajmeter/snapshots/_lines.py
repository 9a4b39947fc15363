"""Snapshots in a file of JSON lines, one repository and commit on each line.

A line is ``{"repo": …, "commit": …, "files": {path: {"size": …, "line_starts": [0, …],
"definitions": [[kind, start, end, name or null], …]}}}``; ``definitions`` may be absent. The file
is scanned once for the place of each line; a line is parsed when a task needs it, in Rust where it
is plain.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

import numpy as np
from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import NotRequired, TypedDict

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.kernels import backend
from trajmeter.records import ReadProblem
from trajmeter.snapshots.snapshot import Definitions, FileSnapshot, Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from trajmeter.kernels import Int64Array
    from trajmeter.records import Task

__all__ = ["LineSnapshots", "read_line"]

_MOST_BYTES = 256 << 20
"""Memory of the snapshots that are kept: tasks of several repositories often take turns."""

# What a snapshot takes in memory, beside what its line takes in the file.
_GROWTH = 3

# Repository and commit usually come first in a line, which spares parsing its files.
_HEAD = re.compile(
    rb'\s*\{\s*"repo"\s*:\s*("(?:[^"\\]|\\.)*"|null)\s*,'
    rb'\s*"commit"\s*:\s*("(?:[^"\\]|\\.)*"|null)\s*[,}]'
)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a snapshot lies in the file."""

    repo: str | None
    offset: int
    length: int
    line: int


_Offset: TypeAlias = Annotated[int, Field(strict=True, ge=0, le=2**63 - 1)]


class _FileRecord(TypedDict):
    size: _Offset
    line_starts: list[_Offset]
    definitions: NotRequired[list[tuple[str, _Offset, _Offset, str | None]] | None]


class _LineRecord(TypedDict):
    repo: NotRequired[str | None]
    commit: NotRequired[str | None]
    files: dict[str, _FileRecord]


@cache
def _line_records() -> TypeAdapter[_LineRecord]:
    return TypeAdapter(_LineRecord)


class LineSnapshots:
    """The snapshots of one file of JSON lines, found by commit, then by repository."""

    def __init__(self, path: Path, *, on_problem: Callable[[ReadProblem], None]) -> None:
        self._path = path
        self._places: dict[str | None, list[_Place]] = {}
        self._kept: OrderedDict[_Place, Snapshot] = OrderedDict()
        self._kept_bytes = 0
        self._index(on_problem)

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind the snapshots that were read: they are large, and can be read again."""
        return {**vars(self), "_kept": OrderedDict()}

    def find(self, task: Task) -> Snapshot | None:
        """The snapshot of the task's commit; of several with that commit, that of its repository.

        Repositories agree if their names do, or the last parts of their names: a task of ``cli``
        finds ``cli/cli``. ``None`` if none fits, or several do.

        Raises:
            ReadError: The line of the snapshot cannot be read.
        """
        places = self._places.get(task.commit, [])
        if len(places) > 1 or task.commit is None:
            same = [place for place in places if _same_repo(place.repo, task.repo)]
            exact = [place for place in same if place.repo == task.repo]
            places = exact or same
        return self._load(places[0]) if len(places) == 1 else None

    def _index(self, on_problem: Callable[[ReadProblem], None]) -> None:
        name = str(self._path)
        with self._path.open("rb") as file:
            if not file.seekable():  # snapshots are read later, out of order
                raise ReadError(f"{name}: a pipe cannot be read; save its output to a file first")
            try:
                json_input.refuse_archive(file)
            except ReadError as error:
                on_problem(ReadProblem(file=name, message=str(error)))
                return
            number = 0
            for number, offset, line in json_input.lines(file):
                try:
                    repo, commit = _head(line)
                    self._note(commit, _Place(repo, offset, len(line), number))
                except ReadError as error:
                    on_problem(ReadProblem(file=name, line=number, message=str(error)))
            if not number:
                on_problem(ReadProblem(file=name, message="the file is empty, expected snapshots"))

    def _note(self, commit: str | None, place: _Place) -> None:
        places = self._places.setdefault(commit, [])
        for other in places:
            if other.repo == place.repo:
                raise ReadError(
                    f"a second snapshot of {place.repo!r} at {commit!r}, left out; "
                    f"the first is on line {other.line}"
                )
        places.append(place)

    def _load(self, place: _Place) -> Snapshot:
        snapshot = self._kept.get(place)
        if snapshot is None:
            with self._path.open("rb") as file:
                file.seek(place.offset)
                line = file.read(place.length)
            try:
                snapshot = read_line(line)
            except ReadError as error:
                raise ReadError(f"{self._path}:{place.line}: {error}") from error
            self._kept[place] = snapshot
            self._kept_bytes += _GROWTH * place.length
            while self._kept_bytes > _MOST_BYTES and len(self._kept) > 1:
                forgotten, _ = self._kept.popitem(last=False)
                self._kept_bytes -= _GROWTH * forgotten.length
        self._kept.move_to_end(place)
        return snapshot


def _head(line: bytes) -> tuple[str | None, str | None]:
    """Repository and commit of a line; its files are parsed only if the head is unusual."""
    if not line.rstrip().endswith(b"}"):
        raise ReadError("the line is cut short: expected an object that ends in '}'")
    match = _HEAD.match(line)
    if match is None:
        snapshot = read_line(line)
        return snapshot.repo, snapshot.commit
    repo, commit = (json_input.parse(text) for text in match.groups())
    # The expression matches only text and null.
    return cast("str | None", repo), cast("str | None", commit)


def _same_repo(one: str | None, other: str | None) -> bool:
    if one is None or other is None:
        return False
    first, second = _repo_parts(one), _repo_parts(other)
    shorter = min(len(first), len(second))
    return first[-shorter:] == second[-shorter:]


def _repo_parts(repo: str) -> list[str]:
    """The parts of ``owner/name``, ``owner__name`` or a URL, for comparison."""
    return repo.lower().rstrip("/").removesuffix(".git").replace("__", "/").split("/")


def read_line(line: bytes) -> Snapshot:
    """Read the snapshot of a line.

    Raises:
        ReadError: The line is not a snapshot.
    """
    if backend() == "rust":
        from trajmeter.kernels._rust import read_snapshot

        read = read_snapshot(line)
        if read is not None:
            repo, commit, known = read
            return Snapshot(
                repo,
                commit,
                {
                    path: _file(path, size, starts, definitions and Definitions(*definitions))
                    for path, size, starts, definitions in known
                },
            )
    try:
        record = _line_records().validate_python(json_input.parse(line))
    except ValidationError as error:
        raise ReadError(json_input.describe_error(error)) from error
    files = {
        path: _file(
            path, file["size"], _column(file["line_starts"]), _definitions(file.get("definitions"))
        )
        for path, file in record["files"].items()
    }
    return Snapshot(record.get("repo"), record.get("commit"), files)


def _definitions(rows: Sequence[tuple[str, int, int, str | None]] | None) -> Definitions | None:
    if rows is None:
        return None
    kind, start, end, name = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Definitions(kind, _column(start), _column(end), name)


def _file(
    path: str, size: int, starts: Int64Array, definitions: Definitions | None
) -> FileSnapshot:
    if not len(starts) or starts[0] != 0 or starts[-1] > size or (np.diff(starts) <= 0).any():
        raise ReadError(f"files[{path!r}].line_starts: expected to rise from 0 to at most {size}")
    if definitions is not None:
        wrong = (definitions.start > definitions.end) | (definitions.end > size)
        if wrong.any():
            index = int(wrong.argmax())
            raise ReadError(
                f"files[{path!r}].definitions[{index}]: [{definitions.start[index]}, "
                f"{definitions.end[index]}) is not a range within the file's {size} bytes"
            )
    return FileSnapshot(size, starts, definitions)


def _column(values: Sequence[int]) -> Int64Array:
    return np.array(values, dtype=np.int64)
