"""Remote paths: an object like :class:`pathlib.Path` that opens, lists and writes URIs."""

from __future__ import annotations

import fnmatch
import io
import os
import re
import stat
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from urllib.parse import unquote

from trajmeter.remote.content import RemoteContent
from trajmeter.remote.filesystems import Uri, filesystem_of, os_errors, parse
from trajmeter.remote.patterns import has_magic, pattern_expression

if sys.platform == "win32":
    from pathlib import WindowsPath as _Path
else:
    from pathlib import PosixPath as _Path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyarrow.fs import FileInfo

__all__ = ["RemotePath", "is_remote", "path_of"]

_BUFFER = 1 << 18
_IN_MEMORY = 64 << 20
"""Bytes of a file to buffer in memory before it is written; larger files are buffered on disk."""
_COPIED = 8 << 20
"""Bytes to copy at a time."""
_VERSIONS = ("ETag", "etag", "version_id", "versionId", "sha256", "oid", "blob_id", "generation")
_TIMES = ("mtime", "LastModified", "last_modified", "updated", "created")


def path_of(name: str | os.PathLike[str]) -> Path:
    """The path of a local or remote file.

    Args:
        name: A path, or a URI such as ``s3://bucket/runs.parquet``, whose query may hold options of
            its file system.

    Raises:
        ConfigurationError: Other options were given for the same bucket or host.
    """
    if isinstance(name, RemotePath):
        return name
    text = os.fspath(name)
    uri = parse(text)
    if uri is None or os.path.lexists(text):
        return Path(name)
    if uri.scheme == "file":
        return Path(unquote(f"/{uri.place.lstrip('/')}"))
    return RemotePath(str(uri))


def is_remote(path: str | os.PathLike[str]) -> bool:
    """Whether a path is remote."""
    return isinstance(path, RemotePath)


