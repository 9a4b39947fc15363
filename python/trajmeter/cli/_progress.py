"""The progress bar of a command that reads trajectories."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa
    from rich.progress import Progress

__all__ = ["tracked"]

_DELAY_SECONDS = 0.5
"""Work that is done by then shows no progress bar."""
_REFRESH_SECONDS = 0.1
_CHUNK = 1 << 20


@contextmanager
def tracked(
    batches: Iterable[pa.RecordBatch], paths: Sequence[Path]
) -> Iterator[Iterable[pa.RecordBatch]]:
    """Show a progress bar while trajectories are read, if stderr is a terminal.

    Progress is measured by the line that the last trajectory of a batch was read from, among all
    lines of the files.

    Args:
        batches: Trajectories as they are read.
        paths: Files they are read from, in this order.
    """
    if not sys.stderr.isatty():
        yield batches
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    progress = Progress(
        TextColumn("{task.fields[count]:,} trajectories"),
        BarColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    try:
        yield _watched(batches, paths, progress)
    finally:
        progress.stop()


def _watched(
    batches: Iterable[pa.RecordBatch], paths: Sequence[Path], progress: Progress
) -> Iterator[pa.RecordBatch]:
    due = monotonic() + _DELAY_SECONDS
    before: dict[str, int] | None = None
    task = progress.add_task("", total=None, count=0)
    count = 0
    for batch in batches:
        yield batch
        count += len(batch)
        if monotonic() < due or not len(batch):
            continue
        if before is None:
            before, total = _lines_before(paths)
            progress.update(task, total=total or None)
            progress.start()
        source = batch.column("source")[-1].as_py() or {"file": "", "line": 0}
        line = before.get(source["file"], 0) + (source["line"] or 0)
        progress.update(task, completed=line, count=count)
        due = monotonic() + _REFRESH_SECONDS


def _lines_before(paths: Sequence[Path]) -> tuple[dict[str, int], int]:
    """Number of lines in the files before each file, and in all."""
    before: dict[str, int] = {}
    total = 0
    for path in paths:
        before[str(path)] = total
        if path.is_file():
            with path.open("rb") as file:
                total += sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(_CHUNK), b""))
    return before, total
