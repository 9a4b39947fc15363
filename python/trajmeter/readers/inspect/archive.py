"""Inspect archives: ZIP files with an entry per sample, or a folder of these.

Entries are stored, deflated, or compressed with zstd, which the standard library supports since
Python 3.14. If an entry was written twice, the last version counts.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO

from trajmeter import json_input
from trajmeter.errors import ExtraMissingError, ReadError
from trajmeter.readers._files.content import is_compressed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pydantic import JsonValue

__all__ = ["Archive", "first_entry", "is_whole", "sample_in"]

_LOCAL = struct.Struct("<4s5H3L2H")
_LOCAL_MAGIC = b"PK\x03\x04"
_STORED, _DEFLATED, _ZSTD = 0, 8, 93
_LARGEST = 1 << 30
"""Maximum decompressed size of an entry in bytes, as entries are held in memory whole."""

_SAMPLE = re.compile(r"samples/.*_epoch_\d+(?:\.json|/sample\.json)", re.DOTALL)
_SHELL = "/sample.json"
_CHUNK = re.compile(r"(\d{1,18})\.json")
_MOST_MESSAGES = 100_000
"""Maximum number of messages in a sample whose parts are apart: a few bytes may name the same
messages any number of times."""


def first_entry(head: bytes) -> str | None:
    """Name of the first entry of an archive with this beginning."""
    if not head.startswith(_LOCAL_MAGIC) or len(head) < _LOCAL.size:
        return None
    length = _LOCAL.unpack_from(head)[-2]
    return head[_LOCAL.size : _LOCAL.size + length].decode(errors="replace")


def is_whole(name: str) -> bool:
    """Whether the entry of this name contains a complete sample."""
    return not name.endswith(_SHELL)


def sample_in(value: JsonValue) -> dict[str, Any]:
    """Check that a value is a sample.

    Raises:
        ReadError: It is not an object.
    """
    if isinstance(value, dict):
        return value
    raise ReadError(f"expected a sample, got {json_input.type_name(value)}")


class Archive:
    """An open archive.

    Raises:
        ReadError: It is cut off, compressed as a whole, or not a ZIP file.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        if is_compressed(file):
            raise ReadError("a ZIP archive that is compressed as a whole; decompress it first")
        try:
            infos = zipfile.ZipFile(file).infolist()
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise ReadError(f"invalid ZIP archive: {error}; it may be cut off") from error
        readable = (info.compress_size for info in infos if info.file_size <= _LARGEST)
        if sum(readable) > file.seek(0, io.SEEK_END):
            raise ReadError("invalid ZIP archive: its entries overlap")
        self._entries = {info.filename: info for info in infos}
        self._methods: dict[int, Callable[[bytes, int], bytes]] = {}
        self._chunks: dict[str, list[tuple[int, str]]] = {}
        for name in self._entries:
            folder, _, chunk = name.rpartition("/")
            if found := _CHUNK.fullmatch(chunk):
                self._chunks.setdefault(folder, []).append((int(found[1]), name))

    @property
    def samples(self) -> list[str]:
        """Names of the entries that contain samples or their beginnings."""
        names = [name for name in self._entries if _SAMPLE.fullmatch(name)]
        whole = {name.removesuffix(".json") for name in names}
        return [name for name in names if is_whole(name) or name.removesuffix(_SHELL) not in whole]

    def header(self) -> dict[str, Any]:
        """Data about all samples; after a crash, what was known at the start."""
        for name in ("header.json", "_journal/start.json"):
            if name in self._entries:
                value = self.value(name)
                return value if isinstance(value, dict) else {}
        return {}

    def sample(self, name: str) -> dict[str, Any]:
        """A sample, assembled from its parts.

        Raises:
            ReadError: It cannot be read.
        """
        sample = sample_in(self.value(name))
        if is_whole(name):
            return sample
        folder = name.removesuffix(_SHELL)
        parts = {each: [*self._items(f"{folder}/{each}")] for each in _PARTS}
        pool = parts["messages"]
        ranges = [*_ranges(sample.get("message_refs"), len(pool))]
        if sum(map(len, ranges)) > _MOST_MESSAGES:
            raise ReadError(f"the sample has more than {_MOST_MESSAGES:,} messages")
        attachments = {str(index): text for index, text in enumerate(parts["attachments"])}
        metadata = f"{folder}/metadata.json"
        return {
            **sample,
            "messages": [pool[index] for indices in ranges for index in indices],
            "events": parts["events"],
            "attachments": attachments,
            "metadata": self.value(metadata) if metadata in self._entries else {},
        }

    def value(self, name: str) -> JsonValue:
        """The JSON of an entry.

        Raises:
            ReadError: It cannot be read.
        """
        return json_input.parse(self.content(name))

    def _decompress(self, method: int) -> Callable[[bytes, int], bytes]:
        if method not in self._methods:
            self._methods[method] = _decompress(method)
        return self._methods[method]

    def _items(self, folder: str) -> Iterator[JsonValue]:
        for _, name in sorted(self._chunks.get(folder, ())):
            value = self.value(name)
            if isinstance(value, list):
                yield from value

    def content(self, name: str) -> bytes:
        """The bytes of an entry.

        Raises:
            ReadError: It cannot be decompressed, or is corrupt.
        """
        info = self._entries[name]
        if info.file_size > _LARGEST:
            raise ReadError(
                f"the entry has {info.file_size:,} bytes, expected {_LARGEST:,} at most"
            )
        self._file.seek(info.header_offset)
        local = self._file.read(_LOCAL.size)
        if len(local) < _LOCAL.size or not local.startswith(_LOCAL_MAGIC):
            raise ReadError("invalid ZIP archive: an entry is not where it should be")
        *_, name_length, extra_length = _LOCAL.unpack(local)
        self._file.seek(name_length + extra_length, 1)
        raw = self._file.read(info.compress_size)
        try:
            content = self._decompress(info.compress_type)(raw, info.file_size)
        except (zlib.error, ValueError, OSError, MemoryError, EOFError) as error:
            raise ReadError(f"the entry cannot be decompressed: {error}") from error
        if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
            raise ReadError("the entry is corrupt: its checksum is not that of its content")
        return content


