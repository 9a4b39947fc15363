"""Turn analysis as a metric of the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import UnknownNameError
from trajmeter.metrics.turns.analysis import analyse
from trajmeter.metrics.turns.ptcrunner import analyse_as_ptcrunner
from trajmeter.metrics.turns.result import TurnsResult
from trajmeter.metrics.turns.summary import TurnsAggregator

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import pyarrow as pa
    from pydantic import JsonValue

    from trajmeter.metrics.registry import Resources
    from trajmeter.records import Task, Trajectory

__all__ = ["PROFILE", "TurnsMetric", "create"]

PROFILE = "ptcrunner"
"""Compatibility profile of the family."""


class TurnsMetric:
    """Scores the interaction of each run, turn by turn.

    Args:
        profile: ``ptcrunner``, or ``None`` for the default.

    Raises:
        UnknownNameError: There is no such profile.
    """

    name = "turns"
    version = "1"
    requires: tuple[str, ...] = ("Trajectory.turns",)
    result_type = TurnsResult

    def __init__(self, *, profile: str | None = None) -> None:
        if profile not in (None, PROFILE):
            raise UnknownNameError(f"turns has no profile {profile!r}, expected {PROFILE!r}")
        self._profile = profile
        self._analyse = analyse if profile is None else analyse_as_ptcrunner

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The profile."""
        return {"profile": self._profile}

    def score(self, task: Task | None, trajectory: Trajectory) -> TurnsResult:
        """Analyse the turns of one run; no reference is needed."""
        del task
        return self._analyse(trajectory)

    def score_batch(
        self, tasks: Sequence[Task | None], rows: pa.RecordBatch
    ) -> Mapping[str, pa.Array[Any]]:
        """Analyse the turns of many runs; no reference is needed."""
        from trajmeter.metrics.turns.batches import analyse_batch

        del tasks
        return analyse_batch(rows, as_ptcrunner=self._profile is not None)

    def aggregator(self) -> TurnsAggregator:
        """Begin the summary of runs."""
        return TurnsAggregator(original=self._profile is not None)


def create(resources: Resources) -> TurnsMetric:
    """Make the metric for the registry."""
    return TurnsMetric(profile=resources.profile)
