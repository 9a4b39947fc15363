"""Run the benchmarks and print one table.

``python -m benches [--output results.json] [pytest options]``; ``--output`` saves the results.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benches.results import Results
from benches.table import Timing, measured, table

_HERE = Path(__file__).parent


def _run(threads: int, arguments: list[str], *, parallel_only: bool) -> list[Timing]:
    """Time every case on this many threads, in a new process, as the pool is created only once."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        environment = os.environ | {
            "RAYON_NUM_THREADS": str(threads),
            "POLARS_MAX_THREADS": str(threads),
        }
        command = [sys.executable, "-m", "pytest", "--quiet", "--benchmark-quiet"]
        command += ["--benchmark-only", f"--benchmark-json={report}", str(_HERE), *arguments]
        # Options that select no benchmark do not stop the run.
        command += ["-W", "ignore::pytest_benchmark.logger.PytestBenchmarkWarning"]
        command += ["--parallel-only"] if parallel_only else []
        done = subprocess.run(command, env=environment, stdout=sys.stderr, check=False)
        if done.returncode not in (0, 5):  # 5: no test was selected
            sys.exit(done.returncode)
        results = json.loads(report.read_text())["benchmarks"] if report.exists() else []
    return [
        Timing(
            case=result["group"],
            contender=result["extra_info"].get("contender", result["name"]),
            threads=threads,
            seconds=result["stats"]["median"],
        )
        for result in results
    ]


def main() -> None:
    """Time everything on one thread, and the threaded cases on all threads as well."""
    parser = argparse.ArgumentParser(prog="python -m benches", allow_abbrev=False)
    parser.add_argument("--output", type=Path, help="file to write the results to, as JSON")
    options, arguments = parser.parse_known_args()
    cores = os.cpu_count() or 1
    timings = _run(1, arguments, parallel_only=False)
    if cores > 1:
        timings += _run(cores, arguments, parallel_only=True)
    results = Results.of(" ".join(["python -m benches", *arguments]), measured(timings))
    if options.output is not None:
        results.write(options.output)
    sys.stdout.write(f"{table(results)}\n")


if __name__ == "__main__":
    main()
