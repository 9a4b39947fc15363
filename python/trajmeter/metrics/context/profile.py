"""Compatibility profiles of the context family."""

from __future__ import annotations

from dataclasses import dataclass

from trajmeter.metrics.profile import Profile

__all__ = ["PROFILES", "ContextProfile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextProfile(Profile):
    """What an original does differently."""


PROFILES = (ContextProfile(), ContextProfile(name="contextbench"))
"""The default first."""
