"""Times ``trajmeter score`` on files with both backends, each in a separate process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.bench.report import LIMIT_SECONDS, Timing
from trajmeter.errors import ConfigurationError, TrajmeterError
from trajmeter.metrics import create
from trajmeter.metrics.registry import BUILT_IN, profile_names
from trajmeter.readers import read_tasks, read_trajectories
from trajmeter.scoring.files import score
from trajmeter.scoring.reading_options import ReadingOptions
from trajmeter.system.processes import WITHOUT_FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from trajmeter.kernels import BackendName
    from trajmeter.metrics import AnyMetric
    from trajmeter.records import ReadProblem, Record

__all__ = ["Request", "time_files"]

_PROGRAM = f"{WITHOUT_FOLDER}from trajmeter.cli import program; program()"
_MOST_BYTES = 12 << 20
"""Of a larger file, only the first lines or rows are scored."""
_TRIED = 50
"""Number of attempts to examine for the metrics that a file supports."""
_SHORT_SECONDS = 3.0
"""A command that takes less time is run twice."""
_FINE = (0, 4)
"""Exit codes after which there are rows, although some input may be unreadable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to score."""

    files: Sequence[Path] = ()
    """Files or folders of trajectories; without any, generated attempts are scored."""
    metrics: Sequence[str] = ()
    """Metrics; without any, all built-in ones that a file allows."""
    tasks: Sequence[Path] = ()
    """Files of tasks with their references."""
    snapshots: Path | None = None
    """A file or a folder of snapshots."""
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    """How the files are read, and the profiles of the metrics."""

    def check(self) -> None:
        """Check everything that can be checked without reading the files.

        Raises:
            UnknownNameError: A metric, a profile or a format is unknown.
            ConfigurationError: A profile's metric is not requested, a metric has two profiles, or
                the mapping names an unknown field.
        """
        profiles = self.reading.profiles
        names = self.metrics or [name for name in BUILT_IN if _profiles_of(name, profiles)]
        if names or profiles:
            create(names or BUILT_IN, profiles=profiles)
        list(read_trajectories((), **self.reading.recognition()))
        list(read_tasks((), mapping=self.reading.mapping))


def time_files(request: Request, *, on_progress: Callable[[str], None]) -> tuple[Timing, ...]:
    """Time the command on each file.

    Args:
        request: What to score.
        on_progress: Called with what is being timed.

    Raises:
        ConfigurationError: No metric scores a file, or the command fails.
    """
    with TemporaryDirectory(prefix="trajmeter-bench-") as folder:
        place = Path(folder)
        if not request.files:
            file = _generated(place)
            reading = ReadingOptions(profiles=request.reading.profiles)
            request = replace(request, reading=reading)
            return (_time_file(file, "generated.jsonl", request, place, on_progress),)
        return tuple(
            _time_file(_beginning(file, place), str(file), request, place, on_progress)
            for file in request.files
        )


def _time_file(
    file: Path, name: str, request: Request, place: Path, on_progress: Callable[[str], None]
) -> Timing:
    command = _Command(file, name, request.metrics or _allowed(file, name, request), request, place)
    on_progress(f"timing trajmeter score {name} (Rust)")
    rust = command.time("rust")
    python = rust
    if rust is not None:  # if Rust times out, so would Python
        on_progress(f"timing trajmeter score {name} (Python)")
        python = command.time("python")
    work = ", ".join(command.metrics)
    if rust is not None:
        part = "the first " if request.files and file.parent == place else ""
        work += f" of {part}{rust.attempts:,} attempt{'' if rust.attempts == 1 else 's'}"
    return Timing(
        name=name,
        work=work,
        rust_seconds=rust and rust.seconds,
        python_seconds=python and python.seconds,
    )


class _Run(NamedTuple):
    seconds: float
    attempts: int


@dataclass(frozen=True, slots=True)
class _Command:
    file: Path
    name: str
    metrics: Sequence[str]
    request: Request
    place: Path

    def time(self, backend: BackendName) -> _Run | None:
        """The fastest run; ``None`` if it times out."""
        first = self._run(backend)
        if first is None or first.seconds > _SHORT_SECONDS:
            return first
        return min(first, self._run(backend) or first)

    def _run(self, backend: BackendName) -> _Run | None:
        began = perf_counter()
        try:
            done = subprocess.run(
                self._words(),
                env=os.environ | {"TRAJMETER_BACKEND": backend},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=LIMIT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
        seconds = perf_counter() - began
        if done.returncode not in _FINE:
            said = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
            raise ConfigurationError(f"trajmeter score {self.name} failed: {said}")
        return _Run(seconds, json.loads(done.stdout)["overall"]["attempts"])

    def _words(self) -> list[str]:
        suffix = "parquet" if find_spec("pyarrow") else "jsonl"
        words = [sys.executable, "-c", _PROGRAM, "score", str(self.file), "--format", "json"]
        words += ["--metrics", ",".join(self.metrics), "-o", str(self.place / f"rows.{suffix}")]
        for tasks in self.request.tasks:
            words += ["--tasks", str(tasks)]
        if self.request.snapshots is not None:
            words += ["--snapshots", str(self.request.snapshots)]
        reading = self.request.reading
        for profile in reading.profiles:
            # Of the metrics that were found for this file, none may have it.
            if self.request.metrics or any(_profiles_of(name, [profile]) for name in self.metrics):
                words += ["--profile", profile]
        if reading.input_format is not None:
            words += ["--input-format", reading.input_format]
        for name, column in (reading.mapping or {}).items():
            words += ["--map", f"{name}={column}"]
        return words


def _allowed(file: Path, name: str, request: Request) -> list[str]:
    """Built-in metrics whose requirements are met, and that score any of the first attempts."""
    problems: list[ReadProblem] = []
    reading = request.reading
    read = read_trajectories(file, on_problem=problems.append, **reading.recognition())
    attempts = list(islice(read, _TRIED))
    if not attempts:
        told = problems[0].message if problems else "it contains no attempts"
        raise ConfigurationError(f"{name}: {told}")
    tasks = list(read_tasks(request.tasks, on_problem=_ignore))
    if reading.mapping:
        tasks += read_tasks(file, mapping=reading.mapping, on_problem=_ignore)
    allowed = []
    for family in BUILT_IN:
        try:
            (metric,) = create(family)
            if not (_found(metric, "Trajectory", attempts) and _found(metric, "Task", tasks)):
                continue
            scores = score(
                attempts,
                metrics=family,
                tasks=tasks,
                snapshots=request.snapshots,
                profiles=_profiles_of(family, reading.profiles),
                on_problem=_ignore,
            )
        except TrajmeterError:  # an extra is missing
            continue
        if any(figure.scored for figure in scores.summary.overall.figures.values()):
            allowed.append(family)
    if not allowed:
        raise ConfigurationError(
            f"{name}: no metric scores its first attempts; pass what they need with --tasks and "
            "--snapshots, or choose metrics with --metrics"
        )
    return allowed


def _profiles_of(family: str, profiles: Sequence[str]) -> list[str]:
    known = profile_names(family)
    return [each for each in profiles if each in known]


def _found(metric: AnyMetric, kind: str, records: Sequence[Record]) -> bool:
    """Whether any record has one of the fields of its kind that a metric needs."""
    needed = [part.split(".")[1] for part in metric.requires if part.startswith(f"{kind}.")]
    return not needed or any(getattr(record, name) for record in records for name in needed)


def _ignore(_problem: object) -> None:
    """Ignore problems, which the command itself reports."""


def _beginning(file: Path, place: Path) -> Path:
    """The file or, if it is large, a new file with its first lines or rows."""
    if not file.is_file() or file.stat().st_size <= _MOST_BYTES:
        return file
    part = place / file.name
    if file.suffix == ".jsonl":
        with file.open("rb") as whole:
            part.write_bytes(whole.read(_MOST_BYTES) + whole.readline())
        return part
    if file.suffix == ".parquet" and find_spec("pyarrow"):
        from pyarrow import parquet

        rows = parquet.ParquetFile(file)
        with parquet.ParquetWriter(part, rows.schema_arrow) as writer:
            written = 0
            for batch in rows.iter_batches(1_000):
                writer.write_batch(batch)
                written += batch.nbytes
                if written >= _MOST_BYTES:
                    break
        return part
    return file


def _generated(place: Path) -> Path:
    """Generated attempts of 20 turns with a call each."""
    file = place / "generated.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        lines.writelines(f"{json.dumps(attempt)}\n" for attempt in _attempts(1_000))
    return file


def _attempts(count: int) -> Iterator[dict[str, object]]:
    for number in range(count):
        turns = [
            {
                "number": turn,
                "program": f"grep -rn needle src/module_{turn % 7}",
                "success": (number + turn) % 5 != 0,
                "tool_calls": [
                    {"name": "bash", "arguments": {"command": f"ls {turn % 9}"}, "success": True}
                ],
                "usage": {"input_tokens": 1_000 + turn, "output_tokens": 80},
            }
            for turn in range(1, 21)
        ]
        yield {
            "task_id": f"task-{number % 100}",
            "agent": f"agent-{number // 100 % 4}",
            "turns": turns,
            "final_output": "done",
            "passed": number % 3 != 0,
        }
