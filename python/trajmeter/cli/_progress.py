"""The progress bar of a command that reads trajectories, and the time of other long work."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from trajmeter.remote import RemotePath, path_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from trajmeter.records import Trajectory
    from trajmeter.scoring.runs.run import Progress

__all__ = ["Places", "records_tracked", "sized_files", "timed", "tracked", "units_tracked"]

_T = TypeVar("_T")

_DELAY_SECONDS = 0.5
"""No progress bar is shown for work that ends within this time."""
_REFRESH_SECONDS = 0.1
_CHUNK = 1 << 20


@contextmanager
def tracked(
    batches: Iterable[pa.RecordBatch], paths: Sequence[Path]
) -> Iterator[Iterable[pa.RecordBatch]]:
    """Show a progress bar while trajectories are read, if stderr is a terminal.

    Progress is measured in bytes of the files: up to the line of the last trajectory of a batch, or
    to the end of its file.

    Args:
        batches: Trajectories as they are read.
        paths: The files, in reading order.
    """
    if not sys.stderr.isatty():
        yield batches
        return
    progress = _bar("{task.fields[count]:,} trajectories")
    try:
        yield _watched(batches, paths, progress, _end_of_batch)
    finally:
        progress.stop()


@contextmanager
def records_tracked(
    trajectories: Iterable[Trajectory], paths: Sequence[Path]
) -> Iterator[Iterable[Trajectory]]:
    """Show a progress bar while records are read, as :func:`tracked` does for batches."""
    if not sys.stderr.isatty():
        yield trajectories
        return
    progress = _bar("{task.fields[count]:,} trajectories")
    try:
        yield _watched(trajectories, paths, progress, _end_of_record)
    finally:
        progress.stop()


def _end_of_batch(batch: pa.RecordBatch) -> tuple[int, str, int | None]:
    source = (batch.column("source")[-1].as_py() if len(batch) else None) or {}
    return len(batch), source.get("file") or "", source.get("line")


def _end_of_record(trajectory: Trajectory) -> tuple[int, str, int | None]:
    source = trajectory.source
    return (1, "", None) if source is None else (1, source.file, source.line)


@contextmanager
def units_tracked() -> Iterator[Callable[[Progress], None]]:
    """Show progress in units, if stderr is a terminal; yields the function that advances it."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    bar = _bar("{task.fields[units]} units, {task.fields[count]:,} trajectories")
    begun = monotonic()
    task: TaskID | None = None

    def show(done: Progress) -> None:
        nonlocal task
        if task is None:
            task = bar.add_task("", total=done.of_size or None, count=0, rate=0.0, units="")
            bar.start()
        bar.update(
            task,
            completed=done.size,
            count=done.rows,
            rate=done.rows / max(monotonic() - begun, _REFRESH_SECONDS),
            units=f"{done.units:,} of {done.of_units:,}",
        )

    try:
        yield show
    finally:
        bar.stop()


@contextmanager
def timed(text: str) -> Iterator[None]:
    """Show what is being done, and for how long, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from threading import Timer

    shown: list[RichProgress] = []
    timer = Timer(_DELAY_SECONDS, lambda: shown.append(_started(text)))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        for each in shown:
            each.stop()


def _started(text: str) -> RichProgress:
    from rich.console import Console
    from rich.progress import Progress as RichProgress
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    shown = RichProgress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    shown.add_task(text, total=None)
    shown.start()
    return shown


def _bar(text: str) -> RichProgress:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    return RichProgress(
        TextColumn(f"{text}, {{task.fields[rate]:,.0f}}/s"),
        BarColumn(),
        DownloadColumn(binary_units=True),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


def _watched(
    items: Iterable[_T],
    paths: Sequence[Path],
    progress: RichProgress,
    end_of: Callable[[_T], tuple[int, str, int | None]],
) -> Iterator[_T]:
    """Show how far items have been read.

    Args:
        items: Trajectories, or batches of them.
        paths: The files, in reading order.
        progress: The bar.
        end_of: The number of trajectories of an item, and file and line of the last.
    """
    begun = monotonic()
    due = begun + _DELAY_SECONDS
    places: Places | None = None
    task = progress.add_task("", total=None, count=0, rate=0.0)
    count = 0
    for item in items:
        yield item
        own, file, line = end_of(item)
        count += own
        if monotonic() < due or not own:
            continue
        if places is None:
            places = Places(paths)
            progress.update(task, total=places.total or None)
            progress.start()
        rate = count / max(monotonic() - begun, _REFRESH_SECONDS)
        done = places.bytes_until(file, line)
        progress.update(task, completed=done, count=count, rate=rate)
        due = monotonic() + _REFRESH_SECONDS


class Places:
    """Byte offsets of positions in the files of some paths."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._begins: dict[str, int] = {}
        self._sizes: dict[str, int] = {}
        self._lines: dict[str, float] = {}
        self.total = 0
        """Bytes of all files."""
        for path in paths:
            for file, size in sized_files(path):
                self._sizes[file] = size
                self._begins[file] = self.total
                self.total += size

    def bytes_until(self, file: str, line: int | None) -> float:
        """Estimated bytes up to a line, from the lines at the file's start, or up to its end."""
        size: float = self._sizes.get(file, 0)
        if line is not None:
            size = min(line * self._mean_line(file), size)
        return self._begins.get(file, 0) + size

    def _mean_line(self, file: str) -> float:
        if file not in self._lines:
            beginning = b""
            with suppress(OSError), path_of(file).open("rb") as content:
                beginning = content.read(_CHUNK)
            self._lines[file] = len(beginning) / max(beginning.count(b"\n"), 1)
        return self._lines[file]


def sized_files(path: Path) -> Iterator[tuple[str, int]]:
    """The files of a path, pattern or folder, in reading order.

    Each comes with its size; inaccessible files are skipped.
    """
    if isinstance(path, RemotePath):
        with suppress(OSError):
            from trajmeter.readers.patterns import expanded

            for each in expanded(path):
                if isinstance(each, RemotePath) and each.is_dir():
                    yield from ((str(file), size) for file, size in each.files())
                else:
                    yield str(each), each.stat().st_size
        return
    for file in _local_files(path):
        with suppress(OSError):
            yield file, os.stat(file).st_size  # noqa: PTH116 - faster, for many files


def _local_files(path: Path) -> Iterator[str]:
    from trajmeter.readers.patterns import expanded

    for each in map(str, expanded(path)):
        if not Path(each).is_dir():
            yield each
        within = [f"{folder}{os.sep}{file}" for folder, _, files in os.walk(each) for file in files]
        yield from sorted(within, key=lambda file: file.split(os.sep))  # noqa: PTH206 - Path.parts takes ten times as long
