"""``trajmeter score`` in units, and ``trajmeter merge``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import pyarrow.dataset
import pytest

from tests.cli.test_main import PROGRAM
from tests.scoring.attempts import SIZES, contents, write_attempts
from trajmeter.cli import _units
from trajmeter.scoring.runs import run as runs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run: TypeAlias = Callable[..., tuple[int, str, str]]


SLOW = """
import os, sys, time, trajmeter

@trajmeter.metric
def slow(task, trajectory):
    if not os.path.exists("fast"):
        print(os.getpid(), file=sys.stderr, flush=True)
        time.sleep(60)
    return 1.0
"""

DEADLY = """
import os, signal, trajmeter

@trajmeter.metric
def deadly(task, trajectory):
    if trajectory.source.file == "1000.jsonl":
        os.kill(os.getpid(), signal.SIGKILL)
    return 1.0
"""


@pytest.fixture
def small_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """Units of a few dozen lines, also of single files."""
    from tests.scoring.attempts import SIZES
    from trajmeter.scoring.runs import run

    options = run.RunOptions
    monkeypatch.setattr(run, "RunOptions", lambda **given: options(**given, sizes=SIZES))
    monkeypatch.setattr(_units, "_LARGE_BYTES", SIZES.piece_bytes)


def test_a_folder_of_parts(run: Run, folder: Path) -> None:
    code, out, err = run("score", "preds.jsonl", "-m", "metrics.py@length", "-o", "scores")
    assert code == 0
    assert "2 attempts · length (version 1)" in out
    assert "trajmeter: wrote 2 rows to scores" in err
    rows = pyarrow.dataset.dataset(folder / "scores" / "rows").to_table()
    assert rows["length.value"].to_pylist() == [3.0, None]
    code, _, err = run("score", "preds.jsonl", "-m", "metrics.py@length", "-o", "scores")
    assert (code, "resuming: 1 of 1 units are done" in err) == (0, True)


@pytest.mark.usefixtures("small_units")
def test_a_large_input_gives_the_bytes_of_one_pass(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_attempts(folder / "runs.jsonl", broken=1)
    code, out, err = run("score", "runs.jsonl", "-m", "turns", "-o", "units.jsonl", "-f", "json")
    assert code == 4
    assert err.count("unreadable: ") == 1
    assert not [*folder.glob(".units*")]
    monkeypatch.setattr(_units, "_LARGE_BYTES", 1 << 20)
    _, direct, _ = run("score", "runs.jsonl", "-m", "turns", "-o", "direct.jsonl", "-f", "json")
    assert out == direct
    assert (folder / "units.jsonl").read_bytes() == (folder / "direct.jsonl").read_bytes()


@pytest.mark.usefixtures("small_units")
def test_large_inputs_of_metrics_that_compare_attempts_are_sorted_by_task(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_attempts(folder / "runs.jsonl", broken=1)
    sizes = replace(SIZES, share_bytes=4_000)
    options = runs.RunOptions
    monkeypatch.setattr(runs, "RunOptions", lambda **given: replace(options(**given), sizes=sizes))
    command = ("score", "runs.jsonl", "-m", "turns,speedup", "-f", "json", "-o")
    code, out, err = run(*command, "units.jsonl")
    assert (code, err.count("unreadable: "), err.count("sorting 0 MiB by task")) == (4, 1, 1)
    monkeypatch.setattr(_units, "_LARGE_BYTES", 1 << 20)
    code, direct, err = run(*command, "direct.jsonl")
    assert (code, err.count("unreadable: "), err.count("sorting")) == (4, 1, 0)
    assert (folder / "units.jsonl").read_bytes() == (folder / "direct.jsonl").read_bytes()
    assert json.loads(out)["overall"] == json.loads(direct)["overall"]


@pytest.mark.usefixtures("small_units")
def test_rows_are_printed_and_gates_checked_in_units(run: Run, folder: Path) -> None:
    write_attempts(folder / "runs.jsonl")
    gate = ("--fail-under", "turns.run.passed=0.9")
    asked = ("score", "runs.jsonl", "-m", "turns", "-f", "jsonl", *gate)
    code, out, err = run(*asked, "-o", "scores")
    assert code == 1
    _, direct, _ = run(*asked)
    assert out == direct
    assert len(out.splitlines()) == 200
    assert "turns.run.passed" in err


@pytest.mark.usefixtures("small_units")
def test_shards_are_merged(run: Run, folder: Path) -> None:
    write_attempts(folder / "runs.jsonl", broken=2)
    whole = run("score", "runs.jsonl", "-m", "turns", "-o", "whole")
    assert whole[0] == 4
    for number in (1, 2):
        shard = ("--shard", f"{number}/2", "-o", f"shard-{number}")
        code, _, err = run("score", "runs.jsonl", "-m", "turns", *shard)
        assert (code, f"shard {number}/2 is done" in err) == (4, True)
        assert "for intervals" not in err, "a shard is no results table"
    code, out, err = run("merge", "shard-1", "shard-2", "-o", "all", "--verify")
    assert (code, out) == (4, "")
    assert "200 rows in" in err
    assert "2 unreadable" in err
    assert contents(folder / "all") == contents(folder / "whole")
    code, _, err = run("merge", "shard-1", "shard-2", "-o", "other", "-m", "turns,tools")
    assert (code, (folder / "other").exists()) == (2, False)
    assert err == "trajmeter: error: unknown metric of this run 'tools'; available: turns\n"
    code, _, err = run("merge", "shard-1", "-o", "more")
    assert (code, "units are missing" in err) == (2, True)


@pytest.mark.usefixtures("small_units")
def test_a_resumed_run_counts_what_the_earlier_one_could_not_read(run: Run, folder: Path) -> None:
    write_attempts(folder / "runs.jsonl", broken=2)
    run("score", "runs.jsonl", "-m", "turns", "-o", "scores")
    (folder / "scores" / "rows" / "part-000000.parquet").unlink()
    code, _, err = run("score", "runs.jsonl", "-m", "turns", "-o", "scores")
    assert (code, "2 more that the earlier run reported" in err) == (4, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--shard", "1/2"], "a shard needs a folder"),
        (["--shard", "1", "-o", "out"], "expected I/N"),
        (["--shard", "3/2", "-o", "out"], "shard 3/2"),
        (["--shard", "1/2", "-o", "out", "-f", "csv"], "neither gates nor a report"),
        (["--workers", "many"], "expected a number or auto"),
        (["--workers", "0", "-o", "out"], "--workers 0: expected at least 1"),
        (["-o", "."], "contains other files"),
    ],
)
def test_options_that_contradict(options: list[str], message: str, run: Run, folder: Path) -> None:
    code, _, err = run("score", "preds.jsonl", "-m", "metrics.py@length", *options)
    assert (code, message in err) == (2, True)
    assert (folder / "preds.jsonl").exists()


@pytest.mark.usefixtures("folder")
def test_another_run_is_refused_unless_it_may_be_replaced(run: Run) -> None:
    run("score", "preds.jsonl", "-m", "metrics.py@length", "-o", "scores")
    other = ("score", "preds.jsonl", "-m", "turns", "-o", "scores")
    code, _, err = run(*other)
    assert (code, "length was removed; metrics: turns is new" in err) == (2, True)
    assert run(*other, "--overwrite")[0] == 0


def test_ctrl_c_tells_how_to_go_on(run: Run, folder: Path) -> None:
    code, _, err = run("score", "preds.jsonl", "-m", "metrics.py@interrupted", "-o", "scores")
    assert code == 130
    assert "run the same command again to resume" in err
    assert json.loads((folder / "scores" / "state" / "plan.json").read_text())["run_key"]
    assert not [*(folder / "scores" / "rows").iterdir()]


def test_an_edited_metric_file_makes_another_run(run: Run, folder: Path) -> None:
    asked = ("score", "preds.jsonl", "-m", "metrics.py@length", "-o", "scores")
    run(*asked)
    with (folder / "metrics.py").open("a") as file:
        file.write("# another thought\n")
    code, _, err = run(*asked)
    assert (code, "length: metrics.py" in err) == (2, True)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_workers_and_tells_how_to_go_on(
    number: int, code: int, workers: str, run: Run, folder: Path
) -> None:
    (folder / "slow.py").write_text(SLOW)
    runs = folder / "runs"
    runs.mkdir()
    count = 1_001 if workers == "2" else 2  # a unit holds 1,000
    for attempt in range(count):
        (runs / f"{attempt:04}.jsonl").write_text('{"task_id": "a", "turns": []}\n')
    asked = ("score", "runs", "-m", "slow.py@slow", "-o", "scores", "--workers", workers)
    with subprocess.Popen(
        [*PROGRAM, *asked], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        worker = int(process.stderr.readline())
        process.send_signal(number)
        out, stderr = process.communicate(timeout=120)
    assert (process.returncode, out) == (code, b"")
    assert b"trajmeter: run the same command again to resume\n" in stderr
    assert (worker == process.pid) == (workers == "1")
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)
    left = [each for each in (folder / "scores").rglob("*") if each.is_file()]
    assert {each.name for each in left} == {"plan.json", "lock-1-of-1"}
    (folder / "fast").touch()
    done, _, err = run(*asked)
    assert (done, f"wrote {count:,} rows to scores" in err) == (0, True)


def test_a_file_that_lacks_units_is_not_said_to_be_written(run: Run, folder: Path) -> None:
    (folder / "deadly.py").write_text(DEADLY)
    for number in range(1_001):
        write_attempts(folder / f"{number:04}.jsonl", 1)
    asked = ("score", "????.jsonl", "-m", "deadly.py@deadly", "-o", "out.jsonl", "--workers", "2")
    code, _, err = run(*asked)
    assert code == 3
    assert "was ended by SIGKILL" in err
    assert "out.jsonl was not written, because units are missing" in err
    assert "wrote" not in err
    assert not (folder / "out.jsonl").exists()


@pytest.mark.parametrize("asked", [[], ["--quantiles"]])
def test_quantiles_are_those_of_one_pass_in_units_and_merged_shards(
    asked: list[str], run: Run, small_units: None, folder: Path
) -> None:
    write_attempts(folder / "many.jsonl")
    score = ("score", "many.jsonl", "-m", "turns", *asked)
    expected = json.loads(run(*score, "--format", "json")[1])
    overall, of_groups = expected["overall"], expected["groups"]
    assert overall["quantiles"]["turns.recorded_turns"]["max"] == 4
    assert [bool(group["quantiles"]) for group in of_groups] == [bool(asked)] * 3
    for number in (2, 1):
        assert run(*score, "-o", f"shard-{number}", "--shard", f"{number}/2")[0] == 0
    assert run("merge", "shard-1", "shard-2", "-o", "merged")[0] == 0
    merged = json.loads((folder / "merged" / "summary.json").read_text())
    assert merged == expected
    other = [] if asked else ["--quantiles"]
    code, _, err = run("score", "many.jsonl", "-m", "turns", *other, "-o", "merged")
    assert (code, "quantiles: " in err) == (2, True)
