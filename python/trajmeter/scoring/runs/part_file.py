"""Files with the rows of a unit: their digests and metadata."""

from __future__ import annotations

import io
from hashlib import sha256
from typing import TYPE_CHECKING, BinaryIO

from trajmeter.remote import arrow_source

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Buffer

__all__ = ["DigestingStream", "file_digest", "part_metadata"]

_BLOCK = 1 << 20


class DigestingStream(io.RawIOBase):
    """A stream that computes the digest of what is written to it."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self._stream = stream
        self.digest = sha256()
        """SHA-256 of what was written so far."""

    def writable(self) -> bool:
        """Whether it can be written to: always."""
        return True

    def write(self, content: Buffer, /) -> int:
        """Write content, and add it to the digest."""
        self.digest.update(content)
        return self._stream.write(content)

    def flush(self) -> None:
        """Flush the stream, unless it is closed."""
        if not self._stream.closed:  # never closed, so Python flushes it when it is collected
            self._stream.flush()


def file_digest(file: Path) -> str:
    """SHA-256 of a file."""
    digest = sha256()
    with file.open("rb") as content:
        while block := content.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def part_metadata(file: Path) -> dict[str, str] | None:
    """Metadata of a Parquet file; ``None`` if it is missing or truncated."""
    from pyarrow import ArrowException
    from pyarrow.parquet import read_metadata

    try:
        with arrow_source(file) as source:
            metadata = read_metadata(source).metadata or {}
    except (OSError, ArrowException):
        return None
    metadata.pop(b"ARROW:schema", None)
    return {key.decode(): value.decode() for key, value in metadata.items()}
