from __future__ import annotations

import csv
import io
import json
import os
import warnings
from typing import TYPE_CHECKING, TypeAlias

import pytest
from pyarrow import parquet

from tests.cli.outputs import json_lines
from trajmeter import kernels
from trajmeter.records import GoldRange, Task, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run: TypeAlias = Callable[..., tuple[int, str, str]]

LENGTH = "metrics.py@length"


def test_the_summary_is_data_and_all_else_is_not(run: Run) -> None:
    code, out, err = run("score", "preds.jsonl", "-m", LENGTH)
    assert (code, err) == (0, "")
    assert [line.rstrip() for line in out.splitlines()] == [
        "2 attempts · length (version 1)",
        "",
        "length",
        "figure  macro  scored",
        "─────────────────────",
        "value   3.000     1/2",
        "",
        "length by agent and model: macro",
        "agent / model        value",
        "──────────────────────────",
        "crab           3.000 (1/1)",
        "heron              - (0/1)",
        "",
        "length: not in the means, or set by a rule",
        "outcome    cause  attempts  figures",
        "───────────────────────────────────────",
        "abstained                1  all figures",
    ]


def test_a_file_name_that_is_no_utf8_is_escaped_in_the_summary(run: Run, tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), b"\xff.jsonl")  # noqa: PTH118 - of bytes
    try:
        with open(path, "w") as file:  # noqa: PTH123 - likewise
            file.write('{"task_id": "a"}\n')
    except OSError:
        pytest.skip("the file system takes no such name")
    code, out, _ = run("score", os.fsdecode(path), "-m", LENGTH, "--format", "json")
    assert code == 0
    assert json.loads(out)["groups"][0]["source"].endswith("\\udcff.jsonl")


def test_the_summary_as_json(run: Run) -> None:
    code, out, err = run("score", "preds.jsonl", "-m", LENGTH, "--format", "json")
    assert (code, err) == (0, "")
    summary = json.loads(out)
    (metric,) = summary["metrics"]
    assert (metric["name"], metric["version"], metric["parameters"]) == ("length", "1", {})
    value = summary["overall"]["figures"]["length.value"]
    assert (value["macro"], value["scored"], value["total"]) == (3.0, 1, 2)
    assert [group["agent"] for group in summary["groups"]] == ["crab", "heron"]


def test_the_summary_as_markdown(run: Run) -> None:
    code, out, err = run("score", "preds.jsonl", "-m", LENGTH, "--format", "markdown")
    assert (code, err) == (0, "")
    assert (
        "## length\n\n| figure | macro | scored |\n| --- | ---: | ---: |\n| value | 3.000 |" in out
    )


def test_attempts_without_a_task_are_counted_with_the_nearest_ids(run: Run, folder: Path) -> None:
    (folder / "others.jsonl").write_text(Task(id="One").model_dump_json(exclude_none=True) + "\n")
    code, _, err = run("score", "preds.jsonl", "-t", "others.jsonl", "-m", "rules")
    assert (code, err) == (
        0,
        "trajmeter: 2 of 2 attempts found no task, such as 'one' (did you mean 'One'?)\n",
    )
    assert run("score", "preds.jsonl", "-t", "gold.jsonl", "-m", "rules")[2] == ""


@pytest.mark.parametrize("metric", ["rules", "context"])
def test_scoring_without_tasks_says_what_is_missing(run: Run, metric: str) -> None:
    code, _, err = run("score", "preds.jsonl", "-m", metric)
    assert code == 0
    assert err == "trajmeter: 2 of 2 attempts found no task; pass the tasks with --tasks FILE\n"


def test_a_folder_without_definitions_says_how_to_make_them(run: Run, folder: Path) -> None:
    (folder / "repo").mkdir()
    (folder / "repo" / "a.py").write_text("x = 1\n")
    gold = GoldRange(path="a.py", first_line=1, last_line=1)
    task = Task(id="one", gold_ranges=(gold,))
    (folder / "tasks.jsonl").write_text(task.model_dump_json(exclude_none=True) + "\n")
    code, out, err = run("score", "preds.jsonl", "-t", "tasks.jsonl", "-s", "repo", "-f", "jsonl")
    assert code == 0
    assert {row["context.final.symbol.cause"] for row in json_lines(out)} == {"missing_definitions"}
    assert err == (
        "trajmeter: 2 of 2 attempts have no symbol scores, because their snapshots lack "
        "definitions (folders have none); take snapshots that have them with trajmeter "
        "snapshot, or pass git repositories with --repos DIR\n"
    )


