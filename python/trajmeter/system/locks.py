"""File locks for POSIX and Windows; the system releases them when the process ends.

POSIX locks are advisory: a process that does not request the lock can still read and write. Windows
locks are mandatory for the locked bytes, so a byte far beyond any content is locked there.
"""

from __future__ import annotations

import errno
import os
import time
from importlib import import_module
from typing import IO, Any

__all__ = ["WINDOWS", "lock"]

WINDOWS = os.name == "nt"
"""Whether this is Windows, where open files cannot be deleted or replaced."""

_BYTE = 1 << 40
"""Offset of the byte locked on Windows, beyond the end of any file that Trajmeter writes."""
_PAUSE = 0.02
_HELD = {errno.EACCES, errno.EAGAIN, errno.EDEADLK, getattr(errno, "EDEADLOCK", errno.EDEADLK)}
"""Error numbers for a file that another process has locked."""


def lock(stream: IO[Any], *, wait: bool = False) -> bool:
    """Lock an open file until it is closed.

    Args:
        stream: The file, open for writing.
        wait: Whether to wait until the lock is free.

    Returns:
        Whether the lock was acquired; false if another process, or another open file of this
        process, holds it.

    Raises:
        OSError: The file system has no locks.
    """
    try_once = _on_windows if WINDOWS else _on_posix
    while not try_once(stream.fileno()):
        if not wait:
            return False
        time.sleep(_PAUSE)
    return True


# Each module exists, for Python and the type checker, only on its own system.
def _on_posix(descriptor: int) -> bool:
    fcntl: Any = import_module("fcntl")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD:
            return False
        raise
    return True


def _on_windows(descriptor: int) -> bool:
    msvcrt: Any = import_module("msvcrt")
    place = os.lseek(descriptor, 0, os.SEEK_CUR)
    os.lseek(descriptor, _BYTE, os.SEEK_SET)  # msvcrt locks from the current position
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except OSError as error:
        if error.errno in _HELD:
            return False
        raise
    finally:
        os.lseek(descriptor, place, os.SEEK_SET)
    return True
