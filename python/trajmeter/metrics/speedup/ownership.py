"""Finds each agent's own benchmarks in the files of its trial.

An fc-eval file may contain the tables of all agents in its trial. An agent gets the tables under
its own name in any of the files, and never those under another name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from trajmeter.metrics.speedup.failures import BASELINE_AGENT, ORACLE_AGENT
from trajmeter.metrics.speedup.table import SpeedupTable, read_table, table_of_times
from trajmeter.records.measurements import is_same_agent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trajmeter.metrics.speedup.trial import Trial
    from trajmeter.records import Measurement, Measurements

__all__ = ["OwnTable", "oracle_table", "own_tables"]

_RATIOS = ("agent/nop", "oracle/nop")

_Times: TypeAlias = "Mapping[str, Measurement]"


@dataclass(frozen=True, slots=True)
class OwnTable:
    """An agent's own table."""

    table: SpeedupTable | None
    """Its benchmarks; ``None`` if no file has any under its name."""
    contradicted: tuple[str, ...] = ()
    """Benchmarks with other values in another file; those in the agent's own file count."""


def own_tables(trial: Trial) -> list[OwnTable]:
    """Find the own table of each attempt in a trial, in order."""
    times = _reference_times(trial)
    return [_own_table(trial, position, times) for position in range(len(trial.everyone))]


def oracle_table(trial: Trial, tables: Sequence[OwnTable]) -> SpeedupTable | None:
    """Find the benchmarks measured with the reference solution, if any."""
    for attempt, own_table in zip(trial.everyone, tables, strict=True):
        if attempt.agent == ORACLE_AGENT and own_table.table:
            return own_table.table
    baseline, oracle = _reference_times(trial)
    return table_of_times(baseline, oracle, {}) if baseline and oracle else None


def _own_table(trial: Trial, position: int, times: tuple[_Times | None, _Times]) -> OwnTable:
    measurements = trial.everyone[position].measurements
    baseline, oracle = times
    if measurements is not None and measurements.seconds is not None and baseline is not None:
        return OwnTable(table_of_times(baseline, oracle, measurements.seconds))
    key = trial.keys[position]
    others: dict[str, Any] | None = None
    if not trial.twins(position):
        for other, attempt in enumerate(trial.everyone):
            if other != position:
                others = _laid_over(others, _named_tables(attempt.measurements, key))
    own_entries = _laid_over(None, _named_tables(measurements, key))
    if own_entries is None:
        own_entries = _unnamed_table(measurements, key)
    entries = _laid_over(others, [own_entries] if own_entries is not None else [])
    if entries is None:
        return OwnTable(None)
    return OwnTable(read_table(entries), tuple(_contradictions(own_entries or {}, others or {})))


def _named_tables(measurements: Measurements | None, key: str) -> list[dict[str, Any]]:
    """Tables under an agent's name in a file; the one with the exact spelling comes last."""
    tables = (measurements.ratios_by_agent if measurements else None) or {}
    return [
        table
        for name, table in sorted(tables.items(), key=lambda item: item[0] == key)
        if is_same_agent(name, key) and isinstance(table, dict)
    ]


def _unnamed_table(measurements: Measurements | None, key: str) -> dict[str, Any] | None:
    if measurements is None or measurements.ratios is None:
        return None
    owner = measurements.last_agent
    return measurements.ratios if owner is None or is_same_agent(owner, key) else None


def _laid_over(
    table: dict[str, Any] | None, later: Iterable[dict[str, Any]]
) -> dict[str, Any] | None:
    """Merge tables field by field for each benchmark; later tables win."""
    for entries in later:
        if table is None or table == entries:
            table = entries
            continue
        table = dict(table)
        for benchmark, entry in entries.items():
            before = table.get(benchmark)
            if isinstance(before, dict) and isinstance(entry, dict):
                table[benchmark] = {**before, **entry}
            else:
                table[benchmark] = entry
    return table


def _contradictions(mine: dict[str, Any], others: dict[str, Any]) -> Iterable[str]:
    if not others or mine == others:
        return
    for benchmark, entry in mine.items():
        if benchmark not in others:
            continue
        other = others[benchmark]
        if isinstance(entry, dict) and isinstance(other, dict):
            shared = [field for field in _RATIOS if field in entry and field in other]
            differs = any(_differs(entry[field], other[field]) for field in shared)
        else:
            differs = _differs(entry, other)
        if differs:
            yield benchmark


def _differs(one: object, other: object) -> bool:
    # NaN counts as equal to NaN here.
    return one != other and (one == one or other == other)  # noqa: PLR0124 - detects NaN


def _reference_times(trial: Trial) -> tuple[_Times | None, _Times]:
    """Times of baseline and oracle: from the task, otherwise from the trial's agents."""
    measured = {
        attempt.agent: attempt.measurements.seconds
        for attempt in reversed(trial.everyone)
        if attempt.measurements is not None and attempt.measurements.seconds is not None
    }
    baseline = trial.task.baseline_seconds if trial.task else None
    oracle = trial.task.oracle_seconds if trial.task else None
    return (
        measured.get(BASELINE_AGENT) if baseline is None else baseline,
        (measured.get(ORACLE_AGENT) if oracle is None else oracle) or {},
    )
