"""Objects of a git repository, read by one ``git cat-file`` process.

Git neither fetches what a partial clone lacks nor follows replacements, and the user's settings are
ignored.
"""

from __future__ import annotations

import os
import weakref
from contextlib import contextmanager
from threading import RLock
from typing import IO, TYPE_CHECKING, cast

from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.snapshots._checkout import Content
from trajmeter.system.forks import lock_for
from trajmeter.system.processes import own_group

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["AmbiguousNameError", "GitObjects"]

_AHEAD = 64
"""Objects to request before the first is read: few enough for the requests to fit into a pipe."""


class AmbiguousNameError(Exception):
    """A name is short for several objects."""


class GitObjects:
    """The objects of a repository. Threads may share it; the git process ends with it.

    Args:
        path: The repository, for messages.
        folder: Its git folder.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        self._path = path
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._started_by = os.getpid()
        self._lock = lock_for(self, RLock)

    def lookup(self, name: str) -> Content | None:
        """The object of any name that git accepts, with its id; ``None`` if there is none.

        Raises:
            AmbiguousNameError: Several objects have this name.
            ReadError: Git cannot read the repository.
        """
        with self.exchange():
            self._send(f"{name}\n")
            return self._receive()

    def read(self, object_ids: Iterable[str]) -> Iterator[Content | None]:
        """Contents of objects, in order; ``None`` for missing ones.

        Raises:
            ReadError: Git cannot read the repository.
        """
        wanted = list(object_ids)
        for start in range(0, len(wanted), _AHEAD):
            with self.exchange():
                part = wanted[start : start + _AHEAD]
                self._send("".join(f"{object_id}\n" for object_id in part))
                contents = [self._receive() for _ in part]
            yield from contents

    def rev_parse(self, option: str) -> subprocess.CompletedProcess[bytes]:
        """Run ``git rev-parse`` with an option that asks about the repository itself."""
        import subprocess

        command = self._command("rev-parse", option)
        return subprocess.run(command, capture_output=True, check=False, env=_environment())

    def close(self) -> None:
        """End the git process; it is started again when needed."""
        with self._lock:
            if self._process is not None:
                self._end()
            self._process = None

    @contextmanager
    def exchange(self) -> Iterator[None]:
        """Send requests and read all their answers, while other threads wait.

        If that is interrupted, git is ended: its remaining answers would be taken for those to
        later requests. The git of a process that has forked this one is left to that process.
        """
        with self._lock:
            if self._started_by != os.getpid():
                self.close()
            try:
                yield
            except BaseException:
                self.close()
                raise

    def _send(self, text: str) -> None:
        if self._process is None:
            self._start()
        stream = cast("IO[bytes]", cast("subprocess.Popen[bytes]", self._process).stdin)
        try:
            stream.write(text.encode())
            stream.flush()
        except BrokenPipeError:
            raise self._failure() from None

    def _receive(self) -> Content | None:
        """Read the answer to one name: its header, and the object unless it is missing."""
        header = self._header()
        if header.endswith(b" missing"):
            return None
        if header.endswith(b" ambiguous"):
            raise AmbiguousNameError
        object_id, _, size = header.split()
        return Content(object_id.decode(), self._content(int(size)))

    def _header(self) -> bytes:
        line = self._output.readline()
        if not line.endswith(b"\n"):
            raise self._failure()
        return line[:-1]

    def _content(self, size: int) -> bytes:
        content = self._output.read(size + 1)
        if len(content) <= size:
            raise self._failure()
        return content[:-1]

    @property
    def _output(self) -> IO[bytes]:
        return cast("IO[bytes]", cast("subprocess.Popen[bytes]", self._process).stdout)

    def _start(self) -> None:
        import subprocess

        try:
            self._process = process = subprocess.Popen(
                self._command("cat-file", "--batch"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
                **own_group(),
            )
        except OSError as error:
            raise ConfigurationError(
                f"{self._path}: reading a repository needs git, which cannot be started "
                f"({error.strerror}); install it, or check the repository out and name the folder"
            ) from error
        self._started_by = os.getpid()
        self._end = weakref.finalize(self, _end, process)

    def _command(self, *words: str) -> list[str]:
        return ["git", f"--git-dir={self._folder}", *words]

    def _failure(self) -> ReadError:
        """The error that git reports about the repository, once it has ended."""
        self.close()
        message = self.rev_parse("--git-dir").stderr.decode(errors="replace")
        reason = message.strip().removeprefix("fatal: ") or "git ended while reading an object"
        return ReadError(f"{self._path}: {reason}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git, which has nothing to finish, unless another process started it."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            try:
                stream.close()
            except BrokenPipeError:  # requests that were not sent yet
                continue


def _environment() -> dict[str, str]:
    """The environment of git: only the repository's settings apply, and nothing is fetched.

    Git before 2.45 does not know ``GIT_NO_LAZY_FETCH``. The repository may be anyone's, and its
    settings could allow a protocol that runs a program; an empty list of protocols overrules them.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {
        **kept,
        "GIT_ALLOW_PROTOCOL": "",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
