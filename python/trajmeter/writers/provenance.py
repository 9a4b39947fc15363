"""Where a file comes from: the command that made it, when, and the inputs with their digests."""

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
"""A user and a password, which may hold a slash by mistake."""
_BLOCK = 1 << 20
_LARGE_BYTES = 16 << 20
"""Of larger files and folders only ends are read: reading all would take as long as scoring it."""
_END_IN_FOLDER = 4 << 10
"""Bytes of each end of a file in a large folder."""


class InputFile(Record):
    """A file or folder that something was made from."""

    path: str
    """Path, as it was given."""
    bytes: int | None = None
    """Size; of a folder that of its files; ``None`` for a pipe or what is not there."""
    sha256: str | None = None
    """Digest; of a folder that of the paths and digests of its files."""
    ends_sha256: str | None = None
    """Digest of the first and the last MiB, in place of that of a file above 16 MiB; of a folder
    above 16 MiB, of its files' paths, sizes and first and last 4 KiB."""
    files: int | None = None
    """Number of files of a folder."""


class Provenance(Record):
    """How a results table was made."""

    command: tuple[str, ...]
    """The command line, without secrets."""
    started_at: str
    """UTC time at which it began, ISO 8601."""
    python_version: str
    """Version of Python."""
    inputs: tuple[InputFile, ...] = ()
    """What was read."""
    judge: str | None = None
    """Model that judged; ``None`` if none was asked for."""

    @classmethod
    def now(cls, inputs: Iterable[InputFile] = (), *, judge: str | None = None) -> Provenance:
        """The provenance of what this process makes now."""
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
        """What ``model_dump_json`` gives, without first building the model, which takes time."""
        return to_json({**vars(self), "inputs": [*map(vars, self.inputs)]}).decode()


class InputDigests:
    """Sizes and digests of inputs, computed on a thread while they are read.

    Args:
        paths: Files and folders; one that is a pipe is not touched.
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
        """Compute no more of them."""
        self._is_stopped = True

    def _run(self) -> None:
        for path in self._paths:
            if self._is_stopped:
                return
            self._found.append(input_file(path))


def input_file(path: Path) -> InputFile:
    """Size and digest of a file or folder; what cannot be read has neither.

    Example:
        >>> from pathlib import Path
        >>> input_file(Path("no such file"))
        InputFile(path='no such file', bytes=None, sha256=None, ends_sha256=None, files=None)
    """
    try:
        found = path.stat()
        if is_remote(path):  # which is not read as a whole for this
            return _input(path, bytes=found.st_size or None)
        if stat.S_ISREG(found.st_mode):
            size = found.st_size
            if size > _LARGE_BYTES:
                return _input(path, bytes=size, ends_sha256=_ends(str(path), size, _BLOCK))
            return _input(path, bytes=size, sha256=_digest(str(path)))
        if stat.S_ISDIR(found.st_mode):
            return _folder(path)
    except OSError:
        pass
    return _input(path)


def _input(path: Path, **known: int | str | None) -> InputFile:
    return frozen(InputFile, default_fields(InputFile, path=_as_text(str(path)), **known))


def _as_text(name: str) -> str:
    """A file name or argument as text, in which bytes that are not UTF-8 are escaped."""
    return os.fsencode(name).decode(errors="backslashreplace")


def _folder(folder: Path) -> InputFile:
    root = str(folder)
    sizes: dict[str, int] = {}
    for name in _names_below(root):
        with suppress(FileNotFoundError):  # a link to nothing
            found = os.stat(os.path.join(root, name))  # noqa: PTH116, PTH118 - of many files
            if stat.S_ISREG(found.st_mode):
                sizes[name] = found.st_size
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
    """Files at any depth, by their paths below the folder, in the order of the parts of these."""
    above = len(os.path.join(root, ""))  # noqa: PTH118 - a Path takes ten times as long
    found = (os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names)  # noqa: PTH118 - as above
    names = [path[above:] for path in found]
    return sorted(names, key=lambda name: os.path.normcase(name).split(os.sep))  # noqa: PTH206 - as above


def _digest(path: str) -> str:
    digest = hashlib.sha256()
    with FileIO(path) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _ends(path: str, size: int, length: int) -> str:
    """Digest of the first and the last bytes of a file: all of them if it is short."""
    digest = hashlib.sha256()
    with FileIO(path) as file:
        digest.update(file.read(length))
        file.seek(max(length, size - length))
        digest.update(file.read(length))
    return digest.hexdigest()


def command_line(arguments: Sequence[str]) -> tuple[str, ...]:
    """A command line without what has to stay secret.

    Hidden are values of options that are named like a secret, credentials and queries of addresses,
    and what looks like a key of a well-known service.

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
