"""The metric of turns: it scores one run, or a batch of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from trajmeter.arguments import as_iterable, check_type
from trajmeter.metrics.profile import find_profile
from trajmeter.metrics.turns.profile import PROFILES
from trajmeter.metrics.turns.result import TurnsResult
from trajmeter.records import Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    import pyarrow as pa
    from pydantic import JsonValue

    from trajmeter.metrics.record_aggregator import RecordAggregator
    from trajmeter.metrics.registry import Resources
    from trajmeter.metrics.turns.summary import TurnsSummary, TurnsTotals
    from trajmeter.records import Task

__all__ = ["TurnsMetric", "aggregate", "create", "score"]

_USAGE = frozenset({"turns.usage", "usage", "unusable"})
_GROUP_COLUMNS: dict[str, frozenset[str]] = {
    # Turns are only counted, so any one of their fields suffices.
    "run": frozenset({"turns.number", "turn_count", "failure.reason", "passed"}),
    "tokens": _USAGE,
    "cost": _USAGE,
}
"""Columns of trajectories that each group needs."""


class TurnsMetric:
    """Scores the interaction of each run, turn by turn.

    Args:
        profile: ``"ptcrunner"``, or ``None`` for the default.

    Raises:
        UnknownNameError: The profile is unknown.
    """

    name = "turns"
    version = "1"
    requires: tuple[str, ...] = ("Trajectory.turns",)
    result_type = TurnsResult
    batch_columns: frozenset[str] = frozenset(
        {
            *(f"turns.{name}" for name in ("success", "program", "number", "error", "usage")),
            *(f"turns.tool_calls.{name}" for name in ("name", "arguments", "success", "error")),
            *("turn_count", "dropped_calls", "failure.reason", "passed", "usage", "unusable"),
        }
    )
    """Columns of trajectories that :meth:`score_batch` reads; the others may be null."""
    presence_columns = frozenset({"turns.program"})
    """Those of them for which only null or not null matters, so the texts may be arbitrary."""

    def __init__(self, *, profile: str | None = None) -> None:
        self._profile = find_profile("turns", profile, PROFILES)
        self._has_turns = True

    def limit_to(self, groups: tuple[str, ...]) -> None:
        """Skip the figures computed from turns, which do not belong to any group.

        They are then ``not_scored`` without a cause.
        """
        self._has_turns = False
        self.batch_columns = frozenset().union(*(_GROUP_COLUMNS[group] for group in groups))

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The profile."""
        return {"profile": self._profile.name}

    def score(self, task: Task | None, trajectory: Trajectory) -> TurnsResult:
        """Analyse the turns of one run; no reference is needed."""
        del task
        return self._analyse(trajectory, self._profile, has_turns=self._has_turns)

    @cached_property
    def _analyse(self) -> Callable[..., TurnsResult]:
        """The analysis of one run, which batches do not import."""
        from trajmeter.metrics.turns.analysis import analyse_run

        return analyse_run

    def score_batch(
        self, tasks: Sequence[Task | None], rows: pa.RecordBatch
    ) -> Mapping[str, pa.Array[Any]]:
        """Analyse the turns of many runs; no reference is needed."""
        from trajmeter.metrics.turns.batch import score_batch

        del tasks
        return score_batch(rows, self._profile, has_turns=self._has_turns)

    def aggregator(self) -> RecordAggregator[TurnsSummary]:
        """Create a summary of runs."""
        from trajmeter.metrics.record_aggregator import RecordAggregator

        return RecordAggregator(self, self.column_aggregator())

    def column_aggregator(self) -> TurnsTotals:
        """Create summaries of the runs in each group."""
        from trajmeter.metrics.turns.summary import TurnsTotals

        return TurnsTotals(self._profile)


def score(trajectory: Trajectory, *, profile: str | None = None) -> TurnsResult:
    """Compute every figure of one run.

    If turns were only counted, the turn count is the only turn figure; if they were not counted
    either, it is missing too. Unknown success is neither success nor failure.

    Args:
        trajectory: The run.
        profile: ``"ptcrunner"`` to reproduce PtcRunner, quirks included.

    Raises:
        InputError: ``trajectory`` is not a Trajectory.
        UnknownNameError: The profile is unknown.

    Example:
        >>> from trajmeter.records import Failure, Trajectory, Turn
        >>> failed = Turn(success=False, error=Failure(reason="no_code_found"))
        >>> done = Turn(success=True, program="(+ 1 2)")
        >>> result = score(Trajectory(task_id="t", turns=(failed, done)))
        >>> result.first_turn_valid, result.no_code_rate, result.recovered_errors
        (False, 0.5, 1.0)
    """
    from trajmeter.metrics.turns.analysis import analyse_run

    check_type(trajectory, Trajectory, name="trajectory")
    return analyse_run(trajectory, find_profile("turns", profile, PROFILES))


def aggregate(results: Iterable[TurnsResult], *, profile: str | None = None) -> TurnsSummary:
    """Summarise runs.

    Args:
        results: One result per run.
        profile: ``"ptcrunner"`` to count as PtcRunner does: a missing figure is 0, and a run of
            unknown outcome did not pass.

    Raises:
        InputError: ``results`` is not a list of :class:`TurnsResult`.
        UnknownNameError: The profile is unknown.

    Example:
        >>> aggregate([]).pass_rate.value
        0.0
        >>> aggregate([]).mean_turns_on_pass.value is None
        True
    """
    aggregator = TurnsMetric(profile=profile).aggregator()
    unknown = Trajectory(task_id="")  # summaries depend only on results
    for index, result in enumerate(as_iterable(results, "a list of TurnsResult", name="results")):
        check_type(result, TurnsResult, name=f"results[{index}]")
        aggregator.add(None, unknown, result)
    return aggregator.figures()


def create(resources: Resources) -> TurnsMetric:
    """Create the metric for the registry."""
    return TurnsMetric(profile=resources.profile)