class RemotePath(_Path):
    """A file or folder given by a URI; made by :func:`path_of`.

    It supports what readers and runs need of a path. Its text is the URI without query and
    credentials.
    """

    def __str__(self) -> str:
        if not self.parts or not self.parts[0].endswith(":"):  # a relative part, from relative_to
            return "/".join(self.parts) or "."
        return str(self._uri)

    def __fspath__(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"RemotePath({str(self)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return RemotePath, (str(self),)

    @property
    def _uri(self) -> Uri:
        scheme, *parts = self.parts
        return Uri(scheme.rstrip(":"), "/".join(part.strip("\\") for part in parts))

    def identity(self) -> str | None:
        """The store's identity of this file version; ``None`` if it has none.

        Raises:
            OSError: The store cannot be reached.
        """
        system, path = filesystem_of(self._uri)
        with os_errors(self._uri):
            info: dict[Any, Any]
            if system.type_name.startswith("py::fsspec"):
                info = system.handler.fs.info(path)  # type: ignore[attr-defined]  # of FSSpecHandler
            else:
                with system.open_input_file(path) as file:
                    info = {key: value.decode() for key, value in (file.metadata() or {}).items()}
        for key in (*_VERSIONS, *_TIMES):
            if info.get(key):
                return f"{key.lower()}:{info[key]}"
        time = self.stat().st_mtime_ns
        return f"mtime:{time}" if time else None

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Size, time and kind."""
        del follow_symlinks
        info = self._info()
        mode = stat.S_IFDIR if _is_folder(info) else stat.S_IFREG
        time = info.mtime_ns or 0
        seconds = time // 10**9
        return os.stat_result(
            (mode, 0, 0, 1, 0, 0, info.size or 0, seconds, seconds, seconds),
            {"st_mtime_ns": time},
        )

    def _info(self) -> FileInfo:
        from pyarrow.fs import FileType

        system, path = filesystem_of(self._uri)
        with os_errors(self._uri):
            info = system.get_file_info(path)
            if info.type == FileType.NotFound:
                raise FileNotFoundError
        return info

    def exists(self, *, follow_symlinks: bool = True) -> bool:
        """Whether there is such a file or folder."""
        del follow_symlinks
        try:
            self._info()
        except FileNotFoundError:
            return False
        return True

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Whether it is a folder."""
        del follow_symlinks
        try:
            return _is_folder(self._info())
        except OSError:
            return False

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Whether it is a file."""
        del follow_symlinks
        try:
            return not _is_folder(self._info())
        except OSError:
            return False

    def open(  # type: ignore[override]  # only what is read as bytes
        self, mode: str = "r", buffering: int = -1, **_: object
    ) -> io.BufferedReader | RemoteContent:
        """Open the file for reading bytes.

        Raises:
            OSError: It cannot be opened.
        """
        if mode != "rb":
            raise OSError(95, "can only be read as bytes", str(self))
        system, path = filesystem_of(self._uri)
        with os_errors(self._uri):
            content = RemoteContent(self._uri, system.open_input_file(path))
        if buffering == 0:
            return content
        return io.BufferedReader(content, _BUFFER)

    def read_bytes(self) -> bytes:
        """All bytes of the file."""
        with self.open("rb") as file:
            return file.read()

    @contextmanager
    def replacing(self) -> Iterator[BinaryIO]:
        """Write the file atomically: it appears when complete, and not at all on errors.

        Raises:
            OSError: It cannot be written.
        """
        from tempfile import SpooledTemporaryFile  # not needed for local files

        with SpooledTemporaryFile(_IN_MEMORY) as held:
            yield cast("BinaryIO", held)
            held.seek(0)
            system, path = filesystem_of(self._uri)
            with os_errors(self._uri):
                # Leaving the context by an exception would close the stream and publish a partial
                # file.
                stream = system.open_output_stream(path, compression=None)
                while block := held.read(_COPIED):
                    stream.write(block)
                stream.close()

    def files(self) -> list[tuple[RemotePath, int]]:
        """Files below this folder with their sizes, ordered by name.

        Raises:
            OSError: It cannot be listed.
        """
        listed = self._list(recursive=True)
        files = [(self._named(info), info.size or 0) for info in listed if not _is_folder(info)]
        return sorted(files, key=lambda file: file[0].parts)

    def _list(self, *, recursive: bool = False) -> list[FileInfo]:
        from pyarrow.fs import FileSelector

        system, path = filesystem_of(self._uri)
        with os_errors(self._uri):
            return list(system.get_file_info(FileSelector(path, recursive=recursive)))

    def _named(self, info: FileInfo) -> RemotePath:
        """The path of a listed entry below this folder."""
        _, folder = filesystem_of(self._uri)
        below = info.path.strip("/").removeprefix(folder.strip("/")).strip("/")
        return self.joinpath(below)

    def iterdir(self) -> Iterator[RemotePath]:  # type: ignore[override]  # of this class
        """The entries of this folder."""
        for info in self._list():
            yield self._named(info)

    def scan(self) -> list[tuple[RemotePath, bool]]:
        """The entries of this folder by name, each with whether it is a folder.

        Raises:
            OSError: It cannot be listed.
        """
        entries = [(self._named(info), _is_folder(info)) for info in self._list()]
        return sorted(entries, key=lambda entry: entry[0].name)

    def glob(self, pattern: str, **_: object) -> Iterator[RemotePath]:  # type: ignore[override]
        """Entries of this folder whose names match a pattern."""
        for entry in self.iterdir():
            if fnmatch.fnmatchcase(entry.name, pattern):
                yield entry

    def rglob(self, pattern: str, **_: object) -> Iterator[RemotePath]:  # type: ignore[override]
        """Files below this folder whose names match a pattern."""
        for file, _size in self.files():
            if fnmatch.fnmatchcase(file.name, pattern):
                yield file

    @property
    def is_pattern(self) -> bool:
        """Whether the path is a pattern."""
        return has_magic(str(self))

    def matches(self) -> list[RemotePath]:
        """Files that match this pattern, ``**`` for any folders, ordered by name.

        Raises:
            OSError: The folder above them cannot be listed.
        """
        fixed = 0
        while not has_magic(self.parts[fixed]):
            fixed += 1
        folder = RemotePath("/".join(self.parts[:fixed]))
        wanted = re.compile(pattern_expression(self.parts[fixed:]))
        files = (file for file, _ in folder.files())
        return [file for file in files if wanted.fullmatch("/".join(file.parts[fixed:]))]

    def resolve(self, strict: bool = False) -> RemotePath:  # noqa: FBT001, FBT002 - as that of Path
        """The path, which is absolute already."""
        del strict
        return self

    def absolute(self) -> RemotePath:
        """The path, which is absolute already."""
        return self

    def mkdir(self, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:  # noqa: FBT001, FBT002 - as that of Path
        """Create the folder, if the file system has folders."""
        del mode, parents, exist_ok
        system, path = filesystem_of(self._uri)
        with os_errors(self._uri):
            system.create_dir(path, recursive=True)

    def unlink(self, missing_ok: bool = False) -> None:  # noqa: FBT001, FBT002 - as that of Path
        """Remove the file."""
        system, path = filesystem_of(self._uri)
        if missing_ok and not self.exists():
            return
        with os_errors(self._uri):
            system.delete_file(path)


def _is_folder(info: FileInfo) -> bool:
    from pyarrow.fs import FileType

    return bool(info.type == FileType.Directory)
