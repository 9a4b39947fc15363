"""Snapshots in a file of JSON lines, one repository and commit on each line.

A line is ``{"repo": …, "commit": …, "files": {path: {"size": …, "line_starts": [0, …],
"definitions": [[kind, start, end, name or null], …]}}}``; ``definitions`` may be absent. The file
is scanned once for the place of each line; a line is parsed when a task needs it, in Rust where it
is plain.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Annotated, TypeAlias, cast

from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import NotRequired, TypedDict

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.kernels import backend
from trajmeter.records import ReadProblem
from trajmeter.snapshots._indexed import IndexedSnapshots, Place
from trajmeter.snapshots._read import ReadFiles
from trajmeter.snapshots.snapshot import Definitions, FileSnapshot, Snapshot
from trajmeter.validation_errors import describe_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajmeter.kernels import Int64Array

__all__ = ["LineSnapshots", "checked_file", "read_line"]

_GROWTH = 3
"""Size of a snapshot in memory, relative to that of its line in the file."""

# Repository and commit usually come first in a line, which spares parsing its files.
_HEAD = re.compile(
    rb'\s*\{\s*"repo"\s*:\s*("(?:[^"\\]|\\.)*"|null)\s*,'
    rb'\s*"commit"\s*:\s*("(?:[^"\\]|\\.)*"|null)\s*[,}]'
)


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


class LineSnapshots(IndexedSnapshots):
    """The snapshots of one file of JSON lines."""

    unit = "line"

    def index(self, on_problem: Callable[[ReadProblem], None]) -> None:
        """Note where each line begins."""
        name = str(self.path)
        with self.path.open("rb") as file:
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
                    self.note(commit, Place(repo, offset, _GROWTH * len(line), number))
                except ReadError as error:
                    on_problem(ReadProblem(file=name, line=number, message=str(error)))
            if not number:
                on_problem(ReadProblem(file=name, message="the file is empty, expected snapshots"))

    def read(self, place: Place) -> Snapshot:
        """Read one line."""
        with self.path.open("rb") as file:
            file.seek(place.offset)
            line = file.read(place.bytes // _GROWTH)
        try:
            return read_line(line)
        except ReadError as error:
            raise ReadError(f"{self.path}:{place.number}: {error}") from error


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


def read_line(line: bytes) -> Snapshot:
    """Read the snapshot of a line.

    Raises:
        ReadError: The line is not a snapshot.
    """
    if backend() == "rust":
        read = _read_plain(line)
        if read is not None:
            return read
    try:
        # Every line of every file is a value, so that large repositories have many millions.
        value = json_input.parse(line, most_values=len(line))
        record = _line_records().validate_python(value)
    except ValidationError as error:
        raise ReadError(describe_error(error)) from error
    files = {
        path: checked_file(
            path, file["size"], _column(file["line_starts"]), _definitions(file.get("definitions"))
        )
        for path, file in record["files"].items()
    }
    return Snapshot(record.get("repo"), record.get("commit"), files)


def _read_plain(line: bytes) -> Snapshot | None:
    """The snapshot of a line that is certain to be right; ``None`` for any other."""
    from trajmeter.kernels._rust import read_snapshot

    read = read_snapshot(line)
    if read is None:
        return None
    repo, commit, files = read
    return Snapshot(repo, commit, ReadFiles(files))


def _definitions(rows: Sequence[tuple[str, int, int, str | None]] | None) -> Definitions | None:
    if rows is None:
        return None
    kind, start, end, name = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Definitions(kind, _column(start), _column(end), name)


def checked_file(
    path: str, size: int, starts: Int64Array, definitions: Definitions | None
) -> FileSnapshot:
    """A file of a snapshot.

    Raises:
        ReadError: Its lines or definitions do not fit into it.
    """
    is_rising = not (starts[1:] <= starts[:-1]).any()
    if not len(starts) or starts[0] != 0 or starts[-1] > size or not is_rising:
        raise ReadError(f"files[{path!r}].line_starts: expected to rise from 0 to at most {size}")
    if definitions is not None:
        start, end = definitions.start, definitions.end
        wrong = (start < 0) | (start > end) | (end > size)
        if wrong.any():
            index = int(wrong.argmax())
            raise ReadError(
                f"files[{path!r}].definitions[{index}]: [{start[index]}, {end[index]}) is not a "
                f"range within the file's {size} bytes"
            )
    return FileSnapshot(size, starts, definitions)


def _column(values: Sequence[int]) -> Int64Array:
    import numpy as np  # files are already being read when it is imported

    return np.array(values, dtype=np.int64)
