"""Readers: one module or folder for each format, and its detection from content."""

from __future__ import annotations

from trajmeter.readers._formats import Evidence, FileFormat, Format, RecordFormat, formats
from trajmeter.readers._read import read_tasks, read_trajectories
from trajmeter.records import ReadProblem

__all__ = [
    "Evidence",
    "FileFormat",
    "Format",
    "ReadProblem",
    "RecordFormat",
    "formats",
    "read_tasks",
    "read_trajectories",
]
