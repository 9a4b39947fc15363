"""The command, from file to file, compared with other programs on the same files.

Every contender is a separate process, so its start-up time counts. ``json.loads`` parses each line
and ``json.load`` each file, without using the result: the cost of merely reading the input in
Python. *Pure Python* computes the same context figures, except for redundancy and patches, directly
from the same file (``benches/pure_context.py``). polars groups the rows by task and averages
logarithms, and ``csv.DictReader`` reads each row. For a results table, polars computes the mean and
count of each figure, but no clusters, causes, repeated attempts or errors.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from pyarrow import parquet

from benches import workloads
from benches.contest import Built, Case, Entry, Folder, entries
from benches.results import COMMAND

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_benchmark.fixture import BenchmarkFixture

_HERE = Path(__file__).parent
_ROUNDS = 5

_LOADS = "import json, sys\nfor line in open(sys.argv[1], 'rb'): json.loads(line)"
_LOAD = """
import json, pathlib, sys
for path in pathlib.Path(sys.argv[1]).iterdir(): json.loads(path.read_bytes())
"""
_POLARS = """
import sys
import polars as pl
speedup = pl.col("agent_nop").log().mean().exp()
pl.scan_parquet(sys.argv[1]).group_by("task_id").agg(speedup).collect().write_parquet(sys.argv[2])
"""
_MEANS = """
import sys
import polars as pl
figures = pl.col("^x[.].*$")
means = [figures.mean(), figures.count().name.suffix("_count")]
table = pl.scan_parquet(sys.argv[1]).group_by("agent", "model").agg(means).sort("agent").collect()
table.write_csv(sys.argv[2])
"""
_CSV = """
import csv, sys
for row in csv.DictReader(open(sys.argv[1], newline="")): pass
"""
_BATCHES = """
import sys
import pyarrow.parquet as pq
import trajmeter
file = pq.ParquetFile(sys.argv[1])
for batch in trajmeter.score_batches(file.iter_batches(10_000), metrics=["turns"]): pass
"""


class _Expected(NamedTuple):
    rows: int
    mean: float | None
    """Of a figure, where it is easily found."""


@dataclass(frozen=True)
class _Process:
    """A program with its arguments, in a folder."""

    folder: Folder
    words: tuple[str, ...]
    output: str | None = None

    def __call__(self) -> Path | None:
        """Run it and return the file that it writes."""
        subprocess.run(
            [sys.executable, *self.words],
            cwd=self.folder.path,
            check=True,
            capture_output=True,
        )
        return self.folder.path / self.output if self.output else None


def _score(file: str, *options: str) -> tuple[str, ...]:
    return ("-m", "trajmeter", "score", file, "-o", "scores.parquet", *options)


_CONTEXT = ("-t", "gold.jsonl", "-s", "snapshots.jsonl", "-m", "context")
_CONTEXTBENCH = (*_CONTEXT, "--profile", "contextbench")
_SPEEDUP = ("-m", "speedup")
_TURNS = ("-m", "turns")


def _build(
    make: Callable[[Path, int], None],
    own: tuple[str, ...],
    peers: dict[str, tuple[str, ...]],
    outputs: dict[str, str],
    size: int,
) -> Built:
    folder = Folder()
    make(folder.path, size)
    functions: dict[str, Callable[[], object]] = {
        "trajmeter": _Process(folder, own, outputs.get("trajmeter", "scores.parquet"))
    }
    for name, words in peers.items():
        functions[name] = _Process(folder, words, outputs.get(name))
    return Built(
        functions, _expected(folder.path, size), dict.fromkeys(peers.keys() - outputs, None)
    )


def _expected(folder: Path, size: int) -> _Expected:
    if (folder / "rows.parquet").exists():
        own = parquet.read_table(folder / "rows.parquet", columns=["agent_nop"])["agent_nop"]
        ratios = own.to_numpy().reshape(-1, workloads.BENCHMARKS)
        return _Expected(len(ratios), float(np.exp(np.log(ratios).mean(axis=1)).mean()))
    if (folder / "results.parquet").exists():
        table = parquet.read_table(folder / "results.parquet", columns=["x.figure_0"])
        return _Expected(2, float(table["x.figure_0"].to_numpy()[::2].mean()))
    return _Expected(size, None)


def _same(answer: object, expected: object) -> bool:
    """Return whether a file has the expected number of rows, with the right figures."""
    if not isinstance(answer, Path) or not isinstance(expected, _Expected):
        return answer is expected
    if answer.suffix == ".csv":
        return _same_means(answer, expected)
    if answer.name == "figures.jsonl":
        return _same_context(answer, answer.with_name("scores.parquet"))
    table = parquet.read_table(answer)
    if answer.name == "polars.parquet":
        return bool(table.num_rows == expected.rows // len(workloads.AGENTS))
    means = table["speedup.task_speedup"] if expected.mean is not None else ()
    return table.num_rows == expected.rows and bool(
        expected.mean is None or np.isclose(np.mean(means), expected.mean)
    )


def _same_context(plain: Path, ours: Path) -> bool:
    """Return whether both files hold the same context figures."""
    figures = [json.loads(line) for line in plain.read_text(encoding="utf-8").splitlines()]
    table = parquet.read_table(ours)
    return len(figures) == table.num_rows and all(
        np.allclose([each[name] for each in figures], table[f"context.{name}"].to_numpy())
        for name in figures[0].keys() - {"instance_id"}
    )


def _same_means(file: Path, expected: _Expected) -> bool:
    """Return whether a table of means has a line for each group, or for each of its figures."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    ours = "figure" in rows[0]
    mean = float(rows[0]["mean" if ours else "x.figure_0"])
    count = expected.rows * (workloads.FIGURES if ours else 1)
    return len(rows) == count and bool(np.isclose(mean, expected.mean or np.nan))


