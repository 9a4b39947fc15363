"""The default number of scoring processes."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from trajmeter.errors import ConfigurationError
from trajmeter.remote import RemotePath, path_of
from trajmeter.system import locks
from trajmeter.system.pipes import is_read_once
from trajmeter.system.processors import processors

if TYPE_CHECKING:
    from trajmeter.scoring.runs.plan import Plan
    from trajmeter.scoring.runs.work import Work

__all__ = ["available_memory", "check_shareable", "choose_workers"]

_SMALL = 256 << 20
"""Input size in bytes up to which one process is faster."""
_BATCH = 128 << 20
"""Memory in bytes for a worker's batches, read and scored."""
_SPARE = 4
"""Memory factor that a worker may need beyond its files."""
_CGROUPS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def choose_workers(asked: int | Literal["auto"], plan: Plan, work: Work[Any]) -> int:
    """The number of processes for a run.

    Raises:
        ConfigurationError: Several are requested, but an input can only be read once, or a judge
            answers.
    """
    if asked == "auto":
        if plan.size < _SMALL or work.needs_one_worker is not None or _pipe(plan, work) is not None:
            return 1
        are_held = plan.shares is not None or plan.has_whole_tasks
        share = max((unit.size for unit in plan.units), default=0) if are_held else 0
        each = _SPARE * (_BATCH + share + sum(map(_size, work.shared_files)))
        fitting = available_memory() * 3 // 4 // each
        return max(1, min(processors(), len(plan.units), fitting))
    count = max(1, min(asked, len(plan.units)))
    if asked > 1:
        check_shareable(plan, work, count)
    return count


def check_shareable(plan: Plan, work: Work[Any], workers: int = 2) -> None:
    """Check that other processes can process the units.

    Args:
        plan: The units.
        work: What is done with them.
        workers: Number of processes; one of them may be this one.

    Raises:
        ConfigurationError: A judge answers, or an input can only be read once.
    """
    if work.needs_one_worker is not None:
        raise ConfigurationError(work.needs_one_worker)
    pipe = _pipe(plan, work) if workers > 1 else None
    if pipe is not None:
        raise ConfigurationError(f"{pipe} can only be read once: use one worker, or a file")


def _pipe(plan: Plan, work: Work[Any]) -> Path | None:
    """An input that another process could not read again, such as standard input."""
    read = [path_of(each.file) for each in plan.pieces if each.size == 0]
    read += [each for each in work.shared_files if isinstance(each, Path)]
    return next(filter(is_read_once, read), None)


def available_memory() -> int:
    """Memory available to this process: the limit of its control group, or the machine's."""
    total = _installed_memory()
    for file in _CGROUPS:
        with suppress(OSError, ValueError):
            total = min(total, int(file.read_text()))
    return total


def _installed_memory() -> int:
    if not locks.WINDOWS:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    import ctypes

    kernel: Any = vars(ctypes)["windll"].kernel32  # Windows only
    status = (ctypes.c_ulonglong * 8)(64)  # MEMORYSTATUSEX: its length, then the bytes there are
    kernel.GlobalMemoryStatusEx(status)
    return int(status[1])


def _size(given: object) -> int:
    """Size of a file or folder in bytes; 0 for anything else."""
    if not isinstance(given, Path):
        return 0
    if isinstance(given, RemotePath) and given.is_dir():
        return sum(size for _, size in given.files())
    files = given.rglob("*") if given.is_dir() else [given]
    return sum(each.stat().st_size for each in files if each.is_file())
