"""Speedup tables: the agent's and oracle's ratio for each benchmark, or why it is missing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from trajmeter.records import InvalidReason, Measurement, measured
from trajmeter.records.record import default_fields, frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Ratio", "SpeedupTable", "read_table", "table_of_times"]

Ratio: TypeAlias = float | InvalidReason
"""Baseline time / time (above 1 is faster), or the reason that it is missing."""

_AGENT, _ORACLE = ("agent/nop", "agent_seconds"), ("oracle/nop", "oracle_seconds")
_FLAGS = {bool, type(None)}
_MISSING = frozen(Measurement, default_fields(Measurement, reason=InvalidReason.MISSING))


@dataclass(slots=True)
class SpeedupTable:
    """Benchmarks of one agent, in columns of equal length."""

    benchmarks: list[str] = field(default_factory=list)
    """Full names, including parameters."""
    agent: list[Ratio] = field(default_factory=list)
    """Ratio with the agent's change."""
    oracle: list[Ratio] = field(default_factory=list)
    """Ratio with the reference solution."""
    significant: list[bool | None] = field(default_factory=list)
    """Whether the change was recorded as significant; no figure depends on it."""
    is_entry: list[bool] = field(default_factory=list)
    """Whether the entry was an object."""
    is_reverted: list[bool] = field(default_factory=list)
    """Whether the agent's ratio was reverted."""

    def __len__(self) -> int:
        return len(self.benchmarks)

    def add(
        self,
        benchmark: str,
        agent: Ratio,
        oracle: Ratio,
        *,
        significant: bool | None = None,
        is_entry: bool = True,
        is_reverted: bool = False,
    ) -> None:
        """Append a benchmark."""
        self.benchmarks.append(benchmark)
        self.agent.append(agent)
        self.oracle.append(oracle)
        self.significant.append(significant)
        self.is_entry.append(is_entry)
        self.is_reverted.append(is_reverted)

    def reverted(self) -> SpeedupTable:
        """Return the table of an agent that changed nothing: its ratios are 1, the oracle's stay.

        Entries that were not objects have nothing to revert and stay invalid.
        """
        agent = [
            1.0 if is_entry else ratio
            for ratio, is_entry in zip(self.agent, self.is_entry, strict=True)
        ]
        return replace(self, agent=agent, is_reverted=self.is_entry)

    def without_oracle(self) -> SpeedupTable:
        """Return the table with the agent's ratios on both sides, so that only those count."""
        return replace(self, oracle=self.agent)


def read_table(entries: Mapping[str, Any], *, booleans_are_numbers: bool = False) -> SpeedupTable:
    """Read a table in fc-eval's format.

    Args:
        entries: Objects with ``agent/nop`` and ``oracle/nop``, by benchmark.
        booleans_are_numbers: Whether to read true as 1 and false as 0, instead of as missing.
    """
    plain = _plain_table(entries)
    if plain is not None:
        return plain
    table = SpeedupTable()
    for benchmark, entry in entries.items():
        if not isinstance(entry, dict):
            fault = InvalidReason.MISSING if entry is None else InvalidReason.NOT_A_NUMBER
            table.add(benchmark, fault, fault, is_entry=False)
            continue
        significant = entry.get("significant")
        table.add(
            benchmark,
            _recorded_ratio(entry, _AGENT, booleans_are_numbers=booleans_are_numbers),
            _recorded_ratio(entry, _ORACLE, booleans_are_numbers=booleans_are_numbers),
            significant=significant if isinstance(significant, bool) else None,
            is_reverted=entry.get("fallback_to_baseline") is True,
        )
    return table


def _plain_table(entries: Mapping[str, Any]) -> SpeedupTable | None:
    """Read a table whose entries are all objects with two usable ratios; otherwise ``None``.

    Nearly all tables are like this, and reading them column by column takes a third of the time.
    """
    objects = entries.values()
    try:
        agent = [entry[_AGENT[0]] for entry in objects]
        oracle = [entry[_ORACLE[0]] for entry in objects]
        significant = [entry.get("significant") for entry in objects]
    except (KeyError, TypeError):
        return None
    if {*map(type, agent), *map(type, oracle)} != {float}:
        return None
    ratios = np.array((agent, oracle))
    if not ((ratios > 0.0) & (ratios < inf)).all() or not {*map(type, significant)} <= _FLAGS:
        return None
    is_reverted = [entry.get("fallback_to_baseline") is True for entry in objects]
    return SpeedupTable([*entries], agent, oracle, significant, [True] * len(entries), is_reverted)


def table_of_times(
    baseline: Mapping[str, Measurement],
    oracle: Mapping[str, Measurement],
    agent: Mapping[str, Measurement],
) -> SpeedupTable:
    """Build a table from times, with every benchmark of the three; the baseline's come first."""
    table = SpeedupTable()
    for benchmark in {**baseline, **oracle, **agent}:
        before = baseline.get(benchmark, _MISSING)
        table.add(
            benchmark,
            _ratio(before, agent.get(benchmark, _MISSING)),
            _ratio(before, oracle.get(benchmark, _MISSING)),
        )
    return table


def _ratio(before: Measurement, after: Measurement) -> Ratio:
    if after.value is None:
        return after.reason or InvalidReason.MISSING
    if before.value is None:
        return before.reason or InvalidReason.MISSING
    return measured(before.value / after.value)


def _recorded_ratio(
    entry: Mapping[str, Any], names: tuple[str, str], *, booleans_are_numbers: bool
) -> Ratio:
    """The ratio that an entry has under the first name, or otherwise one computed from its time."""
    ratio = entry.get(names[0])
    if type(ratio) is float and 0.0 < ratio < inf:  # the usual case
        return ratio
    if isinstance(ratio, bool) and booleans_are_numbers:
        return measured(int(ratio))
    if ratio is not None or names[1] not in entry:
        return measured(ratio)
    return _ratio(
        Measurement.model_validate(entry.get("nop_seconds")),
        Measurement.model_validate(entry[names[1]]),
    )
