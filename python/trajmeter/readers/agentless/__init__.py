"""Agentless localisations and patches: one object per task, or a folder of its stages."""

from __future__ import annotations

from trajmeter.readers.agentless.stages import FOLDERS, TRAJECTORIES

__all__ = ["FOLDERS", "TRAJECTORIES"]
