"""Sessions of Codex: the rollouts that it keeps, and the streams that it prints."""

from __future__ import annotations

from trajmeter.readers.codex.exec_stream import EXEC_STREAMS
from trajmeter.readers.codex.rollout import ROLLOUTS

__all__ = ["EXEC_STREAMS", "ROLLOUTS"]
