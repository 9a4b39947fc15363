"""Readers: one module or folder per format, and format detection from content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.lazy import lazy_getattr
from trajmeter.records import ReadProblem

if TYPE_CHECKING:
    from trajmeter.readers._files.content import open_content
    from trajmeter.readers._read import read_tasks, read_trajectories
    from trajmeter.readers._recognition.evidence import beginning
    from trajmeter.readers._recognition.formats import Evidence, FileFormat, Format, RecordFormat
    from trajmeter.readers._recognition.registry import format_named, formats

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

_MODULES = {
    "Evidence": "_recognition.formats",
    "FileFormat": "_recognition.formats",
    "Format": "_recognition.formats",
    "RecordFormat": "_recognition.formats",
    "beginning": "_recognition.evidence",
    "format_named": "_recognition.registry",
    "formats": "_recognition.registry",
    "open_content": "_files.content",
    "read_tasks": "_read",
    "read_trajectories": "_read",
}
"""The module that defines each name, loaded on first use: a harness only records messages."""

__getattr__ = lazy_getattr(__name__, _MODULES)
