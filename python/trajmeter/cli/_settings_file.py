"""Settings files: ``[tool.trajmeter]`` in pyproject.toml, or ``trajmeter.toml``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ConfigurationError, ExtraMissingError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["find_settings"]

_OWN, _SHARED = "trajmeter.toml", "pyproject.toml"
_MARK = b"tool.trajmeter"


def find_settings(folder: Path) -> tuple[Path, dict[str, Any]] | None:
    """The nearest settings file in a folder or its parents, up to the repository root.

    Raises:
        ConfigurationError: A file cannot be read.
        ExtraMissingError: Python cannot read TOML, and tomli is not installed.
    """
    for place in (folder, *folder.parents):
        own, shared = place / _OWN, place / _SHARED
        if own.is_file():
            return own, _read(own)
        if shared.is_file() and _MARK in _content(shared):
            tool = _read(shared).get("tool", {})
            if isinstance(tool, dict) and isinstance(tool.get("trajmeter"), dict):
                return shared, tool["trajmeter"]
        if (place / ".git").exists():
            return None
    return None


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{file}: {error.strerror or error}") from error


def _read(file: Path) -> dict[str, Any]:
    try:
        if sys.version_info >= (3, 11):
            import tomllib as toml
        else:
            import tomli as toml
    except ImportError as error:
        raise ExtraMissingError(
            f"{file}: reading it needs tomli on this Python: pip install 'trajmeter[cli]'"
        ) from error
    try:
        read: dict[str, Any] = toml.loads(_content(file).decode())
    except (toml.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file}: {error}") from error
    return read
