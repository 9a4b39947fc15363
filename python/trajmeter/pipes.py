"""Copies what is read from pipes and standard input, so that it can be read again.

A file is opened several times: to detect its format, and then to read it. A pipe gives its content
only once, so the first opening copies it to a temporary file.
"""

from __future__ import annotations

import shutil
import stat
import sys
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, BinaryIO, cast

from trajmeter.remote import is_remote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["STDIN", "is_named_pipe", "is_read_once", "keeping_pipes", "new_pipes", "open_copy"]

STDIN = Path("-")
"""The path that means standard input."""

_BUFFER = 1 << 18


class _Pipe:
    """A pipe that is copied when it is first opened, while other threads that open it wait."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._copy: BinaryIO | None = None
        self.is_copied = False
        """Whether the copy is complete."""

    def open(self) -> BinaryIO:
        """Open the copy at its beginning."""
        with self._lock:
            copy = self._copy
            if copy is None:
                from tempfile import NamedTemporaryFile  # not needed for files

                copy = self._copy = cast("BinaryIO", NamedTemporaryFile(prefix="trajmeter-"))  # noqa: SIM115 - see close
                try:
                    _copy_content(self._path, copy)
                except BaseException:
                    self.close()
                    raise
                self.is_copied = True
            return Path(copy.name).open("rb")

    def close(self) -> None:
        """Delete the copy, even while a thread waits for more content."""
        self.is_copied = False
        copy, self._copy = self._copy, None
        if copy is not None:
            copy.close()


_pipes: dict[str, _Pipe] = {}
"""The pipes that were opened, by path."""
_keepers: list[object] = []
"""The calls of :func:`keeping_pipes` that have not ended."""


def open_copy(path: Path) -> BinaryIO:
    """Open the copy of a pipe or of standard input at its beginning; the first call makes it.

    Raises:
        OSError: The pipe cannot be read.
    """
    return _pipes.setdefault(str(path), _Pipe(path)).open()


def new_pipes() -> Callable[[Path], None]:
    """Begin a call that reads files; pipes that earlier calls have read have new content by now.

    Returns:
        A function to call with each path before it is read. It discards the copy that an earlier
        call made, unless :func:`keeping_pipes` keeps it. Copies of other paths may be in use by
        other threads, and standard input has no new content. Two calls must not read one pipe at a
        time.
    """
    earlier = {} if _keepers else {name: pipe for name, pipe in _pipes.items() if pipe.is_copied}
    earlier.pop(str(STDIN), None)

    def begin(path: Path) -> None:
        pipe = earlier.pop(str(path), None)
        if pipe is not None and _pipes.get(str(path)) is pipe:
            _pipes.pop(str(path)).close()

    return begin


@contextmanager
def keeping_pipes() -> Iterator[None]:
    """Let all calls within the context read the same content of a pipe; delete copies at its end.

    Copies are not left to the end of the process, which may skip the teardown that deletes them.
    """
    keeper = object()
    _keepers.append(keeper)
    try:
        yield
    finally:
        _keepers.remove(keeper)
        if not _keepers:
            while _pipes:
                _pipes.popitem()[1].close()


def is_named_pipe(path: Path) -> bool:
    """Whether a path is a named pipe, whose content can be read only once."""
    if path == STDIN or is_remote(path):
        return False
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # reported where it is opened
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def is_read_once(path: Path) -> bool:
    """Whether a path is a pipe or standard input."""
    return path == STDIN or is_named_pipe(path)


def _copy_content(path: Path, copy: BinaryIO) -> None:
    if path == STDIN:
        if sys.stdin is None:
            raise OSError("standard input is closed")
        shutil.copyfileobj(sys.stdin.buffer, copy, _BUFFER)
    else:
        with path.open("rb") as pipe:
            shutil.copyfileobj(pipe, copy, _BUFFER)
    copy.flush()
