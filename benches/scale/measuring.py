"""The rows of the table: measurements, and the bars that they should meet."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from benches.scale.processes import Spent, spent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benches.scale.attempts import Files

__all__ = ["Measurements", "Row"]

_ROUNDS = 3
_TINY_FILES = 100_000
_MEMORY = 1.5e9
_ONE_THREAD = ["--threads", "1"]
_BY_RECORD = """
import trajmeter

@trajmeter.metric
def lines_viewed(task, trajectory):
    return float(sum(view.end - view.start for turn in trajectory.turns for view in turn.views))
"""


@dataclass(frozen=True)
class Row:
    """A measurement."""

    name: str
    """What it is."""
    value: float
    """How much."""
    unit: str
    """Of what."""
    at_least: float | None = None
    """The bar, if more is better."""
    at_most: float | None = None
    """The bar, if less is."""
    detail: str = ""
    """What it was made of."""

    @property
    def is_met(self) -> bool | None:
        """Return whether the bar is met; ``None`` without a bar."""
        if self.at_least is not None:
            return self.value >= self.at_least
        return None if self.at_most is None else self.value <= self.at_most

    def __str__(self) -> str:
        bar = f"≥ {self.at_least:g}" if self.at_least is not None else ""
        bar = f"≤ {self.at_most:g}" if self.at_most is not None else bar
        met = {True: "met", False: "MISSED", None: ""}[self.is_met]
        return f"{self.name:<64} {self.value:>9.2f} {self.unit:<6} {bar:<8} {met:<6}  {self.detail}"

    def to_json(self) -> dict[str, Any]:
        """Return the row as a JSON value."""
        return {**asdict(self), "is_met": self.is_met}


class Measurements:
    """Runs what is measured.

    Args:
        folder: Where results are written.
        many: The attempts.
        few: Ten times fewer.
        one: One, to see what starting takes.
        attempts: How many there are of the many.
    """

    def __init__(self, folder: Path, *, many: Files, few: Files, one: Files, attempts: int) -> None:
        self._folder = folder
        self._many, self._few, self._one = many, few, one
        self._attempts = attempts
        self.done: list[Row] = []
        """What was measured so far."""

    def rows(self, parser: Path | None, tasks: Path, snapshots: Path) -> Iterator[Row]:
        """Measure; yields each row as soon as it is known.

        Args:
            parser: The program that parses alone.
            tasks: Tasks of the attempts.
            snapshots: Snapshots of their repositories.
        """
        for row in self._all(parser, tasks, snapshots):
            self.done.append(row)
            yield row

    def _all(self, parser: Path | None, tasks: Path, snapshots: Path) -> Iterator[Row]:
        start = self._score(self._one.lines, rounds=_ROUNDS)
        many = {each.suffix: self._score(each).without(start) for each in self._many}
        few = {each.suffix: self._score(each, rounds=2).without(start) for each in self._few}
        for suffix, spent_on in many.items():
            yield Row(
                f"turns of {suffix}, 10 times as many attempts",
                spent_on.seconds / few[suffix].seconds,
                "times",
                at_most=11,
                detail=f"{few[suffix].seconds:.1f} s → {spent_on.seconds:.1f} s; "
                f"{self._attempts / spent_on.clock:,.0f} attempts a second of the clock",
            )
        yield from self._two_workers(many, start)
        yield from self._beside_reading(many[".parquet"])
        if parser is not None:
            yield from self._beside_parsing(many[".jsonl"], parser, (tasks, snapshots), start)
        yield from self._assembling(few, start)
        yield from self._groups()
        yield from self._tiny_files(start)

    def _two_workers(self, one: dict[str, Spent], start: Spent) -> Iterator[Row]:
        for file in self._many:
            two = self._score(file, workers=2)
            yield Row(
                f"turns of {file.suffix}, two workers: memory",
                two.bytes / 1e6,
                "MB",
                at_most=_MEMORY / 1e6,
            )
            name = f"turns of {file.suffix}, two workers beside one"
            alone = self._score(file, options=_ONE_THREAD)
            yield _faster(f"{name}, a thread each", alone.clock, two.clock, at_least=1.4)
            core = self._score(file, options=_ONE_THREAD, on_one_core=True)
            yield _faster(f"{name}, a core each", core.clock, two.clock, at_least=1.4)
            clock = one[file.suffix].clock + start.clock
            yield _faster(f"{name} with two threads", clock, two.clock)
        metric = self._folder / "by_record.py"
        metric.write_text(_BY_RECORD)
        asked = f"{metric}@lines_viewed"
        runs = (
            self._score(self._few.lines, asked, workers=workers, options=_ONE_THREAD)
            for workers in (1, 2)
        )
        clocks = [each.clock for each in runs]
        name = "a metric of records, two workers beside one, a thread each"
        yield _faster(name, *clocks, at_least=1.7)

    def _beside_reading(self, scored: Spent) -> Iterator[Row]:
        start = spent(_alone("columns", self._one.parquet), rounds=_ROUNDS)
        read = spent(_alone("columns", self._many.parquet), rounds=2).without(start)
        yield Row(
            "turns of .parquet beside reading its columns",
            scored.seconds / read.seconds,
            "times",
            at_most=3,
            detail=f"{read.seconds:.1f} s to read",
        )

    def _beside_parsing(
        self, scored: Spent, parser: Path, beside: tuple[Path, Path], start: Spent
    ) -> Iterator[Row]:
        tasks, snapshots = beside
        parsed = spent([str(parser), str(self._many.lines)], rounds=2)
        size = self._many.lines.stat().st_size
        yield Row(
            "turns of .jsonl: share of the speed of parsing alone",
            100 * parsed.seconds / scored.seconds,
            "%",
            at_least=60,
            detail=f"{size / parsed.seconds / 1e6:,.0f} MB/s alone, "
            f"{size / scored.seconds / 1e6:,.0f} MB/s scored, of the processor",
        )
        planning = spent(_alone("plan", self._one.lines), rounds=_ROUNDS)
        planned = spent(_alone("plan", self._many.lines), rounds=2).without(planning)
        yield Row(
            "planning .jsonl beside parsing alone",
            100 * planned.seconds / parsed.seconds,
            "%",
            at_most=25,
            detail=f"{size / planned.seconds / 1e6:,.0f} MB/s",
        )
        options = ["-t", str(tasks), "-s", str(snapshots)]
        context = self._score(self._few.lines, "context", options=options).without(start)
        part = parsed.seconds * self._few.lines.stat().st_size / size
        yield Row(
            "context of .jsonl beside parsing alone", context.seconds / part, "times", detail=""
        )

    def _assembling(self, few: dict[str, Spent], start: Spent) -> Iterator[Row]:
        parts = min(self._score(self._few.parquet).seconds, few[".parquet"].seconds + start.seconds)
        rounds = [self._score(self._few.parquet, output="one.parquet") for _ in range(2)]
        more = min(each.seconds for each in rounds) - parts
        scored = parts - start.seconds
        yield Row(
            "one file from parts beside scoring turns",
            100 * more / scored,
            "%",
            at_most=40,
            detail=f"{more:.2f} s of {scored:.2f} s",
        )

    def _groups(self) -> Iterator[Row]:
        command = [sys.executable, *_alone("groups")]
        told = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
        name = "a group of a summary of 100,000"
        yield Row(f"{name}: time", told["microseconds"], "µs", at_most=50)
        yield Row(f"{name}: memory", told["bytes"] / 1e3, "KB", at_most=5)

    def _tiny_files(self, start: Spent) -> Iterator[Row]:
        folder = self._folder / "tiny"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for number in range(_TINY_FILES):
            file = folder / f"{number:06}.json"
            file.write_text(f'{{"task_id": "{number}", "agent": "crab", "turns": []}}')
        scored = self._score(folder).without(start)
        yield Row(
            f"one of {_TINY_FILES:,} files of one attempt",
            scored.seconds / _TINY_FILES * 1e3,
            "ms",
            detail=f"{scored.seconds:.1f} s in all, at most {scored.bytes / 1e6:,.0f} MB",
        )

    def _score(
        self,
        file: Path,
        metric: str = "turns",
        *,
        workers: int = 1,
        rounds: int = 1,
        output: str = "scores",
        options: list[str] | None = None,
        on_one_core: bool = False,
    ) -> Spent:
        """Score a file in units, always from scratch."""
        target = self._folder / output
        runs = []
        for _ in range(rounds):
            if target.is_dir():
                shutil.rmtree(target)
            words = ["-m", "benches.scale.score", str(file), metric, str(target), str(workers)]
            runs.append(spent([*words, *(options or ())], on_one_core=on_one_core))
        return Spent(
            min(each.clock for each in runs),
            min(each.seconds for each in runs),
            max(each.bytes for each in runs),
        )


def _faster(name: str, one: float, two: float, *, at_least: float | None = None) -> Row:
    detail = f"{one:.1f} s → {two:.1f} s of the clock"
    return Row(f"{name}: speed", one / two, "times", at_least=at_least, detail=detail)


def _alone(name: str, *files: Path) -> list[str]:
    return ["-m", "benches.scale.alone", name, *map(str, files)]
