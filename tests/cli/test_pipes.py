"""Named pipes in place of files."""

from __future__ import annotations

import os
import tempfile
from threading import Thread
from typing import TYPE_CHECKING, TypeAlias

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run: TypeAlias = Callable[..., tuple[int, str, str]]

LENGTH = "metrics.py@length"

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


def test_a_pipe_of_snapshots_is_refused_with_what_to_do(run: Run, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    end = os.open(folder / "pipe", os.O_RDWR)  # so that opening it to read does not wait
    try:
        code, _, err = run("score", "preds.jsonl", "-s", "pipe", "-m", LENGTH)
    finally:
        os.close(end)
    assert code == 4
    assert "pipe: a pipe cannot be read; save its output to a file first" in err


def test_a_pipe_of_attempts_is_read(run: Run, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    content = (folder / "preds.jsonl").read_bytes()
    writer = Thread(target=(folder / "pipe").write_bytes, args=(content,))
    writer.start()
    code, from_pipe, _ = run("score", "pipe", "-m", LENGTH, "-f", "csv")
    writer.join()
    assert code == 0
    _, from_file, _ = run("score", "preds.jsonl", "-m", LENGTH, "-f", "csv")
    assert from_pipe.replace("pipe:", "preds.jsonl:") == from_file


def test_attempts_and_tasks_are_read_from_pipes(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = folder / "copies"
    copies.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(copies))
    writers = []
    for pipe, source in (("attempts", "preds.jsonl"), ("tasks", "gold.jsonl")):
        os.mkfifo(folder / pipe)
        content = (folder / source).read_bytes()
        writers.append(Thread(target=(folder / pipe).write_bytes, args=(content,)))
    for writer in writers:
        writer.start()
    code, _, err = run("score", "attempts", "-t", "tasks", "-m", LENGTH, "-f", "csv")
    for writer in writers:
        writer.join()
    assert (code, err) == (0, "")
    assert not [*copies.iterdir()]
