"""Arrow arrays as flat numpy arrays, for metrics that score columns."""

from __future__ import annotations

from trajmeter.arrays import (
    Array,
    Booleans,
    Coded,
    Entries,
    NO_OBJECT,
    ROWS_AT_ONCE,
    Ragged,
    TextBytes,
    UNCERTAIN,
    coded,
    entries,
    filled,
    flags,
    nulls,
    object_codes,
    ragged,
    text_bytes,
)

__all__ = [
    "Array",
    "Booleans",
    "Coded",
    "Entries",
    "NO_OBJECT",
    "ROWS_AT_ONCE",
    "Ragged",
    "TextBytes",
    "UNCERTAIN",
    "coded",
    "entries",
    "filled",
    "flags",
    "nulls",
    "object_codes",
    "ragged",
    "text_bytes",
]
