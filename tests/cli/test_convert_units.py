"""``trajmeter convert`` in units: folders, shards, and what a second run of it finds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias

import pytest

from trajmeter.readers import read_trajectories

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run: TypeAlias = Callable[..., tuple[int, str, str]]


@pytest.fixture
def runs(folder: Path) -> Path:
    """Three attempts in two files, and a line that cannot be read."""
    (folder / "a.jsonl").write_text('{"task_id": "a"}\n{"task_id": "b"}\n{bad\n')
    (folder / "c.jsonl").write_text('{"task_id": "c"}\n')
    return folder


def test_a_folder_is_resumed_replaced_or_begun_anew(run: Run, runs: Path) -> None:
    command = ("convert", "a.jsonl", "c.jsonl", "-o", "out/converted")
    code, out, err = run(*command)
    assert (code, out) == (4, "")
    assert err.splitlines()[1:] == [
        "trajmeter: 3 of trajectory-records",
        "trajmeter: wrote 3 trajectories to out/converted",
    ]
    read = [*read_trajectories(runs / "out/converted/rows")]
    assert [attempt.task_id for attempt in read] == ["a", "b", "c"]
    code, _, err = run(*command)
    assert code == 4
    assert err.splitlines()[:2] == [
        "trajmeter: resuming: 1 of 1 units are done",
        "trajmeter: unreadable: 1 more that the earlier run reported",
    ]
    assert "resuming" not in run(*command, "--no-resume")[2]
    code, _, err = run("convert", "c.jsonl", "-o", "out/converted")
    assert code == 2
    assert "another run (inputs: a.jsonl was removed)" in err
    assert run("convert", "c.jsonl", "-o", "out/converted", "--overwrite")[0] == 0
    assert json.loads((runs / "out/converted/summary.json").read_text())["trajectories"] == 1


def test_shards_become_one(run: Run, runs: Path) -> None:
    assert run("convert", "c.jsonl", "-o", "one")[0] == 0
    code, _, err = run("convert", "c.jsonl", "-o", "shard", "--shard", "2/2")
    assert (code, "units of other shards are missing" in err) == (0, True)
    assert run("convert", "c.jsonl", "-o", "shard", "--shard", "1/2")[0] == 0
    code, _, err = run("merge", "shard", "-o", "merged", "-m", "turns")
    assert (code, (runs / "merged").exists()) == (2, False)
    assert err == "trajmeter: error: unknown metric of this run 'turns'; available: none\n"
    assert run("merge", "shard", "-o", "merged", "--verify")[0] == 0
    name = "rows/part-000000.parquet"
    assert (runs / "merged" / name).read_bytes() == (runs / "one" / name).read_bytes()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_large_inputs_are_resumed_to_one_file(
    run: Run, runs: Path, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    command = ("convert", "a.jsonl", "c.jsonl", "-w", workers, "-o")
    assert run(*command, "expected.jsonl")[0] == 4
    monkeypatch.setattr("trajmeter.cli._units._LARGE_BYTES", 10)
    made: list[Path] = []

    def end(*_: object) -> None:
        made.extend(runs.glob(".out.jsonl.*.work/rows/part-*"))
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("trajmeter.scoring.runs.run.publish", end)
        code, _, err = run(*command, "out.jsonl")
    assert (code, len(made)) == (130, 1)
    assert "run the same command again to resume" in err
    assert "resuming: 1 of 1 units are done" in run(*command, "out.jsonl")[2]
    assert (runs / "out.jsonl").read_bytes() == (runs / "expected.jsonl").read_bytes()
    assert not [*runs.glob(".*")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "out.jsonl", "--shard", "1/2"), "a shard needs a folder"),
        (("-o", "out", "--shard", "3/2"), "expected a number from 1"),
        (("-o", "out.txt"), "expected a file that ends in .jsonl, .parquet"),
    ],
)
def test_a_wrong_call_is_an_error(
    run: Run, runs: Path, arguments: tuple[str, ...], message: str
) -> None:
    code, _, err = run("convert", "c.jsonl", *arguments)
    assert code == 2
    assert message in " ".join(err.split())
    assert not [*runs.glob("out*")]
