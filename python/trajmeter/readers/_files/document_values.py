"""Splits a JSON document into its values, so that they can be parsed one at a time."""

from __future__ import annotations

from io import FileIO
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from trajmeter.kernels import backend
from trajmeter.readers._files.content import open_content

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Document", "chunks", "object_document", "parts_of", "whole_content"]

_VALUES = 4_096
_BYTES = 8 << 20
"""Maximum number of values in a chunk, and of their bytes."""


class Document(NamedTuple):
    """A document that contains a list, and the offsets of its parts, found by the Rust reader."""

    content: bytes
    """The document."""
    members: list[tuple[str, tuple[int, int]]]
    """The other members of the document by key, if it is an object."""
    items: list[tuple[int, int]]
    """The items of the list."""

    def item(self, number: int) -> bytes:
        """Return one item of the list."""
        begin, end = self.items[number]
        return self.content[begin:end]


def object_document(path: Path, key: str) -> Document | None:
    """Split a file that is an object with a list under a key.

    Raises:
        OSError: The file cannot be read.
        ReadError: The file is compressed and truncated.
    """
    with open_content(path) as file:
        content = whole_content(file)
    return parts_of(content, key)


def whole_content(file: BinaryIO) -> bytes:
    """Read all bytes of a file; bypasses the buffer of a plain file to avoid a second copy."""
    raw = getattr(file, "raw", None)
    if not isinstance(raw, FileIO):
        return file.read()
    raw.seek(0)
    return raw.readall()


def parts_of(content: bytes, key: str | None = None) -> Document | None:
    """Split a list, or an object with a list under a key; ``None`` if Rust cannot do so."""
    if backend() == "python":
        return None
    from trajmeter.kernels._rust import document_parts

    parts = document_parts(content, key)
    return None if parts is None else Document(content, *parts)


def chunks(document: Document) -> Iterator[range]:
    """Yield ranges of item numbers to read together."""
    first = size = 0
    for number, (begin, end) in enumerate(document.items):
        size += end - begin
        if size >= _BYTES or number + 1 - first == _VALUES:
            yield range(first, number + 1)
            first, size = number + 1, 0
    if first < len(document.items):
        yield range(first, len(document.items))
