"""How inputs are read: options shared by the plan, the units and the key of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.json_input import LONGEST_LINE
from trajmeter.readers._columns.ahead import MOST_ROWS

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ReadingOptions"]


class ReadingOptions(NamedTuple):
    """How inputs are read."""

    input_format: str | None = None
    """Name of the format of all files; detected from their content if ``None``."""
    mapping: Mapping[str, str] | None = None
    """Columns by trajectory field."""
    profiles: tuple[str, ...] = ()
    """Compatibility profiles."""
    max_line: int = LONGEST_LINE
    """Maximum length of a JSON line in bytes."""
    batch_rows: int = MOST_ROWS
    """Rows to read at a time; results do not depend on it."""

    def recognition(self) -> dict[str, Any]:
        """Arguments of :func:`trajmeter.readers.read_trajectories`."""
        return {
            "input_format": self.input_format,
            "mapping": self.mapping,
            "profiles": self.profiles,
        }
