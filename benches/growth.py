"""Growth of time and memory with the number of attempts, and scaling to two threads.

Run ``python -m benches.growth``; it fails if two threads share the work worse than they should.
Times are processor time, so other programs on the machine matter little. Only the scaling to two
threads is measured by the clock, and needs a quiet machine with two cores. It is compared with two
processes that only compute, in the same rounds, because two cores rarely do twice the work of one.
Files are read without ``pre_buffer``, which makes pyarrow keep everything that it has read of a
file, so that memory grows with the file in any case.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benches import workloads

_FEW, _MANY = 100_000, 1_000_000
_SHARED = 100_000
_ROUNDS = 3
_LEAST_SHARE = 0.85
"""What two threads should reach of the gain that two processes have."""
_BATCHES = """
import sys
import pyarrow.parquet as pq
import trajmeter
file = pq.ParquetFile(sys.argv[1], pre_buffer=False)
rows = sum(map(len, trajmeter.score_batches(file.iter_batches(10_000), metrics=["turns"])))
assert rows == file.metadata.num_rows, rows
"""
_IN_MEMORY = """
import sys, time
import pyarrow.parquet as pq
import trajmeter
batches = list(pq.ParquetFile(sys.argv[1]).iter_batches(10_000))
def score(batches): return sum(map(len, trajmeter.score_batches(batches, metrics=["turns"])))
score(batches[:1])
began = time.perf_counter()
assert score(batches) == sum(map(len, batches))
print(time.perf_counter() - began)
"""
_LOOP = """
import time
began = time.perf_counter()
for number in range(20_000_000): pass
print(time.perf_counter() - began)
"""


class _Spent(NamedTuple):
    """Resources used by a process."""

    seconds: float
    """Seconds of the processor."""
    megabytes: float
    """The most memory it held."""


def main() -> None:
    """Measure and print."""
    with TemporaryDirectory(prefix="trajmeter-bench-") as folder:
        few, many = (_attempts(Path(folder, str(count)), count) for count in (_FEW, _MANY))
        for name, command in (("trajmeter score", _score), ("score_batches", _score_batches)):
            one, ten = _least(command(few)), _least(command(many))
            start = _least(command(_attempts(Path(folder, f"start-{name}"), 1)))
            growth = (ten.seconds - start.seconds) / (one.seconds - start.seconds)
            sys.stdout.write(
                f"{name}: {_FEW:,} attempts {one.seconds:.2f} s, {one.megabytes:.0f} MB; "
                f"{_MANY:,} attempts {ten.seconds:.2f} s, {ten.megabytes:.0f} MB: "
                f"{growth:.1f} times as long without the start, "
                f"{ten.megabytes / one.megabytes - 1:+.0%} memory\n"
            )
        _share(_attempts(Path(folder, "shared"), _SHARED))


def _share(file: Path) -> None:
    """Measure how well two threads share the work, and fail if that is not enough.

    Raises:
        SystemExit: It is less than :data:`_LEAST_SHARE`.
    """
    score, loop = ["-c", _IN_MEMORY, str(file)], ["-c", _LOOP]
    rounds = [
        (
            _clock([score], threads=1),
            _clock([score], threads=2),
            _clock([loop], threads=1),
            _clock([loop] * 2, threads=1),
        )
        for _ in range(_ROUNDS)
    ]
    one, two, alone, both = map(min, zip(*rounds, strict=True))
    threads, processes = one / two, 2 * alone / both
    share = threads / processes
    sys.stdout.write(
        f"score_batches: two threads {threads:.2f} times as fast as one, two processes that only "
        f"compute {processes:.2f} times: {share:.0%}, at least {_LEAST_SHARE:.0%} expected\n"
    )
    if share < _LEAST_SHARE:
        raise SystemExit(1)


def _attempts(folder: Path, count: int) -> Path:
    folder.mkdir()
    workloads.attempts(folder, count)
    return folder / "attempts.parquet"


def _score(file: Path) -> list[str]:
    output = str(file.with_name("scores.parquet"))
    return ["-m", "trajmeter", "score", str(file), "-m", "turns", "-o", output]


def _score_batches(file: Path) -> list[str]:
    return ["-c", _BATCHES, str(file)]


def _least(words: list[str]) -> _Spent:
    spent = [_spent(words) for _ in range(_ROUNDS)]
    return _Spent(*map(min, zip(*spent, strict=True)))


def _spent(words: list[str]) -> _Spent:
    started = _started(words, threads=2, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    assert not started.returncode, started.args
    return _Spent(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def _clock(words: list[list[str]], *, threads: int) -> float:
    """Return the longest time that any of these processes took, running concurrently."""
    started = [_started(each, threads=threads, stdout=subprocess.PIPE) for each in words]
    outputs = [each.communicate()[0] for each in started]
    assert not any(each.returncode for each in started)
    return max(map(float, outputs))


def _started(words: list[str], *, threads: int, stdout: int) -> subprocess.Popen[bytes]:
    environment = os.environ | {"RAYON_NUM_THREADS": str(threads)}
    return subprocess.Popen(
        [sys.executable, *words],
        env=environment,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
    )


if __name__ == "__main__":
    main()
