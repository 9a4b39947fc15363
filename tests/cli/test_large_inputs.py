"""What ``score`` and ``convert`` are given: places, patterns, sizes, and wrong outputs."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import time
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.cli.test_main import PROGRAM
from tests.remote.stores import held, memory_folder, put
from tests.scoring.attempts import write_attempts
from trajmeter.cli import _reading
from trajmeter.schemas import trajectory_schema

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run: TypeAlias = Callable[..., tuple[int, str, str]]

SCORE = ("score", "-m", "turns")


@pytest.mark.parametrize("command", [SCORE, ("convert",)])
@pytest.mark.parametrize("output", ["runs/out.parquet", "runs/deep/scores", "runs"])
def test_an_output_within_an_input_folder_is_refused(
    command: tuple[str, ...], output: str, run: Run, folder: Path
) -> None:
    (folder / "runs").mkdir()
    write_attempts(folder / "runs" / "a.jsonl")
    code, _, err = run(*command, "runs", "-o", output)
    assert code == 2
    assert "input" in err
    assert "write the results" in err
    assert [each.name for each in (folder / "runs").iterdir()] == ["a.jsonl"]
    code, _, err = run(*command, "runs/*.jsonl", "-o", "runs/out.parquet")
    assert code == 0, err


@pytest.mark.parametrize("command", [SCORE, ("convert", "-o", "out.jsonl"), ("view",)])
def test_a_pattern_that_names_nothing_is_a_usage_error(
    command: tuple[str, ...], run: Run, folder: Path
) -> None:
    code, out, err = run(*command, "none/*.jsonl")
    assert (code, out) == (2, "")
    assert "none/*.jsonl: no file matches this pattern" in err
    assert not (folder / "out.jsonl").exists()
    root = memory_folder()
    put(root, {"a.jsonl": b'{"task_id": "a"}\n'})
    code, _, err = run(*command, f"{root}/*.parquet")
    assert (code, "no file matches this pattern" in err) == (2, True)


@pytest.mark.parametrize("command", [SCORE, ("convert",)])
def test_a_pattern_that_names_the_earlier_output_is_refused(
    command: tuple[str, ...], run: Run, folder: Path
) -> None:
    (folder / "runs").mkdir()
    write_attempts(folder / "runs" / "a.jsonl")
    again = (*command, "runs/*.jsonl", "-o", "runs/out.jsonl")
    assert run(*again)[0] == 0
    written = (folder / "runs" / "out.jsonl").read_bytes()
    code, _, err = run(*again)
    assert (code, "runs/out.jsonl is an input, matched by runs/*.jsonl" in err) == (2, True)
    assert (folder / "runs" / "out.jsonl").read_bytes() == written
    code, _, err = run(*command, "run*", "-o", "runs/more/out.jsonl")
    assert (code, "is in the input folder runs" in err) == (2, True)


@pytest.mark.parametrize("command", [SCORE, ("convert",)])
@pytest.mark.parametrize("output", ["out.jsonl", "out"])
def test_a_column_of_a_wrong_type_is_refused_before_anything_is_read(
    command: tuple[str, ...], output: str, run: Run, folder: Path
) -> None:
    wrong = pa.table({"task_id": ["t"], "passed": [[1]]})
    (folder / "runs").mkdir()
    write_attempts(folder / "runs" / "a.jsonl", 3, broken=1)
    parquet.write_table(wrong, folder / "runs" / "b.parquet")
    found = parquet.read_schema(folder / "runs" / "b.parquet").field("passed").type
    mismatch = f"b.parquet: column passed is {found}, expected bool"
    for named in (("runs/a.jsonl", "runs/b.parquet"), ("runs/*",)):
        code, out, err = run(*command, *named, "-o", output)
        assert (code, out, "unreadable" in err, mismatch in err) == (2, "", False, True)
        assert not (folder / output).exists()
    # A table that happens to lie in a folder may be anything, unless it says that it is ours.
    code, _, err = run(*command, "runs", "-o", output)
    assert (code, err.count("unreadable: ")) == (4, 2)
    marked = wrong.replace_schema_metadata(trajectory_schema().metadata)
    parquet.write_table(marked, folder / "runs" / "b.parquet")
    code, out, err = run(*command, "runs", "-o", f"other-{output}")
    assert (code, out, "unreadable" in err, mismatch in err) == (2, "", False, True)


@pytest.mark.parametrize("command", [SCORE, ("convert",)])
def test_no_folder_is_called_as_standard_output_is(
    command: tuple[str, ...], run: Run, folder: Path
) -> None:
    write_attempts(folder / "a.jsonl", 3)
    code, out, err = run(*command, "a.jsonl", "-o", "-")
    assert (code, out, "results are not written to -" in err) == (2, "", True)
    assert not (folder / "-").exists()


def test_a_folder_may_have_a_dot_in_its_name(run: Run, folder: Path) -> None:
    write_attempts(folder / "a.jsonl")
    code, _, err = run(*SCORE, "a.jsonl", "-o", "run.2026/")
    assert code == 0, err
    assert (folder / "run.2026" / "manifest.json").exists()
    (folder / "run.final").mkdir()
    assert run(*SCORE, "a.jsonl", "-o", "run.final")[0] == 0
    code, _, err = run(*SCORE, "a.jsonl", "-o", "run.xlsx")
    assert (code, "expected a file that ends in" in err) == (2, True)


def test_places_elsewhere_are_read_and_written(run: Run, folder: Path) -> None:
    root = memory_folder()
    put(root, {"in/a.jsonl": write_attempts(folder / "a.jsonl"), "in/b.jsonl": b"{broken\n"})
    code, out, err = run(*SCORE, f"{root}/in?key=topsecret", "-o", f"{root}/secret")
    assert (code, "topsecret" in err + out) == (4, False)
    assert b"topsecret" not in b"".join(held(f"{root}/secret").values())
    code, out, err = run(*SCORE, f"{root}/in/*.jsonl", "-o", f"{root}/out")
    assert code == 4, err
    assert f"unreadable: {root}/in/b.jsonl:1: invalid JSON" in err
    assert "200 attempts" in out
    assert "manifest.json" in held(f"{root}/out")
    assert run("convert", f"{root}/in/a.jsonl", "-o", "a.parquet")[0] == 0
    assert parquet.read_metadata(folder / "a.parquet").num_rows == 200
    code, _, err = run(*SCORE, f"{root}/none.jsonl")
    assert (code, f"{root}/none.jsonl" in err, "does not exist" in err) == (2, True, True)
    code, _, err = run(*SCORE, f"{root}/in/a.jsonl", "-o", f"{root}/scores.parquet")
    assert (code, "as a folder of parts" in err) == (2, True)


@pytest.mark.parametrize("command", [SCORE, ("convert",)])
@pytest.mark.parametrize("output", ["out.parquet", "out"])
def test_long_lines_are_left_out(
    command: tuple[str, ...], output: str, run: Run, folder: Path
) -> None:
    lines = ['{"task_id": "a", "turns": []}', json.dumps({"task_id": "b" * 2_000})]
    (folder / "a.jsonl").write_text("\n".join(lines))
    code, _, err = run(*command, "a.jsonl", "-o", output, "--max-line", "1KiB")
    assert code == 4
    assert "a.jsonl:2: the line is longer than 1,024 bytes (--max-line); it is left out" in err
    assert ("wrote 1 row to" if command == SCORE else "wrote 1 trajectory") in err
    assert run(*command, "a.jsonl", "-o", f"other {output}", "--max-line", "2049")[0] == 0


@pytest.mark.parametrize(
    ("given", "size"), [("7", 7), ("1k", 1 << 10), ("2 MiB", 2 << 20), ("1GB", 1 << 30)]
)
def test_sizes_may_have_units(given: str, size: int) -> None:
    assert _reading.line_bytes(given) == size


@pytest.mark.parametrize("given", ["0", "-1", "many", "1.5M", "1T"])
def test_what_is_no_size_is_refused(given: str, run: Run, folder: Path) -> None:
    code, _, err = run(*SCORE, str(folder / "preds.jsonl"), "--max-line", given)
    assert (code, "expected a number of bytes" in err) == (2, True)


def test_results_do_not_depend_on_batches_and_threads(run: Run, folder: Path) -> None:
    threads = os.environ.get("RAYON_NUM_THREADS")
    write_attempts(folder / "a.jsonl")
    assert run(*SCORE, "a.jsonl", "-o", "all")[0] == 0
    options = ("--batch-size", "7", "--threads", "1")
    code, _, err = run(*SCORE, "a.jsonl", "-o", "few", *options)
    assert code == 0, err
    name = "rows/part-000000.parquet"
    assert (folder / "all" / name).read_bytes() == (folder / "few" / name).read_bytes()
    assert "resuming" in run(*SCORE, "a.jsonl", "-o", "all", *options)[2]
    assert os.environ.get("RAYON_NUM_THREADS") == threads
    assert run(*SCORE, "a.jsonl", "--batch-size", "0")[0] == 2
    assert run("convert", "a.jsonl", "-o", "a.parquet", *options)[0] == 0


def test_problems_of_an_earlier_run_are_counted_beside_those_of_tasks(
    run: Run, folder: Path
) -> None:
    write_attempts(folder / "a.jsonl", broken=3)
    (folder / "bad.jsonl").write_text("{broken\n{broken\n")
    arguments = (*SCORE, "a.jsonl", "-t", "bad.jsonl", "-o", "scores")
    assert run(*arguments)[0] == 4
    code, _, err = run(*arguments)
    assert code == 4
    assert "resuming: 1 of 1 units are done" in err
    assert "unreadable: 3 more that the earlier run reported" in err


def test_a_compressed_file_that_is_cut_names_line_and_byte(run: Run, folder: Path) -> None:
    lines = write_attempts(folder / "a.jsonl", 2_000).read_bytes()
    packed = gzip.compress(lines)
    (folder / "a.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    code, out, err = run(*SCORE, "a.jsonl.gz", "-f", "json")
    assert code == 4
    count = json.loads(out)["overall"]["attempts"]
    assert count > 500
    found = re.search(r"a\.jsonl\.gz:(\d+): .* ([\d,]+) bytes were decompressed", err)
    assert found
    assert int(found[1]) == count + 1
    assert lines[: int(found[2].replace(",", ""))].count(b"\n") == count


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C of POSIX")
def test_a_pipe_cannot_be_resumed_and_ctrl_c_does_not_say_so(folder: Path) -> None:
    (folder / "slow.py").write_text(
        "import sys, time, trajmeter\n"
        "@trajmeter.metric\n"
        "def slow(task, trajectory):\n"
        "    print('scoring', file=sys.stderr, flush=True)\n"
        "    time.sleep(60)\n"
    )
    command = [*PROGRAM, "score", "-", "-m", "slow.py@slow", "-o", "scores"]
    with (
        (folder / "preds.jsonl").open("rb") as given,
        subprocess.Popen(command, stdin=given, stderr=subprocess.PIPE, text=True) as process,
    ):
        assert process.stderr
        said = ""
        while "scoring" not in said:
            said += process.stderr.readline()
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        said += process.stderr.read()
    assert process.returncode == 130
    assert "cannot be read again: this run cannot be resumed" in said
    assert "to resume" not in said
