"""Readers: one module or folder for each format, and its detection from content."""

from __future__ import annotations

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
