"""The rules' results for one attempt."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict

from trajmeter.metrics._result import Figure, Group, Result
from trajmeter.metrics.usage import UsageSource
from trajmeter.records.record import LazyModel

__all__ = [
    "AssertionCheck",
    "AssertionScore",
    "BudgetCheck",
    "CompletenessScore",
    "CostScore",
    "ErrorScore",
    "JudgeCheck",
    "JudgeScore",
    "LatencyScore",
    "RuleScore",
    "RulesResult",
    "ToolCheck",
    "ToolUsageScore",
]


class _Check(LazyModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AssertionCheck(_Check):
    """One assertion, graded by a rule."""

    name: str
    """Name of the assertion; its type if it has no name."""
    type: str
    """Kind of check."""
    passed: bool
    """Whether it holds."""
    reason: str
    """What was found or not found."""


class ToolCheck(_Check):
    """One tool that was expected or forbidden."""

    tool: str
    """Name of the tool."""
    kind: Literal["expected", "forbidden"]
    """Whether the task expects or forbids it."""
    called: bool
    """Whether it was called."""
    passed: bool
    """Whether that is what the task requires."""
    reason: str
    """The result in words."""


class BudgetCheck(_Check):
    """One budget, and how much of it was used."""

    name: str
    """Key of the budget in the task's metadata."""
    budget: float
    """The budget."""
    used: float | None
    """Amount used, in the budget's unit; ``None`` if it was not recorded."""
    source: UsageSource | None = None
    """Its origin: ``run`` (recorded for the run), ``turns`` (summed over its turns) or ``both``."""
    ratio: float | None
    """Used / budget."""
    score: float | None
    """10 within the budget, else 10 / ratio."""
    reason: str
    """The result in words."""


class JudgeCheck(_Check):
    """A judge's verdict on one assertion."""

    name: str
    """Name of the assertion; its type if it has no name."""
    result: str
    """``pass`` and ``fail`` count; anything else is undecided."""
    reason: str | None
    """The judge's reasons."""


class RuleScore(Group):
    """Score of one rule. A rule that abstains has the conventional 10 and passes."""

    score: Annotated[float | None, Figure(low=0.0, high=10.0, higher_is_better=True)] = None
    """0 to 10; 10 by convention if the rule abstains."""
    passed: Annotated[bool | None, Figure(higher_is_better=True)] = None
    """Whether the score is 7 or more."""
    reason: str | None = None
    """Why it has this score, or none."""


class AssertionScore(RuleScore):
    """Share of assertions that hold, of those a rule can grade."""

    checks: tuple[AssertionCheck, ...] = ()
    """Each graded assertion."""


class ToolUsageScore(RuleScore):
    """Share of expected tools that were called, and of forbidden ones that were not."""

    checks: tuple[ToolCheck, ...] = ()
    """Each expected and each forbidden tool."""
    tools_called: tuple[str, ...] = ()
    """Names of the called tools, sorted, without repeats."""
    dropped_calls: int = 0
    """Number of calls that were skipped because they have no name."""


class ErrorScore(RuleScore):
    """10 if the transcript is free of error markers, else 0."""

    errors_found: tuple[str, ...] = ()
    """Markers found."""
    markers_checked: tuple[str, ...] = ()
    """Markers that were searched for."""


class CompletenessScore(RuleScore):
    """5 if the run reached its end, plus 5 if it has an output."""

    completed: bool | None = None
    """Whether the run reached its end."""
    completion_signal: Literal["marker", "turn_budget"] | None = None
    """What shows the end: a marker in the transcript, or turns left in the budget."""
    output_non_empty: bool | None = None
    """Whether the final output contains more than white space."""
    matched_markers: tuple[str, ...] = ()
    """Completion markers that were found."""


class LatencyScore(RuleScore):
    """10 within the time budget, else 10 / ratio."""

    budget_ms: float | None = None
    """The budget in milliseconds."""
    duration_ms: float | None = None
    """Duration of the run in milliseconds."""
    ratio: Annotated[float | None, Figure(low=0.0, higher_is_better=False)] = None
    """Duration / budget."""


class CostScore(RuleScore):
    """10 within the budgets for credits, US dollars and tokens, else 10 / the greatest ratio."""

    ratio: Annotated[float | None, Figure(low=0.0, higher_is_better=False)] = None
    """Greatest of the ratios of used to budget."""
    source: UsageSource | None = None
    """Origin of this ratio's figure: ``run`` (recorded for the run), ``turns`` (summed over its
    turns) or ``both``."""
    checks: tuple[BudgetCheck, ...] = ()
    """Each budget."""


class JudgeScore(RuleScore):
    """Share of assertions that a judge found to hold, of those it decided."""

    sent: int | None = None
    """Assertions for the judge: those no rule grades."""
    judged: int | None = None
    """Assertions that the judge decided."""
    dropped: int | None = None
    """Verdicts that match no assertion that was sent."""
    checks: tuple[JudgeCheck, ...] = ()
    """The verdicts, in the order of their assertions."""


class RulesResult(Result):
    """Every rule's score for one attempt."""

    assertion_pass_rate: AssertionScore
    """Assertions about transcript, output and called tools."""
    tool_usage: ToolUsageScore
    """Expected and forbidden tools."""
    error_handling: ErrorScore
    """Absence of error markers in the transcript."""
    completeness: CompletenessScore
    """Whether the run reached its end with an output."""
    latency: LatencyScore
    """Duration against its budget."""
    cost_budget: CostScore
    """Credits, US dollars and tokens against their budgets."""
    llm_judge: JudgeScore
    """Assertions that only a judge can grade."""
