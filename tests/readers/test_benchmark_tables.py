"""Result files of ASV, and flat tables of benchmarks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import trajmeter
from trajmeter.errors import ReadError
from trajmeter.readers import read_trajectories
from trajmeter.records import InvalidReason

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = ["result", "params", "version", "samples"]
ROW = {"task_id": "t", "agent": "a", "model": "m", "benchmark": "m.f"}


def asv(folder: Path, name: str, **results: list[Any]) -> Path:
    file = folder / "task-1" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"version": 2, "result_columns": COLUMNS, "results": results}))
    return file


def seconds(file: Path) -> dict[str, float | InvalidReason | None]:
    (attempt,) = read_trajectories(file)
    assert attempt.measurements is not None
    times = attempt.measurements.seconds or {}
    return {name: time.reason or time.value for name, time in times.items()}


def test_the_last_parameter_turns_fastest(tmp_path: Path) -> None:
    file = asv(tmp_path, "a.json", f=[[1.0, 2.0, None, float("nan")], [["1", "2"], ["'x'", "y"]]])
    assert seconds(file) == {
        "f(1, 'x')": 1.0,
        "f(1, y)": 2.0,
        "f(2, 'x')": InvalidReason.FAILED,
        "f(2, y)": InvalidReason.SKIPPED,
    }


def test_samples_stand_in_for_a_result(tmp_path: Path) -> None:
    file = asv(
        tmp_path,
        "a.json",
        even=[[None], [], "v", [[4.0, 1.0, 2.0, 3.0]]],
        skipped=[[float("nan")], [], "v", [[1.0]]],
        short=[None, [["1", "2"]]],
        zero=[[0.0], []],
    )
    assert seconds(file) == {
        "even": 2.5,
        "skipped": InvalidReason.SKIPPED,
        "short(1)": InvalidReason.FAILED,
        "short(2)": InvalidReason.FAILED,
        "zero": InvalidReason.NOT_POSITIVE,
    }


def test_ratios_are_the_baseline_by_the_agent(tmp_path: Path) -> None:
    files = [
        asv(tmp_path, "baseline.json", f=[[6.0], []], g=[[8.0], []]),
        asv(tmp_path, "oracle.json", f=[[3.0], []], g=[[8.0], []]),
        asv(tmp_path, "a:m.json", f=[[1.5], []]),
    ]
    rows = {row["agent"]: row for row in trajmeter.score(files, metrics=["speedup"]).rows}
    assert rows["a"]["task_id"] == "task-1"
    assert rows["a"]["speedup.task_speedup"] == pytest.approx(4.0)
    assert rows["a"]["speedup.agent_advantage"] == pytest.approx(2.0)
    assert rows["a"]["speedup.invalid_benchmarks"] == {"g": "missing"}
    assert rows["oracle"]["speedup.agent_advantage"] == 0.0


def score(file: Path) -> dict[str, Any]:
    (row,) = trajmeter.score(file, metrics=["speedup"]).rows
    return row


@pytest.mark.parametrize(
    ("ratio", "reason"),
    [
        ("3.0", "not_a_number"),
        (True, "not_a_number"),
        (None, "missing"),
        (float("nan"), "non_finite"),
        (0, "not_positive"),
    ],
)
def test_ratios_in_json_lines(tmp_path: Path, ratio: object, reason: str) -> None:
    file = tmp_path / "rows.jsonl"
    rows = [
        {**ROW, "agent_nop": 2.0, "oracle_nop": 1.0},
        {**ROW, "benchmark": "m.g", "agent_nop": ratio, "oracle_nop": 1.0},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    row = score(file)
    assert (row["speedup.task_speedup"], row["speedup.num_valid_benchmarks"]) == (2.0, 1)
    assert row["speedup.invalid_benchmarks"] == {"m.g": reason}
    # Without columns of tests and snapshot nobody is reverted.
    assert (row["speedup.success"], row["speedup.fallback_to_baseline"]) == (None, False)


def test_numbers_of_csv_are_text_that_is_read(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(
        "task_id,agent,model,benchmark,nop_seconds,agent_seconds,oracle_seconds\n"
        't,a,m,"m.f(1, 2)",4,2,1\n'
        "t,a,m,m.g,4,,1\n"
        "t,a,m,m.h,4,fast,1\n"
        "t,a,m,m.i,4,nan,1\n"
    )
    row = score(file)
    assert (row["speedup.task_speedup"], row["speedup.agent_advantage"]) == (2.0, -2.0)
    assert row["speedup.invalid_benchmarks"] == {
        "m.g": "missing",
        "m.h": "not_a_number",
        "m.i": "non_finite",
    }


def test_an_attempt_may_have_failed_its_tests(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({**ROW, "agent_nop": 2.0, "oracle_nop": 4.0, "test_failed": 1}))
    row = score(file)
    assert (row["speedup.task_speedup"], row["speedup.agent_advantage"]) == (1.0, -3.0)
    assert (row["speedup.outcome"], row["speedup.cause"]) == ("assigned", "reverted_to_baseline")


def test_a_benchmark_that_comes_twice_is_refused_the_second_time(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    rows = [{**ROW, "agent_nop": ratio, "oracle_nop": 1.0} for ratio in (2.0, 9.0)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(ReadError, match=r"rows\.jsonl:2: .*'m\.f' already"):
        list(read_trajectories(file))
