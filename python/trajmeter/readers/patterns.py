"""Expands patterns such as ``logs/**/*.json`` into the paths that they match."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import TYPE_CHECKING

from trajmeter.errors import ConfigurationError
from trajmeter.remote import RemotePath
from trajmeter.system.pipes import STDIN

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["check_patterns", "expanded"]


def expanded(path: Path) -> list[Path]:
    """Expand a pattern such as ``logs/**/*.json``; a path that exists stands for itself.

    Raises:
        OSError: A remote folder cannot be listed.
    """
    if isinstance(path, RemotePath):
        if not path.is_pattern or path.is_file() or path.is_dir():
            return [path]
        return [*path.matches()] or [path]
    name = str(path)
    if not glob.has_magic(name) or path == STDIN or os.path.lexists(path):
        return [path]
    return [Path(found) for found in sorted(glob.glob(name, recursive=True))] or [path]  # noqa: PTH207 - Path.glob takes no absolute pattern


def check_patterns(paths: Iterable[Path]) -> None:
    """Check that every pattern matches a file.

    Raises:
        ConfigurationError: A pattern matches no file, or its folder cannot be listed.
    """
    for path in paths:
        is_remote_pattern = isinstance(path, RemotePath) and path.is_pattern
        if not is_remote_pattern and not glob.has_magic(str(path)):
            continue
        try:
            found = expanded(path)
        except OSError as error:
            raise ConfigurationError(f"{path}: {error.strerror or error}") from error
        if found == [path] and not path.exists():
            raise ConfigurationError(f"{path}: no file matches this pattern")
