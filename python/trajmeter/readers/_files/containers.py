"""Detects what holds the records of a file: JSON lines, a JSON document or Parquet.

The order of the checks matters. A Git LFS pointer in place of the data is the commonest reason for
"malformed JSON" in public trajectory repositories. Archives and Parquet are recognised by their
magic bytes. Anything else is JSON: one record per line, or one document.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, Literal, TypeAlias

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.compression import CutOffError
from trajmeter.readers._files.content import is_compressed, open_content
from trajmeter.readers._files.lines import lift_limit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pydantic import JsonValue

__all__ = [
    "LONGEST_BANNER",
    "PARQUET_MAGIC",
    "Container",
    "NotJsonError",
    "begins_as_json",
    "container_of",
    "holds_lists",
    "holds_only_lists",
    "holds_parquet",
    "is_json_lines",
    "is_keyed",
    "is_list_document",
    "is_parquet",
]

Container: TypeAlias = Literal["document", "lines", "parquet"]

PARQUET_MAGIC = b"PAR1"
"""The first bytes of a Parquet file."""

LONGEST_BANNER = 20
"""Number of lines that may precede the first record, as a program prints them when it starts."""

_OPENING = re.compile(
    rb"""[\s\xef\xbb\xbf]*
    (?: \{ | \[\s* (?: [\[{"\]] | -?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*[,\]] | -?Infinity | NaN
                     | null | true | false | $ ))""",
    re.VERBOSE,
)
"""The beginning of an object or a list, and not of text such as ``[INFO] starting``."""
_SHOWN = 40
_PART = 1 << 16
"""Bytes of a line to examine at a time."""


class NotJsonError(ReadError):
    """A file is in no known container of records."""


def container_of(file: BinaryIO, longest: int) -> Container:
    """The container of a file's records; seeks back to its beginning.

    Raises:
        NotJsonError: It is not a known one.
        ReadError: It is an archive, or Parquet that is compressed as a whole.
        OSError: The file cannot be read.
    """
    json_input.refuse_archive(file)
    if is_parquet(file):
        if is_compressed(file):
            raise ReadError("Parquet that is compressed as a whole; decompress it first")
        return "parquet"
    head = _first_lines(file, longest)
    file.seek(0)
    if not head:
        raise NotJsonError("the file is empty, expected JSON records")
    if head[0].content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise NotJsonError("the file is in UTF-16, expected UTF-8; convert it first")
    if not _has_json(head):
        begin = head[0].content[:_SHOWN].decode(errors="replace")
        raise NotJsonError(f"expected JSON, JSON lines or Parquet; the file begins {begin!r}")
    return "document" if _is_document(head) else "lines"


def is_json_lines(path: Path, longest: int = json_input.LONGEST_LINE) -> bool:
    """Whether a file is read as JSON lines; false if it cannot be read."""
    try:
        with open_content(path) as file:
            return container_of(file, longest) == "lines"
    except (OSError, ReadError):
        return False


def holds_lists(path: Path) -> bool:
    """Whether a file is read as JSON lines whose first line is a list."""
    try:
        with open_content(path) as file:
            head = _first_lines(file, json_input.LONGEST_LINE)
    except (OSError, ReadError):
        return False
    return bool(head) and json_input.first_byte(head[0].content) == b"[" and not _is_document(head)


def holds_only_lists(path: Path) -> bool:
    """Whether every line of such a file begins with a list, up to where it is unreadable."""
    if not holds_lists(path):
        return False
    try:
        with open_content(path) as file:
            lift_limit(file)
            return all(first == b"[" for first in _line_beginnings(file))
    except OSError:  # reported when the file is read
        return True


def _line_beginnings(file: BinaryIO) -> Iterator[bytes]:
    """The first byte of every line that is not blank; long lines are read in parts."""
    is_blank = True
    while part := file.readline(_PART):
        if is_blank and (first := json_input.first_byte(part)):
            yield first
            is_blank = False
        is_blank = is_blank or part.endswith(b"\n")


def is_list_document(file: BinaryIO) -> bool:
    """Whether a file is read as one JSON list; seeks back."""
    start = file.read(_SHOWN)
    file.seek(0)
    if json_input.first_byte(start) != b"[":
        return False
    head = _first_lines(file, json_input.LONGEST_LINE)
    file.seek(0)
    return bool(head) and json_input.first_byte(head[0].content) == b"[" and _is_document(head)


def is_parquet(file: BinaryIO) -> bool:
    """Whether a file is read as Parquet; seeks back to its beginning."""
    start = file.read(len(PARQUET_MAGIC))
    file.seek(0)
    return start == PARQUET_MAGIC


def holds_parquet(path: Path) -> bool:
    """Whether a file is read as Parquet; false if it cannot be read."""
    try:
        with open_content(path) as file:
            return is_parquet(file)
    except (OSError, ReadError):
        return False


def _first_lines(file: BinaryIO, longest: int) -> list[json_input.Line]:
    """Return the first two lines, three if the first ends within a list, or fewer if no more.

    If a program printed other text before its records, the second is the first record.
    """
    lift_limit(file)
    found: list[json_input.Line] = []
    try:
        lines = json_input.lines(file, longest)
        found.extend(islice(lines, 2))
        if not _has_json(found):
            found[1:] = islice(filter(_is_record, islice(lines, LONGEST_BANNER - 2)), 1)
        elif json_input.ends_before_item(found[0].content):
            found.extend(islice(lines, 1))
    except CutOffError:
        if not found:
            raise
    return found


def _is_record(line: json_input.Line) -> bool:
    if isinstance(line, json_input.LongLine) or not line.content.lstrip().startswith(b"{"):
        return False
    try:
        return isinstance(json_input.parse(line.content), dict)
    except ReadError:
        return False


def _has_json(head: list[json_input.Line]) -> bool:
    return any(begins_as_json(line.content) for line in head)


def begins_as_json(content: bytes) -> bool:
    """Whether content begins like an object or a list of JSON."""
    return _OPENING.match(content) is not None


def _is_document(head: list[json_input.Line]) -> bool:
    """Whether a file with these first lines is one JSON document, not JSON lines."""
    first = head[0].content
    opening = json_input.first_byte(first) if begins_as_json(first) else b""
    others = [line.content for line in head[1:]]
    if opening == b"{" and others and json_input.are_records(first, *others):
        return False
    if isinstance(head[0], json_input.LongLine):
        return False
    if opening == b"[" and len(head) == 1:  # whether or not it is valid
        return True
    try:
        value = json_input.parse(head[0].content)
    except ReadError:
        # A document over several lines: a broken first record would be followed by another.
        return opening == b"[" or (opening == b"{" and len(head) > 1)
    return len(head) == 1 and (isinstance(value, list) or is_keyed(value))


def is_keyed(value: JsonValue) -> bool:
    """Whether this object maps ids to records, as in SWE-bench predictions.

    Some may be broken if others are under their own id; else these are parts of one record.
    """
    if not isinstance(value, dict):
        return False
    ids = {
        key: item["instance_id"]
        for key, item in value.items()
        if isinstance(item, dict) and "instance_id" in item
    }
    is_whole = bool(ids) and len(ids) == len(value)
    return is_whole or any(key == own for key, own in ids.items())
