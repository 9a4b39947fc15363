"""Published trajectories, which are longer and odder than generated ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import trajmeter
from trajmeter.metrics import TrialMetric, create, describe, registry
from trajmeter.readers import read_tasks, read_trajectories
from trajmeter.schemas import trajectory_batch
from trajmeter.scoring.batches import BatchScorer
from trajmeter.snapshots import open_snapshots

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# Rows of one task do not follow each other in these files, as a family of trials needs them to.
METRICS = tuple(
    metric.name for metric in create(list(registry.BUILT_IN)) if not isinstance(metric, TrialMetric)
)
PROFILES = tuple(profile for name in METRICS for profile in describe(name).profiles)


@pytest.mark.parametrize("profiles", [(), PROFILES], ids=["default", "profiles"])
def test_published_predictions_and_runs(reference_data: Path, profiles: Sequence[str]) -> None:
    folder = reference_data / "contextbench"
    logs = (reference_data / "minisweagent").glob("*.traj.json")
    files = [*sorted(folder.glob("preds-*.jsonl")), *sorted(logs)]
    attempts = list(read_trajectories(files, profiles=profiles, on_problem=lambda _: None))
    tasks = list(read_tasks(folder / "gold.jsonl"))
    snapshots = open_snapshots(folder / "snapshots.jsonl")
    assert len(attempts) > 50

    by_record = trajmeter.score(
        attempts, tasks=tasks, snapshots=snapshots, metrics=METRICS, profiles=profiles
    )
    scorer = BatchScorer(METRICS, tasks=tasks, snapshots=snapshots, profiles=profiles)
    found = [
        row
        for batch in scorer.score(
            trajectory_batch(attempts[start : start + 7]) for start in range(0, len(attempts), 7)
        )
        for row in batch.to_pylist()
    ]
    columns = by_record.layout.columns
    scalars = [each.name for each in columns if each.shape.is_scalar]
    assert [[row[name] for name in scalars] for row in found] == [
        [row[name] for name in scalars] for row in by_record.rows
    ]
