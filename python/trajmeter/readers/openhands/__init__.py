"""OpenHands runs: lines of its evaluations, and the folders it writes alongside them."""

from __future__ import annotations

from trajmeter.readers.openhands.events import EVENTS
from trajmeter.readers.openhands.folders import COMPLETIONS, CONVERSATION
from trajmeter.readers.openhands.sdk import SDK_EVENTS

__all__ = ["COMPLETIONS", "CONVERSATION", "EVENTS", "SDK_EVENTS"]
