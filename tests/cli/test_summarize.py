"""``trajmeter summarize``, its gates, and those of ``trajmeter score``."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

import trajmeter
from tests.summaries.tables import F1, PASSED, attempt, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]


VALUES = [0.72, 0.74, 0.76, 0.78, 0.8] * 3
"""15 tasks with the mean 0.76; the interval is 0.744 to 0.776."""
SHORT = "context.line.f1"


@pytest.fixture
def table(folder: Path) -> str:
    write(folder / "new.jsonl", {f"t{i:02}": [value] for i, value in enumerate(VALUES)})
    return "new.jsonl"


def write(file: Path, tasks: dict[str, Any], **options: str) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows_of(tasks, **options)))


def test_a_table_for_people(run: Run, folder: Path) -> None:
    write(folder / "t.jsonl", {"t1": [0.2, 0.4], "t2": [0.9], "t3": [0.5, 0.7], "t4": ["lost"]})
    code, out, err = run("summarize", "t.jsonl", "--figure", SHORT)
    assert (code, err) == (0, "")
    heading, _, row, *lines = out.splitlines()
    assert heading.split("  ")[0] == F1
    assert "if unmeasured were 0…1" in heading
    assert row.split() == [
        "a", "/", "m", "0.540", "0.000–1.000†", "5/6", "3", "0.600", "0.450–0.617",
    ]  # fmt: skip
    assert lines == [
        "not scored: lost 1",
        "intervals: t, clustered by task_id",
        "† fewer than 10 tasks: the interval is only approximate",
    ]


def test_attempts_of_all_groups_that_were_not_scored_are_counted(run: Run, folder: Path) -> None:
    rows = rows_of({"t1": ["lost", 0.5]}, agent="a") + rows_of({"t1": ["lost", "lost"]}, agent="b")
    rows = [row | {"context.final.file.f1": 0.5} for row in rows]
    (folder / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for figures in ([F1], [F1, "context.final.file.f1"]):
        out = run("summarize", "t.jsonl", *(word for f in figures for word in ("--figure", f)))[1]
        assert "\nnot scored: lost 3\n" in out


def test_the_interval_of_equal_values_is_explained_if_there_is_one(run: Run, folder: Path) -> None:
    rows = [{"task_id": f"t{n}", F1: 0.5, "turns.run.turn_count": 3} for n in range(12)]
    (folder / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "the interval is Wilson's" in run("summarize", "t.jsonl", "--figure", SHORT)[1]
    out = run("summarize", "t.jsonl", "--figure", "turns.run.turn_count")[1]
    assert "no variation" in out
    assert "Wilson" not in out


def test_every_format_has_the_same_numbers(run: Run, table: str) -> None:
    (group,) = json.loads(run("summarize", table, "-f", "json")[1])["groups"]
    (figure,) = group["figures"]
    assert figure["mean"] == pytest.approx(0.76)
    assert group["group"] == {"agent": "a", "model": "m"}
    row = json.loads(run("summarize", table, "-f", "jsonl")[1])
    assert row == {**group["group"], **figure}
    assert [*row][:3] == ["agent", "model", "figure"]
    (cells,) = csv.DictReader(io.StringIO(run("summarize", table, "-f", "csv")[1]))
    assert float(cells["low"]) == figure["low"]
    assert "not_scored" not in cells
    assert cells["icc"] == "", "what is not there is empty"
    assert "| a / m | 0.760 |" in run("summarize", table, "-f", "md")[1]


def test_several_files_are_written(run: Run, folder: Path, table: str) -> None:
    names = ["s.json", "s.jsonl", "s.csv", "s.md", "s.html"]
    options = [word for name in names for word in ("-o", f"out/{name}")]
    code, _, err = run("summarize", table, *options)
    assert (code, err.splitlines()) == (0, [f"trajmeter: wrote out/{name}" for name in names])
    assert json.loads((folder / "out/s.json").read_text())["groups"]
    assert '<table class="figures' in (folder / "out/s.html").read_text()
    code, _, err = run("summarize", table, "-o", "s.pdf")
    assert (code, "expected a file that ends in" in err) == (2, True)
    code, _, err = run("summarize", table, "-o", table)
    assert (code, "is an input" in err) == (2, True)


def test_repeats(run: Run, folder: Path) -> None:
    write(folder / "p.jsonl", {"t1": [True, False], "t2": [True, True]}, figure=PASSED)
    code, out, _ = run("summarize", "p.jsonl", "--success", PASSED, "--k", "1,2", "-f", "json")
    first, second = json.loads(out)["groups"][0]["repeats"]
    assert (code, first["pass_at_k"]) == (0, 0.75)
    assert (second["pass_at_k"], second["pass_hat_k"]) == (1, 0.5)
    assert "pass^k" in run("summarize", "p.jsonl", "--success", PASSED)[1]
    assert run("summarize", "p.jsonl", "--success", PASSED, "--k", "one")[0] == 2


@pytest.mark.parametrize(
    ("gate", "code", "line"),
    [
        (["--fail-under", f"{SHORT}=0.7"], 0, "passed  {f}  mean 0.76 > 0.7  (15 of 15 scored)"),
        (["--fail-under", f"{SHORT}=0.7601"], 1,
         "failed  {f}  mean 0.76 < 0.7601  (15 of 15 scored)"),
        (["--fail-under-lower", f"{SHORT}=0.76"], 5,
         "inconclusive  {f}  the interval 0.744–0.776 holds 0.76  (15 of 15 scored, 15 tasks)"),
        (["--fail-under-lower", f"{SHORT}=0.8"], 1,
         "failed  {f}  upper limit 0.776 < 0.8  (15 of 15 scored, 15 tasks)"),
        (["--fail-under-lower", f"{SHORT}=0.7", "--min-tasks", "16"], 5,
         "inconclusive  {f}  15 tasks, fewer than 16"),
        (["--max-not-scored", "5%"], 0, "passed  {f}  not scored 0 < 0.05  (0 of 15)"),
        (["--fail-under-lower", f"{SHORT}=0.76", "--inconclusive", "pass"], 0, "inconclusive"),
        (["--fail-under-lower", f"{SHORT}=0.76", "--inconclusive", "fail"], 1, "inconclusive"),
    ],
)  # fmt: skip
def test_gates(run: Run, table: str, gate: list[str], code: int, line: str) -> None:
    found, out, _ = run("summarize", table, *gate)
    assert found == code
    assert line.format(f=F1) in out


@pytest.mark.parametrize(
    "option", [("--fail-under", f"{SHORT}=nan"), ("--range", f"{SHORT}=0..nan")]
)
def test_thresholds_and_ends_are_numbers(run: Run, table: str, option: tuple[str, str]) -> None:
    code, _, err = run("summarize", table, *option)
    assert (code, err) == (2, f"trajmeter: error: {option[0]} nan: expected a number\n")


def test_a_failure_comes_before_a_doubt(run: Run, table: str) -> None:
    gates = ["--fail-under", f"{SHORT}=0.9", "--fail-under-lower", f"{SHORT}=0.76"]
    code, out, err = run("summarize", table, *gates, "-f", "json")
    assert code == 1
    assert [check["outcome"] for check in json.loads(out)["gates"]] == ["failed", "inconclusive"]
    assert len(err.splitlines()) == 2, "and people read it too"


def test_what_was_not_scored_may_be_too_much(run: Run, folder: Path) -> None:
    write(folder / "t.jsonl", {"t1": [0.5], "t2": ["lost"], "t3": ["lost"]})
    code, out, _ = run("summarize", "t.jsonl", "--max-not-scored", "0.5")
    assert code == 5
    assert "not scored 0.667 > 0.5  (2 of 3: lost 2)" in out


def test_no_regression(run: Run, folder: Path, table: str) -> None:
    better = {f"t{i:02}": [value + 0.1] for i, value in enumerate(VALUES)}
    write(folder / "old.jsonl", better)
    noise = {f"t{i:02}": [value + (i % 3 - 1) / 50] for i, value in enumerate(VALUES)}
    write(folder / "like.jsonl", noise)
    write(folder / "other.jsonl", better, agent="z")

    def check(baseline: str, margin: str) -> tuple[int, Any]:
        options = ["--no-regression", baseline, "--margin", margin, "-f", "json"]
        code, out, _ = run("summarize", table, *options)
        (gate,) = json.loads(out)["gates"]
        return code, gate

    code, gate = check("old.jsonl", "0.05")
    assert (code, gate["outcome"], gate["threshold"]) == (1, "failed", -0.05)
    assert gate["value"] == pytest.approx(-0.1)
    assert check("like.jsonl", "0.05")[0] == 0
    assert check("like.jsonl", "0.001")[0] == 5
    assert check(table, "0")[0] == 0, "the same results again are no regression"
    code, gate = check("other.jsonl", "0.05")
    assert (code, gate["reason"]) == (5, "the baseline has no such group")


@pytest.mark.parametrize(
    ("shift", "spread", "outcome", "reason"),
    [
        (0.0, 0.1, "passed", r"improvement at least -0\.0\d+ ≥ -0\.1  \(12 tasks\)"),
        (-0.3, 0.1, "failed", r"improvement at most -0\.2\d+ < -0\.1  \(12 tasks\)"),
        (
            -0.1,
            0.1,
            "inconclusive",
            r"the improvement's limits -0\.1\d+ and -0\.0\d+ enclose -0\.1  \(12 tasks\)",
        ),
    ],
)
def test_a_regression_gate_names_the_limit_that_decided(
    tmp_path: Path, shift: float, spread: float, outcome: str, reason: str
) -> None:
    old = [attempt(f"t{i}", 0.5) for i in range(12)]
    new = [attempt(f"t{i}", 0.5 + shift + spread * (i % 2 - 0.5)) for i in range(12)]
    baseline = tmp_path / "old.jsonl"
    baseline.write_text("".join(json.dumps(row) + "\n" for row in old))
    gate = trajmeter.Gate(kind="no_regression", threshold=0.1, baseline=baseline)
    (check,) = trajmeter.summarize(new, gates=[gate]).gates
    assert check.outcome == outcome
    assert re.fullmatch(reason, check.reason)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fail-over", f"{SHORT}=0.5"], "did you mean --fail-under?"),
        (["--fail-under", f"{SHORT}"], "expected FIGURE=VALUE"),
        (["--fail-under", f"{SHORT}=much"], "expected a number"),
        (["--fail-under", f"{SHORT}=nan"], "expected a number"),
        (["--range", f"{SHORT}=nan..1"], "expected a number"),
        (["--success", f"{SHORT}>=nan"], "expected a number after >="),
        (["--max-not-scored", "5"], "5.0 is above 1; write a share as 5% or 0.05"),
        (["--fail-under", "context.line.f9=1"], "no figure 'context.line.f9'"),
        (["--no-regression", "new.jsonl"], "needs --margin M"),
        (["--margin", "0.1"], "needs --no-regression"),
        (["--junit", "gates.xml"], "none was given"),
        (["--step-summary"], "GITHUB_STEP_SUMMARY names no file"),
        (["--range", f"{SHORT}=1"], "expected FIGURE=LOW..HIGH"),
        (["--range", SHORT], "expected FIGURE=LOW..HIGH"),
        (["--better", SHORT], "expected FIGURE=higher|lower"),
        (["--k", "2"], "--k needs --success FIGURE"),
        (["--level", "95"], "'--level': expected at most 1"),
        (["--resamples", "many"], "'--resamples': expected a whole number"),
        (["--interval", "x"], "'--interval': 'x' is not one of 'auto', 't'"),
        (["--better", f"{SHORT}=up"], "expected higher or lower"),
        (["--cluster", "team"], "no table has a column 'team'"),
        (["--interval", "wilson"], "true or false"),
    ],
)
def test_refusals(
    run: Run, table: str, options: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    code, out, err = run("summarize", table, *options)
    assert (code, out) == (2, "")
    assert message in err


def test_unreadable_rows_are_reported(run: Run, folder: Path, table: str) -> None:
    with (folder / table).open("a") as file:
        file.write("{broken\n")
    code, out, err = run("summarize", table, "--fail-under", f"{SHORT}=0.9")
    assert code == 4, "some input was not read, whatever the gate says"
    assert err.startswith("unreadable: new.jsonl:16: ")
    assert "15/15" in out


def test_gates_for_ci(run: Run, folder: Path, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "step.md"))
    (folder / "step.md").write_text("# Before\n")
    gates = ["--fail-under", f"{SHORT}=0.7", "--fail-under-lower", f"{SHORT}=0.76"]
    code, _, _ = run("summarize", table, *gates, "--junit", "x/gates.xml", "--step-summary")
    assert code == 5
    (suite,) = ET.parse(folder / "x/gates.xml").getroot()  # noqa: S314 - our own
    assert (suite.get("tests"), suite.get("errors")) == ("2", "1")
    passed, doubtful = suite
    assert (passed.get("classname"), passed.get("name"), len(passed)) == (
        "a / m",
        f"fail_under {F1}",
        0,
    )
    assert [child.tag for child in doubtful] == ["error"]
    step = (folder / "step.md").read_text()
    assert step.startswith("# Before\n")
    assert "inconclusive" in step
    run("summarize", table, *gates, "--junit", "x/gates.xml", "--inconclusive", "pass")
    (suite,) = ET.parse(folder / "x/gates.xml").getroot()  # noqa: S314 - our own
    assert (suite.get("skipped"), suite.get("errors")) == ("1", "0")


def test_reports_of_gates_hold_no_markup(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = "<b>|a&`"
    write(folder / "t.jsonl", {"t1": [0.5], "t2": ["<i>lost</i>"]}, agent=agent)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "step.md"))
    gate = ["--fail-under", f"{SHORT}=0.6", "--junit", "gates.xml", "--step-summary"]
    assert run("summarize", "t.jsonl", *gate)[0] == 1
    (suite,) = ET.parse(folder / "gates.xml").getroot()  # noqa: S314 - our own
    (case,) = suite
    (failure,) = case
    assert (suite.get("failures"), failure.tag, case.get("classname")) == (
        "1",
        "failure",
        f"{agent} / m",
    )
    assert failure.get("message") == "mean 0.5 < 0.6  (1 of 2 scored)"
    step = (folder / "step.md").read_text()
    assert "<b>" not in step
    assert "<i>" not in step


def test_tasks_without_an_attempt_are_not_scored(run: Run, folder: Path, table: str) -> None:
    gold = "".join(json.dumps({"id": f"t{i:02}"}) + "\n" for i in range(20))
    (folder / "gold.jsonl").write_text(gold)
    code, out, _ = run("summarize", table, "--tasks", "gold.jsonl", "--max-not-scored", "20%")
    assert code == 5
    assert "not scored 0.25 > 0.2  (5 of 20: no_attempt 5)" in out
    halves = gold.splitlines(keepends=True)
    (folder / "gold.jsonl").write_text("".join(halves[:10]))
    (folder / "more.jsonl").write_text("".join(halves[10:]))
    again = ("--tasks", "gold.jsonl", "-t", "more.jsonl", "--max-not-scored", "20%")
    assert run("summarize", table, *again)[:2] == (code, out)


@pytest.mark.parametrize("option", ["--fail-under", "--fail-over-upper", "--no-regression"])
def test_a_gate_without_attempts_is_inconclusive(
    run: Run, folder: Path, table: str, option: str
) -> None:
    (folder / "none.json").write_text("[]")
    figure = "length.value" if option != "--fail-over-upper" else "turns.run.turn_count"
    metric = "metrics.py@length" if option != "--fail-over-upper" else "turns"
    gate = [option, f"{figure}=2"]
    if option == "--no-regression":
        gate = [option, table, "--margin", "length.value=0.1"]
    code, out, err = run("score", "none.json", "-m", metric, *gate, "--junit", "gates.xml")
    assert (code, out[:10]) == (5, "0 attempts")
    assert err.splitlines() == [
        "trajmeter: the logs contain no attempts",
        f"inconclusive  {figure}  there are no attempts",
    ]
    (suite,) = ET.parse(folder / "gates.xml").getroot()  # noqa: S314 - our own
    assert (suite.get("tests"), suite.get("errors")) == ("1", "1")
    assert run("score", "none.json", "-m", metric, *gate, "--inconclusive", "fail")[0] == 1


def test_tasks_with_one_attempt_are_not_counted_as_repeated(run: Run, table: str) -> None:
    code, out, _ = run("summarize", table, "--success", f"{SHORT}>=0.5")
    assert (code, "pass@k" in out, "always succeed" in out) == (0, True, False)


def test_gates_of_score(run: Run, folder: Path) -> None:
    length = "metrics.py@length"
    code, out, err = run("score", "preds.jsonl", "-m", length, "--fail-under", "length.value=2")
    assert code == 5
    assert "length" in out
    lines = [line.split() for line in err.splitlines()]
    assert [(line[0], line[2]) for line in lines] == [("passed", "crab"), ("inconclusive", "heron")]
    code, out, err = run(
        "score", "preds.jsonl", "-m", length, "-f", "jsonl", "--fail-under", "length.valu=2"
    )
    assert (code, out) == (2, ""), "before anything is scored"
    assert "did you mean 'length.value'?" in err
    code, _, _ = run("score", "preds.jsonl", "-m", length, "--max-not-scored", "10%")
    assert code in (0, 5)


def test_gates_on_means_need_no_scipy(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("scipy", "scipy.special"):
        monkeypatch.setitem(sys.modules, name, None)
    records = [
        {"task_id": f"t{i}", "agent": "a", "final_output": "x" * i, "transcript": ""}
        for i in (1, 2, 4)
    ]
    (folder / "many.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
    gate = ["score", "many.jsonl", "-m", "metrics.py@length"]
    assert run(*gate, "--fail-under", "length.value=2")[0] == 0
    code, _, err = run(*gate, "--fail-under-lower", "length.value=2")
    assert (code, "trajmeter[stats]" in err) == (2, True)


def test_the_line_that_shows_how_to_go_on(run: Run, folder: Path) -> None:
    _, _, err = run("score", "preds.jsonl", "-m", "metrics.py@length", "-o", "out.parquet")
    assert err.splitlines()[-1] == "trajmeter: for intervals: trajmeter summarize out.parquet"
    code, out, err = run("summarize", "out.parquet")
    assert (code, err) == (0, "")
    assert out.startswith("length.value"), "the table says itself what its figures mean"
