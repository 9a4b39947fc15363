"""Turn analysis over many runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import ConfigDict

from trajmeter.metrics._result import Headline, Mean
from trajmeter.metrics.grouped_means import GroupedMeans, MeanInput
from trajmeter.records.record import LazyModel, frozen
from trajmeter.statistics.group_counts import GroupCounts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self

    from trajmeter.kernels import BoolArray, Int64Array
    from trajmeter.metrics.scored_columns import GroupedRows, Numbers, ScoredColumns
    from trajmeter.metrics.turns.profile import TurnsProfile

__all__ = ["TurnsSummary", "TurnsTotals"]


class TurnsSummary(LazyModel):
    """Turn analysis over many runs: each figure is the mean over the runs that have it.

    ``total`` counts the runs that could have it: all runs, those that passed, or those with a
    failed turn. A figure that no run has is ``None``; without any runs, all figures are 0, except
    those "on pass".
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    pass_rate: Annotated[Mean, Headline("passed")]
    """Share of runs that passed, among those known to have passed or not."""
    mean_turns_on_pass: Annotated[Mean, Headline("turns on pass")]
    """Mean number of turns of passed runs."""
    first_turn_validity_rate: Annotated[Mean, Headline("first turn valid")]
    """Share of runs whose first turn is valid."""
    mean_parse_failure_rate: Annotated[Mean, Headline("parse failures")]
    """Mean share of turns that could not be parsed."""
    mean_no_code_rate: Annotated[Mean, Headline("no code")]
    """Mean share of turns without code."""
    mean_multi_code_block_rate: Mean
    """Mean share of turns with several code blocks."""
    recoverable_error_salvage_rate: Annotated[Mean, Headline("salvaged")]
    """Share of runs that passed among those with a failed turn; 0 if there are none."""
    budget_exhausted_rate: Annotated[Mean, Headline("budget exhausted")]
    """Share of runs that exhausted their turn budget."""
    mean_input_tokens: Mean
    """Mean prompt tokens."""
    mean_output_tokens: Mean
    """Mean completion tokens."""
    mean_total_tokens: Annotated[Mean, Headline("tokens")]
    """Mean total tokens."""
    mean_total_tokens_on_pass: Mean
    """Mean total tokens of passed runs."""
    mean_cost_usd: Annotated[Mean, Headline("cost USD")]
    """Mean cost in US dollars, as recorded."""
    mean_cost_usd_on_pass: Mean
    """Mean cost of passed runs."""


_MEANS = {
    "pass_rate": "run.passed",
    "mean_turns_on_pass": "run.turn_count",
    "first_turn_validity_rate": "first_turn_valid",
    "mean_parse_failure_rate": "parse_failure_rate",
    "mean_no_code_rate": "no_code_rate",
    "mean_multi_code_block_rate": "multi_code_block_rate",
    "recoverable_error_salvage_rate": "run.passed",
    "budget_exhausted_rate": "run.budget_exhausted",
    "mean_input_tokens": "tokens.input_tokens",
    "mean_output_tokens": "tokens.output_tokens",
    "mean_total_tokens": "tokens.total_tokens",
    "mean_total_tokens_on_pass": "tokens.total_tokens",
    "mean_cost_usd": "cost.cost_usd",
    "mean_cost_usd_on_pass": "cost.cost_usd",
}
"""The run's figure behind each mean."""


class TurnsTotals:
    """Running totals over the runs of each group; does not keep the runs."""

    def __init__(self, profile: TurnsProfile) -> None:
        self._missing_is_zero = profile.missing_is_zero
        self._runs = GroupCounts(1)
        self._means = GroupedMeans(len(TurnsSummary.model_fields))

    def add(self, columns: ScoredColumns, groups: GroupedRows) -> None:
        """Add runs; one that could not be analysed counts in ``total`` but has no figures."""
        rows, numbers = groups
        self._runs.add(np.bincount(rows, minlength=len(numbers))[:, None], numbers)
        failed = columns.texts("turns.error").codes >= 0
        every = np.ones(len(columns), np.bool_)
        run_passed = _is_true(columns.numbers("turns.run.passed"))
        passed = run_passed | (failed & columns.passed())
        counted = {
            "mean_turns_on_pass": passed,
            "mean_total_tokens_on_pass": passed,
            "mean_cost_usd_on_pass": passed,
            "recoverable_error_salvage_rate": failed
            | _is_true(columns.numbers("turns.has_failed_turn")),
        }
        means = [
            MeanInput(self._values(columns, column, failed), counted.get(name, every))
            for name, column in _MEANS.items()
        ]
        self._means.add(means, groups)

    def merge(self, other: Self, numbers: Int64Array) -> None:
        """Add the totals of ``other``, whose group i is group ``numbers[i]`` here."""
        self._runs.merge(other._runs, numbers)
        self._means.merge(other._means, numbers)

    def state(self) -> dict[str, Any]:
        """Return the totals, for :meth:`restore`."""
        return {"runs": self._runs.state(), "means": self._means.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replace the totals with those of :meth:`state`."""
        self._runs.restore(state["runs"])
        self._means.restore(state["means"])

    def figures(self, group: int | None) -> TurnsSummary:
        """Compute the means of all runs so far."""
        means = dict(zip(_MEANS, self._means.means(group), strict=True))
        has_runs = self._runs.counts(group) != [0]
        for name, mean in means.items():
            # By convention, salvage is 0 without failed runs, and every figure is 0 without runs.
            is_zero = not has_runs and not name.endswith("_on_pass")
            if is_zero or (name == "recoverable_error_salvage_rate" and not mean.total):
                means[name] = mean.model_copy(update={"value": 0.0})
        return frozen(TurnsSummary, {name: means[name] for name in TurnsSummary.model_fields})

    def _values(self, columns: ScoredColumns, column: str, failed: BoolArray) -> Numbers:
        values = columns.numbers(f"turns.{column}")
        # PtcRunner does not record costs, so a missing cost does not count as 0.
        if self._missing_is_zero and column != "cost.cost_usd":
            return values._replace(present=values.present | ~failed)
        return values


def _is_true(values: Numbers) -> BoolArray:
    """Whether each value is present and true."""
    is_true: BoolArray = values.present & (values.values > 0)
    return is_true
