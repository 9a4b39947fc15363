"""The content of a file, whatever it is wrapped in."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["open_content"]


def open_content(path: Path) -> BinaryIO:
    """Open what a file holds, at its beginning.

    Raises:
        OSError: It cannot be opened.
    """
    return path.open("rb")
