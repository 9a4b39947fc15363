"""Measure how scoring scales to large files, and print every ratio with its bar.

``python -m benches.scale [--attempts 1000000] [--output scale.json] [--folder DIR]`` creates the
attempts, and a tenth as many to measure growth; it needs 5 GB of disk for a million. Ratios are of
processor time, so other programs on the machine matter little. Those of two workers are of elapsed
time, and need a quiet machine. Parsing alone is ``rust/core/examples/typed_parse.rs``, which cargo
builds first.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benches.scale.attempts import SPANS, Files, write_attempts, write_tasks
from benches.scale.measuring import Measurements

_ROOT = Path(__file__).parents[2]


class _Options(NamedTuple):
    attempts: int
    output: Path | None
    folder: Path | None


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benches.scale", allow_abbrev=False)
    parser.add_argument("--attempts", type=int, default=1_000_000, help="how many (10^6)")
    parser.add_argument("--output", type=Path, help="file to write the results to, as JSON")
    parser.add_argument("--folder", type=Path, help="where to make the attempts, and keep them")
    options = _Options(**vars(parser.parse_args()))
    if options.folder is not None:
        options.folder.mkdir(parents=True, exist_ok=True)
        _measure(options, options.folder)
        return
    with TemporaryDirectory(prefix="trajmeter-scale-") as folder:
        _measure(options, Path(folder))


def _measure(options: _Options, folder: Path) -> None:
    parser = _built_parser()
    _say(f"making {options.attempts:,} attempts with {options.attempts * SPANS:,} spans")
    many = _made(folder / "many", options.attempts)
    few = _made(folder / "few", options.attempts // 10)
    one = _made(folder / "one", 1)
    tasks, snapshots = write_tasks(folder)
    measurements = Measurements(folder, many=many, few=few, one=one, attempts=options.attempts)
    for row in measurements.rows(parser, tasks, snapshots):
        _say(str(row))
    missed = [row.name for row in measurements.done if row.is_met is False]
    _say(f"{len(missed)} bars missed{': ' if missed else ''}{', '.join(missed)}")
    if options.output is not None:
        about = {
            "command": f"python -m benches.scale --attempts {options.attempts}",
            "attempts": options.attempts,
            "spans": options.attempts * SPANS,
            "bytes": {"parquet": many.parquet.stat().st_size, "lines": many.lines.stat().st_size},
            "rows": [row.to_json() for row in measurements.done],
        }
        options.output.write_text(json.dumps(about, indent=2) + "\n")


def _made(folder: Path, count: int) -> Files:
    """Create the attempts, unless an earlier run kept them."""
    folder.mkdir(exist_ok=True)
    files, made = Files(folder / "attempts.parquet", folder / "attempts.jsonl"), folder / "made"
    if not made.exists() or made.read_text() != str(count):
        files = write_attempts(folder, count)
        made.write_text(str(count))
    return files


def _built_parser() -> Path | None:
    """Build the program that only parses; return ``None`` without cargo."""
    command = ["cargo", "build", "--release", "--locked", "--message-format=json"]
    command += ["--package", "trajmeter-core", "--example", "typed_parse"]
    try:
        built = subprocess.run(command, cwd=_ROOT, stdout=subprocess.PIPE, check=True)
    except FileNotFoundError:
        _say("cargo is not installed: nothing is compared with parsing alone")
        return None
    messages = map(json.loads, built.stdout.splitlines())
    return next(Path(each["executable"]) for each in messages if each.get("executable"))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
