"""Copies what is read from pipes and standard input, so that it can be read again.

A file is opened several times: to detect its format, and then to read it. A pipe gives its content
only once, so the first opening copies it to a temporary file.
"""

from __future__ import annotations

import stat
import sys
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, BinaryIO, cast

from trajmeter.remote import is_remote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from io import BufferedReader

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
        self._error: OSError | None = None
        self.is_read = False
        """Whether its content was read: the copy is complete, or could not be completed."""

    def open(self) -> BufferedReader:
        """Open the copy at its beginning."""
        with self._lock:
            if self._error is not None:  # what is left in the pipe begins anywhere
                raise self._error
            copy = self._copy
            if copy is None:
                copy = self._copy = _new_copy()
                try:
                    self._fill(copy)
                except BaseException:
                    self._discard()
                    raise
                self.is_read = True
            return Path(copy.name).open("rb")

    def close(self) -> None:
        """Delete the copy, even while a thread waits for more content."""
        self.is_read = False
        self._discard()

    def _fill(self, copy: BinaryIO) -> None:
        with _opened(self._path) as pipe:
            for content in iter(partial(pipe.read, _BUFFER), b""):
                try:
                    copy.write(content)
                    copy.flush()
                except OSError as error:
                    self._error = _uncopied(error)
                    self.is_read = True
                    raise self._error from error

    def _discard(self) -> None:
        copy, self._copy = self._copy, None
        if copy is not None:
            with suppress(OSError):  # content that could not be written is written again
                copy.close()


_pipes: dict[str, _Pipe] = {}
"""The pipes that were opened, by path."""
_keepers: list[object] = []
"""The calls of :func:`keeping_pipes` that have not ended."""


def open_copy(path: Path) -> BufferedReader:
    """Open the copy of a pipe or of standard input at its beginning; the first call makes it.

    Raises:
        OSError: The pipe cannot be read, or not be copied to the temporary folder.
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
    earlier = {} if _keepers else {name: pipe for name, pipe in _pipes.items() if pipe.is_read}
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


def _opened(path: Path) -> AbstractContextManager[BinaryIO]:
    if path != STDIN:
        return path.open("rb")
    if sys.stdin is None:
        raise OSError("standard input is closed")
    return nullcontext(sys.stdin.buffer)


def _new_copy() -> BinaryIO:
    from tempfile import NamedTemporaryFile  # not needed for files

    try:
        return cast("BinaryIO", NamedTemporaryFile(prefix="trajmeter-"))
    except OSError as error:
        raise _uncopied(error) from error


def _uncopied(error: OSError) -> OSError:
    """An error in the temporary folder, with a message that says so."""
    from tempfile import tempdir

    reason = error.strerror or str(error)
    place = f"the temporary folder {tempdir}" if tempdir else "a temporary folder"
    return OSError(
        error.errno,
        f"{reason}: pipes and standard input are copied to {place}; set TMPDIR to choose another",
    )
