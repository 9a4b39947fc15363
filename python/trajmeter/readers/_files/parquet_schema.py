"""Names of the columns of a Parquet file, by which its format is recognised."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from trajmeter.remote import arrow_source, is_remote

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["column_names"]


def column_names(path: Path, head: bytes) -> tuple[str, ...]:
    """The names of the columns; none if they cannot be read, which reading the rows reports.

    Args:
        path: The file.
        head: Its beginning. The file is read again only if this, its size or its time changes.
    """
    try:
        about = None if is_remote(path) else path.stat()
    except OSError:
        return ()
    return _names(path, head, None if about is None else (about.st_size, about.st_mtime_ns))


@lru_cache(maxsize=1)
def _names(path: Path, _: bytes, __: tuple[int, int] | None) -> tuple[str, ...]:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        return ()
    try:
        with arrow_source(path) as source:
            return tuple(ParquetFile(source).schema_arrow.names)
    except (ArrowException, OSError, UnicodeDecodeError):
        return ()
