"""Gathers the records of consecutive small files into the same batches.

A row in a batch of its own takes six times as long as one of thirty.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from trajmeter.remote import is_remote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    import pyarrow as pa

    from trajmeter.readers._files.inputs import Input
    from trajmeter.records import Trajectory

    _Item: TypeAlias = Callable[[], Iterator[pa.RecordBatch]]
    _Gather: TypeAlias = Callable[[Iterator[Trajectory]], Iterator[pa.RecordBatch]]

__all__ = ["FileRecords", "gathered"]

_FILES = 32
_BYTES = 4 << 20
"""About as much of the files' content is held as records before it becomes a batch."""


@dataclass(frozen=True, slots=True)
class FileRecords:
    """The records of a file; calling it yields their batches."""

    file: Input
    """The file."""
    records: Iterator[Trajectory]
    """Its records."""
    gather: _Gather
    """Makes batches of records."""

    def __call__(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches of this file alone."""
        return self.gather(self.records)


def gathered(items: Iterable[_Item]) -> Iterator[_Item]:
    """Yield the items in order, with consecutive small files as one."""
    held: list[FileRecords] = []
    size = 0
    try:
        for item in items:
            if isinstance(item, FileRecords) and (found := _size(item.file)) is not None:
                held.append(item)
                size += found
                if len(held) < _FILES and size < _BYTES:
                    continue
                yield from _together(held)
            else:
                yield from _together(held)
                yield item
            held, size = [], 0
    except Exception:  # of the next item
        yield from _together(held)
        raise
    yield from _together(held)


def _together(files: list[FileRecords]) -> Iterator[_Item]:
    if files:
        records = chain.from_iterable(each.records for each in files)
        yield partial(files[0].gather, records)


def _size(file: Input) -> int | None:
    """Size of a local, regular file in bytes; ``None`` for others."""
    path = file.path
    if file.format is not None or is_remote(path):
        return None
    try:
        about = path.stat()
    except OSError:  # reported by its reader
        return None
    return about.st_size if stat.S_ISREG(about.st_mode) else None
