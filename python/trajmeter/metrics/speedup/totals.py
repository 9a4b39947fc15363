"""Running totals of speedup over the attempts of each group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from trajmeter.metrics.speedup.extremes import AgentCosts, KeptWarnings, WorstBenchmarks
from trajmeter.metrics.speedup.folding import FIGURES, AttemptColumns, fold
from trajmeter.metrics.speedup.group_totals import GroupTotals, summarized
from trajmeter.records import Outcome
from trajmeter.records.measurements import agent_key
from trajmeter.statistics.group_counts import GroupCounts

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from typing_extensions import Self

    from trajmeter.kernels import BoolArray, Coded, Int64Array
    from trajmeter.metrics.scored_columns import AttemptField, GroupedRows, ScoredColumns
    from trajmeter.metrics.speedup.folding import Folded
    from trajmeter.metrics.speedup.profile import SpeedupProfile
    from trajmeter.metrics.speedup.summary import SpeedupSummary

_KeyT = TypeVar("_KeyT", bound="Hashable")

__all__ = ["SpeedupTotals"]

_RECORDED: tuple[AttemptField, ...] = ("agent", "model", "instance")
"""Fields that identify an attempt without a result."""

_COUNTS = ("attempts", "priced", "reverted", "unpriced", "valid", "regressions")
"""Counts kept for each group of attempts."""


class SpeedupTotals:
    """Running totals over the attempts of each group; keeps their figures, but not benchmarks.

    Args:
        profile: Decides whether each attempt counts by itself.
    """

    def __init__(self, profile: SpeedupProfile) -> None:
        self._counts_each = profile.counts_each_attempt
        self._agents: dict[tuple[str, str], int] = {}
        self._tasks: dict[str | None, int] = {}
        self._trials: dict[str | None, int] = {}
        self._attempts: list[AttemptColumns] = []
        self._counts = GroupCounts(len(_COUNTS))
        self._costs = AgentCosts()
        self._worst = WorstBenchmarks()
        self._warnings = KeptWarnings()
        self._folded: dict[bool, Folded] = {}

    def add(self, columns: ScoredColumns, groups: GroupedRows) -> None:
        """Add attempts; one whose metric raised counts as an attempt without figures."""
        self._folded = {}
        failed = columns.texts("speedup.error").codes >= 0
        replaced = np.zeros(len(columns), np.bool_)
        if self._counts_each:
            outcomes = columns.texts("speedup.outcome")
            not_scored = [text == Outcome.NOT_SCORED.value for text in outcomes.texts]
            replaced = ~failed & np.array(not_scored, np.bool_)[outcomes.codes]
        self._attempts.append(self._read(columns, groups, failed, replaced))
        self._count(columns, groups, failed, replaced)
        used = ~failed & ~replaced
        self._costs.add(columns, groups, ~failed)
        self._worst.add(columns, groups, used)
        self._warnings.add(columns, groups)

    def merge(self, other: Self, numbers: Int64Array) -> None:
        """Append the attempts of ``other``, whose group i is group ``numbers[i]`` here."""
        self._folded = {}
        agents = _numbers(self._agents, other._agents)
        tasks = _numbers(self._tasks, other._tasks)
        trials = _numbers(self._trials, other._trials)
        for each in other._attempts:
            trial = np.where(each.trial < 0, -1, trials[each.trial]) if len(trials) else each.trial
            moved = each._replace(
                group=numbers[each.group],
                agent=agents[each.agent],
                task=tasks[each.task],
                trial=trial,
            )
            self._attempts.append(moved)
        self._counts.merge(other._counts, numbers)
        self._costs.merge(other._costs, numbers)
        self._worst.merge(other._worst, numbers)
        self._warnings.merge(other._warnings, numbers)

    def state(self) -> dict[str, Any]:
        """Return the totals, for :meth:`restore`."""
        return {
            "agents": [*self._agents],
            "tasks": [*self._tasks],
            "trials": [*self._trials],
            "attempts": AttemptColumns.joined(self._attempts)._asdict(),
            "counts": self._counts.state(),
            "costs": self._costs.state(),
            "worst": self._worst.state(),
            "warnings": self._warnings.state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replace the totals with those of :meth:`state`."""
        self._folded = {}
        self._agents = {(key, place): at for at, (key, place) in enumerate(state["agents"])}
        self._tasks = {task: at for at, task in enumerate(state["tasks"])}
        self._trials = {trial: at for at, trial in enumerate(state["trials"])}
        self._attempts = [AttemptColumns(**state["attempts"])]
        self._counts.restore(state["counts"])
        self._costs.restore(state["costs"])
        self._worst.restore(state["worst"])
        self._warnings.restore(state["warnings"])

    def figures(self, group: int | None) -> SpeedupSummary:
        """Compute the figures of all attempts so far."""
        folded = self._fold(of_run=group is None)
        place = group or 0
        sums = folded.sums.totals(place)
        totals = GroupTotals(
            tasks=int(folded.tasks[place]),
            folds=int(folded.folds[place]),
            scored=dict(zip(FIGURES, folded.scored[place].tolist(), strict=True)),
            sums={name: sums.mean(index, 1) for index, name in enumerate(FIGURES)},
            successes=folded.successes[place],
            counts=dict(zip(_COUNTS, self._counts.counts(group), strict=True)),
            costs=self._costs.of(group),
            worst=self._worst.of(group),
            warnings=self._warnings.of(group),
        )
        return summarized(totals, each=self._counts_each)

    def _read(
        self,
        columns: ScoredColumns,
        groups: GroupedRows,
        failed: BoolArray,
        replaced: BoolArray,
    ) -> AttemptColumns:
        """Collect the data to keep for some attempts."""
        tasks = columns.attempts("task_id")
        numbers = [columns.numbers(f"speedup.{name}") for name in FIGURES]
        trial = np.full(len(columns), -1, np.int64)
        if self._counts_each:
            # The trial, or the name of the attempt if the record has no trial.
            recorded_trials = columns.texts("speedup.trial")
            named = np.array([bool(text) for text in recorded_trials.texts], np.bool_)
            trial = _coded(self._trials, columns.attempts("attempt"))
            of_trial = (recorded_trials.codes >= 0) & (
                named[recorded_trials.codes] if len(named) else False
            )
            trial = np.where(of_trial, _coded(self._trials, recorded_trials), trial)
            trial[failed] = -1
        resolved = columns.numbers("speedup.trial_resolved")
        return AttemptColumns(
            group=groups.numbers[groups.rows],
            agent=self._agents_of(columns, failed),
            task=_coded(self._tasks, tasks),
            trial=trial,
            resolved=resolved.present & (resolved.values > 0),
            is_counted=~replaced,
            values=np.stack([each.rounded for each in numbers], axis=1),
            present=np.stack([each.present for each in numbers], axis=1),
        )

    def _agents_of(self, columns: ScoredColumns, failed: BoolArray) -> Int64Array:
        """Number of each attempt's agent, by key and instance of its result or else its record."""
        keys, instances = columns.texts("speedup.key"), columns.texts("speedup.instance")
        width = len(instances.texts) + 1
        pairs, rows = np.unique(keys.codes * width + instances.codes + 1, return_inverse=True)
        # Code -1 selects the last item, which is empty.
        owners, places = [*keys.texts, ""], [*instances.texts, ""]
        agents = _numbers(
            self._agents,
            [(owners[pair // width], places[pair % width - 1]) for pair in pairs.tolist()],
        )[rows]
        recorded = [columns.attempts(name) for name in _RECORDED] if failed.any() else []
        for row in np.flatnonzero(failed).tolist():
            agent, model, instance = (
                each.texts[each.codes[row]] if each.codes[row] >= 0 else None for each in recorded
            )
            owner = (agent_key(agent, model), instance or "")
            agents[row] = self._agents.setdefault(owner, len(self._agents))
        return agents

    def _count(
        self,
        columns: ScoredColumns,
        groups: GroupedRows,
        failed: BoolArray,
        replaced: BoolArray,
    ) -> None:
        used = ~failed & ~replaced
        worst = columns.numbers("speedup.worst_speedup").present & used
        costs = columns.pairs("speedup.costs_by_agent_model")
        priced = np.zeros(len(columns), np.bool_)
        priced[costs.rows] = True
        reverted = columns.numbers("speedup.fallback_to_baseline").values
        known_price = columns.numbers("speedup.priced")
        weights = {
            "attempts": np.ones(len(columns)),
            "priced": priced & used,
            "reverted": reverted * used,
            "unpriced": known_price.present & (known_price.values == 0) & used,
            "valid": columns.numbers("speedup.num_valid_benchmarks").values * worst,
            "regressions": columns.numbers("speedup.num_regressions").values * worst,
        }
        rows, numbers = groups
        counts = [np.bincount(rows, weights[name], len(numbers)) for name in _COUNTS]
        self._counts.add(np.stack(counts, axis=1).astype(np.int64), numbers)

    def _fold(self, *, of_run: bool) -> Folded:
        if of_run not in self._folded:
            attempts = AttemptColumns.joined(self._attempts)
            self._attempts = [attempts]
            groups = int(attempts.group.max(initial=-1)) + 1
            if of_run:
                attempts = attempts._replace(group=np.zeros_like(attempts.group))
                groups = 1
            self._folded[of_run] = fold(attempts, groups, each=self._counts_each)
        return self._folded[of_run]


def _coded(known: dict[str | None, int], column: Coded) -> Int64Array:
    """Numbers of texts, including null; new texts get new numbers."""
    numbers = _numbers(known, column.texts)
    if (column.codes < 0).any():
        numbers = np.append(numbers, known.setdefault(None, len(known)))
    return numbers[column.codes]


def _numbers(known: dict[_KeyT, int], keys: Iterable[_KeyT]) -> Int64Array:
    return np.array([known.setdefault(key, len(known)) for key in keys], np.int64)
