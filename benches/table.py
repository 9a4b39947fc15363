"""The benchmark table, in Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from benches.contest import Case
from benches.results import Results, Row, markdown_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Timing", "cases", "measured", "table"]

_HEADINGS = ("measured", "prepared", "threads", "time", "rate", "ratios", "bar")


@dataclass(frozen=True)
class Timing:
    """The time that one contender took."""

    case: str
    """Name of the case."""
    contender: str
    """Name of the contender."""
    threads: int
    """How many threads it could use."""
    seconds: float
    """Median time of one call."""


def cases() -> list[Case]:
    """Return every case of every file in this folder."""
    modules = sorted(Path(__file__).parent.glob("bench_*.py"))
    return [
        case
        for path in modules
        for case in getattr(import_module(f"benches.{path.stem}"), "CASES", ())
        if isinstance(case, Case)
    ]


def measured(timings: Iterable[Timing]) -> list[Row]:
    """Return a row for each case and number of threads, in the order of the files."""
    groups: dict[tuple[str, int], dict[str, float]] = {}
    for timing in timings:
        groups.setdefault((timing.case, timing.threads), {})[timing.contender] = timing.seconds
    return [
        _row(case, threads, seconds)
        for case in cases()
        for (name, threads), seconds in groups.items()
        if name == case.name and case.contenders[0] in seconds
    ]


def _row(case: Case, threads: int, seconds: Mapping[str, float]) -> Row:
    own = seconds[case.contenders[0]]
    ratios = {peer: seconds[peer] / own for peer in case.contenders[1:] if peer in seconds}
    return Row(case=case.name, threads=threads, seconds=own, ratios=ratios)


def table(results: Results) -> str:
    """Return all rows with their rates and bars, below the command, date and machine."""
    heading = (
        f"`{results.command}` on {results.date}: {results.machine}. "
        "Medians; ratios are a peer's time over ours, in the same run."
    )
    by_name = {case.name: case for case in cases()}
    rows = [
        _cells(by_name[row.case], row, row.seconds)
        for row in results.rows
        if row.seconds is not None
    ]
    widths = [max(len(row[column]) for row in [_HEADINGS, *rows]) for column in range(7)]
    rule = tuple("-" * width for width in widths)
    padded = [
        [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        for row in (_HEADINGS, rule, *rows)
    ]
    return "\n".join([heading, "", *map(markdown_line, padded)])


def _cells(case: Case, row: Row, own: float) -> tuple[str, ...]:
    rate = case.size / own
    verdicts = [
        _verdict(row.ratios[peer] >= bar, f"{bar:g}x {peer}")
        for peer, bar in case.bars.items()
        if peer in row.ratios
    ]
    if case.least_rate is not None:
        verdicts.append(_verdict(rate >= case.least_rate, _rate(case.least_rate, case.unit)))
    if case.most_seconds is not None:
        verdicts.append(_verdict(own <= case.most_seconds, _time(case.most_seconds)))
    return (
        case.name,
        case.prepared,
        str(row.threads),
        _time(own),
        _rate(rate, case.unit),
        ", ".join(f"{peer} {ratio:.3g}x" for peer, ratio in row.ratios.items()),
        ", ".join(verdicts),
    )


def _verdict(met: bool, bar: str) -> str:  # noqa: FBT001 - a word would say no more
    return f"{bar} met" if met else f"{bar} MISSED"


def _time(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _rate(rate: float, unit: str) -> str:
    for prefix, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if rate >= scale:
            return f"{rate / scale:.3g} {prefix} {unit}s/s"
    return f"{rate:.3g} {unit}s/s"
