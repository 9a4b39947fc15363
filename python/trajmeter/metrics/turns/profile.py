"""Profiles of turn analysis: the default, and where PtcRunner 0.10.1 departs from it."""

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
    """Whether a stored program makes the first turn valid even where it could not be read, and a
    first turn without one is not valid; otherwise what is unknown is ``None``."""
    failed_call_is_first: bool = False
    """Whether any recorded call is the first tool call, failed ones included."""
    empty_rate: float | None = None
    """Share of turns by reason in a run without turns."""
    missing_is_zero: bool = False
    """Whether tokens that were not recorded are 0, and totals are never added up; over runs, any
    figure that is missing counts as 0, and a run of unknown outcome as not passed."""


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
