"""Files that appear in one piece, or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["replacing"]


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """Write a file beside the target, which takes its place once all is written.

    Its folder is made. If anything goes wrong before, the earlier content stays as it was.

    Args:
        target: The file; a pipe or a device is written to directly.
    """
    if target.exists() and not target.is_file():  # a pipe or a device cannot be replaced
        with target.open("wb") as stream:
            yield stream
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
