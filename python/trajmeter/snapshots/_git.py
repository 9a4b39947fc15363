"""Commits and files of a git repository, read from its objects: no checkout is needed.

One ``git cat-file`` process serves all commits. Git neither fetches what a partial clone lacks nor
follows replacements, and the user's settings are ignored.
"""

from __future__ import annotations

import os
import shlex
import weakref
from contextlib import contextmanager
from threading import RLock
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.snapshots._checkout import Content
from trajmeter.snapshots._links import MOST_LINKS
from trajmeter.snapshots._names import folder_name
from trajmeter.system.forks import lock_for
from trajmeter.system.processes import own_group

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

__all__ = ["GitRepository", "fetch_command", "git_folder"]

_LINK, _FOLDER, _FILE = b"120000", b"40000", b"100"
_AHEAD = 64
"""Objects to request before the first is read: few enough for the requests to fit into a pipe."""


def git_folder(path: Path) -> Path | None:
    """Where the objects of a repository are described: ``.git`` in it, or a bare repository itself.

    A folder within a repository is none.
    """
    if (path / ".git").exists():
        return path / ".git"
    is_bare = (path / "HEAD").is_file() and (path / "objects").is_dir() and (path / "refs").is_dir()
    return path if is_bare else None


def fetch_command(repository: Path, revision: str) -> str:
    """The command that fetches a commit, for a message.

    The revision may be from a data set, so it is quoted, and never an option of git: one of them
    names a program to run.
    """
    words = ["git", "-C", str(repository), "fetch", "origin"]
    return shlex.join([*words, "--", revision] if revision.startswith("-") else [*words, revision])


class _Tree(NamedTuple):
    """What a commit holds, by path."""

    files: dict[bytes, str]
    links: dict[bytes, str]
    folders: set[bytes]


