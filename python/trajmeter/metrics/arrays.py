"""Arrow arrays as flat numpy arrays, for metrics that score columns."""

from trajmeter.arrays import (
    Array,
    Booleans,
    Coded,
    Entries,
    NO_OBJECT,
    ROWS_AT_ONCE,
    Ragged,
    UNCERTAIN,
    coded,
    entries,
    filled,
    flags,
    nulls,
    object_codes,
    ragged,
)

__all__ = [
    "Array",
    "Booleans",
    "Coded",
    "Entries",
    "NO_OBJECT",
    "ROWS_AT_ONCE",
    "Ragged",
    "UNCERTAIN",
    "coded",
    "entries",
    "filled",
    "flags",
    "nulls",
    "object_codes",
    "ragged",
]
