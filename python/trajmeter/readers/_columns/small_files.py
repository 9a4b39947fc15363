"""Detects files that are small enough to be read together, or as a whole."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ReadError
from trajmeter.readers._files.containers import holds_parquet
from trajmeter.remote import is_remote

if TYPE_CHECKING:
    from trajmeter.readers._files.inputs import Input
    from trajmeter.readers._recognition.choice import Choice

__all__ = ["holds_few_records", "holds_records", "is_short_log"]

_SMALL_BYTES = 16 << 10
"""Up to this size, reading the records is faster than making a batch for them alone."""
_LARGEST_LOG = 1 << 26
"""Size of the largest log that is read as a whole in Rust."""


def holds_records(file: Input, choice: Choice[Any]) -> bool:
    """Whether a file is read record by record."""
    if file.problems or file.is_end or file.is_summary or file.format is not None:
        return False
    try:
        return choice.file_format(file.path) is None and not holds_parquet(file.path)
    except ReadError:
        return False


def holds_few_records(file: Input, choice: Choice[Any]) -> bool:
    """Whether a file is read record by record, and is small."""
    if file.within is not None or is_remote(file.path):  # a slow check
        return False
    try:
        about = file.path.stat()
    except OSError:  # reported by its reader
        return False
    is_small = stat.S_ISREG(about.st_mode) and about.st_size <= _SMALL_BYTES
    return is_small and holds_records(file, choice)


def is_short_log(file: Input, longest: int) -> bool:
    """Whether a file is named like a mini-swe-agent log and can have no line that is too long."""
    if not file.may_be_log or longest >= _LARGEST_LOG:
        return file.may_be_log
    try:
        return file.path.stat().st_size <= longest
    except OSError:  # reported by its reader
        return False
