"""Scoring with git repositories instead of snapshots, by both roads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import trajmeter
from tests.snapshots.git_repositories import commit
from trajmeter.errors import ConfigurationError
from trajmeter.records import Extent, GoldRange, Task, Trajectory, Turn, View
from trajmeter.snapshots import open_repositories

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("profile", ["", "contextbench"])
def test_scores_come_straight_from_repositories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    source = b"const add = (a, b) => a + b;\nconst one = () => 1;\n"
    commit_id = commit(tmp_path / "repos" / "crab" / "sums", {"a.js": source})
    gold = (GoldRange(path="a.js", first_line=1, last_line=1),)
    task = Task(id="t", repo="crab/sums", commit=commit_id, gold_ranges=gold)
    asked = View(path="/repo/a.js", extent=Extent.UNKNOWN, symbols=("add",))
    attempt = Trajectory(task_id="t", turns=(Turn(views=(asked,)),), final_views=(asked,))
    path = tmp_path / "attempts.jsonl"
    path.write_text(attempt.model_dump_json(exclude_none=True) + "\n")
    profiles = [profile] if profile else []
    found = []
    for attempts in (path, [attempt]):
        scores = trajmeter.score(
            attempts, tasks=[task], repos=tmp_path / "repos", profiles=profiles
        )
        row = scores.rows[0]
        found.append([row[f"context.final.symbol.{name}_size"] for name in ("gold", "predicted")])
    # ContextBench knows the function by the name of its parameter.
    assert found == [[1, 0 if profile else 1]] * 2


def test_repositories_and_snapshots_are_one_or_the_other(tmp_path: Path) -> None:
    store = open_repositories(tmp_path, cache=False)
    with pytest.raises(ConfigurationError, match="snapshots and repos cannot be used together"):
        trajmeter.score([], snapshots=store, repos=tmp_path)
