"""Folders in which runs with a single output file keep their parts until it is written."""

from __future__ import annotations

import glob
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["abandoned_work_folders", "work_folder"]

_OLD_SECONDS = 7 * 24 * 3600


def work_folder(output: Path, key: str) -> Path:
    """The work folder of a run, next to its output."""
    return output.with_name(f".{output.name}.{key}.work")


def abandoned_work_folders(output: Path, own: Path) -> Iterator[str]:
    """Messages about old work folders of other runs with the same output, and their sizes."""
    for other in output.parent.glob(f".{glob.escape(output.name)}.*.work"):
        if other != own and time.time() - other.stat().st_mtime > _OLD_SECONDS:
            size = sum(each.stat().st_size for each in other.rglob("*") if each.is_file())
            yield (
                f"{other}: {size >> 20:,} MiB left by an earlier run; remove the folder unless "
                "you want to resume it"
            )