_PARTS = ("messages", "events", "attachments")


def _ranges(refs: object, size: int) -> Iterator[range]:
    """Ranges of indices in a pool of this size."""
    for each in refs if isinstance(refs, list) else ():
        match each:
            case [int(start), int(stop)] if start >= 0:
                yield range(start, min(stop, size))


def _decompress(method: int) -> Callable[[bytes, int], bytes]:
    if method == _STORED:
        return lambda raw, _: raw
    if method == _DEFLATED:
        return lambda raw, size: zlib.decompressobj(-zlib.MAX_WBITS).decompress(raw, size + 1)
    if method != _ZSTD:
        raise ReadError(f"the entry is compressed by method {method}, expected deflate or zstd")
    return _zstd()


def _zstd() -> Callable[[bytes, int], bytes]:
    module: Any
    try:
        module = import_module("compression.zstd")
    except ImportError:
        try:
            module = import_module("zstandard")
        except ImportError as error:
            raise ExtraMissingError(
                "logs of Inspect are compressed with zstd, which needs zstandard: "
                "pip install 'trajmeter[zstd]'"
            ) from error

    def decompressed(raw: bytes, size: int) -> bytes:
        decompressor = module.ZstdDecompressor()
        try:
            if hasattr(decompressor, "stream_reader"):  # zstandard's
                return bytes(decompressor.stream_reader(raw).read(size + 1))
            return bytes(decompressor.decompress(raw, size + 1))
        except module.ZstdError as error:
            raise ValueError(str(error)) from error

    return decompressed
