"""Help that nobody reads to its end, and messages that cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-m", "trajmeter"]


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
@pytest.mark.parametrize("command", [[], ["score"], ["report"]], ids=" ".join)
def test_help_into_a_closed_pipe_ends_quietly(command: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [*PROGRAM, *command, "--help"],
            stdout=writer,
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
        )
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


ABSENT = ["summarize", "absent.jsonl"]
WRONG = ["score", "--bogus"]


def code_with(command: list[str], messages: int) -> int:
    """Exit code of a command that writes its messages to this file descriptor."""
    call = [*PROGRAM, *command]
    done = subprocess.run(
        call, stdout=subprocess.DEVNULL, stderr=messages, timeout=120, check=False
    )
    return done.returncode


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
@pytest.mark.parametrize("command", [ABSENT, WRONG], ids=" ".join)
def test_a_wrong_call_is_no_failed_gate_if_nobody_reads_why(command: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert code_with(command, writer) == 2
    finally:
        os.close(writer)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", [ABSENT, WRONG], ids=" ".join)
def test_a_wrong_call_is_no_failed_gate_if_the_disk_is_full(command: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        assert code_with(command, full.fileno()) == 2
