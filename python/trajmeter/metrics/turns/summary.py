"""Turn analysis over many runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import ConfigDict

from trajmeter.arguments import as_iterable, check_type
from trajmeter.metrics._result import Headline, Mean, RunningMean
from trajmeter.metrics.profile import find_profile
from trajmeter.metrics.turns.profile import PROFILES
from trajmeter.metrics.turns.result import TurnsResult
from trajmeter.records.record import LazyModel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajmeter.metrics._result import Result
    from trajmeter.metrics.turns.profile import TurnsProfile
    from trajmeter.records import Task, Trajectory

__all__ = ["TurnsAggregator", "TurnsSummary", "aggregate"]


class TurnsSummary(LazyModel):
    """Turn analysis over many runs: each mean over the runs that have the figure.

    ``total`` counts the runs that could have it: all of them, the passed ones, or those with a
    failed turn. A figure that no run has is ``None``; without any run all are 0, but for the two
    "on pass".
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    pass_rate: Annotated[Mean, Headline("passed")]
    """Passed runs, of those known to have passed or not."""
    mean_turns_on_pass: Annotated[Mean, Headline("turns on pass")]
    """Mean number of turns of passed runs."""
    first_turn_validity_rate: Annotated[Mean, Headline("first turn valid")]
    """Runs whose first turn is valid."""
    mean_parse_failure_rate: Annotated[Mean, Headline("parse failures")]
    """Mean share of turns that could not be parsed."""
    mean_no_code_rate: Annotated[Mean, Headline("no code")]
    """Mean share of turns without code."""
    mean_multi_code_block_rate: Mean
    """Mean share of turns with several code blocks."""
    recoverable_error_salvage_rate: Annotated[Mean, Headline("salvaged")]
    """Passed runs among those with a failed turn; 0 where no run has one."""
    budget_exhausted_rate: Annotated[Mean, Headline("budget exhausted")]
    """Runs that exhausted their turn budget."""
    mean_input_tokens: Mean
    """Mean prompt tokens."""
    mean_output_tokens: Mean
    """Mean completion tokens."""
    mean_total_tokens: Annotated[Mean, Headline("tokens")]
    """Mean total tokens."""
    mean_total_tokens_on_pass: Mean
    """Mean total tokens of passed runs."""


def aggregate(results: Iterable[TurnsResult], *, profile: str | None = None) -> TurnsSummary:
    """Summarise runs.

    Args:
        results: One result a run.
        profile: ``"ptcrunner"`` to count as PtcRunner does: what is missing is 0, and a run of
            unknown outcome did not pass.

    Raises:
        InputError: The results are not a list of results of turns.
        UnknownNameError: The profile is unknown.

    Example:
        >>> aggregate([]).pass_rate.value
        0.0
        >>> aggregate([]).mean_turns_on_pass.value is None
        True
    """
    aggregator = TurnsAggregator(find_profile("turns", profile, PROFILES))
    for index, result in enumerate(as_iterable(results, "a list of TurnsResult", name="results")):
        check_type(result, TurnsResult, name=f"results[{index}]")
        aggregator.count(result)
    return aggregator.figures()


class TurnsAggregator:
    """Running totals over runs; keeps no run."""

    def __init__(self, profile: TurnsProfile) -> None:
        self._missing_is_zero = profile.missing_is_zero
        self._runs = 0
        self._means = {name: RunningMean() for name in TurnsSummary.model_fields}

    def add(self, task: Task | None, trajectory: Trajectory, result: Result) -> None:
        """Count one scored run."""
        del task, trajectory
        if isinstance(result, TurnsResult):
            self.count(result)

    def count(self, result: TurnsResult) -> None:
        """Count the result of one run."""
        run, tokens = result.run, result.tokens
        self._runs += 1
        self._add("first_turn_validity_rate", result.first_turn_valid)
        self._add("mean_parse_failure_rate", result.parse_failure_rate)
        self._add("mean_no_code_rate", result.no_code_rate)
        self._add("mean_multi_code_block_rate", result.multi_code_block_rate)
        self._add("budget_exhausted_rate", run.budget_exhausted)
        self._add("pass_rate", run.passed)
        self._add("mean_input_tokens", tokens.input_tokens)
        self._add("mean_output_tokens", tokens.output_tokens)
        self._add("mean_total_tokens", tokens.total_tokens)
        if run.passed:
            self._add("mean_turns_on_pass", run.turn_count)
            self._add("mean_total_tokens_on_pass", tokens.total_tokens)
        if result.has_failed_turn:
            self._add("recoverable_error_salvage_rate", run.passed)

    def add_error(self, task: Task | None, trajectory: Trajectory) -> None:
        """Count one run that could not be analysed; it has no figure, but could have any."""
        del task
        self._runs += 1
        for name, mean in self._means.items():
            if trajectory.passed or not name.endswith("_on_pass"):
                mean.add(None)

    def figures(self) -> TurnsSummary:
        """Means of all runs so far."""
        means = {name: mean.mean() for name, mean in self._means.items()}
        for name, mean in means.items():
            # By convention salvage is 0 without failed runs, and every figure is 0 without runs.
            is_zero = not self._runs and not name.endswith("_on_pass")
            if is_zero or (name == "recoverable_error_salvage_rate" and not mean.total):
                means[name] = mean.model_copy(update={"value": 0.0})
        return TurnsSummary(**means)

    def _add(self, name: str, value: float | None) -> None:
        self._means[name].add((value or 0) if self._missing_is_zero else value)
