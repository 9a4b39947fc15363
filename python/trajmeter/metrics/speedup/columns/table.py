"""A flat table of benchmarks as arrays, its attempts side by side."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from trajmeter.errors import ConfigurationError
from trajmeter.metrics.speedup.columns.arrays import Names, changes, column, missing, names, numbers
from trajmeter.readers.benchmark_rows import AttemptIdentity

if TYPE_CHECKING:
    from trajmeter.kernels import Float64Array, Int64Array
    from trajmeter.metrics.arrays import Array, Booleans

__all__ = ["BenchmarkTable"]

_MEASURED = ("agent_nop", "agent_seconds")


@dataclass(frozen=True)
class BenchmarkTable:
    """A table whose attempts stand together, as flat arrays."""

    rows: pa.Table
    """The table itself."""
    identity: dict[str, Array]
    """Whose rows they are, attempt by attempt."""
    offsets: Int64Array
    """Rows of each attempt."""
    names: Names
    """Benchmarks."""
    agent: Float64Array
    """The agent's ratio of each row."""
    oracle: Float64Array
    """The oracle's ratio of each row."""
    lacks_ratios: Booleans
    """Whether an attempt has no ratio of the oracle, not even an unusable one."""
    is_uncommon: Booleans
    """Whether an attempt has to be scored as records."""

    @classmethod
    def of(cls, rows: pa.Table) -> BenchmarkTable:
        """Lay out a table.

        Raises:
            ConfigurationError: It lacks a column.
        """
        given = set(rows.column_names)
        benchmarks = column(rows, "benchmark")
        if benchmarks is None or "task_id" not in given or given.isdisjoint(_MEASURED):
            raise ConfigurationError(
                "expected the columns task_id, agent, model, benchmark, and agent_nop or "
                f"agent_seconds; there are: {', '.join(rows.column_names)}"
            )
        starts, identity = _runs(rows)
        whose = list(zip(*(each.to_pylist() for each in identity.values()), strict=True))
        first: dict[tuple[str | None, ...], int] = {}
        numbered_runs = [first.setdefault(each, len(first)) for each in whose]
        if len(first) < len(whose):
            order = np.argsort(np.repeat(numbered_runs, np.diff(starts)), kind="stable")
            return cls.of(rows.take(pa.array(order, pa.int64())))
        numbered = names(benchmarks)
        agent, _ = _ratios(rows, "agent")
        oracle, is_missing = _ratios(rows, "oracle")
        return cls(
            rows=rows,
            identity=identity,
            offsets=starts,
            names=numbered,
            agent=agent,
            oracle=oracle,
            lacks_ratios=~_any(~is_missing, starts),
            is_uncommon=_any(numbered.codes < 0, starts) | _repeats(numbered, starts),
        )

    @cached_property
    def identities(self) -> list[AttemptIdentity]:
        """The same, as records."""
        columns = (each.to_pylist() for each in self.identity.values())
        return [AttemptIdentity(*each) for each in zip(*columns, strict=True)]


def _runs(rows: pa.Table) -> tuple[Int64Array, dict[str, Array]]:
    """Where each stretch of one attempt begins, with the end of the table; and whose it is."""
    columns = {name: column(rows, name) for name in AttemptIdentity._fields}
    differs = np.zeros(max(len(rows) - 1, 0), np.bool_)
    for each in columns.values():
        if each is not None and len(rows):
            differs |= changes(each)
    inner = np.flatnonzero(differs) + 1
    starts = np.concatenate([[0], inner, [len(rows)]] if len(rows) else [[0]]).astype(np.int64)
    heads = pa.array(starts[:-1], pa.int64())
    nobody = pa.nulls(len(heads), pa.string())
    return starts, {
        name: nobody if each is None else each.take(heads).cast(pa.string())
        for name, each in columns.items()
    }


def _ratios(rows: pa.Table, who: str) -> tuple[Float64Array, Booleans]:
    """Ratios as recorded, else those of the times; and which of them are missing altogether."""
    recorded = column(rows, f"{who}_nop")
    ratios, is_missing = numbers(recorded, len(rows)), missing(recorded, len(rows))
    times = column(rows, f"{who}_seconds")
    if times is None or not is_missing.any():
        return ratios, is_missing
    baseline = column(rows, "nop_seconds")
    before, after = (numbers(each, len(rows)) for each in (baseline, times))
    usable_before, usable_after = (np.isfinite(each) & (each > 0) for each in (before, after))
    decisive = np.where(usable_after, before, after)
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        # A time of 0 or less makes a ratio of 0 or less.
        unusable = np.where(np.isfinite(decisive), 0.0, np.nan)
        computed = np.where(usable_before & usable_after, before / after, unusable)
    lacks_time = np.where(usable_after, missing(baseline, len(rows)), missing(times, len(rows)))
    return np.where(is_missing, computed, ratios), is_missing & lacks_time


def _any(flags: Booleans, starts: Int64Array) -> Booleans:
    """Whether any row of each attempt is flagged."""
    if len(starts) == 1 or not flags.any():
        return np.zeros(len(starts) - 1, np.bool_)
    return np.logical_or.reduceat(flags, starts[:-1])


def _repeats(benchmarks: Names, starts: Int64Array) -> Booleans:
    """Whether any name occurs twice in each attempt."""
    is_first = np.zeros(len(benchmarks.codes), np.bool_)
    is_first[starts[:-1]] = True
    if (is_first[1:] | (benchmarks.codes[1:] > benchmarks.codes[:-1])).all():
        return np.zeros(len(starts) - 1, np.bool_)
    attempts = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    keys = attempts * len(benchmarks.offsets) + benchmarks.codes
    order = np.argsort(keys, kind="stable")
    repeated = np.zeros(len(keys), np.bool_)
    repeated[order[1:]] = keys[order[1:]] == keys[order[:-1]]
    return _any(repeated, starts)
