"""Compatibility profiles of the speedup family."""

from __future__ import annotations

from dataclasses import dataclass

from trajmeter.metrics.profile import Profile

__all__ = ["PROFILES", "SpeedupProfile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedupProfile(Profile):
    """What an original does differently."""


PROFILES = (SpeedupProfile(), SpeedupProfile(name="fc-eval"))
"""The default first."""
