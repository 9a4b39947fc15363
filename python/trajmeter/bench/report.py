"""Benchmark results as a document, as tables and as a chart."""

from __future__ import annotations

import math
import os
import platform
from importlib.metadata import version
from typing import TYPE_CHECKING

from pydantic import computed_field

from trajmeter.records import Record
from trajmeter.reports.cells import NOTHING, visible
from trajmeter.reports.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LIMIT_SECONDS", "BenchReport", "Machine", "Timing", "chart", "tables"]

LIMIT_SECONDS = 20.0
"""Time after which the command on a file is stopped."""

_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))
_MOST_NAME = 28
_LEAST_BAR = 10


class Machine(Record):
    """What it was timed on."""

    system: str
    """Operating system and architecture."""
    cores: int
    """Cores that this process may use."""
    python: str
    """Version of Python."""

    @classmethod
    def this(cls) -> Machine:
        """Describe the machine that this process runs on."""
        usable = getattr(os, "sched_getaffinity", None)
        return cls(
            system=f"{platform.system()} {platform.machine()}",
            cores=len(usable(0)) if usable else os.cpu_count() or 1,
            python=platform.python_version(),
        )

    def __str__(self) -> str:
        cores = f"{self.cores} core{'' if self.cores == 1 else 's'}"
        return f"{self.system}, {cores}, Python {self.python}"


class Timing(Record):
    """How long the same work takes both backends."""

    name: str
    """The kernel or the file."""
    work: str
    """What it was given to do."""
    rust_seconds: float | None
    """Time with the Rust extension; ``None`` if it took longer than the limit."""
    python_seconds: float | None
    """Time with the Python kernels; ``None`` if it took longer than the limit."""

    @computed_field  # type: ignore[prop-decorator] # mypy knows no decorated property
    @property
    def ratio(self) -> float | None:
        """How many times longer Python takes; ``None`` if either took longer than the limit."""
        if self.rust_seconds is None or self.python_seconds is None:
            return None
        return self.python_seconds / self.rust_seconds


class BenchReport(Record):
    """Rust beside Python on one machine."""

    trajmeter_version: str
    """Version of this package."""
    machine: Machine
    """What it was timed on."""
    limit_seconds: float
    """Time after which the command on a file was stopped."""
    kernels: tuple[Timing, ...]
    """One call of each kernel; the best of several."""
    files: tuple[Timing, ...]
    """``trajmeter score`` on each file, from the start of the process to its end."""

    @classmethod
    def of(cls, kernels: tuple[Timing, ...], files: tuple[Timing, ...]) -> BenchReport:
        """What was timed on this machine, within the limit of :func:`time_files`."""
        return cls(
            trajmeter_version=version("trajmeter"),
            machine=Machine.this(),
            limit_seconds=LIMIT_SECONDS,
            kernels=kernels,
            files=files,
        )


def tables(report: BenchReport) -> Iterator[Table]:
    """The kernels and the files as tables."""
    for title, timings, name in (
        ("Kernels, one call", report.kernels, "kernel"),
        ("trajmeter score, from file to file", report.files, "file"),
    ):
        if timings:
            rows = tuple(_cells(timing, report.limit_seconds) for timing in timings)
            header = (name, "work", "Rust", "Python", "ratio")
            yield Table(title, header, rows, texts=(0, 1)).visible()


def chart(report: BenchReport, *, width: int, block: str) -> Iterator[str]:
    """Lines of a bar chart of the ratios, on a logarithmic scale.

    Args:
        report: What was timed.
        width: Characters of a line.
        block: What bars are made of.
    """
    timings = [each for each in (*report.kernels, *report.files) if each.ratio is not None]
    if not timings:
        return
    names = [_shortened(visible(each.name)) for each in timings]
    ratios = [each.ratio or 1.0 for each in timings]
    numbers = [_times(ratio) for ratio in ratios]
    label, number = max(map(len, names)), max(map(len, numbers))
    longest = max(width - label - number - 2, _LEAST_BAR)
    scale = longest / max(math.log10(max(ratios)), 1.0)
    for name, ratio, text in zip(names, ratios, numbers, strict=True):
        bar = block * max(round(math.log10(max(ratio, 1.0)) * scale), 1)
        yield f"{name:<{label}} {bar} {text}"


def _cells(timing: Timing, limit: float) -> tuple[str, ...]:
    ratio = timing.ratio
    return (
        timing.name,
        timing.work,
        _duration(timing.rust_seconds, limit),
        _duration(timing.python_seconds, limit),
        NOTHING if ratio is None else _times(ratio),
    )


def _duration(seconds: float | None, limit: float) -> str:
    if seconds is None:
        return f"> {limit:g} s"
    scale, unit = next(((s, u) for s, u in _UNITS if seconds >= s), _UNITS[-1])
    return f"{seconds / scale:.3g} {unit}"


def _times(ratio: float) -> str:
    return f"{float(f'{ratio:.3g}'):,.6g}x"


def _shortened(name: str) -> str:
    return name if len(name) <= _MOST_NAME else f"...{name[3 - _MOST_NAME :]}"
