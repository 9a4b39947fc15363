from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest
from pyarrow import parquet

import trajmeter
from trajmeter.readers import read_trajectories

if TYPE_CHECKING:
    from collections.abc import Callable

    Run: TypeAlias = Callable[..., tuple[int, str, str]]

RUN = {
    "trajectory_format": "mini-swe-agent-1",
    "instance_id": "two",
    "info": {"submission": "diff", "exit_status": "Submitted"},
    "messages": [
        {"role": "user", "content": "<returncode>0</returncode>"},
        {"role": "assistant", "content": "```bash\ncat src/a.py\n```"},
        {"role": "user", "content": "<returncode>1</returncode>"},
    ],
}
STEP = {"files": ["a.py"], "spans": {"a.py": [{"start": 1, "end": 4}]}}
PREDICTION = {"instance_id": "one", "traj_data": {"pred_steps": [STEP]}, "model_patch": ""}
ROW = {"uid": 3, "conversation_log": [{"role": "assistant", "content": "No."}]}


@pytest.fixture
def logs(folder: Path) -> Path:
    """A folder of logs in several formats."""
    (folder / "logs").mkdir()
    (folder / "logs" / "run.traj.json").write_text(json.dumps(RUN))
    (folder / "logs" / "preds.jsonl.gz").write_bytes(gzip.compress(b""))
    (folder / "logs" / "predicted.jsonl.gz").write_bytes(
        gzip.compress(json.dumps(PREDICTION).encode())
    )
    (folder / "preds.jsonl").rename(folder / "logs" / "own.jsonl")
    (folder / "logs" / "preds.jsonl.gz").unlink()
    return folder / "logs"


@pytest.mark.parametrize("name", ["out/all.parquet", "out/all.jsonl"])
def test_what_is_written_scores_as_the_logs_do(
    run: Run, folder: Path, logs: Path, name: str
) -> None:
    code, out, err = run("convert", "logs", "-o", name)
    assert (code, out) == (0, "")
    assert f"trajmeter: wrote 4 trajectories to {name}" in err
    metrics = ["context", "turns", "tools", "rules"]
    direct = trajmeter.score("logs", metrics=metrics, tasks=folder / "gold.jsonl")
    again = trajmeter.score(name, metrics=metrics, tasks=folder / "gold.jsonl")
    assert [str(row) for row in again.rows] == [str(row) for row in direct.rows]
    written = [*read_trajectories(name)]
    assert written == [*read_trajectories("logs")]


def test_the_summary_says_what_formats_cannot_carry(run: Run, logs: Path) -> None:
    _, _, err = run("convert", str(logs), "-o", "all.jsonl")
    lines = err.splitlines()
    assert lines[0].startswith(
        "trajmeter: 1 of contextbench-predictions; the format does not record "
    )
    assert "turns.tool_calls, turns.tool_calls.result, turns.usage" in lines[0]
    assert "turns.views" not in lines[0]
    assert lines[1].startswith("trajmeter: 1 of mini-swe-agent-1")
    assert lines[2:] == [
        "trajmeter: 2 of trajectory-records",
        "trajmeter: wrote 4 trajectories to all.jsonl",
    ]


def test_what_cannot_be_read_is_reported_and_the_rest_is_written(run: Run, logs: Path) -> None:
    (logs / "broken.jsonl").write_text('{"task_id": "a"}\n{"task_id"')
    code, out, err = run("convert", str(logs), "-o", "all.parquet")
    assert (code, out) == (4, "")
    assert "broken.jsonl:2: invalid JSON" in err
    assert "wrote 5 trajectories to all.parquet" in err
    assert parquet.ParquetFile("all.parquet").metadata.num_rows == 5


def test_json_lines_leave_defaults_out_and_keep_what_is_empty(run: Run, folder: Path) -> None:
    (folder / "own.jsonl").write_text(
        '{"task_id": "a", "turns": [], "extra": {}, "usage": {"cost_usd": NaN}, "tool_calls": []}'
    )
    assert run("convert", "own.jsonl", "-o", "out.jsonl")[0] == 0
    written = json.loads((folder / "out.jsonl").read_text())
    assert str(written) == str(
        {
            "task_id": "a",
            "source": {"file": "own.jsonl", "line": 1},
            "turns": [],
            "tool_calls": [],
            "usage": {"cost_usd": float("nan")},
        }
    )


def test_a_format_that_finds_nothing_is_reported(run: Run, folder: Path) -> None:
    (folder / "run.json").write_text(json.dumps(RUN))
    name = ("--input-format", "claude-code-sessions")
    code, _, err = run("convert", "run.json", "-o", "out.jsonl", *name)
    assert code == 0
    nothing, written = err.splitlines()
    assert nothing.startswith(
        f"trajmeter: nothing was found, because all logs were read as {name[1]}"
    )
    assert written == "trajmeter: wrote 0 trajectories to out.jsonl"
    _, _, err = run("convert", "run.json", "-o", "out.jsonl")
    assert err.endswith("trajmeter: wrote 1 trajectory to out.jsonl\n")


