"""Files to score, with any number of records and always the same content.

*Predictions* are ContextBench's: 10 steps with three views in 60 files, a final context and a
patch, for 500 tasks in turn, in 17 repositories with a snapshot each. *Rows* are benchmark rows:
tasks with 4 agents and 250 benchmarks. *Logs* are mini-swe-agent logs with 40 commands each;
*attempts* are Trajmeter records of 10 turns. *Results* are a table of two agents and 20 figures.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from benches.bench_batches import _attempt
from trajmeter.schemas import trajectory_batch, trajectory_schema

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["AGENTS", "BENCHMARKS", "FIGURES", "attempts", "logs", "predictions", "results", "rows"]

TASKS, REPOSITORIES, FILES = 500, 17, 60
AGENTS, BENCHMARKS = ("nop", "oracle", "owl", "wren"), 250
FIGURES, PER_TASK = 20, 100


def _paths(task: int) -> list[str]:
    return [f"src/package_{task % REPOSITORIES}/module_{number}.py" for number in range(FILES)]


def _patch(paths: Iterable[str]) -> str:
    return "".join(
        f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
        "@@ -10,3 +10,4 @@ def f():\n a\n-b\n+c\n+d\n e\n"
        for path in paths
    )


def _write(file: Path, records: Iterable[object]) -> None:
    with file.open("w", encoding="utf-8") as lines:
        lines.writelines(f"{json.dumps(record)}\n" for record in records)


def predictions(folder: Path, count: int) -> None:
    """Write ``preds.jsonl``, ``gold.jsonl`` and ``snapshots.jsonl``."""
    chance = np.random.default_rng(0)

    def context(paths: Iterable[str]) -> tuple[list[str], dict[str, list[dict[str, object]]]]:
        spans: dict[str, list[dict[str, object]]] = {}
        for path in paths:
            start, length = int(chance.integers(1, 400)), int(chance.integers(1, 80))
            view = {"type": "line", "start": start, "end": start + length}
            spans.setdefault(path, []).append(view)
        return sorted(spans), spans

    def some(paths: list[str], count: int) -> list[str]:
        return [paths[number] for number in chance.integers(0, FILES, count)]

    def prediction(number: int) -> dict[str, object]:
        paths = _paths(number % TASKS)
        steps = [
            dict(zip(("files", "spans"), context(some(paths, 3)), strict=True)) for _ in range(10)
        ]
        files, spans = context(some(paths, 6))
        data = {"pred_steps": steps, "pred_files": files, "pred_spans": spans}
        patch = _patch(files[:2])
        return {"instance_id": f"task-{number % TASKS}", "traj_data": data, "model_patch": patch}

    def gold(task: int) -> dict[str, object]:
        paths = _paths(task)
        ranges = [
            {"file": path, "start_line": int(start), "end_line": int(start) + 20}
            for path, start in zip(some(paths, 8), chance.integers(1, 400, 8), strict=True)
        ]
        repository = task % REPOSITORIES
        return {
            "instance_id": f"task-{task}",
            "repo": f"r/{repository}",
            "base_commit": f"c{repository}",
            "gold_context": ranges,
            "patch": _patch(paths[:1]),
        }

    definitions = [["function", 800 * n, 800 * n + 760, f"f{n}"] for n in range(25)]
    file = {"size": 20_000, "line_starts": list(range(0, 20_001, 40)), "definitions": definitions}
    _write(folder / "preds.jsonl", map(prediction, range(count)))
    _write(folder / "gold.jsonl", map(gold, range(TASKS)))
    _write(
        folder / "snapshots.jsonl",
        (
            {"repo": f"r/{n}", "commit": f"c{n}", "files": dict.fromkeys(_paths(n), file)}
            for n in range(REPOSITORIES)
        ),
    )


def rows(folder: Path, count: int) -> None:
    """Write ``rows.parquet``, ``rows.csv`` and ``rows.jsonl``."""
    chance = np.random.default_rng(0)
    per_task = len(AGENTS) * BENCHMARKS
    tasks = max(count // per_task, 1)
    size = tasks * per_task
    agent = np.tile(np.repeat(np.array(AGENTS), BENCHMARKS), tasks)
    names = [f"module_{n % 10}.Suite{n % 25}.time_{n % 50}(n={n})" for n in range(BENCHMARKS)]
    table = pa.table(
        {
            "task_id": np.repeat(np.array([f"task-{n}" for n in range(tasks)]), per_task),
            "agent": agent,
            "model": np.where(np.isin(agent, AGENTS[:2]), "none", "m"),
            "benchmark": np.tile(np.array(names), tasks * len(AGENTS)),
            "agent_nop": np.exp(chance.normal(0.05, 0.2, size)),
            "oracle_nop": np.exp(chance.normal(0.1, 0.2, size)),
            "significant": chance.random(size) < 0.5,
        }
    )
    parquet.write_table(table, folder / "rows.parquet")
    csv.write_csv(table, folder / "rows.csv")
    _write(
        folder / "rows.jsonl",
        (row for part in table.to_batches(10_000) for row in part.to_pylist()),
    )


def logs(folder: Path, count: int) -> None:
    """Write ``logs/``, one file per log."""
    (folder / "logs").mkdir()
    output = 'src/module.py:12:    needle = find(haystack)  # "quoted"\n' * 40
    for number in range(count):
        messages = [{"role": "system", "content": "Help."}, {"role": "user", "content": "Fix it."}]
        for turn in range(40):
            command = f"grep -rn 'needle {number % 7}' src/module_{turn % 9}"
            shown = f"<returncode>{turn % 5 // 4}</returncode>\n<output>\n{output}</output>"
            messages += [
                {"role": "assistant", "content": f"THOUGHT: look\n\n```bash\n{command}\n```"},
                {"role": "user", "content": shown},
            ]
        log = {
            "info": {"exit_status": "Submitted", "submission": "done", "mini_version": "1.17.3"},
            "messages": messages,
            "trajectory_format": "mini-swe-agent-1",
            "instance_id": f"task-{number}",
        }
        (folder / "logs" / f"{number}.traj.json").write_text(json.dumps(log))


def attempts(folder: Path, count: int) -> None:
    """Write ``attempts.parquet``, which repeats the same 10,000 rows."""
    fails = np.random.default_rng(0).integers(0, 9, (10_000, 10)).tolist()
    size = min(count, len(fails))
    batch = trajectory_batch(_attempt(number, fails[number]) for number in range(size))
    with parquet.ParquetWriter(folder / "attempts.parquet", trajectory_schema()) as file:
        for _ in range(max(count // size, 1)):
            file.write_batch(batch)


def results(folder: Path, count: int) -> None:
    """Write ``results.parquet``: ``x.figure_0`` and so on, for two agents in turn."""
    chance = np.random.default_rng(0)
    tasks = max(count // PER_TASK, 2)
    names = pa.array([f"task-{number:06d}" for number in range(tasks)])
    columns: dict[str, object] = {
        "task_id": names.take(chance.integers(0, tasks, count)),
        "agent": pa.array(["heron", "magpie"]).take(np.arange(count) % 2),
        "model": pa.repeat("m", count),
        "attempt": pa.array(np.arange(count).astype(str)),
    }
    for figure in range(FIGURES):
        columns[f"x.figure_{figure}"] = chance.random(count)
    parquet.write_table(
        pa.table(columns), folder / "results.parquet", compression="zstd", row_group_size=16_384
    )
