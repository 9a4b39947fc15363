"""Attempts of a batch: their measured sizes, with the facts of their tasks."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trajmeter.kernels import GRANULARITIES
from trajmeter.records import Cause

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.arrays import Booleans
    from trajmeter.kernels import Float64Array, Int64Array
    from trajmeter.metrics.context.profile import ContextProfile

__all__ = ["CAUSE", "NONE", "Attempts", "TaskFacts", "attempts"]

CAUSE = {cause: code for code, cause in enumerate(Cause)}
"""Integer code of each cause."""
NONE = -1
"""The code of no cause, and of a count that does not apply."""


class TaskFacts(NamedTuple):
    """Facts of a task that an attempt's figures depend on; causes are codes, -1 for no cause."""

    file: int
    symbol: int
    span: int
    line: int
    """Cause for not scoring a granularity."""
    void: int
    """Cause for not scoring any attempt at the task."""
    has_initial_lines: int
    initial_gold_size: int
    unresolved_gold_paths: int
    has_gold: int
    has_gold_patch: int
    gold_edits: int
    stand_in_deleted: int
    stand_in_hits: int
    """Counts of lines that the gold patch deletes, if it replaces a missing patch; otherwise -1."""

    def packed(self) -> bytes:
        """The numbers as a row of a table of ``int64``."""
        return array("q", self).tobytes()


_MISSING_TASK = TaskFacts(
    file=CAUSE[Cause.MISSING_GOLD],
    symbol=CAUSE[Cause.MISSING_GOLD],
    span=CAUSE[Cause.MISSING_GOLD],
    line=CAUSE[Cause.MISSING_GOLD],
    void=CAUSE[Cause.MISSING_GOLD],
    has_initial_lines=0,
    initial_gold_size=0,
    unresolved_gold_paths=NONE,
    has_gold=0,
    has_gold_patch=0,
    gold_edits=0,
    stand_in_deleted=NONE,
    stand_in_hits=NONE,
)


@dataclass(frozen=True, slots=True, eq=False)
class Attempts:
    """Attempts of a batch: their measured sizes, with the facts of their tasks."""

    profile: ContextProfile
    """How they are scored."""
    counts: Mapping[str, Int64Array]
    """``CONTEXT_COUNTS`` by name, one value per attempt."""
    coverage: Float64Array
    """Coverage of each step at each granularity; NaN without gold."""
    offsets: Int64Array
    """Offsets of each attempt's steps in ``coverage``."""
    tasks: Mapping[str, Int64Array]
    """Each field of :class:`TaskFacts` as a column, one value per attempt."""
    void: Int64Array
    """Cause for leaving out an entire attempt; -1 if it is scored."""

    def by_granularity(self, name: str) -> Int64Array:
        """A count at each granularity, one row per granularity."""
        return np.stack([self.counts[f"{each}.{name}"] for each in GRANULARITIES])

    def causes(self, otherwise: Booleans, cause: Cause) -> Int64Array:
        """Cause for not scoring each granularity: that of the task first, then ``cause``.

        Args:
            otherwise: Where ``cause`` applies if the task has no cause.
            cause: What the attempt lacks.
        """
        of_task = np.stack([self.tasks[each] for each in GRANULARITIES])
        missing = np.where(self.void >= 0, self.void, of_task)
        return np.where((missing < 0) & otherwise, CAUSE[cause], missing)


def attempts(
    profile: ContextProfile,
    facts: Sequence[bytes],
    task: Int64Array,
    counts: Mapping[str, Int64Array],
    coverage: Float64Array,
    offsets: Int64Array,
) -> Attempts:
    """Combine the measured sizes of attempts with the facts of their tasks."""
    held = b"".join([*facts, _MISSING_TASK.packed()])
    table = np.frombuffer(held, np.int64).reshape(-1, len(TaskFacts._fields))
    tasks = dict(zip(TaskFacts._fields, np.ascontiguousarray(table[task].T), strict=True))
    if profile.voids_whole_attempt:
        lost = (tasks["void"] < 0) & (counts["has_final_context"] == 0)
        void = np.where(lost, CAUSE[Cause.NO_CONTEXT_EXTRACTED], tasks["void"])
    else:
        void = np.where(task < 0, tasks["void"], NONE)
    found = Attempts(
        profile, counts, coverage.reshape(-1, len(GRANULARITIES)), offsets, tasks, void
    )
    return _with_written_gold(found) if profile.counts_reversed_lines else found


def _with_written_gold(attempts: Attempts) -> Attempts:
    """Rescale line coverage to the size of gold as written, where reversed ranges change it."""
    line, measured = len(GRANULARITIES) - 1, attempts.counts["line.gold"]
    is_written = attempts.tasks["has_gold"] > 0
    gold = np.where(is_written, attempts.tasks["initial_gold_size"], measured)
    coverage = attempts.coverage
    for row in np.flatnonzero(gold != measured).tolist():
        steps = slice(*attempts.offsets[row : row + 2].tolist())
        of, size = int(measured[row]), int(gold[row])
        shares = np.nan_to_num(coverage[steps, line]).tolist()
        coverage[steps, line] = [round(share * of) / size if size > 0 else nan for share in shares]
    return replace(attempts, counts={**attempts.counts, "line.gold": gold})
