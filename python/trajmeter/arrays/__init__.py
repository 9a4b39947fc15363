"""Arrow arrays, made from and read as flat numpy arrays.

The names here are for arrays of any type; the modules add texts, lists, records and JSON.
"""

from __future__ import annotations

from trajmeter.arrays.flat import (
    ROWS_AT_ONCE,
    Array,
    Booleans,
    Ragged,
    SetLookupOptions,
    booleans,
    call_function,
    cast,
    concatenated,
    concatenated_batches,
    field,
    filled,
    flags,
    nulls,
    numbers,
    present,
    ragged,
    raw_numbers,
    taken,
    validity,
)

__all__ = [
    "ROWS_AT_ONCE",
    "Array",
    "Booleans",
    "Ragged",
    "SetLookupOptions",
    "booleans",
    "call_function",
    "cast",
    "concatenated",
    "concatenated_batches",
    "field",
    "filled",
    "flags",
    "nulls",
    "numbers",
    "present",
    "ragged",
    "raw_numbers",
    "taken",
    "validity",
]
