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
    """Name of the assertion, or the type of a nameless one."""
    type: str
    """Kind of check."""
    passed: bool
    """Whether it holds."""
    reason: str
    """What was found, or not."""


class ToolCheck(_Check):
    """One tool that was expected or forbidden."""

    tool: str
    """Name of the tool."""
    kind: Literal["expected", "forbidden"]
    """What the task says of it."""
    called: bool
    """Whether it was called."""
    passed: bool
    """Whether that is as it should be."""
    reason: str
    """The same in words."""


class BudgetCheck(_Check):
    """One budget and what was used of it."""

    name: str
    """Key of the budget in the task's metadata."""
    budget: float
    """The budget."""
    used: float | None
    """What was used, in the budget's unit; ``None`` where it was not recorded."""
    source: UsageSource | None = None
    """Where that comes from: ``run`` as recorded for the run, ``turns`` added up from its turns, or
    ``both``."""
    ratio: float | None
    """Used / budget."""
    score: float | None
    """10 within the budget, else 10 / ratio."""
    reason: str
    """The same in words."""


class JudgeCheck(_Check):
    """A judge's verdict on one assertion."""

    name: str
    """Name of the assertion, or the type of a nameless one."""
    result: str
    """``pass`` and ``fail`` count; anything else decides nothing."""
    reason: str | None
    """The judge's reasons."""


class RuleScore(Group):
    """Score of one rule. A rule that abstains has the conventional 10 and passes."""

    score: Annotated[float | None, Figure(low=0.0, high=10.0, higher_is_better=True)] = None
    """0 to 10; 10 by convention where the rule abstains."""
    passed: Annotated[bool | None, Figure(higher_is_better=True)] = None
    """Whether the score is 7 or more."""
    reason: str | None = None
    """Why there is this score, or none."""


class AssertionScore(RuleScore):
    """Share of the assertions that hold, of those a rule can grade."""

    checks: tuple[AssertionCheck, ...] = ()
    """Each graded assertion."""


class ToolUsageScore(RuleScore):
    """Share of expected tools that were called, and of forbidden ones that were not."""

    checks: tuple[ToolCheck, ...] = ()
    """Each expected and each forbidden tool."""
    tools_called: tuple[str, ...] = ()
    """Names of the called tools, each once, in order of name."""
    dropped_calls: int = 0
    """Calls that were left out because they have no name."""


class ErrorScore(RuleScore):
    """10 where the transcript is free of error markers, else 0."""

    errors_found: tuple[str, ...] = ()
    """Markers found."""
    markers_checked: tuple[str, ...] = ()
    """Markers looked for."""


class CompletenessScore(RuleScore):
    """5 for a run that reached its end, and 5 for an output."""

    completed: bool | None = None
    """Whether the run reached its end."""
    completion_signal: Literal["marker", "turn_budget"] | None = None
    """What shows the end: a marker in the transcript, or turns left in the budget."""
    output_non_empty: bool | None = None
    """Whether the final output holds more than white space."""
    matched_markers: tuple[str, ...] = ()
    """Completion markers found."""


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
    """Where the figure of this ratio comes from: ``run`` as recorded for the run, ``turns`` added
    up from its turns, or ``both``."""
    checks: tuple[BudgetCheck, ...] = ()
    """Each budget."""


class JudgeScore(RuleScore):
    """Share of the assertions a judge holds to be true, of those it decided."""

    sent: int | None = None
    """Assertions for the judge: those no rule grades."""
    judged: int | None = None
    """Assertions that the judge decided."""
    dropped: int | None = None
    """Verdicts on no assertion that was sent."""
    checks: tuple[JudgeCheck, ...] = ()
    """The verdicts, in the order of their assertions."""


class RulesResult(Result):
    """Every rule's score of one attempt."""

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
