"""The published ContextBench predictions, scored by the command, equal what the original says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator

_GRANULARITIES = ("file", "symbol", "span", "line")
_SIZES = {"pred_size": "predicted_size"}


@pytest.fixture(scope="module", params=["", "edge"])
def directory(request: pytest.FixtureRequest, reference_data: Path) -> Path:
    return reference_data / "contextbench" / str(request.param)


@pytest.fixture(scope="module")
def rows(directory: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    output = tmp_path_factory.mktemp("scores") / "out.jsonl"
    predictions = sorted(str(path) for path in directory.glob("preds*.jsonl"))
    code = main(
        [
            *("score", *predictions, "--tasks", str(directory / "gold.jsonl")),
            *("--snapshots", str(directory / "snapshots.jsonl")),
            *("--profile", "contextbench", "--output", str(output)),
        ]
    )
    assert code == 0
    return [json.loads(line) for line in output.read_text().splitlines()]


def test_every_figure_of_the_original_is_in_its_row(
    directory: Path, rows: list[dict[str, Any]]
) -> None:
    by_attempt = {(row["task_id"], _model(row["source"])): row for row in rows}
    lines = (directory / "expected.jsonl").read_text().splitlines()
    for expected in map(json.loads, lines):
        row = by_attempt[expected["instance_id"], expected.get("model", "")]
        outcomes = dict(_outcomes(expected))
        assert {name: row[name] for name in outcomes} == outcomes
        figures = dict(_figures(expected))
        scored = _without_lists({name: row[name] for name in figures})
        assert scored == pytest.approx(_without_lists(figures), rel=0, abs=1e-12)
    assert len(lines) > 0


def _model(source: str) -> str:
    stem = Path(source.rpartition(":")[0]).stem
    return stem.removeprefix("preds").removeprefix("-")


def _without_lists(figures: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in figures.items():
        if isinstance(value, list):
            flat |= {f"{name}[{index}]": item for index, item in enumerate(value)}
        else:
            flat[name] = value
    return flat


def _outcomes(expected: dict[str, Any]) -> Iterator[tuple[str, str | None]]:
    """The original's errors are the cause of every group."""
    for group in (*(f"final.{name}" for name in _GRANULARITIES), "contextbench_editloc"):
        if "error" in expected:
            yield f"context.{group}.outcome", "not_scored"
            yield f"context.{group}.cause", expected["error"]
        elif group.startswith("final"):
            yield f"context.{group}.outcome", "scored"


def _figures(expected: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The original's figures by our columns."""
    if "error" in expected:
        return
    trajectory = expected["trajectory"]
    yield "context.trajectory.num_steps", expected["num_steps"]
    for name in _GRANULARITIES:
        for key, value in expected["final"][name].items():
            yield f"context.final.{name}.{_SIZES.get(key, key)}", value
        steps = [step["coverage"][name] for step in trajectory["steps"]]
        yield f"context.trajectory.{name}.coverage", steps
        for key in ("auc_coverage", "redundancy"):
            yield f"context.trajectory.{name}.{key}", trajectory[key][name]
    for key, value in expected.get("editloc", {}).items():
        yield f"context.contextbench_editloc.{_SIZES.get(key, key)}", value
