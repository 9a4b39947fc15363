"""Writes files that appear whole, or replace others, once everything is written."""

from __future__ import annotations

import errno
import glob
import io
import os
import re
import shutil
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, BinaryIO

from trajmeter.errors import ConfigurationError
from trajmeter.remote import RemotePath, is_remote
from trajmeter.system import locks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["remove", "remove_abandoned", "replacing", "sync_folder"]

_NO_ROOM = frozenset({errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG})
"""Errors of a full disk, a full quota and a file that is too large."""

_PROCESS = re.compile(r"\d+(-\d+)?\.part")
"""Suffix of a temporary file after the target's name: process id and number."""

_PAUSES = tuple(0.01 * 2**turn for turn in range(8))
"""Pauses while a file is being read on Windows, e.g. by a virus scanner; 2.6 s in total."""


@contextmanager
def replacing(path: Path, *, folder: Path | None = None) -> Iterator[BinaryIO]:
    """Write to a temporary file that replaces the target once everything is written.

    The target's folder is created if missing. If anything fails, earlier content is kept. Temporary
    files of the same target left by killed processes are removed.

    Args:
        path: The file, or a link to it. A pipe or device is written directly, and a remote file is
            uploaded at the end.
        folder: Folder of the temporary file, on the same file system; by default the target's. The
            target is then one of many files, and what has its place is replaced, even if a link.

    Raises:
        ConfigurationError: The file cannot be written; any write may raise this.
    """
    if isinstance(path, RemotePath):
        with _named_errors(path), path.replacing() as stream:
            yield stream
        return
    is_named = folder is None  # by the user, who may name a link
    target = path.resolve() if is_named else path.parent.resolve() / path.name
    is_replaced = target.is_file() or not target.exists()
    if is_named and not is_replaced:  # a pipe or a device
        with _named_errors(path):
            pipe = _Output(target, "wb", path)
        with io.BufferedWriter(pipe) as stream:
            yield stream
        return
    with _named_errors(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        place = target if folder is None else folder.resolve() / target.name
        _remove_abandoned(place)
        beside, output = _open_locked(place, path)
    with _keeping_lock(output):
        try:
            with io.BufferedWriter(output) as stream:
                yield stream
                stream.flush()
                with _named_errors(path, beside.parent, stream.tell()):
                    os.fsync(stream.fileno())
            with _named_errors(path):
                _replace(beside, target)
        except BaseException:  # otherwise, its name is free for another thread's file
            beside.unlink(missing_ok=True)
            raise


def _replace(file: Path, target: Path) -> None:
    """Replace a file with another; on Windows, wait while the file is being read."""
    if locks.WINDOWS:
        for pause in _PAUSES:
            try:
                file.replace(target)
            except PermissionError:
                time.sleep(pause)
            else:
                return
    file.replace(target)


class _Output(io.FileIO):
    """A file whose errors show the name that its caller uses.

    Args:
        file: The file to open.
        mode: Mode to open it in.
        name: Its name in messages.
    """

    def __init__(self, file: Path, mode: str, name: Path) -> None:
        super().__init__(file, mode)
        self._place = file.parent
        self._name = name
        self._size = 0

    def write(self, content: Any, /) -> int:  # noqa: ANN401 - whatever holds bytes
        """Write bytes."""
        with _named_errors(self._name, self._place, self._size + len(content)):
            written = super().write(content)
        self._size += written
        return written

    def close(self) -> None:
        """Close the file; some file systems write only then."""
        with _named_errors(self._name, self._place, self._size):
            super().close()


@contextmanager
def _named_errors(path: Path, place: Path | None = None, needed: int = 0) -> Iterator[None]:
    """Convert errors of a file to ones that name it, except for a broken pipe.

    Args:
        path: The file, as named by its caller.
        place: The folder in which it is written.
        needed: Number of bytes that it needs there so far.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        if place is not None and error.errno in _NO_ROOM:
            with suppress(OSError):
                free = shutil.disk_usage(place).free
                reason += f" (the file needs at least {needed:,} bytes, and {free:,} are free)"
        raise ConfigurationError(f"{path}: cannot be written: {reason}") from error


def remove(path: Path) -> None:
    """Remove a file if it exists, or the link that has its place.

    Raises:
        ConfigurationError: It cannot be removed.
    """
    with _named_errors(path):
        path.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder survive a power failure."""
    if locks.WINDOWS or is_remote(folder):  # cannot open folders
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # unsupported by some file systems
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_abandoned(folder: Path) -> None:
    """Remove temporary files of any target that killed processes left in a folder."""
    for file in folder.glob(".*.part"):
        _remove_unlocked(file)


def _remove_abandoned(target: Path) -> None:
    """Remove temporary files of this target that killed processes left behind.

    A process that is still writing one holds a lock on it, even from another machine; process ids
    are meaningless on other machines and in containers.
    """
    for file in target.parent.glob(f".{glob.escape(target.name)}.*.part"):
        if not _PROCESS.fullmatch(file.name, len(target.name) + 2):
            continue  # of another target whose name starts with this one's
        _remove_unlocked(file)


def _remove_unlocked(file: Path) -> None:
    """Remove a temporary file, unless a process is still writing it."""
    with suppress(OSError):  # in use, already gone, or not ours to remove
        with file.open("r+b") as stream:
            if not locks.lock(stream):
                return
            # Its writer may have completed it meanwhile, and begun another one of the same name.
            if not locks.WINDOWS and os.path.samestat(os.fstat(stream.fileno()), file.stat()):
                file.unlink()
        if locks.WINDOWS:
            file.unlink()  # fails while a process has it open


def _open_locked(target: Path, name: Path) -> tuple[Path, _Output]:
    """Create a temporary file, locked so that other processes do not remove it."""
    number = 0
    while True:
        file = target.with_name(f".{target.name}.{os.getpid()}-{number}.part")
        try:
            stream = _Output(file, "xb", name)
        except FileExistsError:  # of another thread, or of a process elsewhere with the same id
            number += 1
            continue
        with suppress(OSError):  # if files cannot be locked, none are considered abandoned
            locks.lock(stream, wait=True)
        if os.fstat(stream.fileno()).st_nlink:
            return file, stream
        stream.close()  # removed before it was locked


@contextmanager
def _keeping_lock(file: BinaryIO) -> Iterator[None]:
    """Keep the lock on a file while it is closed and renamed, so that nobody removes it before.

    Not on Windows, where an open file cannot be renamed.
    """
    if locks.WINDOWS:
        yield
        return
    descriptor = os.dup(file.fileno())
    try:
        yield
    finally:
        os.close(descriptor)
