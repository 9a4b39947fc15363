"""Output files that cannot be written after all."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str, str]]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "preds.jsonl", "-m", "metrics.py@length"],
        ["score", "preds.jsonl", "-m", "metrics.py@length", "-f", "jsonl"],
        ["formats"],
        ["score", "--help"],
        ["--version"],
    ],
)
def test_a_full_disk_below_stdout_is_an_error_that_names_stdout(
    folder: Path, arguments: list[str], unbuffered: str
) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "trajmeter", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            text=True,
        )
    assert done.returncode == 2
    assert done.stderr == ("trajmeter: error: stdout: cannot be written: No space left on device\n")


@pytest.mark.skipif(os.name == "nt", reason="file limits of POSIX")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_disk_that_fills_up_below_stdout_is_an_error(folder: Path, unbuffered: str) -> None:
    limited = (
        "import resource, signal; from trajmeter.cli import program; "
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY)); program()"
    )
    with (folder / "formats.json").open("wb") as shown:
        done = subprocess.run(
            [sys.executable, "-c", limited, "formats", "-f", "json"],
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stdout=shown,
            stderr=subprocess.PIPE,
            check=False,
            text=True,
        )
    assert done.returncode == 2
    assert done.stderr == "trajmeter: error: stdout: cannot be written: File too large\n"


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_non_blocking_pipe_is_waited_for(folder: Path, unbuffered: str) -> None:
    (folder / "log.jsonl").write_text((folder / "preds.jsonl").read_text() * 500)
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    command = ["score", "log.jsonl", "-m", "turns", "-f", "jsonl"]
    with subprocess.Popen(
        [sys.executable, "-m", "trajmeter", *command],
        cwd=folder,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        stdout=writer,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(writer)
        select.select([reader], [], [])
        with os.fdopen(reader, "rb") as rows:
            assert len(rows.read().splitlines()) == 1_000
    assert process.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_a_full_disk_is_an_error_that_names_the_file(run: Run, folder: Path, suffix: str) -> None:
    (folder / f"out{suffix}").symlink_to("/dev/full")
    code, out, err = run("score", "preds.jsonl", "-m", "metrics.py@length", "-o", f"out{suffix}")
    assert (code, out) == (2, "")
    message = f"out{suffix}: cannot be written: No space left on device"
    space = r" \(the file needs at least [\d,]+ bytes, and [\d,]+ are free\)\n"
    assert re.fullmatch(f"trajmeter: error: {re.escape(message)}{space}", err)
