"""Runs that are killed: a program that forks itself for each, so that it imports everything once.

It prints what went wrong, one line for each, and ``ok N`` for N killed runs at the end.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
from contextlib import suppress
from ctypes import CDLL
from dataclasses import replace
from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.scoring.attempts import SIZES, contents, convert_units, score_units, write_attempts
from trajmeter.arrays import concatenated_batches
from trajmeter.scoring.runs import spill
from trajmeter.scoring.runs.unit_files import UnitFiles

if TYPE_CHECKING:
    from collections.abc import Callable

_ATTEMPTS = 60
_KILLS = {"converted": 4, "sorted": 4}
"""Random kills of some scenarios, which commit by the code that all others commit by."""
_PATIENCE_SECONDS = 60
_TAKE_OVER = 36
"""PR_SET_CHILD_SUBREAPER."""

_DEADLY = """
import os, pathlib, signal, trajmeter

@trajmeter.metric
def deadly(task, trajectory):
    marker = pathlib.Path({marker!r})
    if trajectory.task_id == "t9" and marker.exists():
        if {once}:
            marker.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return 1.0
"""


def deadly_metric(folder: Path, *, once: bool) -> str:
    """A metric that kills its process at one attempt, as long as a file exists."""
    marker = folder / "armed"
    marker.touch()
    file = folder / "deadly.py"
    file.write_text(_DEADLY.format(marker=str(marker), once=once))
    return f"{file}@deadly"


def random_kills(scenario: str) -> int:
    """Number of random kills per scenario."""
    return _KILLS.get(scenario.partition(" ")[0], 20)


class Scenario:
    """A way to run, its expected result, and a check of what a kill leaves behind."""

    def __init__(self, name: str, place: Path) -> None:
        self.place = place
        self.kills = random_kills(name)
        self.converts = name.startswith("converted")
        self.sorts = name.startswith("sorted")
        self.is_file = name.endswith("file")
        self.runs = place / "runs.jsonl"
        self.output = place / ("scores.parquet" if self.is_file else "scores")
        self.shards = [(2, 3), (3, 3), (1, 3)] if name.endswith("shards") else [None]
        self.workers = 2 if name.endswith("processes") else 1
        write_attempts(self.runs, _ATTEMPTS, broken=1)
        self._import()
        self.expected = self.results()
        self.remove()

    def _import(self) -> None:
        """Run in a child, and import here what it imported there: here no thread may start."""
        names = self.place.with_suffix(".modules")

        def run() -> None:
            self.run()
            names.write_text("\n".join(sys.modules))

        _in_child(run)
        for name in names.read_text().splitlines():
            import_module(name)

    def run(self) -> None:
        """Complete the run."""
        carry_out: Callable[..., Any] = convert_units if self.converts else score_units
        if self.sorts:
            sizes = replace(SIZES, share_bytes=4_000)
            metrics = ("turns", "speedup")
            carry_out = partial(score_units, metrics=metrics, sizes=sizes, batch_rows=20)
        for shard in self.shards:
            carry_out(self.runs, self.output, shard=shard, workers=self.workers)

    def results(self) -> dict[str, bytes]:
        """Return the results on disk."""
        if self.is_file:
            return {"": self.output.read_bytes()} if self.output.exists() else {}
        return contents(self.output) if self.output.exists() else {}

    def left(self) -> str:
        """Return a digest of everything on disk."""
        digest = sha256()
        for file in sorted(self.place.rglob("*")):
            digest.update(f"{file}\0".encode())
            digest.update(b"" if file.is_dir() else file.read_bytes())
        return digest.hexdigest()

    def remove(self) -> None:
        """Start over."""
        for each in self.place.iterdir():
            if each.is_dir():
                shutil.rmtree(each)
            elif each != self.runs:
                each.unlink()

    def problems(self, where: str) -> list[str]:
        """Return what is wrong with what a kill left, and with what the next run makes of it."""
        found = []
        for name, content in self.results().items():
            if not name.startswith("spill-") and self.expected.get(name) != content:
                found.append(f"{where}: {name} is torn")
        if _in_child(self.run) != 0:
            found.append(f"{where}: the next run failed")
        if self.results() != self.expected:
            found.append(f"{where}: the next run gave other bytes")
        left = [*self.place.rglob("*.part")]
        left += [each for each in self.place.iterdir() if each not in (self.runs, self.output)]
        found += [f"{where}: {each.name} is left over" for each in left]
        return found


def _in_child(task: Callable[[], object]) -> int:
    """Run something in a child; return the status from :func:`os.waitpid`."""
    child = os.fork()
    if not child:
        code = 1
        try:
            task()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1]


def _with_points(task: Callable[[], object], visit: Callable[[str], None]) -> None:
    """Visit the moments before and after each flush to the disk and each rename."""
    fsync, replace = os.fsync, Path.replace

    def visited_fsync(descriptor: Any) -> None:
        visit("before fsync")
        fsync(descriptor)
        visit("after fsync")

    def visited_replace(path: Path, target: Any) -> Path:
        visit(f"before rename to {Path(target).name}")
        renamed = replace(path, target)
        visit(f"after rename to {Path(target).name}")
        return renamed

    os.fsync, Path.replace = visited_fsync, visited_replace  # type: ignore[assignment,method-assign]
    task()


def kill_at_points(scenario: Scenario) -> list[str]:
    """Kill a run at each named point; gives what went wrong.

    A kill leaves what is on the disk, flushed or not, and nothing else. So of points between which
    nothing on the disk changes, as before and after a flush, the run is killed at the first.
    """
    trace = scenario.place.with_suffix(".trace")

    def note(point: str) -> None:
        with trace.open("a") as file:
            file.write(f"{scenario.left()} {point}\n")

    _in_child(lambda: _with_points(scenario.run, note))
    points = [line.split(" ", 1) for line in trace.read_text().splitlines()]
    found = []
    before = None
    for number, (left_behind, point) in enumerate(points):
        if left_behind == before:
            continue
        before = left_behind
        scenario.remove()
        left = [number]

        def strike(_: str, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

        if _in_child(lambda: _with_points(scenario.run, strike)) != signal.SIGKILL:
            found.append(f"{point}: not killed")
        found += scenario.problems(f"{number} {point}")
    sys.stdout.write(f"ok {len(points)}\n")
    return found


def kill_at_random(scenario: Scenario, seed: int) -> list[str]:
    """Kill slowed runs at random moments; return what went wrong."""
    order = random.Random(seed)  # noqa: S311 - a test

    def slowed(made: Callable[..., Any]) -> Callable[..., Any]:
        def slow(*given: Any) -> Any:
            time.sleep(0.02)
            return made(*given)

        return slow

    found = []
    UnitFiles.commit = slowed(UnitFiles.commit)  # type: ignore[method-assign]
    if scenario.sorts:  # and writes attempts a few at a time, which takes half of the run
        vars(spill).update(_HELD_BYTES=1, concatenated_batches=slowed(concatenated_batches))
    began = time.monotonic()
    _in_child(scenario.run)
    seconds = time.monotonic() - began
    kills = scenario.kills
    for number in range(kills):
        scenario.remove()
        child = os.fork()
        if not child:
            os.setsid()
            scenario.run()
            os._exit(0)
        time.sleep(order.uniform(0, seconds))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        if not _have_ended(child):  # workers, which notice that nobody waits for them
            found.append(f"kill {number}: a worker goes on")
        found += scenario.problems(f"kill {number}")
    sys.stdout.write(f"ok {kills}\n")
    return found


def _have_ended(group: int) -> bool:
    """Wait for all processes of a session whose first one has ended; return whether they have."""
    given_up = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < given_up:
        with suppress(ChildProcessError):
            while os.waitpid(-group, os.WNOHANG)[0]:  # otherwise they remain as zombies
                pass
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def main() -> None:
    if sys.platform == "linux":
        CDLL(None).prctl(_TAKE_OVER, 1)  # adopts workers whose parent is killed
    os.fsync = lambda fd: None  # noqa: ARG005 - a kill leaves what was written, whether or not it was flushed
    kind, name, place = sys.argv[1:]
    scenario = Scenario(name, Path(place))
    found = kill_at_points(scenario) if kind == "points" else kill_at_random(scenario, 5)
    sys.stdout.write("".join(f"{line}\n" for line in found))


if __name__ == "__main__":
    main()
