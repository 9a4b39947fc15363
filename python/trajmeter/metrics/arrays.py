"""Arrow arrays as flat numpy arrays, for metrics that score columns."""

from __future__ import annotations

from trajmeter.arrays import (
    NO_OBJECT,
    ROWS_AT_ONCE,
    UNCERTAIN,
    Array,
    Booleans,
    Coded,
    Entries,
    Ragged,
    TextBytes,
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
    "NO_OBJECT",
    "ROWS_AT_ONCE",
    "UNCERTAIN",
    "Array",
    "Booleans",
    "Coded",
    "Entries",
    "Ragged",
    "TextBytes",
    "coded",
    "entries",
    "filled",
    "flags",
    "nulls",
    "object_codes",
    "ragged",
    "text_bytes",
]
