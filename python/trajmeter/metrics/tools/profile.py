"""Compatibility profiles of tool-call matching: only the default."""

from __future__ import annotations

from trajmeter.metrics.profile import Profile

__all__ = ["PROFILES"]

PROFILES = (Profile(),)
"""Profiles of the metric, the default first."""
