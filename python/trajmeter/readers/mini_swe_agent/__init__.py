"""Runs of mini-swe-agent, versions 1 and 2."""

from __future__ import annotations

from trajmeter.readers.mini_swe_agent.v1 import VERSION_1
from trajmeter.readers.mini_swe_agent.v2 import VERSION_2

__all__ = ["VERSION_1", "VERSION_2"]
