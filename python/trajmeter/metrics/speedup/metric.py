"""The speedup metrics as a metric of the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import UnknownNameError
from trajmeter.metrics.speedup.default import score_trial
from trajmeter.metrics.speedup.fceval import score_trial_as_fceval
from trajmeter.metrics.speedup.payload import is_payload, score_payload
from trajmeter.metrics.speedup.result import SpeedupResult
from trajmeter.metrics.speedup.summary import SpeedupAggregator
from trajmeter.metrics.speedup.trial import trials_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.metrics.registry import Resources
    from trajmeter.records import Task, Trajectory

__all__ = ["PROFILE", "SpeedupMetric", "create"]

PROFILE = "fc-eval"
"""Compatibility profile of the family."""


class SpeedupMetric:
    """Scores how much faster agents made a task's benchmarks, beside the reference solution.

    Args:
        profile: ``fc-eval``, or ``None`` for the default.

    Raises:
        UnknownNameError: There is no such profile.
    """

    name = "speedup"
    version = "1"
    requires: tuple[str, ...] = ("Trajectory.measurements",)
    result_type = SpeedupResult

    def __init__(self, *, profile: str | None = None) -> None:
        if profile not in (None, PROFILE):
            raise UnknownNameError(f"speedup has no profile {profile!r}, expected {PROFILE!r}")
        self._profile = profile
        self._score_trial = score_trial if profile is None else score_trial_as_fceval

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The profile."""
        return {"profile": self._profile}

    def score_trial(
        self, task: Task | None, trajectories: Sequence[Trajectory]
    ) -> list[SpeedupResult]:
        """Score all attempts at one task, each beside those that ran with it."""
        results: dict[int, SpeedupResult] = {}
        measured = []
        for position, attempt in enumerate(trajectories):
            if is_payload(attempt):
                results[position] = score_payload(attempt, as_fceval=self._profile is not None)
            else:
                measured.append(position)
        for places, trial in trials_of(task, [trajectories[position] for position in measured]):
            for place, result in zip(places, self._score_trial(trial), strict=True):
                results[measured[place]] = result
        return [results[position] for position in range(len(trajectories))]

    def aggregator(self) -> SpeedupAggregator:
        """Begin the summary of runs."""
        return SpeedupAggregator(as_fceval=self._profile is not None)


def create(resources: Resources) -> SpeedupMetric:
    """Make the metric for the registry."""
    return SpeedupMetric(profile=resources.profile)
