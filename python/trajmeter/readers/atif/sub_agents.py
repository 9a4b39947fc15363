"""Trajectories of sub-agents in files beside the trajectory that refers to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.content import open_content

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["SubAgentFiles"]


class SubAgentFiles:
    """Files of sub-agents in the folder of a trajectory, each of which is read once.

    Args:
        folder: The folder; nothing outside it is read.
        read: Files that were read, to which those read here are added.
    """

    def __init__(self, folder: Path, read: set[Path]) -> None:
        self._folder = folder
        self._read = read

    def take(self, name: str) -> Mapping[str, Any] | None:
        """Read a file.

        Args:
            name: Its path within the folder.

        Returns:
            The record; ``None`` if it was read before.

        Raises:
            ReadError: It is outside the folder, or cannot be read.
        """
        try:
            file = (self._folder / name).resolve()
            is_inside = file.is_relative_to(self._folder.resolve())
            if not is_inside or ".." in name.replace("\\", "/").split("/"):
                raise ReadError("outside the folder of the trajectory")
            if file in self._read:
                return None
            self._read.add(file)
            if not file.is_file():
                raise ReadError("no such file in the folder of the trajectory")
            with open_content(file) as opened:
                value = json_input.parse(opened.read())
        except (OSError, RuntimeError, ValueError) as error:  # also a link to itself, or NUL
            raise ReadError(str(error)) from error
        if not isinstance(value, dict):
            raise ReadError(f"expected an object, got {json_input.type_name(value)}")
        return value
