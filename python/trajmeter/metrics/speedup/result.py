"""Results of the speedup metrics for one attempt, named as in fc-eval's payload."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from trajmeter.metrics._result import Figure, Group, Result
from trajmeter.records import InvalidReason
from trajmeter.records.record import LazyModel, default_fields, frozen

__all__ = [
    "BenchmarkSpeedup",
    "PytestFigures",
    "SnapshotFigures",
    "SpeedupResult",
]

_Count = Annotated[int | None, Figure(low=0)]
_Advantage = Annotated[float | None, Figure(higher_is_better=True)]

BenchmarkSpeedup = TypedDict(
    "BenchmarkSpeedup",
    {
        "agent/nop": float | None,
        "oracle/nop": float | None,
        "advantage": float | None,
        "significant": bool | None,
        "fallback_to_baseline": bool,
        "invalid": InvalidReason | None,
    },
)
"""One benchmark: the ratios that count (``None`` if missing), and why it is invalid, if it is."""


class PytestFigures(LazyModel):
    """Tests of the attempt, as recorded; ``None`` if not recorded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    passed: _Count = None
    """Tests that passed."""
    failed: _Count = None
    """Tests that failed."""
    error: _Count = None
    """Tests that ended in an error."""
    skipped: _Count = None
    """Tests that were skipped."""
    total: _Count = None
    """Total number of tests, as recorded."""
    failed_total: Annotated[int | None, Figure(low=0, higher_is_better=False)] = None
    """Tests that failed or ended in an error."""
    status: str | None = None
    """Status, as recorded."""


class SnapshotFigures(LazyModel):
    """Comparison of the benchmarks' outputs, as recorded; ``None`` if not recorded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    passed: _Count = None
    """Outputs that match."""
    failed: _Count = None
    """Outputs that differ, including those that differed before the change."""
    skipped: _Count = None
    """Outputs that were not compared."""
    total: _Count = None
    """Total number of outputs, as recorded."""
    pass_to_fail: Annotated[int | None, Figure(low=0, higher_is_better=False)] = None
    """Outputs that matched before the change and no longer do."""
    status: str | None = None
    """Status, as recorded."""


class SpeedupResult(Group, Result):
    """How much faster an agent made a task's benchmarks, compared with the reference solution.

    Ratios are baseline time / time: above 1 is faster. A failed attempt gets the ratios of an agent
    that changed nothing, and the outcome ``assigned``.
    """

    key: str
    """``agent:model``; empty if neither is known."""
    instance: str | None = None
    """Name of the agent's instance, if another agent of the trial has the same key."""
    trial: str | None = None
    """Trial in which the agents ran side by side."""
    task_speedup: Annotated[float | None, Figure(low=0, higher_is_better=True, scale="ratio")] = (
        None
    )
    """Geometric mean of the agent's ratios."""
    agent_advantage: _Advantage = None
    """Advantage over all benchmarks, the same as level 4."""
    agent_advantage_level1: _Advantage = None
    """Agent's geometric mean minus the oracle's, averaged over modules."""
    agent_advantage_level2: _Advantage = None
    """The same, averaged over classes."""
    agent_advantage_level3: _Advantage = None
    """The same, averaged over functions."""
    agent_advantage_level4: _Advantage = None
    """The same, over all benchmarks at once."""
    worst_speedup: Annotated[float | None, Figure(low=0, higher_is_better=True, scale="ratio")] = (
        None
    )
    """Lowest ratio of the agent among the benchmarks that count."""
    worst_benchmark: str | None = None
    """Benchmark with that ratio."""
    num_regressions: Annotated[int | None, Figure(low=0, higher_is_better=False)] = None
    """Number of benchmarks that count and became slower."""
    num_benchmarks: Annotated[int, Figure(low=0, independent=True)] = 0
    """Number of benchmarks in the agent's table, including invalid ones."""
    num_valid_benchmarks: Annotated[int, Figure(low=0, independent=True)] = 0
    """Number of benchmarks that count: those with both ratios, or the agent's without an oracle."""
    pytest_failed: Annotated[bool | None, Figure(higher_is_better=False, independent=True)] = None
    """Whether more tests failed than for the oracle, or none could be read."""
    snapshot_failed: Annotated[bool | None, Figure(higher_is_better=False, independent=True)] = None
    """Whether outputs of the benchmarks changed or could not be compared."""
    success: Annotated[bool | None, Figure(higher_is_better=True, independent=True)] = None
    """Whether neither tests nor snapshot failed; ``None`` if not recorded."""
    tests_not_run: Annotated[bool, Figure(independent=True)] = False
    """Whether the tests were not run, which does not count as a failure."""
    fallback_to_baseline: Annotated[bool, Figure(higher_is_better=False, independent=True)] = False
    """Whether the ratios are those of an agent that changed nothing, because this one failed."""
    already_reverted: Annotated[bool, Figure(independent=True)] = False
    """Whether the recorded ratios were already reverted, for a failure that does not count here."""
    task_cost_usd: Annotated[
        float | None, Figure(low=0, higher_is_better=False, independent=True)
    ] = None
    """Cost in US dollars; ``None`` if neither cost nor tokens were recorded."""
    cost_source: Literal["recorded", "turns", "tokens", "none"] = "none"
    """Whether the cost was recorded for the run, summed over its turns (which must all have
    recorded it), or computed from tokens."""
    priced: bool | None = None
    """Whether the model has a known price, for a cost computed from tokens; if not, it is 0."""
    price_table: str | None = None
    """Name and version of the price table, for a cost computed from tokens."""
    input_tokens: Annotated[int | None, Figure(low=0, independent=True)] = None
    """Prompt tokens."""
    output_tokens: Annotated[int | None, Figure(low=0, independent=True)] = None
    """Completion tokens."""
    tokens_source: Literal["run", "turns"] | None = None
    """Whether the tokens were recorded for the run, or summed over its turns (which must all have
    recorded them)."""
    trajectory_length: Annotated[
        int | None, Figure(low=0, higher_is_better=False, independent=True)
    ] = None
    """Number of interactions."""
    trajectory_length_source: Literal["recorded", "json", "cast", "none"] = "none"
    """Source of that number: the run itself, the agent's log, or the terminal recording."""
    events_by_code: dict[str, int] = Field(default_factory=dict)
    """Number of events in the terminal recording by code; ``i`` is input."""
    costs_by_agent_model: dict[str, float] = Field(default_factory=dict)
    """Costs that the attempt contributes to each ``agent:model``, in US dollars."""
    trial_resolved: bool | None = None
    """Whether fc-eval counts the trial as resolved, which its last agent decides."""
    pytest_summary: PytestFigures = frozen(PytestFigures, default_fields(PytestFigures))
    """Tests of the attempt."""
    snapshot_summary: SnapshotFigures = frozen(SnapshotFigures, default_fields(SnapshotFigures))
    """Comparison of the benchmarks' outputs."""
    invalid_benchmarks: dict[str, InvalidReason] = Field(default_factory=dict)
    """Benchmarks that do not count, each with the reason."""
    per_benchmark_speedups: dict[str, BenchmarkSpeedup] = Field(default_factory=dict)
    """Every benchmark of the table."""
    warnings: tuple[str, ...] = ()
    """Warnings about the recorded data."""
