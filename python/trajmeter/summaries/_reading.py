"""Turns the totals of a run into summaries: of each group, and of all attempts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from trajmeter.metrics import MetricError
from trajmeter.metrics._result import headlines, listings
from trajmeter.metrics.groups import chosen_groups
from trajmeter.records.record import frozen
from trajmeter.summaries._aggregations import Aggregates
from trajmeter.summaries._groups import ALL_ATTEMPTS
from trajmeter.summaries.summary import AttemptsSummary, ErrorSummary, MetricSummary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trajmeter.metrics import AnyMetric, RowLayout
    from trajmeter.summaries._aggregations import ByColumns, ByRecords
    from trajmeter.summaries._groups import GroupKey
    from trajmeter.summaries._tally import Tally

__all__ = ["TotalsReader"]

_T = TypeVar("_T")


class TotalsReader:
    """Creates summaries from totals, which must not change meanwhile.

    Args:
        layout: Columns of the rows.
        keys: The groups.
        tally: Totals of the figures.
        by_columns: Totals counted from columns, by position of the family.
        by_records: Totals counted from records, by position of the family.
    """

    def __init__(
        self,
        layout: RowLayout,
        keys: Sequence[GroupKey],
        tally: Tally,
        by_columns: Mapping[int, ByColumns],
        by_records: Mapping[int, ByRecords],
    ) -> None:
        self._layout = layout
        self._keys = keys
        self._tally = tally
        self._by_columns = by_columns
        # Totals of a user's metric are read now, as they may be objects of any type.
        self._of_records = {index: each.all_figures() for index, each in by_records.items()}
        self._whole = {index: totals.figures(None) for index, totals in by_columns.items()}
        self._whole |= {index: of_groups[None] for index, of_groups in self._of_records.items()}
        self._lost: dict[int, MetricError] = {}
        for index in sorted(self._whole):
            of_groups = (*self._of_records.get(index, {}).values(), self._whole[index])
            for figures in of_groups:
                if isinstance(figures, MetricError):
                    self._lost[index] = figures

    def group(self, number: int) -> AttemptsSummary:
        """Summary of one group."""
        return self._summarize(self._keys[number], number)

    def overall(self) -> AttemptsSummary:
        """Summary of all attempts."""
        return self._summarize(ALL_ATTEMPTS, None)

    def metrics(self) -> Iterator[MetricSummary]:
        """The metrics, with the headings of their run-level figures."""
        for index, family in enumerate(self._layout.families):
            figures = None if index in self._lost else self._whole.get(index)
            model = figures.model if isinstance(figures, Aggregates) else None
            values: dict[str, Any] = {
                "name": family.name,
                "version": family.metric.version,
                "parameters": json.loads(json.dumps(dict(family.metric.parameters))),
                "headlines": _of_chosen(family.metric, headlines(model)) if model else {},
                "listings": _of_chosen(family.metric, listings(model)) if model else {},
            }
            yield frozen(MetricSummary, values)

    def errors(self) -> Iterator[ErrorSummary]:
        """Why families have no run-level figures."""
        for index, error in self._lost.items():
            yield ErrorSummary(
                metric=self._layout.families[index].name,
                message=f"no figures of the run: {error.message}",
                code=error.code,
                attempts=self._tally.attempts(None),
            )

    def _read(self, index: int, group: int | None) -> Aggregates | MetricError | None:
        """A family's figures of one group, or of all attempts."""
        if group is None:
            return self._whole.get(index)
        if index in self._by_columns:
            return self._by_columns[index].figures(group)
        return self._of_records.get(index, {}).get(group)

    def _summarize(self, key: GroupKey, group: int | None) -> AttemptsSummary:
        aggregates: dict[str, dict[str, Any]] = {}
        for index, family in enumerate(self._layout.families):
            totals = None if index in self._lost else self._read(index, group)
            if isinstance(totals, Aggregates):
                figures = _of_chosen(family.metric, totals.figures)
                if figures:
                    aggregates[family.name] = figures
        return frozen(
            AttemptsSummary,
            {
                "agent": key.agent,
                "model": key.model,
                "source": key.source,
                "instance": key.instance,
                "attempts": self._tally.attempts(group),
                "aggregates": aggregates,
                "figures": self._tally.summaries(group),
                "quantiles": self._tally.quantiles(group),
            },
        )


def _of_chosen(metric: AnyMetric, figures: dict[str, _T]) -> dict[str, _T]:
    """Run-level figures without those of groups that were not requested."""
    chosen = chosen_groups(metric)
    if not chosen:
        return figures
    return {path: value for path, value in figures.items() if path.partition(".")[0] in chosen}
