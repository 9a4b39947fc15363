"""Output files that cannot be written after all."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str, str]]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "preds.jsonl", "-m", "metrics.py@length"],
        ["score", "preds.jsonl", "-m", "metrics.py@length", "-f", "jsonl"],
        ["score", "--help"],
    ],
)
def test_a_full_disk_below_stdout_is_an_error_that_names_stdout(
    folder: Path, arguments: list[str]
) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "trajmeter", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONUNBUFFERED": ""},
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            text=True,
        )
    assert done.returncode == 2
    assert done.stderr == ("trajmeter: error: stdout: cannot be written: No space left on device\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_a_full_disk_is_an_error_that_names_the_file(run: Run, folder: Path, suffix: str) -> None:
    (folder / f"out{suffix}").symlink_to("/dev/full")
    code, out, err = run("score", "preds.jsonl", "-m", "metrics.py@length", "-o", f"out{suffix}")
    assert (code, out) == (2, "")
    message = f"out{suffix}: cannot be written: No space left on device"
    space = r" \(the file needs at least [\d,]+ bytes, and [\d,]+ are free\)\n"
    assert re.fullmatch(f"trajmeter: error: {re.escape(message)}{space}", err)
