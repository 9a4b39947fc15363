"""Speedup of a whole benchmark run, from ratios to all four levels.

The run is as large as the largest published one: 957 tasks of 265 benchmarks, measured for 8
agents. The benchmarks of a task belong to 6 modules with classes and have three parameters per
function; no two tasks share a name. polars does the same with its own groups: names are split once
per dictionary entry, and ratios are averaged as the exponential of their mean logarithm.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from benches.contest import Built, Case, Entry, entries
from trajmeter import kernels
from trajmeter.arrays.text import coded
from trajmeter.metrics.speedup.levels import alphabet

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

    from trajmeter.kernels import Float64Array, Int64Array

_BENCHMARKS, _AGENTS = 265, 8
_KEY = ["task_id", "agent"]


def _names(tasks: int) -> list[str]:
    return [
        f"suite{task}.module{function % 6}.Class{function % 3}.time_{function}({parameter}, 'x')"
        for task in range(tasks)
        for function, parameter in (divmod(benchmark, 3) for benchmark in range(_BENCHMARKS))
    ]


def _run(size: int) -> pa.Table:
    tasks = max(size // (_BENCHMARKS * _AGENTS), 1)
    random = np.random.default_rng(0)
    task = np.repeat(np.arange(tasks), _BENCHMARKS * _AGENTS)
    agent = np.tile(np.repeat(np.arange(_AGENTS), _BENCHMARKS), tasks)
    benchmark = task * _BENCHMARKS + np.tile(np.arange(_BENCHMARKS), tasks * _AGENTS)

    def texts(codes: Int64Array, values: list[str]) -> pa.DictionaryArray[Any, Any]:
        return pa.DictionaryArray.from_arrays(codes.astype(np.int32), pa.array(values))

    return pa.table(
        {
            "task_id": texts(task, [f"task-{number}" for number in range(tasks)]),
            "agent": texts(agent, [f"agent-{number}" for number in range(_AGENTS)]),
            "benchmark": texts(benchmark, _names(tasks)),
            "agent_nop": random.lognormal(0.1, 0.5, len(task)),
            "oracle_nop": random.lognormal(0.3, 0.5, len(task)),
        }
    )


def _arrays(rows: pa.Table) -> tuple[Any, ...]:
    """Return the kernel's arguments: the distinct names, and the ratios attempt by attempt."""
    benchmarks = coded(rows["benchmark"].chunk(0))
    names = [name.encode() for name in benchmarks.texts]
    text = b"".join(names)
    return (
        text,
        np.cumsum([0, *map(len, names)]),
        *alphabet(text),
        benchmarks.codes,
        rows["agent_nop"].to_numpy(),
        rows["oracle_nop"].to_numpy(),
        np.arange(0, len(rows) + 1, _BENCHMARKS),
    )


def _ours(arrays: tuple[Any, ...], backend: kernels.BackendName) -> Float64Array:
    _, speedup, *levels = kernels.load(backend).level_advantages(*arrays)
    return np.stack([speedup, *levels])


def _polars(rows: pa.Table) -> Float64Array:
    frame = pl.from_arrow(rows)
    assert isinstance(frame, pl.DataFrame)
    ratio = [pl.col(name) for name in ("agent_nop", "oracle_nop")]
    usable = pl.all_horizontal([each.is_finite() & (each > 0) for each in ratio])
    entries = (
        frame.lazy()
        .filter(usable)
        .with_columns(agent_log=ratio[0].log(), oracle_log=ratio[1].log())
        .join(_parts(frame).lazy(), on="benchmark")
    )
    speedup = pl.col("agent_log").mean().exp()
    lead = (speedup - pl.col("oracle_log").mean().exp()).alias("lead")
    levels = [
        entries.group_by(*_KEY, group).agg(lead).group_by(_KEY).agg(pl.col("lead").mean())
        for group in ("module", "class", "function")
    ]
    whole = entries.group_by(_KEY).agg(lead, speedup=speedup)
    *by_group, overall = pl.collect_all([*levels, whole])
    order = frame.select(_KEY).unique(maintain_order=True)
    figures = [order.join(level, on=_KEY, maintain_order="left") for level in (*by_group, overall)]
    return np.stack([figures[3]["speedup"], *(figure["lead"] for figure in figures)])


def _parts(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the module, class and function of each name, as numbers."""
    name = pl.col("benchmark").cast(pl.String).str.strip_chars()
    bare = name.str.replace(r"(?s)\(.*$", "").str.strip_chars()
    parts = pl.when(name.str.ends_with(")")).then(bare).otherwise(name).str.split(".")
    split = frame.select(pl.col("benchmark").unique()).with_columns(parts=parts)
    part, count = pl.col("parts"), pl.col("parts").list.len()
    before_last = part.list.get(-2, null_on_oob=True)
    has_class = (count > 2) & before_last.str.contains(r"^\p{Lu}")
    named = split.select(
        "benchmark",
        module=part.list.head(count - 1 - has_class.cast(pl.UInt32)).list.join("."),
        klass=pl.when(has_class).then(before_last),
        name=part.list.last(),
    )
    return named.select(
        "benchmark",
        module=pl.col("module").rank("dense"),
        **{
            "class": pl.struct("module", "klass").rank("dense"),
            "function": pl.struct("module", "klass", "name").rank("dense"),
        },
    )


def _expected(rows: pa.Table) -> Float64Array:
    """Compute the figures by definition, in numpy: here every task has the same groups."""
    ratios = np.stack([rows["agent_nop"].to_numpy(), rows["oracle_nop"].to_numpy()])
    logs = np.log(ratios).reshape(2, -1, _BENCHMARKS)
    functions = np.arange(_BENCHMARKS) // 3
    levels = []
    for group in (functions % 6, functions % 6, functions):  # a module has one class
        means = [np.exp(logs[:, :, group == value].mean(axis=2)) for value in np.unique(group)]
        levels.append(np.mean([agent - oracle for agent, oracle in means], axis=0))
    agent, oracle = np.exp(logs.mean(axis=2))
    return np.stack([agent, *levels, agent - oracle])


def _build(size: int) -> Built:
    rows = _run(size)
    arrays = _arrays(rows)
    return Built(
        {
            "rust": partial(_ours, arrays, "rust"),
            "python": partial(_ours, arrays, "python"),
            "polars": partial(_polars, rows),
        },
        _expected(rows),
    )


def _close(answer: object, expected: object) -> bool:
    return bool(np.allclose(np.asarray(answer), np.asarray(expected), rtol=1e-9, atol=1e-12))


def _case(tasks: int, workload: str, contenders: tuple[str, ...]) -> Case:
    bars = {"python": 50.0, "polars": 5.0}
    return Case(
        kernel="level_advantages",
        workload=workload,
        size=tasks * _BENCHMARKS * _AGENTS,
        unit="ratio",
        build=_build,
        contenders=contenders,
        same=_close,
        prepared="flat arrays; for polars an Arrow table, texts as dictionaries",
        bars={peer: bar for peer, bar in bars.items() if peer in contenders},
        parallel=True,
    )


CASES = [
    _case(957, "957 tasks x 265 benchmarks x 8 agents", ("rust", "python", "polars")),
    _case(660, "1.4 million ratios in one call", ("rust",)),
    _case(96, "a tenth of the run: is the cost linear?", ("rust",)),
]


@pytest.mark.parametrize("entry", entries(CASES), ids=str)
def bench_levels(benchmark: BenchmarkFixture, entry: Entry) -> None:
    entry.run(benchmark)
