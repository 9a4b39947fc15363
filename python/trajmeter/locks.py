"""Locks on files, which the system lets go when the process ends, on POSIX and on Windows.

POSIX advises: who does not ask for the lock may read and write all the same. Windows locks bytes
against everybody, so that a byte is locked there that lies far behind any content.
"""

from __future__ import annotations

import errno
import os
import time
from importlib import import_module
from typing import IO, Any

__all__ = ["WINDOWS", "lock"]

WINDOWS = os.name == "nt"
"""Whether this is Windows, where open files can be neither deleted nor replaced."""

_BYTE = 1 << 40
"""The byte that is locked on Windows: no file that we write gets there."""
_PAUSE = 0.02
_HELD = {errno.EACCES, errno.EAGAIN, errno.EDEADLK, getattr(errno, "EDEADLOCK", errno.EDEADLK)}
"""What the systems say of a file that another process has locked."""


def lock(stream: IO[Any], *, wait: bool = False) -> bool:
    """Lock an open file until it is closed.

    Args:
        stream: The file, open for writing.
        wait: Whether to wait for whoever holds the lock.

    Returns:
        Whether it is locked; false if another process, or another open file of this one, holds it.

    Raises:
        OSError: The file system has no locks.
    """
    try_once = _on_windows if WINDOWS else _on_posix
    while not try_once(stream.fileno()):
        if not wait:
            return False
        time.sleep(_PAUSE)
    return True


# Each module is there on its own system only, and so are its functions for a type checker.
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
    os.lseek(descriptor, _BYTE, os.SEEK_SET)  # it locks from where the file is read
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except OSError as error:
        if error.errno in _HELD:
            return False
        raise
    finally:
        os.lseek(descriptor, place, os.SEEK_SET)
    return True
