"""What an agent looked at: a path and an extent of it."""

from __future__ import annotations

from enum import Enum

from trajmeter.records._base import Record

__all__ = ["Extent", "View"]


class Extent(str, Enum):
    """How much of a file a view covers, and what its numbers mean."""

    LINES = "lines"
    """Lines ``start`` to ``end``, 1-based, both included."""
    BYTES = "bytes"
    """Bytes ``start`` to ``end``, 0-based, half-open."""
    WHOLE = "whole"
    """The whole file."""
    UNKNOWN = "unknown"
    """The file was named, its range not recorded: counts for files, never for spans."""


class View(Record):
    """A path the agent looked at, as the log wrote it, with an extent.

    Numbers are kept as recorded, reversed and negative ones too: a metric decides what they mean.
    """

    path: str
    """Path as written in the log; it is resolved against the snapshot when it is scored."""
    extent: Extent = Extent.UNKNOWN
    """What ``start`` and ``end`` count, or that there is no range."""
    start: int | None = None
    """First line (1-based) or first byte (0-based) for ``lines`` and ``bytes``, else ``None``."""
    end: int | None = None
    """Last line, included, or the byte after the last, else ``None``."""
    symbols: tuple[str, ...] = ()
    """Names of definitions the agent asked for in this file, if any."""
    listed: bool = True
    """Whether the log lists the file as seen; ContextBench also keeps ranges of unlisted files."""
