"""Parses JSON text as found in real files, and describes its errors.

In addition to strict JSON, it accepts a byte order mark at the start of a line, CRLF line ends,
blank lines, bare ``NaN`` and ``Infinity``, and lone escaped surrogates, which programs produce when
they cut a string or read bytes that are not UTF-8; each becomes U+FFFD, because no output could
represent it. If a key occurs twice, the last value counts.

It rejects, with the limit in the message, integers of more than 4,300 digits, which Python neither
reads nor writes (before pydantic 2.13 a minus sign counts as a digit), and values nested in more
than 200 others.
"""

from __future__ import annotations

import json
import re
import reprlib
from typing import TYPE_CHECKING, NamedTuple

from pydantic_core import from_json

from trajmeter.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from pydantic import JsonValue, ValidationError
    from pydantic_core import ErrorDetails

__all__ = [
    "BLANK",
    "LONGEST_LINE",
    "MOST_DIGITS",
    "Line",
    "LongLine",
    "describe_detail",
    "describe_error",
    "describe_errors",
    "first_byte",
    "lines",
    "parse",
    "refuse_archive",
    "too_long",
    "type_name",
]

MOST_DIGITS = 4300
"""Maximum number of digits of an integer; Python reads and writes more only if the process allows
it."""

LONGEST_LINE = 512 << 20
"""Default maximum length of a line in bytes."""

_MAGIC = (
    (
        b"version https://git-lfs.github.com/spec/v1",
        "a Git LFS pointer instead of the data; run 'git lfs pull' where it came from",
    ),
    (b"PK\x03\x04", "a ZIP archive; unpack it first"),
    (b"\x1f\x8b", "compressed with gzip; decompress it first"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd; decompress it first"),
    (b"BZh", "compressed with bzip2; decompress it first"),
    (b"\x04\x22\x4d\x18", "compressed with lz4; decompress it first"),
)
_MAGIC_LENGTH = max(len(magic) for magic, _ in _MAGIC)

_BOM = b"\xef\xbb\xbf"
BLANK = _BOM + b" \t\r\n"
"""What may surround a JSON document, and what a blank line consists of."""

_SHOWN = 40
_NOTHING = "empty, expected JSON"
_SKIPPED = 1 << 20

# The parser's messages about its limits, and the limits.
_LIMITS = (
    ("number out of range", f"a number has more than {MOST_DIGITS:,} digits"),
    ("recursion limit exceeded", "it is nested more than 200 deep"),
)

# A bool is an int to Python, so it comes first.
_TYPE_NAMES: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (dict, "an object"),
    (list, "a list"),
    (str, "text"),
    (bool, "true or false"),
    ((int, float), "a number"),
)

# Expected values, by the type of pydantic's error, whose own messages name Python types. Braces are
# filled in from the error's context.
_EXPECTED = {
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type"), "a list"),
    **dict.fromkeys(
        ("dict_type", "mapping_type", "model_type", "model_attributes_type"), "an object"
    ),
    "string_type": "text",
    **dict.fromkeys(("int_type", "int_from_float", "int_parsing"), "an integer"),
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    "finite_number": "a finite number",
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    "none_required": "null",
    **dict.fromkeys(("enum", "literal_error"), "{expected}"),
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "too_short": "at least {min_length} items",
    "too_long": "at most {max_length} items",
}

# Also matches whole pairs and other escapes, so that no lone surrogate is found inside them.
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
    """Its bytes, including the line end."""


class LongLine(Line):
    """The first bytes of a line that exceeds the limit."""

    __slots__ = ()


def refuse_archive(file: BinaryIO) -> None:
    """Reject a file that is not plain text; seeks back to its beginning.

    Raises:
        ReadError: The file is an archive, compressed, or a Git LFS pointer.
    """
    start = file.read(_MAGIC_LENGTH)
    file.seek(0)
    for magic, meaning in _MAGIC:
        if start.startswith(magic):
            raise ReadError(f"the file is {meaning}")


def lines(file: BinaryIO, longest: int | None = None) -> Iterator[Line]:
    """Yield every line that is not blank.

    Args:
        file: The file.
        longest: Maximum length of a line in bytes; the rest of a longer line is not held in memory.
    """
    offset = 0
    for number, content in enumerate(file if longest is None else _begun(file, longest), start=1):
        size = len(content)
        if longest is not None and size > longest:
            yield LongLine(number, offset, content[:_SHOWN])
            while not content.endswith(b"\n") and (content := file.readline(_SKIPPED)):
                size += len(content)
        elif content.strip(BLANK):
            yield Line(number, offset, content)
        offset += size


