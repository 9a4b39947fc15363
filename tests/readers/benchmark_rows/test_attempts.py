"""Flat tables of benchmarks as records: JSON lines, CSV and Parquet."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.metrics.speedup.runs import FAST, score
from tests.readers.logs import read
from trajmeter.records import InvalidReason, PytestSummary, SnapshotSummary, Trajectory

if TYPE_CHECKING:
    from pathlib import Path

ROWS: list[dict[str, Any]] = [
    {
        "task_id": "t",
        "agent": agent,
        "model": model,
        "benchmark": name,
        "agent_nop": ratio,
        "oracle_nop": best,
    }
    for agent, model, ratios in (("oracle", None, (2.0, 8.0)), ("fixer", "large", (4.0, 1.0)))
    for name, ratio, best in zip(("m.f", "m.g"), ratios, (2.0, 8.0), strict=True)
]


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_every_container_says_the_same(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow.csv import write_csv
    from pyarrow.parquet import write_table

    frame = pa.Table.from_pylist(ROWS)
    write_table(frame, tmp_path / "rows.parquet")
    write_csv(frame, tmp_path / "rows.csv")
    lines(tmp_path / "rows.jsonl", ROWS)
    (tmp_path / "rows.json").write_text(json.dumps(ROWS, indent=1))
    for path in sorted(tmp_path.iterdir()):
        results, _ = score(path)
        assert results[FAST].task_speedup == 2.0, path
        assert results[FAST].agent_advantage == pytest.approx(-2.0)
        # Without tests and snapshots nobody is reverted, and success is unknown.
        assert (results[FAST].success, results["oracle"].agent_advantage) == (None, 0.0)


def test_an_attempt_is_read_from_its_columns(tmp_path: Path) -> None:
    about = {
        "test_failed": 1,
        "test_passed": 3,
        "snapshot_pass_to_fail": 0,
        "task_cost_usd": 0.5,
        "trajectory_length": 3,
        "total_input_tokens": 9,
        "attempt": 2,
    }
    rows = [{**ROWS[2], "attempt": 2}, {**ROWS[3], **about}, ROWS[2]]
    (first, second), problems = read(lines(tmp_path / "rows.jsonl", rows))
    assert problems == []
    assert (first.attempt, second.attempt) == ("2", None)
    assert first.pytest_summary == PytestSummary(passed=3, failed=1, status="failed")
    assert first.snapshot_summary == SnapshotSummary(status="passed")
    assert first.run_log is not None
    assert (first.run_log.task_cost_usd, first.run_log.trajectory_length) == (0.5, 3)
    assert first.usage is not None
    assert first.usage.input_tokens == 9
    assert (second.pytest_summary, second.snapshot_summary) == (None, None)


def test_the_first_value_about_an_attempt_counts(tmp_path: Path) -> None:
    rows = [{**ROWS[2], "test_error": None}, {**ROWS[3], "test_error": 2, "trajectory_length": 5}]
    rows.append({**ROWS[3], "benchmark": "m.h", "test_error": 0, "trajectory_length": 9})
    (attempt,), _ = read(lines(tmp_path / "rows.jsonl", rows))
    assert attempt.pytest_summary == PytestSummary(error=2, status="failed")
    assert attempt.run_log is not None
    assert attempt.run_log.trajectory_length == 5


def test_nan_in_a_column_of_the_attempt_is_a_missing_value(tmp_path: Path) -> None:
    nan = float("nan")
    unknown = {"test_failed": nan, "snapshot_pass_to_fail": nan, "snapshot_status": nan}
    rows = [{**ROWS[2], **unknown}, {**ROWS[3], **unknown, "test_failed": 2.0}]
    (first,), _ = read(lines(tmp_path / "first.jsonl", rows[:1]))
    assert (first.pytest_summary, first.snapshot_summary) == (None, None)
    (both,), _ = read(lines(tmp_path / "both.jsonl", rows))
    assert both.pytest_summary == PytestSummary(failed=2, status="failed")
    assert both.snapshot_summary is None


@pytest.mark.parametrize(
    ("about", "failed"),
    [
        ({"snapshot_status": "failed"}, True),
        ({"snapshot_status": "failed", "snapshot_pass_to_fail": 0}, True),
        ({"snapshot_status": "passed"}, False),
        ({"snapshot_status": "passed", "snapshot_pass_to_fail": 1}, True),
        ({"snapshot_pass_to_fail": 1}, True),
        ({"snapshot_pass_to_fail": "0"}, False),
    ],
)
def test_a_snapshot_is_judged_by_what_is_there(
    tmp_path: Path, about: dict[str, object], failed: bool
) -> None:
    result = score(lines(tmp_path / "rows.jsonl", [{**ROWS[2], **about}]))[0][FAST]
    assert (result.snapshot_failed, result.fallback_to_baseline) == (failed, failed)
    is_told = about.get("snapshot_status", "failed" if failed else "passed")
    assert result.snapshot_summary.status == is_told


@pytest.mark.parametrize("count", ["3 failed", "", float("inf"), [1], {}])
@pytest.mark.parametrize("column", ["test_failed", "test_error", "snapshot_pass_to_fail"])
@pytest.mark.parametrize("profile", [None, "fc-eval"])
def test_a_count_that_cannot_be_read_is_not_0(
    tmp_path: Path, column: str, count: object, profile: str | None
) -> None:
    rows = [{**ROWS[2], "test_failed": 0, "snapshot_status": None, column: count}]
    result = score(lines(tmp_path / "rows.jsonl", rows), profile=profile)[0][FAST]
    assert (result.success, result.fallback_to_baseline) == (False, True)


def test_times_instead_of_ratios(tmp_path: Path) -> None:
    rows = [
        {
            "task_id": "t",
            "agent": "fixer",
            "model": "large",
            "benchmark": name,
            "nop_seconds": 8.0,
            "agent_seconds": agent,
            "oracle_seconds": oracle,
        }
        for name, agent, oracle in (("m.f", 2.0, 4.0), ("m.g", 8.0, None), ("m.h", "2.0", 1.0))
    ]
    result = score(lines(tmp_path / "rows.jsonl", rows))[0][FAST]
    assert (result.task_speedup, result.agent_advantage) == (4.0, 2.0)
    assert result.invalid_benchmarks == {
        "m.g": InvalidReason.MISSING,
        "m.h": InvalidReason.NOT_A_NUMBER,
    }


def test_numbers_written_as_text_are_read_in_csv_only(tmp_path: Path) -> None:
    rows = [{**ROWS[2], "agent_nop": "4.0"}]
    result = score(lines(tmp_path / "rows.jsonl", rows))[0][FAST]
    assert result.invalid_benchmarks == {"m.f": InvalidReason.NOT_A_NUMBER}
    path = tmp_path / "rows.csv"
    path.write_text(
        "task_id,agent,model,benchmark,agent_nop,oracle_nop,significant\r\n"
        't,fixer,large,"m.f(1, ""x"")", 4.0 ,2,true\r\n'
        "t,fixer,large,m.g,nan,2,\r\n"
        "t,fixer,large,m.h,,2,\r\n"
        "t,fixer,large,m.i,fast,2,\r\n"
        "t,fixer,large,m.j,True,2,\r\n"
    )
    result = score(path)[0][FAST]
    assert (result.task_speedup, result.num_benchmarks) == (4.0, 5)
    assert result.per_benchmark_speedups['m.f(1, "x")']["significant"] is True
    assert result.invalid_benchmarks == {
        "m.g": InvalidReason.NON_FINITE,
        "m.h": InvalidReason.MISSING,
        "m.i": InvalidReason.NOT_A_NUMBER,
        "m.j": InvalidReason.NOT_A_NUMBER,
    }


def test_an_attempt_that_measured_nothing_has_a_row_without_benchmark(tmp_path: Path) -> None:
    crashed = {
        "task_id": "t",
        "agent": "fixer",
        "model": "small",
        "benchmark": None,
        "is_resolved": False,
    }
    result = score(lines(tmp_path / "rows.jsonl", [*ROWS, crashed]))[0]["fixer:small"]
    assert (result.task_speedup, result.num_benchmarks) == (1.0, 2)
    assert result.cause == "reverted_to_baseline"


def test_bad_rows_are_reported_and_the_others_read(tmp_path: Path) -> None:
    rows = [
        *ROWS,
        {"agent_nop": 1.0},
        {"task_id": ["t"]},
        {"task_id": "t", "benchmark": 1.5},
        ROWS[3],
    ]
    path = lines(tmp_path / "rows.jsonl", rows)
    path.write_text(path.read_text() + "{cut\n[]\n")
    attempts, problems = read(path)
    assert len(attempts) == 2
    assert [(problem.line, problem.message.split(";")[0]) for problem in problems[:4]] == [
        (5, "task_id is missing"),
        (6, "task_id is ['t'], expected text"),
        (7, "benchmark is 1.5, expected text"),
        (8, "a second row of the benchmark 'm.g', left out"),
    ]
    assert [problem.line for problem in problems[4:]] == [9, 10]


@pytest.mark.parametrize("start", ["\ufeff", "\n\n \n\n\n", "{cut\n"])
def test_json_lines_are_recognised_with_any_beginning(tmp_path: Path, start: str) -> None:
    path = lines(tmp_path / "rows.jsonl", ROWS)
    path.write_text(start + path.read_text())
    attempts, problems = read(path)
    assert [attempt.agent for attempt in attempts] == ["oracle", "fixer"]
    assert len(problems) == start.count("{")


def test_an_attempt_that_measured_nothing_may_come_first(tmp_path: Path) -> None:
    crashed = {"task_id": "t", "agent": "fixer", "model": "small", "is_resolved": False}
    results, _ = score(lines(tmp_path / "rows.jsonl", [crashed, *ROWS]))
    assert results[FAST].task_speedup == 2.0
    assert results["fixer:small"].cause == "reverted_to_baseline"


def test_a_record_among_rows_is_reported(tmp_path: Path) -> None:
    path = lines(tmp_path / "rows.jsonl", ROWS)
    record = Trajectory(task_id="t", agent="other", model="m").model_dump_json()
    path.write_text(f"{record}\n{path.read_text()}")
    attempts, problems = read(path)
    assert [attempt.agent for attempt in attempts] == ["oracle", "fixer"]
    assert [(each.line, each.message[:42]) for each in problems] == [
        (1, "expected a row of benchmarks like the othe")
    ]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_document_may_begin_with_blanks_and_hold_one_row(
    tmp_path: Path, indent: int | None
) -> None:
    for written in (ROWS, ROWS[0]):
        path = tmp_path / "rows.json"
        path.write_text("\n " + json.dumps(written, indent=indent))
        attempts, problems = read(path)
        assert problems == []
        assert attempts[0].measurements is not None
        assert attempts[0].measurements.ratios_by_agent


def test_measurements_without_a_benchmark_are_reported(tmp_path: Path) -> None:
    row = {"task_id": "t", "agent": "fixer", "benchmark": None, "agent_nop": 2.0}
    _, problems = read(lines(tmp_path / "rows.jsonl", [*ROWS, row]))
    assert [(each.line, each.message) for each in problems] == [
        (5, "the row has measurements, but names no benchmark")
    ]
    path = tmp_path / "no-benchmark.jsonl"
    _, problems = read(lines(path, [{"task_id": "t", "agent": "fixer", "agent_nop": 2.0}]))
    assert len(problems) == 1


def test_decimals_are_numbers(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    frame = pa.Table.from_pylist([{**row, "task_cost_usd": 0.25, "test_failed": 1} for row in ROWS])
    for name in ("agent_nop", "task_cost_usd", "test_failed"):
        place = frame.column_names.index(name)
        frame = frame.set_column(place, name, frame[name].cast(pa.decimal128(38, 4)))
    write_table(frame, tmp_path / "rows.parquet")
    (_, attempt), problems = read(tmp_path / "rows.parquet")
    assert problems == []
    assert attempt.measurements is not None
    assert attempt.measurements.ratios_by_agent == {
        FAST: {
            "m.f": {"agent/nop": 4.0, "oracle/nop": 2.0},
            "m.g": {"agent/nop": 1.0, "oracle/nop": 8.0},
        }
    }
    assert attempt.run_log is not None
    assert attempt.run_log.task_cost_usd == 0.25
    assert attempt.pytest_summary == PytestSummary(failed=1, status="failed")


def test_a_parquet_file_with_a_damaged_footer_is_reported(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    path = tmp_path / "rows.parquet"
    write_table(pa.Table.from_pylist(ROWS), path)
    content = path.read_bytes()
    path.write_bytes(content[:-60] + b"\xff" * 40 + content[-20:])
    attempts, problems = read(path)
    assert attempts == []
    assert [problem.file for problem in problems] == [str(path)]


def test_numbers_that_name_an_attempt_are_its_text(tmp_path: Path) -> None:
    rows = [{**ROWS[2], "attempt": 1.0, "task_id": 7}, {**ROWS[2], "attempt": 2, "task_id": 7.0}]
    attempts, problems = read(lines(tmp_path / "rows.jsonl", rows))
    assert problems == []
    assert [(each.task_id, each.attempt) for each in attempts] == [("7", "1"), ("7", "2")]


@pytest.mark.parametrize(
    ("value", "passed"), [(True, True), (1, True), (0.0, False), (2, None), ("yes", None)]
)
def test_is_resolved_is_true_or_false_or_1_or_0(
    tmp_path: Path, value: object, passed: bool | None
) -> None:
    (attempt,), _ = read(lines(tmp_path / "rows.jsonl", [{**ROWS[2], "is_resolved": value}]))
    assert attempt.passed is passed


def test_each_attempt_is_looked_up_by_its_own_name_in_fceval(tmp_path: Path) -> None:
    results, _ = score(lines(tmp_path / "rows.jsonl", ROWS), profile="fc-eval")
    assert results[FAST].task_speedup == 2.0
    assert results["oracle"].task_speedup == 4.0


def test_attempts_of_rows_written_as_records_are_records(tmp_path: Path) -> None:
    times = {"nop_seconds": 8.0, "agent_seconds": 2.0, "oracle_seconds": 4.0}
    rows = [*ROWS[2:], {**ROWS[2], "benchmark": "m.h", **times, "tests": "odd", "test_failed": 0}]
    attempts, _ = read(lines(tmp_path / "rows.jsonl", rows))
    assert attempts[0].pytest_summary == PytestSummary(status="odd")
    path = tmp_path / "records.jsonl"
    path.write_text("".join(f"{attempt.model_dump_json()}\n" for attempt in attempts))
    assert read(path) == (attempts, [])
