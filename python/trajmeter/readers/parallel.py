"""Reads the trajectories of many files as record batches in several processes.

Formats are read in Python, where threads do not help. Files are handed out in parcels, and the
results are passed on in the order of the files; each process is at most a few parcels ahead, so
memory does not grow with the input.
"""

from __future__ import annotations

import warnings
from collections import Counter, deque
from contextlib import ExitStack, closing
from itertools import chain, islice
from queue import Full, Queue
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.errors import InternalError, format_exception
from trajmeter.json_input import LONGEST_LINE
from trajmeter.readers._columns.ahead import MOST_ROWS, joined
from trajmeter.readers._columns.reader_process import (
    Batch,
    End,
    FilesRead,
    FileToRead,
    IssuedWarning,
    Note,
)
from trajmeter.readers._files.inputs import Input, inputs
from trajmeter.readers._files.problems import refuse
from trajmeter.readers._recognition.choice import Choice
from trajmeter.records import ReadProblem, Trajectory
from trajmeter.system.pipes import STDIN
from trajmeter.system.processes import WorkerEndedError, WorkerProcess
from trajmeter.system.processors import processors

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa
    from typing_extensions import Self

__all__ = ["ParallelBatches"]

_MODULE = "trajmeter.readers._columns.reader_process"
_PARCEL_BYTES = 4 << 20
_PARCEL_FILES = 64
"""Maximum number of files in a parcel, and of bytes not counting its last file."""
_FOLDER_BYTES = 1 << 19
_WORTH_BYTES = 16 << 20
"""Smaller input is read faster than another process starts."""
_MESSAGES = 4
"""Messages of a parcel that may wait to be passed on; a batch is one message."""


class _Parcel(NamedTuple):
    """Files read by one worker, or in this process if no other can read them."""

    files: list[Input]
    is_here: bool
    replies: Queue[object]


class ParallelBatches:
    """Reads what :class:`~trajmeter.readers.batches.TrajectoryBatches` reads, in processes.

    Rows, problems and their order are the same; batch boundaries are not. Small input, standard
    input and pipes are read in this process.

    Args:
        paths: As for :func:`~trajmeter.readers.read_trajectories`, like the three that follow.
        input_format: Name of the format of all files.
        mapping: Columns by trajectory field.
        profiles: Compatibility profiles.
        max_line: Maximum length of a JSON line in bytes.
        batch_rows: Maximum number of rows in a batch.
        on_problem: Called with every file and record that cannot be read.
        workers: Number of processes; by default one per processor. With one, no process is started.

    Raises:
        UnknownNameError: No format is called ``input_format``.
        ConfigurationError: The mapping names an unknown trajectory field.
    """

    def __init__(
        self,
        paths: str | Path | Iterable[str | Path],
        *,
        input_format: str | None = None,
        mapping: Mapping[str, str] | None = None,
        profiles: Collection[str] = (),
        max_line: int = LONGEST_LINE,
        batch_rows: int = MOST_ROWS,
        on_problem: Callable[[ReadProblem], None] | None = None,
        workers: int | None = None,
    ) -> None:
        self._settings: dict[str, Any] = {
            "input_format": input_format,
            "mapping": mapping,
            "profiles": tuple(profiles),
        }
        self._paths = paths
        self._choice = Choice(Trajectory, **self._settings, max_line=max_line)
        self._settings |= {"max_line": max_line, "batch_rows": batch_rows}
        self._batch_rows = batch_rows
        self._report = on_problem or refuse
        self._workers = workers or processors()
        self._counts: Counter[str] = Counter()
        self.rows = 0
        """Number of rows yielded so far."""

    @property
    def formats(self) -> dict[str, int]:
        """Number of trajectories so far by format name."""
        return dict(self._counts)

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches; none is empty."""
        with closing(self._read()) as batches:
            for batch in joined(batches, self._batch_rows):
                self.rows += batch.num_rows
                yield batch

    def _read(self) -> Generator[pa.RecordBatch, None, None]:
        found = inputs(self._paths, self._choice)
        first, is_worth = _beginning(found) if self._workers > 1 else ([], False)
        rest = chain(first, found)
        if not is_worth:
            yield from self._here(rest)
            return
        with _Readers(self._settings, self._workers) as readers:
            for parcel in readers.read(_parcels(rest)):
                if parcel.is_here:
                    yield from self._here(parcel.files)
                else:
                    yield from self._received(parcel)

    def _here(self, files: Iterable[Input]) -> Iterator[pa.RecordBatch]:
        """Read files in this process."""
        batches = FilesRead(files, self._settings, self._report)
        yield from batches
        self._counts.update(batches.formats)

    def _received(self, parcel: _Parcel) -> Iterator[pa.RecordBatch]:
        """Yield what a worker has read; consumes the parcel."""
        while True:
            match parcel.replies.get():
                case Batch(content):
                    yield from _batches(content)
                case IssuedWarning(message, category):
                    warnings.warn(message, category, stacklevel=2)
                case Note(number, method):
                    getattr(parcel.files[number], method)()
                case ReadProblem() as problem:
                    self._report(problem)
                case End(formats, error):
                    self._counts.update(formats)
                    if error is not None:
                        raise error
                    return


class _Readers:
    """Worker processes that read parcels, each with a thread that receives their messages."""

    def __init__(self, settings: Mapping[str, Any], count: int) -> None:
        self._settings = settings
        self._count = count
        self._waiting: Queue[_Parcel | None] = Queue()
        self._is_closed = Event()
        self._started = ExitStack()
        self._threads: list[Thread] = []

    def __enter__(self) -> Self:
        with ExitStack() as started:
            for _ in range(self._count):
                process = started.enter_context(WorkerProcess(_MODULE))
                process.send(self._settings)
                self._threads.append(Thread(target=self._work, args=(process,), daemon=True))
            self._started = started.pop_all()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._is_closed.set()
        for _ in self._threads:
            self._waiting.put(None)
        self._started.close()
        for thread in self._threads:  # ends when its process ends
            thread.join()

    def read(self, parcels: Iterator[_Parcel]) -> Iterator[_Parcel]:
        """Yield parcels in order while later ones are being read."""
        begun: deque[_Parcel] = deque()
        while True:
            for parcel in islice(parcels, 2 * self._count + 1 - len(begun)):
                begun.append(parcel)
                if not parcel.is_here:
                    self._waiting.put(parcel)
            if not begun:
                return
            yield begun.popleft()

    def _work(self, process: WorkerProcess) -> None:
        """Receive a worker's messages about one parcel after another."""
        while (parcel := self._waiting.get()) is not None and not self._is_closed.is_set():
            for reply in _replies(process, parcel):
                self._put(parcel.replies, reply)
                if self._is_closed.is_set():
                    return

    def _put(self, replies: Queue[object], reply: object) -> None:
        """Hand over a reply, unless the consumer has stopped."""
        while not self._is_closed.is_set():
            try:
                replies.put(reply, timeout=0.1)
            except Full:
                continue
            return


