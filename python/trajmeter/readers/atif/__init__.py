"""Trajectories in ATIF, the Agent Trajectory Interchange Format."""

from __future__ import annotations

from trajmeter.readers.atif.trajectory import TRAJECTORIES

__all__ = ["TRAJECTORIES"]
