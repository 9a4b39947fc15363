"""How time and memory grow with the attempts, and how two threads share the work.

Run ``python -m benches.growth``. Time is that of the processor, so that other programs on the
machine matter little; only the shares of threads and processes are of the clock, and need a quiet
machine with two cores. Files are read without ``pre_buffer``, by which pyarrow keeps all that it
has read of a file: that memory grows with the file, whatever is done with it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benches import workloads

_FEW, _MANY = 100_000, 1_000_000
_SHARED = 100_000
_ROUNDS = 3
_BATCHES = """
import sys
import pyarrow.parquet as pq
import trajmeter
file = pq.ParquetFile(sys.argv[1], pre_buffer=False)
rows = sum(map(len, trajmeter.score_batches(file.iter_batches(10_000), metrics=["turns"])))
assert rows == file.metadata.num_rows, rows
"""


class _Spent(NamedTuple):
    """What a process took."""

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
        shared = _score_batches(_attempts(Path(folder, "shared"), _SHARED))
        alone = min(_clock([shared], threads=1) for _ in range(_ROUNDS))
        threads = alone / min(_clock([shared], threads=2) for _ in range(_ROUNDS))
        processes = 2 * alone / min(_clock([shared] * 2, threads=1) for _ in range(_ROUNDS))
        sys.stdout.write(
            f"score_batches: two threads {threads:.2f} times as fast as one, two processes "
            f"{processes:.2f} times: {threads / processes:.0%}\n"
        )


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
    started = _started(words, threads=2)
    _, status, usage = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    assert not started.returncode, started.args
    return _Spent(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def _clock(words: list[list[str]], *, threads: int) -> float:
    """Seconds until all of these are done, which run at once."""
    began = time.perf_counter()
    started = [_started(each, threads=threads) for each in words]
    codes = [each.wait() for each in started]
    assert not any(codes)
    return time.perf_counter() - began


def _started(words: list[str], *, threads: int) -> subprocess.Popen[bytes]:
    environment = os.environ | {"RAYON_NUM_THREADS": str(threads)}
    quiet = subprocess.DEVNULL
    return subprocess.Popen([sys.executable, *words], env=environment, stdout=quiet, stderr=quiet)


if __name__ == "__main__":
    main()
