"""Traces of verifiers, on their own and in the episodes of a run, and their tasks."""

from __future__ import annotations

from trajmeter.readers.verifiers.episodes import VERIFIERS_EPISODES
from trajmeter.readers.verifiers.tasks import VERIFIERS_TASKS
from trajmeter.readers.verifiers.traces import VERIFIERS_TRACES

__all__ = ["VERIFIERS_EPISODES", "VERIFIERS_TASKS", "VERIFIERS_TRACES"]
