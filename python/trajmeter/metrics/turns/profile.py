"""Profiles of turn analysis: the default, and how PtcRunner 0.10.1 differs from it."""

from __future__ import annotations

from dataclasses import dataclass

from trajmeter.metrics.profile import Profile

__all__ = ["PROFILES", "TurnsProfile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsProfile(Profile):
    """How missing values and unreadable turns count."""

    unrecorded_turns_are_none: bool = False
    """Whether a run whose turns were not recorded has zero turns, even if they were counted."""
    stored_program_is_valid: bool = False
    """Whether the first turn is valid if and only if it has a stored program, even one that could
    not be parsed; otherwise the figure is ``None`` if unknown."""
    failed_call_is_first: bool = False
    """Whether failed calls count as the first tool call."""
    empty_rate: float | None = None
    """Shares of turns by reason in a run without turns."""
    missing_is_zero: bool = False
    """Whether missing token counts are 0 and are never summed from turns; over runs, whether any
    missing figure counts as 0 and a run of unknown outcome as not passed."""


PROFILES = (
    TurnsProfile(),
    TurnsProfile(
        name="ptcrunner",
        unrecorded_turns_are_none=True,
        stored_program_is_valid=True,
        failed_call_is_first=True,
        empty_rate=0.0,
        missing_is_zero=True,
    ),
)
"""The default, then PtcRunner."""
