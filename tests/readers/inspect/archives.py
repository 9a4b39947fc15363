"""Archives as Inspect writes them, entry by entry."""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

import zstandard

STORED, DEFLATED, ZSTD = 0, 8, 93


def packed(content: bytes, method: int) -> bytes:
    if method == DEFLATED:
        deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        return deflate.compress(content) + deflate.flush()
    return zstandard.ZstdCompressor().compress(content) if method == ZSTD else content


def archive(*entries: tuple[str, Any], method: int = ZSTD, corrupt: str = "") -> bytes:
    """Return a ZIP file with these entries, even of equal name; one may have a wrong checksum."""
    body, directory = b"", b""
    for name, value in entries:
        content = value if isinstance(value, bytes) else json.dumps(value).encode()
        raw, encoded = packed(content, method), name.encode()
        checksum = zlib.crc32(content) ^ (name == corrupt)
        about = struct.pack(
            "<5H3L2H", 20, 0, method, 0, 0, checksum, len(raw), len(content), len(encoded), 0
        )
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + about
        directory += struct.pack("<3H2L", 0, 0, 0, 0, len(body)) + encoded
        body += b"PK\x03\x04" + about + encoded + raw
    count = len(entries)
    end = struct.pack("<4H2LH", 0, 0, count, count, len(directory), len(body), 0)
    return body + directory + b"PK\x05\x06" + end
