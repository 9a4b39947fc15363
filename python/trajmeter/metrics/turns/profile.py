"""Compatibility profiles of the turns family."""

from __future__ import annotations

from dataclasses import dataclass

from trajmeter.metrics.profile import Profile

__all__ = ["PROFILES", "TurnsProfile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsProfile(Profile):
    """What an original does differently."""


PROFILES = (TurnsProfile(), TurnsProfile(name="ptcrunner"))
"""The default first."""
