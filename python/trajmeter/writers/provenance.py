"""Provenance of results: the command, its start time, and the inputs with their digests."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import stat
import sys
from contextlib import suppress
from datetime import datetime, timezone
from io import FileIO
from threading import Thread
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from pydantic_core import to_json

from trajmeter.kernels import backend
from trajmeter.records import Record
from trajmeter.records.record import default_fields, frozen
from trajmeter.remote import is_remote

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

__all__ = ["InputDigests", "InputFile", "Provenance", "command_line", "input_file"]

_HIDDEN = "***"
_SECRET_OPTION = re.compile(
    r"--?[\w-]*(key|token|secret|password|auth|credential)[\w-]*", re.IGNORECASE
)
_SECRET = re.compile(
    r"\b(?:sk-[\w-]{8,}|gh[a-z]_\w{16,}|github_pat_\w{16,}|hf_\w{16,}|AKIA\w{12,}"
    r"|xox[a-z]-[\w-]{8,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"
)
_CREDENTIALS = re.compile(r"(?<=://)[^/@]*:(?![0-9]*/)[^@]*@")
"""A user and a password, which may contain a slash by mistake."""
_BLOCK = 1 << 20
_LARGE_BYTES = 16 << 20
"""Only the ends of larger files and folders are read, as reading all takes as long as scoring."""
_END_IN_FOLDER = 4 << 10
"""Bytes read at each end of a file in a large folder."""


class InputFile(Record):
    """An input file or folder."""

    path: str
    """Path, as given."""
    bytes: int | None = None
    """Size in bytes, for a folder of all its files; ``None`` for a pipe or missing file."""
    sha256: str | None = None
    """Digest; for a folder, of the paths and digests of its files."""
    ends_sha256: str | None = None
    """Instead of ``sha256`` above 16 MiB: for a file, digest of the first and last MiB; for a
    folder, of its files' paths, sizes, and first and last 4 KiB."""
    files: int | None = None
    """Number of files in a folder."""


class Provenance(Record):
    """How a results table was produced."""

    command: tuple[str, ...]
    """The command line, without secrets."""
    started_at: str
    """Start time in UTC, ISO 8601."""
    python_version: str
    """Version of Python."""
    inputs: tuple[InputFile, ...] = ()
    """Files and folders that were read."""
    judge: str | None = None
    """Model used as judge, if any."""

    @classmethod
    def now(cls, inputs: Iterable[InputFile] = (), *, judge: str | None = None) -> Provenance:
        """The provenance of results that this process starts to produce now."""
        values = default_fields(
            cls,
            command=command_line(sys.argv),
            started_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
            python_version=platform.python_version(),
            inputs=tuple(inputs),
            judge=judge,
        )
        return frozen(cls, values)

    def to_json(self) -> str:
        """Same as ``model_dump_json``, but avoids building the pydantic model, which is slow."""
        return to_json({**vars(self), "inputs": [*map(vars, self.inputs)]}).decode()