class GitRepository:
    """A repository, read by one git process that ends with it. Threads may share it.

    Args:
        path: The repository, bare or not.

    Raises:
        ReadError: It is not a repository.
    """

    def __init__(self, path: Path) -> None:
        folder = git_folder(path)
        if folder is None:
            raise ReadError(f"{path}: not a git repository")
        self.path = path
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._started_by = os.getpid()
        self._trees: dict[str, list[tuple[bytes, bytes, str]]] = {}
        self._lock = lock_for(self, RLock)

    def __getstate__(self) -> dict[str, Any]:
        """Omit the process."""
        return {"path": self.path}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(state["path"])  # type: ignore[misc] # an object of this very class

    @property
    def why_missing(self) -> str:
        """Message about a file without content."""
        return (
            "the clone lacks it; fetch everything: "
            f"git -C {shlex.quote(str(self.path))} fetch --refetch --no-filter origin"
        )

    def is_shallow(self) -> bool:
        """Whether the clone's history is cut off."""
        return self._told("--is-shallow-repository").stdout.strip() == b"true"

    @property
    def deepen_command(self) -> str:
        """The command that fetches the whole history of a shallow clone, for a message."""
        return shlex.join(["git", "-C", str(self.path), "fetch", "--unshallow"])

    @property
    def name(self) -> str:
        """Name of its folder, without ``.git``."""
        return folder_name(self.path).removesuffix(".git")

    def commit(self, revision: str) -> str | None:
        """Id of a commit from any name that git accepts for it; ``None`` if there is none.

        Raises:
            ReadError: The name is ambiguous, or git cannot read the repository.
        """
        if not revision.strip() or not revision.isprintable():
            return None
        with self._exchange():
            header = self._ask(f"{revision}^{{commit}}")
            if header.endswith(b" ambiguous"):
                raise ReadError(f"{self.path}: {revision!r} is short for several objects")
            if header.endswith(b" missing"):
                return None
            name, _, size = header.split()
            self._content(int(size))
        return name.decode()

    def files(self, commit: str) -> dict[str, str]:
        """Blobs of the files of a commit, by path, in order.

        Links to files within the repository count as files. Links to folders or out of the
        repository, submodules, and files whose names are not UTF-8 are skipped.

        Raises:
            ReadError: One of its folders is missing, or git cannot read the repository.
        """
        with self._exchange():
            header = self._ask(f"{commit}^{{tree}}")
            if header.endswith(b" missing"):
                raise ReadError(f"{self.path}: files of commit {commit}: {self.why_missing}")
            tree, _, size = header.split()
            self._content(int(size))
            found = _Tree({}, {}, set())
            left = [(b"", tree.decode())]
            while left:
                above, tree_id = left.pop()
                for mode, name, object_id in self._tree(tree_id):
                    path = above + name
                    if mode == _FOLDER:
                        left.append((path + b"/", object_id))
                        found.folders.add(path)
                    elif mode == _LINK:
                        found.links[path] = object_id
                    elif mode.startswith(_FILE):
                        found.files[path] = object_id
            targets = dict(zip(found.links, self.read(found.links.values()), strict=True))
        files = dict(found.files)
        for path in found.links:
            linked = _linked(path, targets, found)
            if linked is not None:
                files[path] = linked
        return dict(sorted(_named(files)))

    def ids(self, object_ids: Iterable[str]) -> Iterable[str | None]:
        """The ids of the contents, which also identify them here."""
        return object_ids

    def read(self, object_ids: Iterable[str]) -> Iterator[Content | None]:
        """Contents of objects, in order; ``None`` for missing ones.

        Raises:
            ReadError: Git cannot read the repository.
        """
        wanted = list(object_ids)
        for start in range(0, len(wanted), _AHEAD):
            with self._exchange():
                part = wanted[start : start + _AHEAD]
                self._send("".join(f"{each}\n" for each in part))
                found = [self._next(each) for each in part]
            yield from found

    def close(self) -> None:
        """End the git process; it is started again when needed."""
        with self._lock:
            if self._process is not None:
                self._end()
            self._process = None

    @contextmanager
    def _exchange(self) -> Iterator[None]:
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

    def _tree(self, tree_id: str) -> list[tuple[bytes, bytes, str]]:
        """Mode, name and object of the entries of a tree, which many commits may share."""
        entries = self._trees.get(tree_id)
        if entries is None:
            content = next(self.read([tree_id]))
            if content is None:
                raise ReadError(f"{self.path}: tree {tree_id}: {self.why_missing}")
            entries = self._trees[tree_id] = _tree_entries(content.content, len(tree_id) // 2)
        return entries

    def _next(self, object_id: str) -> Content | None:
        header = self._header()
        if header.endswith(b" missing"):
            return None
        return Content(object_id, self._content(int(header.split()[2])))

    def _ask(self, name: str) -> bytes:
        self._send(f"{name}\n")
        return self._header()

    def _send(self, text: str) -> None:
        if self._process is None:
            self._start()
        stream = cast("IO[bytes]", cast("subprocess.Popen[bytes]", self._process).stdin)
        try:
            stream.write(text.encode())
            stream.flush()
        except BrokenPipeError:
            raise self._failure() from None

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
                f"{self.path}: reading a repository needs git, which cannot be started "
                f"({error.strerror}); install it, or check the repository out and name the folder"
            ) from error
        self._started_by = os.getpid()
        self._end = weakref.finalize(self, _end, process)

    def _command(self, *words: str) -> list[str]:
        return ["git", f"--git-dir={self._folder}", *words]

    def _failure(self) -> ReadError:
        """What git reported about the repository, once it has ended."""
        self.close()
        said = self._told("--git-dir").stderr.decode(errors="replace")
        reason = said.strip().removeprefix("fatal: ") or "git ended while reading an object"
        return ReadError(f"{self.path}: {reason}")

    def _told(self, question: str) -> subprocess.CompletedProcess[bytes]:
        """What git says about the repository itself."""
        import subprocess

        call = self._command("rev-parse", question)
        return subprocess.run(call, capture_output=True, check=False, env=_environment())


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git, which has nothing to finish, unless another process started it."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            try:
                stream.close()
            except BrokenPipeError:  # what has not been sent yet
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


def _tree_entries(content: bytes, id_bytes: int) -> list[tuple[bytes, bytes, str]]:
    """Parse a tree: each entry is its mode, a space, its name, a NUL, and its object's id."""
    entries = []
    place = 0
    while place < len(content):
        end = content.index(b"\0", place)
        mode, _, name = content[place:end].partition(b" ")
        place = end + 1 + id_bytes
        entries.append((mode, name, content[end + 1 : place].hex()))
    return entries


def _named(files: Mapping[bytes, str]) -> Iterator[tuple[str, str]]:
    """The files whose names are UTF-8."""
    for path, object_id in files.items():
        try:
            yield path.decode(), object_id
        except UnicodeDecodeError:
            continue


def _linked(path: bytes, targets: Mapping[bytes, Content | None], tree: _Tree) -> str | None:
    """The blob that a link leads to, or the first link on the way whose content is missing.

    ``None`` if it leads to a folder, nowhere or out.
    """
    followed = 0
    place: list[bytes] = []
    left = path.split(b"/")[::-1]
    while left:
        part = left.pop()
        if part in (b"", b"."):
            continue
        if part == b"..":
            if not place:
                return None
            place.pop()
            continue
        place.append(part)
        reached = b"/".join(place)
        if reached in tree.links:
            target = targets[reached]
            followed += 1
            if target is None:
                return tree.links[reached]
            if followed > MOST_LINKS or target.content.startswith(b"/"):
                return None
            place.pop()
            left += target.content.split(b"/")[::-1]
        elif left and reached not in tree.folders:
            return None
    return tree.files.get(b"/".join(place))