def test_one_rule_is_asked_for_by_its_name(run: Run) -> None:
    code, out, _ = run("score", "preds.jsonl", "-t", "gold.jsonl", "-m", "tool_usage,context.final")
    assert code == 0
    assert "rules: figures of the run" in out
    assert "latency" not in out
    assert "trajectory" not in out


def test_md_is_short_for_markdown(run: Run) -> None:
    expected = run("score", "preds.jsonl", "-m", LENGTH, "--format", "markdown")
    assert run("score", "preds.jsonl", "-m", LENGTH, "-f", "md") == expected


def test_rows_as_json_lines(run: Run) -> None:
    code, out, err = run("score", "preds.jsonl", "-m", LENGTH, "--format", "jsonl")
    assert (code, err) == (0, "")
    first, second = json_lines(out)
    assert (first["task_id"], first["agent"], first["length.value"]) == ("one", "crab", 3.0)
    assert (second["length.value"], second["length.outcome"]) == (None, "abstained")
    assert first["source"] == "preds.jsonl:1"


def test_rows_as_csv(run: Run) -> None:
    code, out, err = run("score", "preds.jsonl", "-m", LENGTH, "--format", "csv")
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["length.value"] for row in rows] == ["3.0", ""]


def test_the_command_for_intervals_is_quoted_for_the_shell(run: Run) -> None:
    _, _, err = run("score", "preds.jsonl", "-m", LENGTH, "-o", "my rows.jsonl")
    assert err.endswith("trajmeter: for intervals: trajmeter summarize 'my rows.jsonl'\n")


def wrote(file: str) -> str:
    """What is said of a file of rows."""
    return (
        f"trajmeter: wrote 2 rows to {file}\ntrajmeter: for intervals: trajmeter summarize {file}\n"
    )


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_rows_in_a_file_beside_the_summary(run: Run, folder: Path, suffix: str) -> None:
    code, out, err = run("score", "preds.jsonl", "-m", LENGTH, "-o", f"out.{suffix}")
    assert (code, err) == (0, wrote(f"out.{suffix}"))
    assert out.startswith("2 attempts · length (version 1)\n")
    file = folder / f"out.{suffix}"
    rows: list[dict[str, object]]
    if suffix == "parquet":
        rows = parquet.read_table(file).to_pylist()
    elif suffix == "csv":
        rows = list(csv.DictReader(io.StringIO(file.read_text())))
    else:
        rows = json_lines(file.read_text())
    assert [row["agent"] for row in rows] == ["crab", "heron"]


def test_several_files_and_several_metrics(run: Run, folder: Path) -> None:
    (folder / "more.jsonl").write_text('{"task_id": "two", "final_output": "abcde"}\n')
    code, out, err = run(
        *("score", "preds.jsonl", "more.jsonl", "-t", "gold.jsonl"),
        *("-m", f"{LENGTH}, turns", "-m", "rules", "-f", "jsonl"),
    )
    assert code == 0
    assert err == "trajmeter: 1 of 3 attempts found no task, such as 'two'\n"
    rows = json_lines(out)
    assert [row["length.value"] for row in rows] == [3.0, None, 5.0]
    assert {key.partition(".")[0] for key in rows[0]} >= {"length", "turns", "rules"}


def test_context_is_scored_unless_other_metrics_are_asked_for(run: Run) -> None:
    code, out, _ = run("score", "preds.jsonl", "-t", "gold.jsonl", "-f", "jsonl")
    assert code == 0
    assert "context.final.file.coverage" in json_lines(out)[0]


