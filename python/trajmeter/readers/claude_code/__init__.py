"""Claude Code sessions: the files it stores, and the streams it prints."""

from __future__ import annotations

from trajmeter.readers.claude_code.session import SESSIONS
from trajmeter.readers.claude_code.stream import STREAMS

__all__ = ["SESSIONS", "STREAMS"]
