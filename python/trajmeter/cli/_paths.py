"""Checks of paths that are given to a command, here or on another machine."""

from __future__ import annotations

import glob
import os
from pathlib import Path

import typer

from trajmeter.remote import is_remote, path_of

__all__ = ["existing", "present"]


def existing(path: Path) -> Path:
    """Refuse a path that names nothing, before anything is done; ``-`` and patterns name files."""
    if str(path) == "-":
        return path
    path = path_of(path)
    if glob.has_magic(str(path)):
        from trajmeter.readers.pieces import check_patterns

        check_patterns([path])
        return path
    return present(path)


def present(path: Path) -> Path:
    """Refuse a path that names nothing."""
    path = path_of(path)
    try:
        is_there = path.exists() if is_remote(path) else os.path.lexists(path)
    except OSError as error:
        raise typer.BadParameter(f"{path}: {error.strerror or error}") from error
    if not is_there:
        raise typer.BadParameter(f"Path {str(path)!r} does not exist.")
    return path