def test_a_line_that_cannot_be_read_is_reported_and_the_others_are_scored(
    run: Run, folder: Path
) -> None:
    preds = folder / "preds.jsonl"
    first, second = preds.read_text().splitlines()
    preds.write_text(f'{first}\n{{"task_id": "two"\n{second}\n{{"task_id": 3}}\n')
    code, out, err = run("score", "preds.jsonl", "-m", LENGTH, "-o", "out.jsonl", "-f", "csv")
    assert code == 4
    assert [row["agent"] for row in csv.DictReader(io.StringIO(out))] == ["crab", "heron"]
    assert [row["source"] for row in json_lines((folder / "out.jsonl").read_text())] == [
        "preds.jsonl:1",
        "preds.jsonl:3",
    ]
    second_line, fourth_line, wrote = err.splitlines()
    assert second_line.startswith("unreadable: preds.jsonl:2: invalid JSON")
    assert fourth_line.startswith("unreadable: preds.jsonl:4: ")
    assert wrote == "trajmeter: wrote 2 rows to out.jsonl"


def test_many_problems_are_counted_and_the_first_are_shown(run: Run, folder: Path) -> None:
    with (folder / "preds.jsonl").open("a") as file:
        file.write("{\n" * 1234)
    code, _, err = run("score", "preds.jsonl", "-m", LENGTH)
    assert code == 4
    lines = err.splitlines()
    assert len(lines) == 11
    assert lines[-1] == "unreadable: 1,224 more, 1,234 in total"


def test_a_task_that_cannot_be_read_is_reported(run: Run, folder: Path) -> None:
    (folder / "gold.jsonl").write_text('{"id": "one"}\n[]\n')
    code, _, err = run("score", "preds.jsonl", "-t", "gold.jsonl", "-m", LENGTH)
    assert code == 4
    assert err.startswith("unreadable: gold.jsonl:2: ")


def test_what_a_metric_cannot_read_is_unreadable_too(run: Run) -> None:
    code, out, _ = run("score", "preds.jsonl", "-m", "metrics.py@unreadable")
    assert code == 4
    assert "ReadError: snapshots.jsonl:3: no valid JSON (metrics.py:" in out


def test_a_metric_that_raises_is_an_outcome(run: Run) -> None:
    code, out, err = run("score", "preds.jsonl", "-m", "metrics.py@fragile")
    assert (code, err) == (0, "")
    assert "not scored  metric_error         1  all figures" in out
    assert "ZeroDivisionError: division by zero (metrics.py:" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.jsonl"], "path 'absent.jsonl' does not exist"),
        (["preds.jsonl", "-t", "absent.jsonl"], "path 'absent.jsonl' does not exist"),
        (["preds.jsonl", "-s", "absent"], "path 'absent' does not exist"),
        (["preds.jsonl", "-m", "contxt"], "unknown metric 'contxt'; did you mean 'context'?"),
        (["preds.jsonl", "-m", ""], "'--metrics' / '-m': the value is empty"),
        (["preds.jsonl", "-m", "turns,turns"], "metric 'turns' is requested twice"),
        (["preds.jsonl", "-p", "contexbench"], "did you mean 'contextbench'?"),
        (["preds.jsonl", "-m", "turns", "-p", "contextbench"], "is for the metric context, which"),
        (["preds.jsonl", "-o", "out.txt"], "expected a file that ends in .csv, .jsonl, .parquet"),
        (["preds.jsonl", "-o", "out.txt"], "or in .html for a report, or a folder"),
        (["preds.jsonl", "-o", "gold.jsonl/a/out.csv"], "gold.jsonl is a file, expected a folder"),
        (["preds.jsonl", "-f", "xml"], "'xml' is not one of"),
        (["preds.jsonl", "--colour"], "--colour"),
        (["preds.jsonl", "--judge-record", "said.jsonl"], "judge options need --judge MODEL"),
        (["preds.jsonl", "--judge-base-url", "http://[::1]"], "judge options need --judge MODEL"),
        ([], "Missing argument"),
    ],
)
def test_a_wrong_call_is_an_error_and_nothing_is_done(
    run: Run, folder: Path, arguments: list[str], message: str
) -> None:
    before = sorted(folder.iterdir())
    code, out, err = run("score", *arguments)
    assert (code, out) == (2, "")
    assert message.lower() in " ".join(err.split()).lower()
    assert "Traceback" not in err
    assert sorted(folder.iterdir()) == before


