"""A progress bar over trajectories, for inputs that take a while."""

from __future__ import annotations

from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from rich.console import Console

    from trajmeter.records import Trajectory

__all__ = ["tracked"]

_DELAY_SECONDS = 0.5
"""No bar is shown for what is over by then."""
_REFRESH_SECONDS = 0.1
_CHUNK = 1 << 20


@contextmanager
def tracked(
    trajectories: Iterable[Trajectory], paths: Sequence[Path], console: Console
) -> Iterator[Iterable[Trajectory]]:
    """Show how far the reading of trajectories has come, if someone watches.

    Progress is told by the line a trajectory was read from, among all lines of the files.

    Args:
        trajectories: Trajectories as they are read.
        paths: Files they are read from, in this order.
        console: Where the bar is shown; nothing is if it is no terminal.
    """
    if not console.is_terminal:
        yield trajectories
        return
    progress = Progress(
        TextColumn("{task.fields[count]:,} trajectories"),
        BarColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    try:
        yield _watched(trajectories, paths, progress)
    finally:
        progress.stop()


def _watched(
    trajectories: Iterable[Trajectory], paths: Sequence[Path], progress: Progress
) -> Iterator[Trajectory]:
    due = monotonic() + _DELAY_SECONDS
    before: dict[str, int] | None = None
    task = progress.add_task("", total=None, count=0)
    for count, trajectory in enumerate(trajectories, start=1):
        yield trajectory
        if monotonic() < due:
            continue
        if before is None:
            before, total = _lines_before(paths)
            progress.update(task, total=total or None)
            progress.start()
        source = trajectory.source
        line = before.get(source.file, 0) + (source.line or 0) if source else 0
        progress.update(task, completed=line, count=count)
        due = monotonic() + _REFRESH_SECONDS


def _lines_before(paths: Sequence[Path]) -> tuple[dict[str, int], int]:
    """Lines of the files before each file, and of all."""
    before: dict[str, int] = {}
    total = 0
    for path in paths:
        before[str(path)] = total
        if path.is_file():
            with path.open("rb") as file:
                total += sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(_CHUNK), b""))
    return before, total