def test_columns_are_mapped(run: Run, folder: Path) -> None:
    (folder / "rows.jsonl").write_text(json.dumps(ROW))
    arguments = ("rows.jsonl", "--map", "turns=conversation_log, task_id=uid")
    assert run("convert", *arguments, "-o", "out.jsonl")[0] == 0
    (attempt,) = read_trajectories(folder / "out.jsonl")
    assert (attempt.task_id, attempt.final_output) == ("3", "No.")
    code, out, _ = run("score", *arguments, "-m", "turns", "-f", "jsonl")
    assert (code, json.loads(out)["turns.run.turn_count"]) == (0, 1)


def test_the_task_of_a_row_is_scored_against_and_viewed(run: Run, folder: Path) -> None:
    gold = [{"path": "a.py", "first_line": 1, "last_line": 4}]
    turns = [{"views": [{"path": "a.py", "extent": "lines", "start": 1, "end": 2}]}]
    (folder / "rows.jsonl").write_text(json.dumps({"uid": 3, "steps": turns, "gold": gold}))
    mapping = ("--map", "task_id=uid,turns=steps", "--map", "task.gold_ranges=gold")
    code, out, err = run("score", "rows.jsonl", *mapping, "-m", "context", "-f", "jsonl")
    assert (code, err) == (0, "")
    assert json.loads(out)["context.trajectory.line.coverage"] == [0.5]
    code, out, err = run("view", "rows.jsonl", *mapping, "--no-pager")
    assert (code, err) == (0, "")
    assert "50" in out
    assert run("view", "rows.jsonl", *mapping[:2], "--no-pager")[1].count("50") == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["logs"], "Missing option"),
        (["absent", "-o", "out.jsonl"], "path 'absent' does not exist"),
        (["logs", "-o", "out.csv"], "expected a file that ends in .jsonl, .parquet"),
        (["logs/own.jsonl", "-o", "logs/own.jsonl"], "is an input; write the results to another"),
        (["logs", "-o", "out.jsonl", "--input-format", "mini"], "unknown format 'mini'"),
        (["logs", "-o", "out.jsonl", "-p", "mini"], "no profile 'mini'; profiles of logs: contex"),
        (["logs", "-o", "out.jsonl", "--map", "turns"], "--map 'turns': expected FIELD=COLUMN"),
        (["logs", "-o", "out.jsonl", "--map", "a=b", "--map", "a=c"], "two columns for 'a'"),
        (["logs", "-o", "out.jsonl", "--map", "task.question=b"], "map it when scoring them"),
        (["logs", "-o", "out.jsonl", "--map", "trns=b"], "trajectories have no field 'trns'"),
    ],
)
def test_a_wrong_call_is_an_error_and_nothing_is_written(
    run: Run, folder: Path, logs: Path, arguments: list[str], message: str
) -> None:
    before = sorted(folder.rglob("*"))
    code, out, err = run("convert", *arguments)
    assert (code, out) == (2, "")
    assert message.lower() in " ".join(err.replace("│", " ").split()).lower()
    assert sorted(folder.rglob("*")) == before
    assert logs.is_dir()


def test_processes_share_the_logs(run: Run, folder: Path, logs: Path) -> None:
    turns = [{"text": "x" * 1000}] * 100
    for number in range(100):
        record = {"task_id": f"{number}", "turns": turns}
        (logs / f"{number:03}.jsonl").write_text(f"{json.dumps(record)}\n" * 2)
    (logs / "050.jsonl").write_text("{")
    for workers in ("1", "2", "auto"):
        code, out, err = run("convert", "logs", "-w", workers, "-o", f"{workers}.jsonl")
        assert (code, out) == (4, "")
        assert "unreadable: logs/050.jsonl" in err
        assert f"wrote 202 trajectories to {workers}.jsonl" in err
    assert (folder / "1.jsonl").read_bytes() == (folder / "2.jsonl").read_bytes()
    assert run("convert", "logs", "-w", "0", "-o", "out.jsonl")[0] == 2


CONVERT = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from trajmeter.cli import main; sys.exit(main())"
)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_an_interrupt_ends_the_processes_and_writes_nothing(folder: Path) -> None:
    (folder / "0.jsonl").write_text("{")
    for number in range(1, 10):
        (folder / f"{number}.jsonl").write_text(f'{{"task_id": "{"x" * (2 << 20)}"}}\n')
    os.mkfifo(folder / "pipe")  # into which nobody writes
    paths = [*(f"{number}.jsonl" for number in range(10)), "pipe"]
    with subprocess.Popen(
        [sys.executable, "-c", CONVERT, "convert", *paths, "-w", "2", "-o", "out.jsonl"],
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"unreadable: 0.jsonl")
        main = Path("/proc", str(process.pid), "task", str(process.pid))
        children = (main / "children").read_text().split()
        assert len(children) == 2
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (130, b"trajmeter: interrupted\n")
    assert not any(Path("/proc", child).exists() for child in children)
    assert sorted(path.name for path in folder.glob("*out*")) == []


def test_nothing_is_left_of_an_output_that_fails(
    run: Run, folder: Path, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("trajmeter.writers.trajectories._Lines.write_batch", fail)
    before = sorted(folder.rglob("*"))
    assert run("convert", str(logs), "-o", "out.jsonl")[0] == 2
    assert sorted(folder.rglob("*")) == before
