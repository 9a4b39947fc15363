"""Tables of benchmarks as CSV: accepted forms, and what is reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.metrics.speedup.runs import FAST, score
from tests.readers.logs import read
from trajmeter.records import InvalidReason

if TYPE_CHECKING:
    from pathlib import Path


def test_times_in_csv(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(
        "task_id,agent,model,benchmark,nop_seconds,agent_seconds,oracle_seconds\n"
        't,fixer,large,"m.f(1, 2)",4,2,1\n'
        "t,fixer,large,m.g,4,,1\n"
        "t,fixer,large,m.h,4,nan,1\n"
    )
    result = score(path)[0][FAST]
    assert (result.task_speedup, result.agent_advantage) == (2.0, -2.0)
    assert result.invalid_benchmarks == {
        "m.g": InvalidReason.MISSING,
        "m.h": InvalidReason.NON_FINITE,
    }


def test_columns_of_csv_without_a_name_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"  # as pandas writes a frame with its index
    path.write_text(",task_id,agent,model,benchmark,agent_nop,\n0,t,fixer,large,m.f,2,x\n")
    attempts, problems = read(path)
    assert problems == []
    assert attempts[0].measurements is not None
    assert attempts[0].measurements.ratios_by_agent == {FAST: {"m.f": {"agent/nop": 2.0}}}


@pytest.mark.parametrize("start", ["", "\ufeff", "\n"])
def test_blanks_in_csv_are_cut_off(tmp_path: Path, start: str) -> None:
    path = tmp_path / "rows.csv"
    header = "task_id, agent , model, benchmark, agent_nop"
    path.write_text(f'{start}{header}\n\nt, fixer, large, "m.f", 2\n')
    attempts, problems = read(path)
    assert problems == []
    assert (attempts[0].agent, attempts[0].model) == ("fixer", "large")
    assert attempts[0].measurements is not None
    assert attempts[0].measurements.ratios_by_agent == {FAST: {"m.f": {"agent/nop": 2.0}}}


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("task,benchmark,agent_nop", "expected comma-separated columns with task_id; found"),
        ("task_id,agent_nop", "with benchmark; found 'task_id', 'agent_nop'"),
        ("task_id,benchmark,speedup", "with agent_nop or agent_seconds; found"),
        ("task_id;benchmark;agent_nop", "found 'task_id;benchmark;agent_nop'"),
        ("task_id\tbenchmark\tagent_nop", "comma-separated columns with task_id, benchmark"),
        ("task_id,benchmark,agent_nop,agent_nop", "the table has 2 columns 'agent_nop'"),
    ],
)
def test_a_header_of_csv_that_lacks_a_column_is_reported_once(
    tmp_path: Path, header: str, message: str
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(header + "\nt,m.f,1\nt,m.g,2\n")
    attempts, problems = read(path)
    assert attempts == []
    assert len(problems) == 1
    assert str(problems[0]).startswith(f"{path}:1: ")
    assert message in problems[0].message


def test_a_row_that_is_not_csv_is_reported_and_the_others_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    # The second is longer than any value may be; the last opens a quote that nothing closes.
    rows = ("m.f,2", f"{'m' * 200_000},2", "m.g,3", '"m.h"i,4', "m.j,5", '"m.k,6', "m.l,7")
    path.write_text("task_id,benchmark,agent_nop\n" + "".join(f"t,{row}\n" for row in rows))
    (attempt,), problems = read(path)
    assert attempt.measurements is not None
    assert attempt.measurements.ratios_by_agent is not None
    assert list(attempt.measurements.ratios_by_agent[""]) == ["m.f", "m.g", "m.j"]
    assert [problem.line for problem in problems] == [3, 5, 7]
    assert all(problem.message.startswith("invalid CSV: ") for problem in problems)


def test_a_row_of_csv_with_too_many_values_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("task_id,agent,benchmark,agent_nop\nt,a,m.f,2,3\nt,a,m.g,2\n")
    attempts, problems = read(path)
    assert len(attempts) == 1
    assert str(problems[0]) == f"{path}:2: the row has more values than the table has columns"
