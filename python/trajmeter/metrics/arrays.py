"""What metrics that score columns need of :mod:`trajmeter.arrays`."""

from __future__ import annotations

from trajmeter.arrays import (
    ROWS_AT_ONCE,
    Array,
    Booleans,
    Coded,
    Entries,
    Ragged,
    coded,
    entries,
    filled,
    flags,
    nulls,
    ragged,
)

__all__ = [
    "ROWS_AT_ONCE",
    "Array",
    "Booleans",
    "Coded",
    "Entries",
    "Ragged",
    "coded",
    "entries",
    "filled",
    "flags",
    "nulls",
    "ragged",
]
