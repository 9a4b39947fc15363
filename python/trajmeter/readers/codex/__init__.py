"""Codex sessions: the rollouts it stores, and the streams it prints."""

from __future__ import annotations

from trajmeter.readers.codex.exec_stream import EXEC_STREAMS
from trajmeter.readers.codex.rollout import ROLLOUTS

__all__ = ["EXEC_STREAMS", "ROLLOUTS"]