def test_text_of_a_trajectory_stays_text(run: Run, folder: Path) -> None:
    hostile = "[red]x[/red]\x1b[31m\x07\n| a | b |\u202e\ud800"
    attempts = [
        Trajectory(task_id="one", agent=hostile.replace("\ud800", ""), final_output="a"),
        Trajectory(task_id="one", agent="crab", final_output="a"),
    ]
    lines = [attempt.model_dump_json(exclude_none=True) + "\n" for attempt in attempts]
    (folder / "preds.jsonl").write_text("".join(lines))
    code, out, _ = run("score", "preds.jsonl", "-m", LENGTH)
    assert code == 0
    assert r"[red]x[/red]\x1b[31m\x07\n| a | b |\u202e" in out
    assert not {"\x1b", "\x07", "\u202e"} & set(out)
    _, out, _ = run("score", "preds.jsonl", "-m", LENGTH, "-f", "markdown")
    assert r"\[red\]x\[/red\]" in out
    assert not {"\x1b", "\x07", "\u202e"} & set(out)


def test_the_slower_kernels_cause_a_message_unless_they_were_chosen(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TRAJMETER_BACKEND", raising=False)
    monkeypatch.setattr(kernels._select, "_chosen", lambda: "python")  # noqa: SLF001 - as without the extension
    _, _, err = run("score", "preds.jsonl", "-m", LENGTH)
    (line,) = err.splitlines()
    assert line.startswith("trajmeter: the Rust extension is not installed; using the slower")
    monkeypatch.setenv("TRAJMETER_BACKEND", "python")
    _, _, err = run("score", "preds.jsonl", "-m", LENGTH)
    assert err == ""


def test_an_interrupt_leaves_the_earlier_file(run: Run, folder: Path) -> None:
    (folder / "out.jsonl").write_text("earlier\n")
    code, out, err = run("score", "preds.jsonl", "-m", "metrics.py@interrupted", "-o", "out.jsonl")
    assert (code, out, err) == (130, "", "trajmeter: interrupted\n")
    assert (folder / "out.jsonl").read_text() == "earlier\n"
    assert not list(folder.glob(".*"))


def test_a_metric_that_would_end_the_program_is_an_outcome(run: Run, folder: Path) -> None:
    both = f"metrics.py@leaving,{LENGTH}"
    code, out, err = run("score", "preds.jsonl", "-m", both, "-o", "out.jsonl")
    assert (code, err) == (0, wrote("out.jsonl"))
    assert "not scored  metric_error         2  all figures" in out
    first, _ = json_lines((folder / "out.jsonl").read_text())
    assert str(first["leaving.error"]).startswith("SystemExit: 1 (metrics.py:")
    assert first["length.value"] == 3.0


@pytest.mark.parametrize(
    ("given", "row"),
    [
        ('float("nan")', "not scored non_finite 2 all figures"),
        ("None", "abstained 2 all figures"),
    ],
)
def test_a_metric_that_scored_nothing_says_so(run: Run, folder: Path, given: str, row: str) -> None:
    (folder / "lost.py").write_text(
        f"import trajmeter\n@trajmeter.metric\ndef lost(task, trajectory):\n    return {given}\n"
    )
    code, out, err = run("score", "preds.jsonl", "-m", "lost.py@lost")
    assert (code, err) == (0, "")
    assert row in [" ".join(line.split()) for line in out.splitlines()]


def test_misspelt_keys_and_tool_policies_are_reported_on_the_terminal(
    run: Run, folder: Path
) -> None:
    policies = '"tool_policies": {"default": "fuzzy"}, "expected_tool": "a"'
    task = f'{{"id": "one", "expected_tool_calls": [], "metadata": {{{policies}}}}}'
    (folder / "tasks.jsonl").write_text(task)
    (folder / "runs.jsonl").write_text('{"task_id": "one", "tool_calls": []}')
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        code, out, err = run("score", "runs.jsonl", "-t", "tasks.jsonl", "-m", "tools", "-f", "csv")
    assert code == 0
    misspelt, policy = err.splitlines()
    assert misspelt == (
        "trajmeter: warning: tasks.jsonl:1: metadata.expected_tool is not a known key; "
        "did you mean expected_tools?"
    )
    reason = "tool_policies: the policy default is 'fuzzy', expected 'exact', "
    assert policy.startswith(
        f"trajmeter: warning: tasks.jsonl:1: task 'one' cannot be scored: {reason}"
    )
    (row,) = csv.DictReader(io.StringIO(out))
    assert row["tools.cause"] == "invalid_input"
    assert row["tools.reason"].startswith(reason)
