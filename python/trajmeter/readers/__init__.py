"""Readers: one module or folder for each format, and its detection from content."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trajmeter.readers._content import open_content
    from trajmeter.readers._formats import Evidence, FileFormat, Format, RecordFormat
    from trajmeter.readers._read import read_tasks, read_trajectories
    from trajmeter.readers._recognition import beginning
    from trajmeter.readers._registry import format_named, formats
    from trajmeter.records import ReadProblem

__all__ = [
    "Evidence",
    "FileFormat",
    "Format",
    "ReadProblem",
    "RecordFormat",
    "beginning",
    "format_named",
    "formats",
    "open_content",
    "read_tasks",
    "read_trajectories",
]

_HOME = {
    "Evidence": "readers._formats",
    "FileFormat": "readers._formats",
    "Format": "readers._formats",
    "ReadProblem": "records",
    "RecordFormat": "readers._formats",
    "beginning": "readers._recognition",
    "format_named": "readers._registry",
    "formats": "readers._registry",
    "open_content": "readers._content",
    "read_tasks": "readers._read",
    "read_trajectories": "readers._read",
}
"""The module of each name, loaded when it is first used: a harness only records messages."""


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    value: object = getattr(import_module(f"trajmeter.{_HOME[name]}"), name)
    globals()[name] = value
    return value
