"""Counts why lines and files were read as records, to explain slow reading."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from trajmeter.errors import ReadError

if TYPE_CHECKING:
    from pydantic import JsonValue

    from trajmeter.records import Trajectory

__all__ = ["Reasons"]

_MANY = 1_000
"""Fewer records than this are read within a second or two."""
_OWN = "trajectory-records"
_IN_RUST = frozenset(
    {
        _OWN,
        "contextbench-predictions",
        "swe-bench-predictions",
        "message-records",
        "openhands-rows",
        "swe-agent-rows",
    }
)


class Reasons:
    """Counts lines and files read as records, by reason."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """The total count."""
        return self._counts.total()

    def add(
        self, value: JsonValue | ReadError, known: tuple[str, str] | None, record: Trajectory | None
    ) -> None:
        """Count a line.

        Args:
            value: The content of the line.
            known: Name and description of the format that recognised it.
            record: The record read from it.
        """
        if isinstance(value, ReadError):
            reason = "invalid JSON"
        elif known is None:
            reason = "an unknown format"
        elif known[0] not in _IN_RUST:
            reason = known[1]
        elif record is None:
            reason = "a value of the wrong type"
        else:
            reason = "a value that columns hold in another form, such as NaN or a repeated key"
        self._counts[reason] += 1

    def add_row(
        self, value: JsonValue | ReadError, known: tuple[str, str] | None, record: Trajectory | None
    ) -> None:
        """Count a row of trajectory columns; see :meth:`add`."""
        if isinstance(value, ReadError) or (record is None and known is not None):
            reason = "a value of the wrong type"
        elif known is None:
            reason = "an unknown format"
        elif known[0] != _OWN:
            reason = known[1]
        else:
            reason = "a value in a column that other formats have too"
        self._counts[reason] += 1

    def add_file(self) -> None:
        """Count a file."""
        self._counts["a file that is not a plain log"] += 1

    def note(self, rows: int) -> str | None:
        """A warning, with the main reason, if many rows, and most of them, were read as records."""
        if self.total < max(_MANY, rows // 2):
            return None
        reason, count = self._counts.most_common(1)[0]
        return (
            f"{self.total:,} lines, rows or files were read one by one, which is slow; the most "
            f"common reason: {reason} ({count:,})"
        )
