"""Splits a JSON document into its values, so that they can be parsed one at a time."""

from __future__ import annotations

from io import FileIO
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.kernels import backend
from trajmeter.readers._files.containers import is_list_document
from trajmeter.readers._files.content import open_content, state_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pydantic import JsonValue

__all__ = ["Document", "chunks", "first_object", "list_document", "object_document"]

_OBJECT = ord("{")

_VALUES = 4_096
_BYTES = 8 << 20
"""Maximum number of values in a chunk, and of their bytes."""


class Document(NamedTuple):
    """A document that holds a list, and the offsets of its parts as found by the Rust reader."""

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


def list_document(path: Path) -> Document | None:
    """Split a file that is a list; ``None`` if only the record reader can handle it."""
    try:
        with open_content(path) as file:
            if not is_list_document(file):
                return None
            begun = state_of(file)
            content = _whole(file)
            if state_of(file) != begun:
                return None
    except (OSError, ReadError):
        return None
    return _document(content)


def object_document(path: Path, key: str) -> Document | None:
    """Split a file that is an object with a list under a key.

    Raises:
        OSError: The file cannot be read.
        ReadError: The file is compressed and truncated.
    """
    with open_content(path) as file:
        content = _whole(file)
    return _document(content, key)


def _whole(file: BinaryIO) -> bytes:
    """Read all bytes of a file; bypasses the buffer of a plain file to avoid a second copy."""
    raw = getattr(file, "raw", None)
    if not isinstance(raw, FileIO):
        return file.read()
    raw.seek(0)
    return raw.readall()


def first_object(path: Path) -> dict[str, JsonValue] | None:
    """Return the first object in a file that is a list, or ``None``."""
    document = list_document(path)
    if document is None:
        return None
    is_object = (document.content[begin] == _OBJECT for begin, _ in document.items)
    number = next((number for number, is_one in enumerate(is_object) if is_one), None)
    value = None if number is None else json_input.parse(document.item(number))
    return value if isinstance(value, dict) else None


def _document(content: bytes, key: str | None = None) -> Document | None:
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
