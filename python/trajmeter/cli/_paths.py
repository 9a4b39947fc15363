"""Checks of the local and remote paths passed to a command."""

from __future__ import annotations

import glob
import os
from pathlib import Path

import typer

from trajmeter.remote import is_remote, path_of

__all__ = ["existing", "local", "present"]


def existing(path: Path) -> Path:
    """Reject a nonexistent path before any work; ``-`` and patterns are accepted."""
    if str(path) == "-":
        return path
    path = path_of(path)
    if glob.has_magic(str(path)):
        from trajmeter.readers.patterns import check_patterns

        check_patterns([path])
        return path
    return present(path)


def present(path: Path) -> Path:
    """Reject a nonexistent path."""
    path = path_of(path)
    try:
        is_there = path.exists() if is_remote(path) else os.path.lexists(path)
    except OSError as error:
        raise typer.BadParameter(f"{path}: {error.strerror or error}") from error
    if not is_there:
        raise typer.BadParameter(f"Path {str(path)!r} does not exist.")
    return path


def local(path: Path) -> Path:
    """Reject a remote path, where files are written on this machine only."""
    place = path_of(path)
    if is_remote(place):
        raise typer.BadParameter(f"{place} is on another machine; name a path on this one")
    return place
