"""The limit on open files, for runs that keep one file open for each share of the tasks."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import Any

from trajmeter.system import locks

__all__ = ["allow_open_files"]

_OTHERS = 256
"""Number of files that the rest of the process may have open."""


def allow_open_files(count: int) -> None:
    """Raise this process's limit on open files if it is lower, as far as the system allows.

    Common limits are 1,024 and, on macOS, 256; a process may raise its own.

    Args:
        count: Number of files to keep open at the same time.
    """
    if locks.WINDOWS:  # has no such limit
        return
    resource: Any = import_module("resource")
    limit, highest = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + _OTHERS
    if highest != resource.RLIM_INFINITY:
        wanted = min(wanted, highest)
    if limit != resource.RLIM_INFINITY and limit < wanted:
        with suppress(OSError, ValueError):  # forbidden here; opening a file names the error
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, highest))
