"""Every published run, captured output and ASV file, with the figures expected of it."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

import trajmeter
from trajmeter import kernels
from trajmeter.kernels._python.levels import split_name
from trajmeter.metrics.speedup.levels import alphabet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trajmeter.scoring.files import Scores

PROFILES: dict[str, list[str]] = {"default": [], "fc-eval": ["fc-eval"]}
ALIASES = {
    "source": "trajectory_length_source",
    "snapshot_pass_to_fail": "snapshot_summary.pass_to_fail",
    **{
        f"test_{name}": f"pytest_summary.{name}"
        for name in ("passed", "failed", "error", "skipped", "total")
    },
}
NOT_FIGURES = {"run", "task_id", "key", "file", "profile", "open", "accept", "why", "benchmark"}


def lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text().splitlines():
        yield json.loads(line)


@pytest.fixture(scope="module")
def data(reference_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy in which the logs called ``old`` are old: version control keeps no times."""
    copy = tmp_path_factory.mktemp("speedup") / "data"
    shutil.copytree(reference_data / "speedup", copy)
    for old in copy.rglob("agent-logs/old.json"):
        os.utime(old, (0, 0))
    return copy


@pytest.fixture(scope="module", params=["default", "fc-eval"])
def profile(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def score(files: Path | list[Path], profile: str) -> Scores:
    return trajmeter.score(files, metrics=["speedup"], profiles=PROFILES[profile])


def check(found: dict[str, Any], expected: dict[str, Any]) -> None:
    for name, value in expected.items():
        if name in NOT_FIGURES or name in expected.get("open", ()):
            continue
        column = ALIASES.get(name, name)
        if isinstance(value, dict) and f"speedup.{column}" not in found:
            for inner, count in value.items():
                assert found[f"speedup.{column}.{inner}"] == count, (name, inner, expected)
            continue
        got = found[f"speedup.{column}"]
        if got is None and name in expected.get("accept", ()):
            continue
        if isinstance(value, str):
            assert got in value.split("|"), (name, expected)
        elif isinstance(value, float):
            assert got == pytest.approx(value, rel=1e-9, abs=1e-12), (name, expected)
        else:
            assert got == value, (name, expected)


def holds(row: dict[str, Any], profile: str) -> bool:
    return row.get("profile", "both") in ("both", profile)


@pytest.mark.parametrize("run", ["logs", "main", "no-oracle"])
def test_rows_of_runs(data: Path, run: str, profile: str) -> None:
    rows = score(data / "runs" / run, profile).rows
    by_key = {(row["task_id"], row["speedup.key"]): row for row in rows}
    assert len(by_key) == len(rows)
    checked = 0
    for name in ("expected.jsonl", "logs-expected.jsonl"):
        for expected in lines(data / name):
            if expected.get("run", "logs") == run and holds(expected, profile):
                check(by_key[expected["task_id"], expected["key"]], expected)
                checked += 1
    assert checked >= len(rows)


def plain(figure: Any) -> Any:
    """A figure without the numbers of tasks that its means are made of."""
    if not isinstance(figure, dict):
        return figure
    if "scored" in figure:
        return figure["value"]
    return {name: plain(value) for name, value in figure.items()}


@pytest.mark.parametrize("run", ["logs", "main", "no-oracle"])
def test_figures_of_runs(data: Path, run: str, profile: str) -> None:
    summary = score(data / "runs" / run, profile).summary
    by_key = {f"{group.agent}:{group.model}": group for group in summary.groups}
    for expected in lines(data / "expected-run.jsonl"):
        if expected["run"] != run or not holds(expected, profile):
            continue
        attempts = by_key[expected["key"]] if "key" in expected else summary.overall
        figures = attempts.aggregates["speedup"]
        wanted = expected.get("totals", expected)
        for name, value in wanted.items():
            if name in NOT_FIGURES or name == "scored" or name in expected["open"]:
                continue
            if name == "mean_cost_per_task" and "totals" in expected:
                name = "mean_cost_per_trial"  # noqa: PLW2901 - one name for two figures
            got = plain(figures[name])
            if got is None and name in expected["accept"]:
                continue
            if isinstance(value, float):
                assert got == pytest.approx(value, rel=1e-9), (name, expected)
            else:
                assert got == value, (name, expected)
        for name, count in expected.get("scored", {}).items():
            assert figures[name]["scored"] == count, (name, expected)


def test_captured_outputs(data: Path, profile: str) -> None:
    for expected in lines(data / "panes" / "expected.jsonl"):
        if holds(expected, profile):
            (row,) = score(data / "panes" / expected["file"], profile).rows
            assert row["speedup.key"] == expected["key"]
            check(row, expected)


def test_asv_files(data: Path, profile: str) -> None:
    folder = data / "asv"
    files = [folder / f"{name}.json" for name in ("nop", "oracle", "agent")]
    rows = {row["agent"]: row for row in score(files, profile).rows}
    agent = rows["agent"]
    benchmarks = agent["speedup.per_benchmark_speedups"]
    for expected in lines(folder / "expected.jsonl"):
        if "total" in expected:
            check(agent, expected["total"])
        else:
            found = benchmarks[expected["benchmark"]]
            assert found["agent/nop"] == pytest.approx(expected["agent/nop"])
            assert found["oracle/nop"] == pytest.approx(expected["oracle/nop"])


def test_names(data: Path) -> None:
    for expected in lines(data / "names.jsonl"):
        name = expected["name"]
        parts = split_name(name, *alphabet(name.encode()))
        wanted = tuple(expected[key] or "" for key in ("module", "class", "function"))
        assert parts == wanted, name


def test_both_backends_say_the_same(
    data: Path, profile: str, monkeypatch: pytest.MonkeyPatch, rust: kernels.Kernels
) -> None:
    results = []
    for backend in (rust, kernels.load("python")):
        monkeypatch.setattr(kernels, "active", lambda backend=backend: backend)
        results.append(score(data / "runs" / "main", profile).rows)
    for ours, theirs in zip(*results, strict=True):
        for name, value in ours.items():
            if isinstance(value, float):
                assert value == pytest.approx(theirs[name], rel=1e-12, abs=1e-12)
            else:
                assert value == theirs[name]
