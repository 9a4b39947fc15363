"""Scores the speedup metrics of the attempts at a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.metrics.profile import find_profile
from trajmeter.metrics.record_aggregator import RecordAggregator
from trajmeter.metrics.speedup.fields import result_fields
from trajmeter.metrics.speedup.profile import PROFILES
from trajmeter.metrics.speedup.result import SpeedupResult
from trajmeter.metrics.speedup.totals import SpeedupTotals

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa
    from pydantic import JsonValue

    from trajmeter.arrays import Array
    from trajmeter.metrics._result import Result
    from trajmeter.metrics.registry import Resources
    from trajmeter.metrics.speedup.summary import SpeedupSummary
    from trajmeter.records import Task, Trajectory

__all__ = ["SpeedupMetric", "create"]


class SpeedupMetric:
    """Scores how much faster agents made a task's benchmarks, compared with the oracle.

    Args:
        profile: ``"fc-eval"``, or ``None`` for the default.

    Raises:
        UnknownNameError: The profile is unknown.
    """

    name = "speedup"
    version = "1"
    requires: tuple[str, ...] = ("Trajectory.measurements",)
    result_type = SpeedupResult
    batch_columns = frozenset(
        {
            *("trial", "measurements", "pytest_summary", "snapshot_summary"),
            *("run_log", "usage", "turns.usage", "passed", "failure"),
        }
    )
    takes_benchmark_tables = True

    def __init__(self, *, profile: str | None = None) -> None:
        self._profile = find_profile("speedup", profile, PROFILES)

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The profile."""
        return {"profile": self._profile.name}

    def score_trial(
        self, task: Task | None, trajectories: Sequence[Trajectory]
    ) -> list[SpeedupResult]:
        """Score all attempts at one task, comparing those of the same trial."""
        fields = result_fields([(task, trajectories)], self._profile)
        return [SpeedupResult(**each) for each in fields]

    def score_batch(
        self, tasks: Sequence[Task | None], rows: pa.RecordBatch
    ) -> Mapping[str, Array] | Iterable[Result]:
        """Score the rows of whole tasks, many tasks per kernel call."""
        from trajmeter.metrics.speedup.batch import score_batch  # pyarrow is an extra

        return score_batch(self, self._profile, tasks, rows)

    def aggregator(self) -> RecordAggregator[SpeedupSummary]:
        """Create a summary of runs."""
        return RecordAggregator(self, self.column_aggregator())

    def column_aggregator(self) -> SpeedupTotals:
        """Create summaries of the runs in each group."""
        return SpeedupTotals(self._profile)


def create(resources: Resources) -> SpeedupMetric:
    """Create the metric for the registry."""
    return SpeedupMetric(profile=resources.profile)
