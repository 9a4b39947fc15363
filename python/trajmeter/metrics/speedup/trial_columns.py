"""Trials of the rows of a batch, as flat arrays: which attempts are compared with each other."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.arrays import field, present
from trajmeter.arrays.text import coded
from trajmeter.metrics.speedup.failures import BASELINE_AGENT, ORACLE_AGENT
from trajmeter.records.measurements import agent_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from trajmeter.kernels import BoolArray, Int64Array
    from trajmeter.records import Task

__all__ = ["TrialColumns", "trials_of_rows"]

_COMPARED = (BASELINE_AGENT, ORACLE_AGENT)


@dataclass(frozen=True, slots=True)
class TrialColumns:
    """Trials as found by :func:`trajmeter.metrics.speedup.trial.trials_of`."""

    keys: list[str]
    """Distinct ``agent:model`` keys."""
    key: Int64Array
    """Index of each row's key."""
    is_baseline: BoolArray
    """Whether the agent of each row is the baseline."""
    is_oracle: BoolArray
    """Whether the agent of each row is the oracle."""
    trial: Int64Array
    """Trial that each row is scored in; -1 for a row with figures instead of measurements."""
    members: Int64Array
    """Rows of each trial: those to score, then a baseline and oracle shared by several trials."""
    offsets: Int64Array
    """Trial i has the members ``[offsets[i], offsets[i + 1])``."""
    scored: Int64Array
    """Number of members to score in each trial."""
    is_alone: BoolArray
    """Whether each trial is a run of a single agent, whose figures were never merged."""
    has_times: BoolArray
    """Whether the task or a member of each trial has times."""

    def __len__(self) -> int:
        return len(self.scored)

    def of_trial(self, trial: int) -> Int64Array:
        """The members of a trial."""
        return self.members[self.offsets[trial] : self.offsets[trial + 1]]

    def any(self, of_rows: BoolArray) -> BoolArray:
        """Whether ``of_rows`` holds for any member of each trial."""
        if not len(self):
            return np.zeros(0, np.bool_)
        found: BoolArray = np.logical_or.reduceat(of_rows[self.members], self.offsets[:-1])
        return found

    def first(self, of_rows: BoolArray) -> Int64Array:
        """The first member of each trial for which ``of_rows`` holds; -1 if none."""
        places = np.flatnonzero(of_rows[self.members])[::-1]
        found = np.full(len(self), -1, np.int64)
        trials = np.searchsorted(self.offsets, places, side="right") - 1
        found[trials] = self.members[places]  # the last assignment wins
        return found


def trials_of_rows(tasks: Sequence[Task | None], rows: pa.RecordBatch) -> TrialColumns:
    """Split the rows of whole tasks into trials.

    Args:
        tasks: Task of each row.
        rows: Rows in the columns of the Trajectory schema, with those of each task adjacent.
    """
    agents, models = coded(rows.column("agent")), coded(rows.column("model"))
    named, key = _pairs(agents.codes, models.codes, len(models.texts))
    agent_texts, model_texts = [*agents.texts, None], [*models.texts, None]
    keys = [agent_key(agent_texts[agent], model_texts[model]) for agent, model in named]
    is_agent = {
        name: agents.codes == (agents.texts.index(name) if name in agents.texts else -2)
        for name in _COMPARED
    }
    measurements = rows.column("measurements")
    is_payload, has_seconds = (
        present(field(measurements, name)) for name in ("payload", "seconds")
    )
    stretch, task_has_times = _stretches(tasks, rows)
    trial, attempt = coded(rows.column("trial")), coded(rows.column("attempt"))
    repetition = np.where(trial.codes >= 0, -1, attempt.codes)
    sides, side = _pairs(trial.codes, repetition, len(attempt.texts))
    places = np.flatnonzero(~is_payload)
    groups, group = np.unique(stretch[places] * len(sides) + side[places], return_inverse=True)
    of_row = np.full(len(rows), -1, np.int64)
    of_row[places] = group
    scored = np.bincount(group, minlength=len(groups)).astype(np.int64)
    members = places[np.argsort(group, kind="stable")]
    offsets = np.concatenate(([0], np.cumsum(scored))).astype(np.int64)
    side_of_group = np.array(sides, np.int64).reshape(-1, 2)[groups % max(len(sides), 1)]
    is_repeated = (side_of_group[:, 0] < 0) & (side_of_group[:, 1] >= 0)
    is_common = (side_of_group < 0).all(axis=1)
    if is_repeated.any() and is_common.any():
        shares = _Shares(is_agent, stretch, is_common, is_repeated)
        members, offsets = shares.added(members, offsets)
    columns = TrialColumns(
        keys,
        key,
        is_agent[BASELINE_AGENT],
        is_agent[ORACLE_AGENT],
        of_row,
        members,
        offsets,
        scored,
        (scored == 1) & (side_of_group[:, 0] >= 0),
        np.zeros(len(groups), np.bool_),
    )
    columns.has_times[:] = columns.any(has_seconds | task_has_times)
    return columns


def _pairs(first: Int64Array, second: Int64Array, count: int) -> tuple[list[list[int]], Int64Array]:
    """Distinct pairs of codes, and the index of each row's pair; codes may be -1.

    Args:
        first: First code of each row.
        second: Second code of each row.
        count: Number of possible second codes.
    """
    found, which = np.unique((first + 1) * (count + 1) + second + 1, return_inverse=True)
    pairs = np.stack(np.divmod(found, count + 1), axis=1) - 1
    return pairs.tolist(), which


def _stretches(tasks: Sequence[Task | None], rows: pa.RecordBatch) -> tuple[Int64Array, BoolArray]:
    """Number of each row's stretch of rows with the same task, and whether its task has times."""
    ids = coded(rows.column("task_id"))
    _, first = np.unique(ids.codes, return_index=True)
    numbers: dict[str, int] = {}
    named: list[int] = []
    timed: list[bool] = []
    for code, row in enumerate(first.tolist()):
        task = tasks[row]
        named.append(numbers.setdefault(task.id if task else ids.texts[code], len(numbers)))
        times = (task.baseline_seconds, task.oracle_seconds) if task else ()
        timed.append(any(each is not None for each in times))
    of_row = np.array(named, np.int64)[ids.codes]
    begins = np.diff(of_row, prepend=-1) != 0
    return np.cumsum(begins) - 1, np.array(timed, np.bool_)[ids.codes]


@dataclass(frozen=True, slots=True)
class _Shares:
    """Baselines and oracles that ran once for several repetitions."""

    is_agent: dict[str, BoolArray]
    stretch: Int64Array
    is_common: BoolArray
    is_repeated: BoolArray

    def added(self, members: Int64Array, offsets: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Members and offsets, with shared members appended to the repetitions that lack them."""
        trials = [members[begin:end] for begin, end in pairwise(offsets.tolist())]
        common = {
            int(self.stretch[trials[trial][0]]): trials[trial]
            for trial in np.flatnonzero(self.is_common).tolist()
        }
        whole = list(trials)
        for trial in np.flatnonzero(self.is_repeated).tolist():
            shared = common.get(int(self.stretch[trials[trial][0]]))
            if shared is not None:
                missing = np.zeros(len(shared), np.bool_)
                for is_one in self.is_agent.values():
                    if not is_one[trials[trial]].any():
                        missing |= is_one[shared]
                whole[trial] = np.concatenate((trials[trial], shared[missing]))
        lengths = [len(each) for each in whole]
        return np.concatenate(whole), np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