def _begun(file: BinaryIO, longest: int) -> Iterator[bytes]:
    """Yield lines, and the beginnings of overlong ones."""
    while content := file.readline(longest + 1):
        yield content


def too_long(longest: int) -> ReadError:
    """The error for a line that exceeds the limit."""
    return ReadError(f"the line is longer than {longest:,} bytes (--max-line); it is left out")


def first_byte(line: bytes) -> bytes:
    """The first byte of a line after blanks and a byte order mark."""
    return line.lstrip(BLANK)[:1]


def parse(content: bytes) -> JsonValue:
    """Parse one JSON document.

    Raises:
        ReadError: The content is not valid JSON; the message says why, and where in the document.
    """
    try:
        # Keys repeat from object to object; looking up shared strings takes a third of the time.
        value: JsonValue = from_json(content.strip(BLANK), cache_strings="keys")
    except ValueError as error:
        repaired = _ESCAPE.sub(_whole, content) if rb"\u" in content else content
        if repaired != content:
            return parse(repaired)
        # Callers add the line in the file; the parser's own line number only helps within a
        # document.
        if not content.strip(BLANK):
            raise ReadError(_NOTHING) from error
        reason = str(error).replace(" at line 1 column ", " at column ")
        for limit, meaning in _LIMITS:
            reason = reason.replace(limit, meaning)
        start = content.strip(BLANK)[:_SHOWN].decode(errors="replace")
        raise ReadError(f"invalid JSON: {reason}; it begins {start!r}") from error
    return value


def describe_detail(error: ErrorDetails) -> str:
    """Describe an invalid field: where it is, what was expected, and its value as JSON."""
    where = "".join(
        f"[{key}]" if isinstance(key, int) else f".{key}" for key in error["loc"]
    ).removeprefix(".")
    what = _fault(error)
    return f"{where}: {what}" if where else what


def describe_error(error: ValidationError) -> str:
    """Describe an invalid record in one line: place, expectation, and value as JSON."""
    first, *more = error.errors(include_url=False)
    rest = f" (and {len(more)} more)" if more else ""
    return describe_detail(first) + rest


def describe_errors(error: ValidationError) -> str:
    """Like :func:`describe_error`, for all errors of a record."""
    return "; ".join(map(describe_detail, error.errors(include_url=False)))


def type_name(value: JsonValue) -> str:
    """The JSON name of a value's type."""
    for types, name in _TYPE_NAMES:
        if isinstance(value, types):
            return name
    return "null"


def _whole(escape: re.Match[bytes]) -> bytes:
    return escape[0] if escape["half"] is None else rb"\ufffd"


def _fault(error: ErrorDetails) -> str:
    known = error.get("ctx", {})
    shown = _SHORT.repr(error["input"])
    match error["type"]:
        case "missing":
            what = f"required, but missing from {shown}"
        case "extra_forbidden":
            what = f"unknown key, with the value {shown}"
        case "json_invalid" if not error["input"].strip():
            what = _NOTHING
        case "json_invalid":
            what = f"invalid JSON: {known['error']}; it begins {shown}"
        case "value_error":
            what = f"{known['error']}, got {shown}"
        case kind if kind in _EXPECTED:
            what = f"expected {_EXPECTED[kind].format(**known)}, got {shown}"
        case _:
            what = f"{error['msg'].replace('Input should be', 'expected')}, got {shown}"
    return what


class _Short(reprlib.Repr):
    """The beginning of a value's JSON text."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 2
        self.maxstring = _SHOWN

    def repr_str(self, x: str, level: int) -> str:
        del level
        start = x if len(x) <= self.maxstring else f"{x[: self.maxstring - 3]}..."
        return json.dumps(start, ensure_ascii=not start.isprintable())

    def repr_bytes(self, x: bytes, level: int) -> str:
        return self.repr_str(x[: self.maxstring].decode(errors="replace"), level)

    def repr_int(self, x: int, level: int) -> str:
        try:
            repr(x)
        except ValueError:  # exceeds Python's limit; later releases describe it themselves
            return f"an integer of {x.bit_length()} bits"
        return super().repr_int(x, level)

    def repr_float(self, x: float, level: int) -> str:
        del level
        return json.dumps(x)

    def repr_bool(self, x: bool, level: int) -> str:  # noqa: FBT001 - called by its base
        del level
        return json.dumps(x)

    def repr_NoneType(self, x: None, level: int) -> str:  # noqa: N802 - named after the type
        del level
        return json.dumps(x)

    def repr_tuple(self, x: tuple[object, ...], level: int) -> str:
        return self.repr_list([*x], level)


_SHORT = _Short()