def _case(
    workload: str,
    size: int,
    unit: str,
    make: Callable[[Path, int], None],
    own: tuple[str, ...],
    bars: dict[str, float],
    peers: dict[str, tuple[str, ...]],
    outputs: dict[str, str] | None = None,
) -> Case:
    return Case(
        kernel=COMMAND,
        workload=workload,
        size=size,
        unit=unit,
        build=partial(_build, make, own, peers, outputs or {}),
        contenders=("trajmeter", *peers),
        same=_same,
        prepared="nothing",
        bars=bars,
        parallel=True,
    )


_PURE = {
    "pure Python": (
        str(_HERE / "pure_context.py"),
        *("preds.jsonl", "gold.jsonl", "snapshots.jsonl", "figures.jsonl"),
    )
}

CASES = [
    _case(
        "context of 10,000 ContextBench predictions",
        10_000,
        "prediction",
        workloads.predictions,
        _score("preds.jsonl", *_CONTEXT),
        {"json.loads": 1.0, "pure Python": 10.0},
        {"json.loads": ("-c", _LOADS, "preds.jsonl"), **_PURE},
        {"pure Python": "figures.jsonl"},
    ),
    _case(
        "context of 40,000 ContextBench predictions",
        40_000,
        "prediction",
        workloads.predictions,
        _score("preds.jsonl", *_CONTEXT),
        {"json.loads": 1 / 0.6},
        {"json.loads": ("-c", _LOADS, "preds.jsonl")},
    ),
    _case(
        "context of 10,000 ContextBench predictions, profile contextbench",
        10_000,
        "prediction",
        workloads.predictions,
        _score("preds.jsonl", *_CONTEXTBENCH),
        {},
        {"json.loads": ("-c", _LOADS, "preds.jsonl")},
    ),
    _case(
        "speedup of 1,000,000 benchmark rows in Parquet",
        1_000_000,
        "row",
        workloads.rows,
        _score("rows.parquet", *_SPEEDUP),
        {"polars": 1 / 3},
        {"polars": ("-c", _POLARS, "rows.parquet", "polars.parquet")},
        {"polars": "polars.parquet"},
    ),
    _case(
        "speedup of 1,000,000 benchmark rows in JSON lines",
        1_000_000,
        "row",
        workloads.rows,
        _score("rows.jsonl", *_SPEEDUP),
        {"json.loads": 2.0},
        {"json.loads": ("-c", _LOADS, "rows.jsonl")},
    ),
    _case(
        "speedup of 1,000,000 benchmark rows in CSV",
        1_000_000,
        "row",
        workloads.rows,
        _score("rows.csv", *_SPEEDUP),
        {"csv.DictReader": 1.0},
        {"csv.DictReader": ("-c", _CSV, "rows.csv")},
    ),
    _case(
        "turns of 300 mini-swe-agent logs",
        300,
        "log",
        workloads.logs,
        _score("logs", *_TURNS),
        {"json.load": 0.5},
        {"json.load": ("-c", _LOAD, "logs")},
    ),
    _case(
        "turns of 1,200 mini-swe-agent logs",
        1_200,
        "log",
        workloads.logs,
        _score("logs", *_TURNS),
        {"json.load": 1.0},
        {"json.load": ("-c", _LOAD, "logs")},
    ),
    _case(
        "conversion of 300 mini-swe-agent logs, with their views",
        300,
        "log",
        workloads.logs,
        ("-m", "trajmeter", "convert", "logs", "-o", "scores.parquet"),
        {},
        {"json.load": ("-c", _LOAD, "logs")},
    ),
    _case(
        "turns of 200,000 attempts in Parquet",
        200_000,
        "attempt",
        workloads.attempts,
        _score("attempts.parquet", *_TURNS),
        {"score_batches": 1 / 1.5},
        {"score_batches": ("-c", _BATCHES, "attempts.parquet")},
    ),
    _case(
        "summary of 1,000,000 rows of 20 figures in Parquet",
        1_000_000,
        "row",
        workloads.results,
        ("-m", "trajmeter", "summarize", "results.parquet", "--figure", "x.*", "-o", "means.csv"),
        {"polars": 1 / 3},
        {"polars": ("-c", _MEANS, "results.parquet", "polars.csv")},
        {"trajmeter": "means.csv", "polars": "polars.csv"},
    ),
]


@pytest.mark.parametrize("entry", entries(CASES), ids=str)
def bench_commands(benchmark: BenchmarkFixture, entry: Entry) -> None:
    entry.run(benchmark, rounds=_ROUNDS, smoke_size=max(entry.case.size // 1_000, 10))
