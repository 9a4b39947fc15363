"""A worker process that reads files into batches; see :mod:`trajmeter.readers.parallel`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from trajmeter.errors import InternalError, TrajmeterError, format_exception
from trajmeter.readers._files.folder_notes import FolderNotes
from trajmeter.readers._files.inputs import Input
from trajmeter.readers._recognition.registry import format_named
from trajmeter.readers.batches import TrajectoryBatches
from trajmeter.records import Trajectory
from trajmeter.remote import path_of
from trajmeter.system.processes import Replies, portable, requests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from trajmeter.readers._recognition.formats import FileFormat
    from trajmeter.records import ReadProblem

__all__ = ["Batch", "End", "FileToRead", "FilesRead", "IssuedWarning", "Note", "main"]


class FileToRead(NamedTuple):
    """A file, or a folder that is read whole."""

    path: str
    is_in_folder: bool
    """Whether it was found in a folder."""
    format: str | None
    """Name of the format that reads a folder."""


class Batch(NamedTuple):
    """Rows, serialised as an Arrow stream."""

    content: bytes


class IssuedWarning(NamedTuple):
    """A warning to show."""

    message: str
    category: type[Warning]


class Note(NamedTuple):
    """An event to record for a file that was found in a folder."""

    number: int
    """Index of the file, from 0."""
    method: str
    """The method of :class:`~trajmeter.readers._files.inputs.Input` that records it."""


class End(NamedTuple):
    """The end of the files, or the error that ended them."""

    formats: dict[str, int]
    error: Exception | None = None


class FilesRead(TrajectoryBatches):
    """Reads the trajectories of files that were found.

    Args:
        files: The files.
        settings: Arguments of :class:`~trajmeter.readers.batches.TrajectoryBatches`.
        report: Called with every file and record that cannot be read.
    """

    def __init__(
        self,
        files: Iterable[Input],
        settings: Mapping[str, Any],
        report: Callable[[ReadProblem], None],
    ) -> None:
        super().__init__((), **settings, on_problem=report)
        self._files = files

    def _inputs(self) -> Iterator[Input]:
        return iter(self._files)


class _Notes(FolderNotes):
    """Events of one file, passed back to the process that found it."""

    def __init__(self, number: int, replies: Replies) -> None:
        super().__init__(Path())
        self._number = number
        self._replies = replies

    def report(self) -> None:
        self._replies.send(Note(self._number, "note_reported"))

    def read(self, path: Path | str) -> None:  # noqa: ARG002 - of that file
        self._replies.send(Note(self._number, "note_read"))

    def leave_out(self, path: Path) -> None:  # noqa: ARG002 - likewise
        self._replies.send(Note(self._number, "note_left_out"))


def main() -> None:
    """Answer each list of files with their batches, events and warnings."""
    incoming = requests()
    settings = cast("Mapping[str, Any]", next(incoming)[0])
    for files, stream in incoming:
        _read(cast("Sequence[FileToRead]", files), settings, Replies(stream))


def _read(files: Sequence[FileToRead], settings: Mapping[str, Any], replies: Replies) -> None:
    def show(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        replies.send(IssuedWarning(str(message), category))

    with warnings.catch_warnings():
        warnings.simplefilter("always")  # the parent process decides which warnings to show
        warnings.showwarning = show
        try:
            found = [_input(number, file, replies) for number, file in enumerate(files)]
            batches = FilesRead(found, settings, replies.send)
            for batch in batches:
                replies.send(Batch(_stream(batch)))
            end = End(batches.formats)
        except TrajmeterError as error:
            end = End({}, portable(error))
        except Exception as error:  # noqa: BLE001 - a plug-in's exception may not be picklable
            end = End({}, InternalError(format_exception(error)))
    replies.send(end)


def _input(number: int, file: FileToRead, replies: Replies) -> Input:
    known = None if file.format is None else format_named(file.format, Trajectory)
    notes = _Notes(number, replies) if file.is_in_folder else None
    return Input(path_of(file.path), cast("FileFormat[Any] | None", known), notes)


def _stream(batch: pa.RecordBatch) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return sink.getvalue().to_pybytes()
