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
from trajmeter.remote.filesystems import Uri, filesystem_of, parse, telling

if sys.platform == "win32":
    from pathlib import WindowsPath as _Path
else:
    from pathlib import PosixPath as _Path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyarrow import NativeFile
    from pyarrow.fs import FileInfo

__all__ = ["RemotePath", "arrow_file", "arrow_source", "is_named_in_utf8", "is_remote", "path_of"]

_BUFFER = 1 << 18
_IN_MEMORY = 64 << 20
"""Bytes of a file to buffer in memory before it is written; larger files are buffered on disk."""
_COPIED = 8 << 20
_MAGIC = re.compile(r"[*?\[]")
_ANY_LETTER = r"(\\.|\[\^?\]?[^\]]*\])|\."
"""What ``?`` becomes in a translated pattern: a dot outside of escapes and sets."""
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


def is_named_in_utf8(file: str | Path) -> bool:
    """Whether a file name is valid text; the few others are shown with escapes."""
    name = str(file)
    if name.isascii():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def arrow_source(path: Path) -> Iterator[Path | NativeFile]:
    """A file in the form that pyarrow functions take: a path, or an open file.

    Remote files, and files whose names are not valid text, which pyarrow rejects, are opened.

    Raises:
        OSError: It cannot be opened.
    """
    if not isinstance(path, RemotePath) and is_named_in_utf8(path):
        yield path
        return
    with path.open("rb") as file:
        yield arrow_file(file)


def arrow_file(file: BinaryIO) -> Any:  # noqa: ANN401 - as pyarrow takes it
    """A file in the form that pyarrow reads best: remote files with its own ranges."""
    return getattr(getattr(file, "raw", None), "native", file)


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
            OSError: It cannot be asked.
        """
        system, path = filesystem_of(self._uri)
        with telling(self._uri):
            about: dict[Any, Any]
            if system.type_name.startswith("py::fsspec"):
                about = system.handler.fs.info(path)  # type: ignore[attr-defined]  # of FSSpecHandler
            else:
                with system.open_input_file(path) as file:
                    about = {key: value.decode() for key, value in (file.metadata() or {}).items()}
        for key in (*_VERSIONS, *_TIMES):
            if about.get(key):
                return f"{key.lower()}:{about[key]}"
        time = self.stat().st_mtime_ns
        return f"mtime:{time}" if time else None

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Size, time and kind."""
        del follow_symlinks
        about = self._info()
        mode = stat.S_IFDIR if _is_folder(about) else stat.S_IFREG
        time = about.mtime_ns or 0
        seconds = time // 10**9
        return os.stat_result(
            (mode, 0, 0, 1, 0, 0, about.size or 0, seconds, seconds, seconds),
            {"st_mtime_ns": time},
        )

    def _info(self) -> FileInfo:
        from pyarrow.fs import FileType

        system, path = filesystem_of(self._uri)
        with telling(self._uri):
            about = system.get_file_info(path)
            if about.type == FileType.NotFound:
                raise FileNotFoundError
        return about

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
        with telling(self._uri):
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
            with telling(self._uri):
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
        found = [(self._named(each), each.size or 0) for each in listed if not _is_folder(each)]
        return sorted(found, key=lambda each: each[0].parts)

    def _list(self, *, recursive: bool = False) -> list[FileInfo]:
        from pyarrow.fs import FileSelector

        system, path = filesystem_of(self._uri)
        with telling(self._uri):
            return list(system.get_file_info(FileSelector(path, recursive=recursive)))

    def _named(self, about: FileInfo) -> RemotePath:
        """The path of a listed entry below this folder."""
        _, own = filesystem_of(self._uri)
        below = about.path.strip("/").removeprefix(own.strip("/")).strip("/")
        return self.joinpath(below)

    def iterdir(self) -> Iterator[RemotePath]:  # type: ignore[override]  # of this class
        """The entries of this folder."""
        for each in self._list():
            yield self._named(each)

    def scan(self) -> list[tuple[RemotePath, bool]]:
        """The entries of this folder by name, each with whether it is a folder.

        Raises:
            OSError: It cannot be listed.
        """
        found = [(self._named(each), _is_folder(each)) for each in self._list()]
        return sorted(found, key=lambda each: each[0].name)

    def glob(self, pattern: str, **_: object) -> Iterator[RemotePath]:  # type: ignore[override]
        """Entries of this folder whose names match a pattern."""
        for each in self.iterdir():
            if fnmatch.fnmatchcase(each.name, pattern):
                yield each

    def rglob(self, pattern: str, **_: object) -> Iterator[RemotePath]:  # type: ignore[override]
        """Files below this folder whose names match a pattern."""
        for each, _size in self.files():
            if fnmatch.fnmatchcase(each.name, pattern):
                yield each

    @property
    def is_pattern(self) -> bool:
        """Whether the path is a pattern."""
        return _MAGIC.search(str(self)) is not None

    def matches(self) -> list[RemotePath]:
        """Files that match this pattern, ``**`` for any folders, ordered by name.

        Raises:
            OSError: The folder above them cannot be listed.
        """
        fixed = 0
        while not _MAGIC.search(self.parts[fixed]):
            fixed += 1
        folder = RemotePath("/".join(self.parts[:fixed]))
        wanted = re.compile(_translated(self.parts[fixed:]))
        found = (each for each, _ in folder.files())
        return [each for each in found if wanted.fullmatch("/".join(each.parts[fixed:]))]

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
        with telling(self._uri):
            system.create_dir(path, recursive=True)

    def unlink(self, missing_ok: bool = False) -> None:  # noqa: FBT001, FBT002 - as that of Path
        """Remove the file."""
        system, path = filesystem_of(self._uri)
        if missing_ok and not self.exists():
            return
        with telling(self._uri):
            system.delete_file(path)


def _is_folder(about: FileInfo) -> bool:
    from pyarrow.fs import FileType

    return bool(about.type == FileType.Directory)


def _translated(parts: tuple[str, ...]) -> str:
    """The regular expression of a :mod:`glob` pattern: ``*`` does not match hidden files."""
    texts = []
    for number, part in enumerate(parts):
        is_last = number == len(parts) - 1
        if part == "**":
            texts.append(r"(?:[^/.][^/]*/)*" + (r"[^/.][^/]*" if is_last else ""))
            continue
        inner = fnmatch.translate(part).removeprefix("(?s:").rpartition(")")[0]
        inner = re.sub(_ANY_LETTER, lambda found: found[1] or "[^/]", inner)
        hidden = "" if part.startswith(".") else r"(?!\.)"
        texts.append(hidden + inner + ("" if is_last else "/"))
    return "".join(texts)
