"""Inputs of the rules: a task's configuration, and the texts and counts of an attempt.

Task metadata is written by hand in JSON or YAML, so a single text is accepted as a list of one,
and a number may be quoted. Unusable values are ignored, never reinterpreted.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

from trajmeter.metrics.tools.calls import names_of
from trajmeter.metrics.usage import Amount, amount_used, tokens_used
from trajmeter.records import Cause

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.records import Trajectory, Verdict

__all__ = ["Attempt", "Budgeted", "CannotScoreError", "read_budget", "read_texts"]

Budgeted: TypeAlias = Literal["credits", "cost_usd", "total_tokens"]
"""Usage field that a budget may limit."""


class CannotScoreError(Exception):
    """A rule lacks an input; becomes the outcome of its score, and never leaves the family."""

    def __init__(self, cause: Cause, reason: str) -> None:
        super().__init__(reason)
        self.cause = cause
        self.reason = reason


class Attempt:
    """One trajectory, with cached values that several rules need."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory = trajectory
        # Cached manually: before Python 3.12 a cached property takes a lock.
        self._transcript: str | None = None
        self._output: str | None = None
        self._called: Sequence[str] | None = None

    @property
    def _lower_transcript(self) -> str:
        if self._transcript is None:
            text = self.trajectory.transcript
            if text is None:
                reason = "no transcript was recorded"
                raise self.absence("transcript", Cause.MISSING_TRANSCRIPT, reason)
            self._transcript = text.lower()
        return self._transcript

    @property
    def _lower_output(self) -> str:
        if self._output is None:
            text = self.trajectory.final_output
            if text is None:
                raise self.absence("final_output", Cause.MISSING_OUTPUT, "no output was recorded")
            self._output = text.lower()
        return self._output

    @property
    def called(self) -> Sequence[str]:
        """Names of the called tools, in order, as recorded.

        Raises:
            CannotScoreError: Neither they nor turns were recorded.
        """
        if self._called is None:
            self._called = names_of(self.trajectory)
            if self._called is None:
                raise self.absence("tool_calls", Cause.MISSING_CALLS, "no tool calls were recorded")
        return self._called

    @property
    def turn_count(self) -> int | None:
        """Number of turns, recorded or only counted; ``None`` if unknown.

        Raises:
            CannotScoreError: The recorded count is not a number.
        """
        trajectory = self.trajectory
        if trajectory.turns is not None:
            return len(trajectory.turns)
        if "turn_count" in trajectory.unusable:
            raise CannotScoreError(Cause.INVALID_INPUT, trajectory.unusable["turn_count"])
        return trajectory.turn_count

    def contains(self, text: str) -> bool:
        """Whether the transcript contains a text, ignoring case.

        Raises:
            CannotScoreError: No transcript was recorded.
        """
        return text.lower() in self._lower_transcript

    def output_contains(self, text: str) -> bool:
        """Whether the final output contains a text, ignoring case.

        Raises:
            CannotScoreError: No final output was recorded.
        """
        return text.lower() in self._lower_output

    @property
    def has_output(self) -> bool:
        """Whether the final output is not blank.

        Raises:
            CannotScoreError: No final output was recorded.
        """
        return bool(self._lower_output.strip())

    @property
    def dropped_calls(self) -> int:
        """Unnamed calls, which the reader dropped."""
        return self.trajectory.dropped_calls

    @property
    def duration_seconds(self) -> float | None:
        """Duration of the run."""
        return self.trajectory.duration_seconds

    @property
    def verdicts(self) -> tuple[Verdict, ...] | None:
        """A judge's verdicts, as recorded."""
        return self.trajectory.verdicts

    def recorded(self, field: Budgeted) -> float | None:
        """A field of the run's usage, whatever its value."""
        return getattr(self.trajectory.usage, field, None)

    def used(self, field: Budgeted) -> Amount:
        """Usage of the run: its own figure, or the sum over its turns."""
        if field != "total_tokens":
            return amount_used(self.trajectory, field)
        tokens = tokens_used(self.trajectory)
        return Amount(tokens.counts[2], tokens.source, tokens.reason)

    def absence(self, field: str, cause: Cause, reason: str) -> CannotScoreError:
        """Why a field is empty: its recorded value was unusable, or there was none."""
        unusable = self.trajectory.unusable.get(field)
        if unusable is not None:
            return CannotScoreError(Cause.INVALID_INPUT, unusable)
        return CannotScoreError(cause, reason)


def read_texts(value: object) -> tuple[str, ...]:
    """Parse a list of texts: tool names or markers.

    Texts are trimmed, and empty ones dropped. Other entries are dropped, not converted:
    a stray null must not become a tool named ``None``.

    Example:
        >>> read_texts(["search", None, " ", " open "])
        ('search', 'open')
        >>> read_texts("search")
        ('search',)
        >>> read_texts({"search": 1})
        ()
    """
    if isinstance(value, str):
        value = (value,)
    if not isinstance(value, (list, tuple)):
        return ()
    return tuple([text for entry in value if isinstance(entry, str) and (text := entry.strip())])


def read_budget(value: object) -> float | None:
    """Parse a budget: a number above 0, which may be quoted, or infinite.

    Returns:
        The budget, or ``None`` if it is unusable: absent, zero, negative, NaN, a boolean, or text
        that Python's ``float`` cannot parse.

    Example:
        >>> read_budget(" 1_000 ")
        1000.0
        >>> read_budget("1000ms") is None and read_budget(True) is None
        True
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        budget = float(value.strip() if isinstance(value, str) else value)
    except ValueError:
        return None
    except OverflowError:
        budget = math.inf if value > 0 else -math.inf  # type: ignore[operator] # only an int overflows
    return budget if budget > 0 else None
