"""The result of tool-call matching for one attempt."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from pydantic import ConfigDict, JsonValue

from trajmeter.metrics._result import Figure, Group, Result
from trajmeter.records import Outcome
from trajmeter.records.record import LazyModel

if TYPE_CHECKING:
    from trajmeter.records import Cause

__all__ = ["MatchGrades", "Mismatch", "MismatchKind", "ToolsResult", "unscored"]


_SHOWN = 10
"""Maximum number of mismatches in an explanation."""


class MatchGrades(Group):
    """How much of two sequences matches."""

    matched: int | None = None
    """Pairs of a reference and an actual call that match."""
    reference_size: int | None = None
    """Number of reference calls."""
    actual_size: int | None = None
    """Number of actual calls."""
    precision: Annotated[
        float | None,
        Figure(
            low=0.0,
            high=1.0,
            higher_is_better=True,
            numerator=("matched",),
            denominator=("actual_size",),
        ),
    ] = None
    """Matched / actual calls; 1 without actual calls."""
    recall: Annotated[
        float | None,
        Figure(
            low=0.0,
            high=1.0,
            higher_is_better=True,
            numerator=("matched",),
            denominator=("reference_size",),
        ),
    ] = None
    """Matched / reference calls; 1 without reference calls."""
    f1: Annotated[float | None, Figure(low=0.0, high=1.0, higher_is_better=True)] = None
    """Harmonic mean of both; 0 if both are 0."""


MismatchKind: TypeAlias = Literal["arguments", "malformed", "missing", "unexpected", "order"]


class Mismatch(LazyModel):
    """One reason why two sequences of calls do not match."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: MismatchKind
    """Other arguments, arguments that are not a JSON object, a reference call without a partner, an
    actual call without one, or a matching call out of order."""
    tool: str
    """Name of the tool."""
    reference: int | None = None
    """Position of the reference call, from 0."""
    actual: int | None = None
    """Position of the actual call, from 0."""
    path: tuple[str | int, ...] = ()
    """Keys and list indices that lead to the value in the arguments."""
    expected: JsonValue = None
    """Value in the reference."""
    got: JsonValue = None
    """Value in the actual call."""
    reason: str
    """What is wrong."""

    @property
    def line(self) -> str:
        """The whole mismatch in one line."""
        keys = "".join(f"[{key!r}]" for key in self.path)
        wrong = self.reason
        if self.kind == "arguments" and self.reason == "it differs":
            wrong = f"expected {reprlib.repr(self.expected)}, got {reprlib.repr(self.got)}"
        return f"{self.kind} {self.tool}{keys}: {wrong}"


class ToolsResult(Group, Result):
    """How an attempt's tool calls match those of the reference.

    Two calls match if their names are equal and their arguments match under the policy. Pairs are
    chosen so that as many as possible match, regardless of order.
    """

    exact: Annotated[bool | None, Figure(higher_is_better=True)] = None
    """Both have equally many calls, and each matches the one at its position."""
    in_order: Annotated[bool | None, Figure(higher_is_better=True)] = None
    """Every reference call is matched, in order; other calls may come between."""
    any_order: Annotated[bool | None, Figure(higher_is_better=True)] = None
    """Every call of both sides is matched, in any order."""
    subset: Annotated[bool | None, Figure(higher_is_better=True)] = None
    """Every actual call is matched."""
    superset: Annotated[bool | None, Figure(higher_is_better=True)] = None
    """Every reference call is matched."""
    edit_distance: Annotated[int | None, Figure(low=0, higher_is_better=False)] = None
    """Minimum number of calls to insert, remove or replace to turn one sequence into the other."""
    mismatches: tuple[Mismatch, ...] = ()
    """What does not match, in the order of the reference, then of the attempt."""
    dropped_calls: int = 0
    """Number of the attempt's calls that the reader skipped because they have no name."""
    reason: str | None = None
    """Why the calls could not be matched; ``None`` if they were, or if the cause is enough."""
    any_order_grades: MatchGrades
    """Grades of the pairing in any order."""
    in_order_grades: MatchGrades
    """Grades of the alignment in order."""

    def explain(self, figure: str) -> str | None:
        """What does not match, one line each, at most ten; see :meth:`Result.explain`."""
        del figure  # all are from the same pairing
        if self.outcome is Outcome.ABSTAINED:
            return "The task names no expected calls."
        lines = [each.line for each in self.mismatches[:_SHOWN]]
        if len(self.mismatches) > _SHOWN:
            lines.append(f"and {len(self.mismatches) - _SHOWN} more")
        return "\n".join(lines) or self.reason


def unscored(
    outcome: Outcome, cause: Cause | None, reason: str | None = None, *, dropped: int
) -> ToolsResult:
    """The result for an attempt whose calls are not matched.

    Args:
        outcome: Abstained or not scored.
        cause: The cause, if it is not scored.
        reason: The cause in words, if the cause alone is not enough.
        dropped: Calls of the attempt that have no name.
    """
    return ToolsResult(
        outcome=outcome,
        cause=cause,
        dropped_calls=dropped,
        reason=reason,
        any_order_grades=MatchGrades(outcome=outcome, cause=cause),
        in_order_grades=MatchGrades(outcome=outcome, cause=cause),
    )