class InputDigests:
    """Computes sizes and digests of inputs in a thread.

    Args:
        paths: Files and folders; pipes are not read.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self._paths = [*paths]
        self._found: list[InputFile] = []
        self._is_stopped = False
        self._thread = Thread(target=self._run, name="trajmeter-digests", daemon=True)
        self._thread.start()

    def result(self) -> tuple[InputFile, ...]:
        """Wait for all of them."""
        self._thread.join()
        return tuple(self._found)

    def stop(self) -> None:
        """Stop computing."""
        self._is_stopped = True

    def _run(self) -> None:
        for path in self._paths:
            if self._is_stopped:
                return
            self._found.append(input_file(path))


def input_file(path: Path) -> InputFile:
    """Size and digest of a file or folder; ``None`` if it cannot be read.

    Example:
        >>> from pathlib import Path
        >>> input_file(Path("no such file"))
        InputFile(path='no such file', bytes=None, sha256=None, ends_sha256=None, files=None)
    """
    try:
        status = path.stat()
        if is_remote(path):  # not read just for a digest
            return _input(path, bytes=status.st_size or None)
        if stat.S_ISREG(status.st_mode):
            size = status.st_size
            if size > _LARGE_BYTES:
                return _input(path, bytes=size, ends_sha256=_ends(str(path), size, _BLOCK))
            return _input(path, bytes=size, sha256=_digest(str(path)))
        if stat.S_ISDIR(status.st_mode):
            return _folder(path)
    except OSError:
        pass
    return _input(path)


def _input(path: Path, **known: int | str | None) -> InputFile:
    return frozen(InputFile, default_fields(InputFile, path=_as_text(str(path)), **known))


def _as_text(name: str) -> str:
    """A file name or argument as text, with bytes that are not UTF-8 escaped."""
    return os.fsencode(name).decode(errors="backslashreplace")


def _folder(folder: Path) -> InputFile:
    root = str(folder)
    if backend() == "rust" and os.sep == "/":
        from trajmeter.kernels._rust import folder_digest

        found = folder_digest(root, _LARGE_BYTES, _END_IN_FOLDER)
        if found is not None:
            size, count, ends = found
            return _input(folder, bytes=size, ends_sha256=ends, files=count)
    sizes: dict[str, int] = {}
    for name in _names_below(root):
        with suppress(FileNotFoundError):  # a broken link
            status = os.stat(os.path.join(root, name))  # noqa: PTH116, PTH118 - many files
            if stat.S_ISREG(status.st_mode):
                sizes[name] = status.st_size
    total = sum(sizes.values())
    whole = hashlib.sha256()
    for name, size in sizes.items():
        path = os.path.join(root, name)  # noqa: PTH118 - as above
        shown = name.replace(os.sep, "/")
        if total > _LARGE_BYTES:
            listed = f"{shown}\0{size}\0{_ends(path, size, _END_IN_FOLDER)}\n"
        else:
            listed = f"{shown}\0{_digest(path)}\n"
        whole.update(listed.encode(errors="surrogateescape"))
    digest = whole.hexdigest()
    if total > _LARGE_BYTES:
        return _input(folder, bytes=total, ends_sha256=digest, files=len(sizes))
    return _input(folder, bytes=total, sha256=digest, files=len(sizes))


def _names_below(root: str) -> list[str]:
    """Relative paths of files at any depth, sorted by path components."""
    above = len(os.path.join(root, ""))  # noqa: PTH118 - a Path takes ten times as long
    paths = (os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names)  # noqa: PTH118 - as above
    names = [path[above:] for path in paths]
    return sorted(names, key=lambda name: os.path.normcase(name).split(os.sep))  # noqa: PTH206 - as above


def _digest(path: str) -> str:
    digest = hashlib.sha256()
    with FileIO(path) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _ends(path: str, size: int, length: int) -> str:
    """Digest of the first and last bytes of a file, or of all of them if it is short."""
    digest = hashlib.sha256()
    with FileIO(path) as file:
        digest.update(file.read(length))
        file.seek(max(length, size - length))
        digest.update(file.read(length))
    return digest.hexdigest()


def command_line(arguments: Sequence[str]) -> tuple[str, ...]:
    """A command line without secrets.

    Hidden are values of options named like a secret, credentials and queries of URLs, and text that
    looks like an API key of a well-known service.

    Args:
        arguments: The program and its arguments.

    Example:
        >>> command_line(["/bin/trajmeter", "score", "--api-key", "x", "https://me:pw@host/v1?k=1"])
        ('trajmeter', 'score', '--api-key', '***', 'https://***@host/v1?***')
    """
    shown = ["trajmeter"] if arguments else []
    is_secret = False
    for argument in map(_as_text, arguments[1:]):
        name, sign, _ = argument.partition("=")
        is_option = _SECRET_OPTION.fullmatch(name) is not None
        if is_secret and not argument.startswith("-"):
            shown.append(_HIDDEN)
        elif is_option and sign:
            shown.append(f"{name}={_HIDDEN}")
        else:
            shown.append(_SECRET.sub(_HIDDEN, _without_credentials(argument)))
        is_secret = is_option and not sign
    return tuple(shown)


def _without_credentials(argument: str) -> str:
    option, sign, value = argument.partition("=")
    if option.startswith("-") and sign and "://" in value:
        return f"{option}={_without_credentials(value)}"
    if "://" not in argument:
        return argument
    try:
        address = urlsplit(_CREDENTIALS.sub(f"{_HIDDEN}@", argument))
    except ValueError:
        return _HIDDEN
    at = address.netloc.rpartition("@")
    place = f"{_HIDDEN}@{at[2]}" if at[1] else address.netloc
    query = _HIDDEN if address.query else ""
    return urlunsplit((address.scheme, place, address.path, query, address.fragment))
