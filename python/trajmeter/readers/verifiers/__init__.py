"""Traces of verifiers, on their own and in the episodes of a run."""

from __future__ import annotations

from trajmeter.readers.verifiers.episodes import VERIFIERS_EPISODES
from trajmeter.readers.verifiers.traces import VERIFIERS_TRACES

__all__ = ["VERIFIERS_EPISODES", "VERIFIERS_TRACES"]