def _replies(process: WorkerProcess, parcel: _Parcel) -> Iterator[object]:
    """What a worker says about a parcel; an :class:`End` always comes, as someone waits for it."""
    try:
        process.send([_to_read(file) for file in parcel.files])
        reply: object = None
        while not isinstance(reply, End):
            reply = process.receive()
            yield reply
    except Exception as error:  # noqa: BLE001 - a reply may hold an object of any class
        names = f"{parcel.files[0].path} to {parcel.files[-1].path}"
        how = str(error) if isinstance(error, WorkerEndedError) else format_exception(error)
        message = f"a process that reads files ended with {how}, in one of {names}"
        yield End({}, InternalError(message))


def _beginning(found: Iterator[Input]) -> tuple[list[Input], bool]:
    """The first files, and whether there are enough for several processes."""
    first: list[Input] = []
    size = 0
    for file in found:
        first.append(file)
        size += _size(file) if _may_be_read_elsewhere(file) else 0
        if size >= _WORTH_BYTES and len(first) > 1:
            return first, True
    return first, False


def _parcels(found: Iterator[Input]) -> Iterator[_Parcel]:
    """Divide files into parcels, in order."""
    held: list[Input] = []
    size = 0
    for file in found:
        if not _may_be_read_elsewhere(file):
            if held:
                yield _Parcel(held, is_here=False, replies=Queue(_MESSAGES))
            yield _Parcel([file], is_here=True, replies=Queue())
            held, size = [], 0
            continue
        held.append(file)
        size += _size(file)
        if size >= _PARCEL_BYTES or len(held) == _PARCEL_FILES:
            yield _Parcel(held, is_here=False, replies=Queue(_MESSAGES))
            held, size = [], 0
    if held:
        yield _Parcel(held, is_here=False, replies=Queue(_MESSAGES))


def _may_be_read_elsewhere(file: Input) -> bool:
    """Whether another process would read a file identically, whatever precedes it."""
    if file.problems or file.is_end or file.is_summary or file.path == STDIN:
        return False
    return file.format is not None or file.path.is_file()


def _size(file: Input) -> int:
    """Size of a file in bytes; estimated for a folder, which is not walked twice."""
    if file.format is not None:
        return _FOLDER_BYTES
    try:
        return file.path.stat().st_size
    except OSError:
        return 0


def _to_read(file: Input) -> FileToRead:
    name = None if file.format is None else file.format.name
    return FileToRead(str(file.path), file.notes is not None, name)


def _batches(content: bytes) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    with pa.ipc.open_stream(content) as stream:
        yield from stream
