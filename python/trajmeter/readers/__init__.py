"""Readers: one module a format on disk, and the recognition of formats by content."""

from __future__ import annotations

from trajmeter.readers._read import read_tasks, read_trajectories
from trajmeter.records import ReadProblem

__all__ = ["ReadProblem", "read_tasks", "read_trajectories"]
