"""ContextBench's files: tasks with their gold context, and predictions of agents."""

from __future__ import annotations

from trajmeter.readers.contextbench.gold import GOLD
from trajmeter.readers.contextbench.predictions import PREDICTIONS

__all__ = ["GOLD", "PREDICTIONS"]
