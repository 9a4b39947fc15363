"""Parses JSON text as found in real files.

In addition to strict JSON, it accepts a byte order mark at the start of a line, CRLF line ends,
blank lines, bare ``NaN`` and ``Infinity``, and lone escaped surrogates, which programs produce when
they cut a string or read bytes that are not UTF-8; each becomes U+FFFD, because no output could
represent it. If a key occurs twice, the last value counts.

It rejects, with the limit in the message, integers of more than 4,300 digits, which Python neither
reads nor writes (before pydantic 2.13 a minus sign counts as a digit), values nested in more than
200 others, and texts of more than 10 million values, each of which takes far more memory than its
few bytes of text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pydantic_core import from_json

from trajmeter.errors import ReadError
from trajmeter.escapes import whole_escapes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from pydantic import JsonValue

__all__ = [
    "BLANK",
    "LONGEST_LINE",
    "MOST_DIGITS",
    "MOST_VALUES",
    "NOTHING",
    "SHOWN",
    "Line",
    "LongLine",
    "are_records",
    "ends_before_item",
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

MOST_VALUES = 10_000_000
"""Maximum number of values of a line or document; one takes up to 232 bytes of memory as parsed. An
empty object or list counts twice."""

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

SHOWN = 40
"""Number of characters of an invalid value to show."""
NOTHING = "empty, expected JSON"
"""The error of an empty text."""
_SKIPPED = 1 << 20
_BEFORE_VALUES = (b"{", b"[", b",")
_BACKSLASH = ord("\\")

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
            yield LongLine(number, offset, content[:SHOWN])
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


def ends_before_item(line: bytes) -> bool:
    """Whether a line of JSON ends where an item of a list or the value of a key follows."""
    return line.rstrip(BLANK).endswith((b"[", b",", b":"))


def are_records(first: bytes, second: bytes, third: bytes = b"") -> bool:
    """Whether two lines, the first an object, begin records, even if one or both are broken.

    The second line of a document begins with a brace only if the first ends before an item, as in
    ``{"messages": [``, and then a comma or the rest of the item follows, or the end of the list on
    the third line.

    Example:
        >>> are_records(b'{"id": 1', b'{"id": 2}'), are_records(b'{"a": [', b'{"id": 2},')
        (True, False)
    """
    if first_byte(second) != b"{":
        return False
    goes_on = second.rstrip(BLANK).endswith((b",", b"{", b"["))
    goes_on = goes_on or first_byte(third) in (b",", b"]", b"}")
    return not (ends_before_item(first) and goes_on)


def parse(content: bytes, *, most_values: int = MOST_VALUES) -> JsonValue:
    """Parse one JSON document.

    Args:
        content: The document.
        most_values: Maximum number of its values.

    Raises:
        ReadError: The content is not valid JSON, and the message says why, and where in the
            document; or it has too many values.
    """
    # Shorter content cannot hold as many.
    if len(content) > most_values and _has_more_values(content, most_values):
        raise ReadError(f"it has more than {most_values:,} JSON values")
    try:
        # Keys repeat from object to object; looking up shared strings takes a third of the time.
        value: JsonValue = from_json(content.strip(BLANK), cache_strings="keys")
    except ValueError as error:
        repaired = whole_escapes(content)
        if repaired != content:
            return parse(repaired, most_values=most_values)
        # Callers add the line in the file; the parser's own line number only helps within a
        # document.
        if not content.strip(BLANK):
            raise ReadError(NOTHING) from error
        reason = str(error).replace(" at line 1 column ", " at column ")
        for limit, meaning in _LIMITS:
            reason = reason.replace(limit, meaning)
        start = content.strip(BLANK)[:SHOWN].decode(errors="replace")
        raise ReadError(f"invalid JSON: {reason}; it begins {start!r}") from error
    return value


def _has_more_values(content: bytes, most: int) -> bool:
    """Whether valid JSON has more values than this; one follows each comma and opening bracket."""
    if sum(map(content.count, _BEFORE_VALUES)) <= most:
        return False
    count = end = 0
    while count <= most:  # without the text in quotes
        begin = content.find(b'"', end)
        stop = len(content) if begin < 0 else begin
        count += sum(content.count(mark, end, stop) for mark in _BEFORE_VALUES)
        if begin < 0:
            return count > most
        end = _end_of_text(content, begin + 1)
    return True


def _end_of_text(content: bytes, begin: int) -> int:
    """Position after the quote that ends the text which begins here."""
    while (end := content.find(b'"', begin)) >= 0:
        slash = end
        while content[slash - 1] == _BACKSLASH and slash > begin:
            slash -= 1
        if (end - slash) % 2 == 0:
            return end + 1
        begin = end + 1
    return len(content)


def type_name(value: JsonValue) -> str:
    """The JSON name of a value's type."""
    for types, name in _TYPE_NAMES:
        if isinstance(value, types):
            return name
    return "null"
