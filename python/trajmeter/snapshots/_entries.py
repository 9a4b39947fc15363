"""The entry of a file in a snapshot, created from its content, as JSON text.

Caches and worker processes exchange the same text, so a snapshot does not depend on where its
entries came from.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.errors import ReadError
from trajmeter.kernels import active
from trajmeter.snapshots._definitions import definitions
from trajmeter.snapshots.snapshot import Definitions, FileSnapshot

if TYPE_CHECKING:
    from trajmeter.snapshots._definitions import Naming
    from trajmeter.snapshots._languages import LanguageRules

__all__ = ["ENTRY_VERSION", "LARGEST_SOURCE", "file_entry", "read_entry"]

ENTRY_VERSION = 3
"""Raised whenever the entry of some file changes, other than by a grammar."""

LARGEST_SOURCE = 4 << 20
"""Maximum size in bytes of a file in which definitions are looked for."""

_BINARY_HEAD = 8000
"""Bytes at the beginning in which a NUL marks a file as binary, as git does."""


def file_entry(content: bytes, language: LanguageRules | None, naming: Naming) -> bytes:
    """What a snapshot holds of a file: size, line starts and definitions, as JSON.

    A file in no known language has no definitions. If a source file is binary, or larger than
    :data:`LARGEST_SOURCE`, they are unknown.

    Raises:
        ExtraMissingError: The file has a language, and its grammar is not installed.
    """
    entry = {"size": len(content), "line_starts": active().line_starts(content).tolist()}
    if language is None:
        entry["definitions"] = []
    elif len(content) <= LARGEST_SOURCE and b"\0" not in content[:_BINARY_HEAD]:
        entry["definitions"] = definitions(content, language, naming)
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode()


def read_entry(entry: bytes) -> FileSnapshot:
    """The file that an entry describes.

    Raises:
        ReadError: It is not an entry.
    """
    try:
        record = json.loads(entry)
        rows = record.get("definitions")
        columns = None
        if rows is not None:
            kind, start, end, name = zip(*rows, strict=True) if rows else ((), (), (), ())
            columns = Definitions(kind, np.array(start, np.int64), np.array(end, np.int64), name)
        return FileSnapshot(record["size"], np.array(record["line_starts"], np.int64), columns)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReadError(f"not an entry of a snapshot: {error}") from error
