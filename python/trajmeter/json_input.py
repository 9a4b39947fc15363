"""JSON text as real files hold it, and how messages name what it holds.

Accepted beyond strict JSON: a byte order mark at the start of a line, lines that end in CRLF, blank
lines, bare ``NaN`` and ``Infinity``, and escaped halves of surrogate pairs, which programs leave
behind when they cut a string or read bytes that are not UTF-8; each half becomes U+FFFD, because no
output could hold it. If a key occurs twice, the last value counts.
"""

from __future__ import annotations

import re
import reprlib
from typing import TYPE_CHECKING, NamedTuple

from pydantic_core import from_json

from trajmeter.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from pydantic import JsonValue, ValidationError

__all__ = ["Line", "describe_error", "first_byte", "lines", "parse", "refuse_archive", "type_name"]

_MAGIC = (
    (
        b"version https://git-lfs.github.com/spec/v1",
        "a Git LFS pointer instead of the data; run 'git lfs pull' where it came from",
    ),
    (b"PK\x03\x04", "a ZIP archive; unpack it first"),
    (b"\x1f\x8b", "compressed with gzip; decompress it first"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd; decompress it first"),
)
_MAGIC_LENGTH = max(len(magic) for magic, _ in _MAGIC)

_BOM = b"\xef\xbb\xbf"
_BLANK = _BOM + b" \t\r\n"
_SHOWN = 40

# A bool is an int to Python, so it comes first.
_TYPE_NAMES: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (dict, "an object"),
    (list, "a list"),
    (str, "text"),
    (bool, "true or false"),
    ((int, float), "a number"),
)

# Whole pairs and other escapes match too, so that no half is found inside one of them.
_ESCAPE = re.compile(
    rb"""
    \\u[dD][89abAB][0-9a-fA-F]{2} \\u[dD][c-fC-F][0-9a-fA-F]{2}
    | (?P<half> \\u[dD][89a-fA-F][0-9a-fA-F]{2} )
    | \\.
    """,
    re.VERBOSE | re.DOTALL,
)


class Line(NamedTuple):
    """One line of a file."""

    number: int
    """Number of the line, from 1."""
    offset: int
    """Offset of its first byte in the file."""
    content: bytes
    """Its bytes, line end included."""


def refuse_archive(file: BinaryIO) -> None:
    """Refuse a file that does not hold its data as plain text; seeks back to its beginning.

    Raises:
        ReadError: The file is an archive, compressed, or a Git LFS pointer.
    """
    start = file.read(_MAGIC_LENGTH)
    file.seek(0)
    for magic, meaning in _MAGIC:
        if start.startswith(magic):
            raise ReadError(f"the file is {meaning}")


def lines(file: BinaryIO) -> Iterator[Line]:
    """Yield every line that is not blank."""
    offset = 0
    for number, content in enumerate(file, start=1):
        if content.strip(_BLANK):
            yield Line(number, offset, content)
        offset += len(content)


def first_byte(line: bytes) -> bytes:
    """The first byte of a line, past blanks and a byte order mark."""
    return line.lstrip(_BLANK)[:1]


def parse(content: bytes) -> JsonValue:
    """Parse one JSON document.

    Raises:
        ReadError: The content is not valid JSON; the message says why, and where in the document.
    """
    try:
        value: JsonValue = from_json(content.strip(_BLANK))
    except ValueError as error:
        repaired = _ESCAPE.sub(_whole, content) if rb"\u" in content else content
        if repaired != content:
            return parse(repaired)
        # Callers name the line of the file; the parser's own line helps only within a document.
        reason = str(error).replace(" at line 1 column ", " at column ")
        start = content.strip(_BLANK)[:_SHOWN].decode(errors="replace")
        raise ReadError(f"invalid JSON: {reason}; it begins {start!r}") from error
    return value


def describe_error(error: ValidationError) -> str:
    """Say in one line where a record went wrong, the value, and what was expected."""
    first = error.errors(include_url=False)[0]
    where = "".join(
        f"[{key}]" if isinstance(key, int) else f".{key}" for key in first["loc"]
    ).removeprefix(".")
    shown = reprlib.repr(first["input"])
    more = error.error_count() - 1
    rest = f" (and {more} more)" if more else ""
    return f"{where}: {first['msg']}, got {shown}{rest}"


def type_name(value: JsonValue) -> str:
    """The type of a value, in the words of JSON."""
    for types, name in _TYPE_NAMES:
        if isinstance(value, types):
            return name
    return "null"


def _whole(escape: re.Match[bytes]) -> bytes:
    return escape[0] if escape["half"] is None else rb"\ufffd"
