"""``trajmeter compare`` on results tables, and ``trajmeter agreement``."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.summaries.tables import F1, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

A = {f"t{i}": [x] for i, x in enumerate([0.3, 0.3, 0.6, 0.1, 0.7, 0.2])}
B = {f"t{i}": [x] for i, x in enumerate([0.4, 0.2, 0.6, 0.2, 0.6, 0.4])}


def write(file: Path, rows: list[dict[str, Any]]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def tables(folder: Path) -> tuple[str, str]:
    write(folder / "old.jsonl", rows_of(A | {"t9": ["lost"]}))
    write(folder / "new.jsonl", rows_of(B, agent="b"))
    return "old.jsonl", "new.jsonl"


def test_a_report_for_people(run: Run, tables: tuple[str, str]) -> None:
    code, out, err = run("compare", *tables, "--figure", "context.line.f1", "--margin", "0.1")
    assert (code, err) == (0, "")
    title, _, _, row, *lines = out.splitlines()
    assert title == "new against old, paired by task"
    assert row.split() == [
        F1, "6", "0.367", "0.400", "+0.033", "-0.094…+0.160†", "0.750", "3/2/1",
    ]  # fmt: skip
    assert lines == [
        (
            "not worse by more than 0.1: yes (limit -0.066); equivalent within 0.1: "
            "not shown (p 0.118)"
        ),
        "6 tasks would detect a difference of 0.173 with probability 0.8",
        "left out: 1 task only in old; with the worst or best possible values: -0.114…+0.171",
        "p: all sign flips",
        "† fewer than 10 tasks: the interval is only approximate",
    ]


def test_the_document_has_every_task(run: Run, tables: tuple[str, str]) -> None:
    code, out, _ = run("compare", *tables, "-f", "json")
    document = json.loads(out)
    (pair,) = document["pairs"]
    assert (code, pair["a"], pair["b"]) == (0, "old", "new")
    assert pair["left_out"] == {"only_a": ["t9"]}
    tasks = pair["tasks"][F1]
    assert [task["task_id"] for task in tasks] == ["t1", "t4", "t2", "t0", "t3", "t5"]
    assert tasks[0] == {
        "task_id": "t1", "a": 0.3, "b": 0.2, "difference": pytest.approx(-0.1), "n_a": 1, "n_b": 1,
    }  # fmt: skip
    assert document["options"]["missing"] == "drop"


def test_every_format_has_the_same_numbers(run: Run, folder: Path, tables: tuple[str, str]) -> None:
    names = ["c.json", "c.jsonl", "c.csv"]
    code, out, err = run(
        "compare", *tables, "-f", "jsonl", *(word for name in names for word in ("-o", name))
    )
    assert (code, err.splitlines()) == (0, [f"trajmeter: wrote {name}" for name in names])
    (pair,) = json.loads((folder / "c.json").read_text())["pairs"]
    assert [task["task_id"] for task in pair["tasks"][F1]] == ["t1", "t4", "t2", "t0", "t3", "t5"]
    (figure,) = pair["figures"]
    row = {"a": "old", "b": "new", **figure}
    assert json.loads(out) == json.loads((folder / "c.jsonl").read_text()) == row
    text = run("compare", *tables, "-f", "csv")[1]
    assert text == (folder / "c.csv").read_text()
    (cells,) = csv.DictReader(io.StringIO(text))
    assert [*cells] == [name for name in row if name != "left_out"]
    assert float(cells["difference"]) == figure["difference"]
    assert cells["notes"] == "few_tasks"


def test_reports_in_files(run: Run, folder: Path, tables: tuple[str, str]) -> None:
    for name in ("report.md", "report.html"):
        code, _, err = run("compare", *tables, "-o", name)
        assert (code, err) == (0, f"trajmeter: wrote {name}\n")
        assert "task by task" in (folder / name).read_text()
    assert "task by task" in run("compare", *tables, "--tasks-table")[1]
    assert "## new against old" in run("compare", *tables, "-f", "md")[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--profile", "framework-comparison"], "for results of frameworks"),
        (["-o", "report.pdf"], "ends in .json, .jsonl, .csv, .md, .html"),
        (["--margin", "0.1", "--margin", "0.2"], "accepts one number"),
        (["--margin", "turns.x=1", "--margin", "turns.x=1"], "--margin: turns.x is given twice"),
        (["--missing", "worst", "--range", "context.line.f1=..1"], "declares no least value"),
        (["--figure", "context.line.f9"], "no figure 'context.line.f9'"),
    ],
)
def test_refusals(run: Run, tables: tuple[str, str], options: list[str], message: str) -> None:
    code, out, err = run("compare", *tables, *options)
    assert (code, out) == (2, "")
    assert message in err


def test_the_two_kinds_of_results_do_not_mix(
    run: Run, folder: Path, tables: tuple[str, str]
) -> None:
    result = {"framework_name": "anchor", "scenario_name": "s", "questions": []}
    (folder / "anchor.json").write_text(json.dumps(result, indent=2))
    code, _, err = run("compare", tables[0], "anchor.json")
    assert (code, "old.jsonl is a results table and anchor.json is not" in err) == (2, True)
    code, _, err = run("compare", "anchor.json", "--margin", "0.1")
    assert (code, "--margin: for results tables" in err) == (2, True)
    code, _, err = run("compare", "anchor.json", "-f", "csv")
    assert (code, "--format csv: for results tables" in err) == (2, True)
    code, _, err = run("agreement", tables[0], "anchor.json")
    assert (code, "is a results table" in err) == (2, True)


def test_a_folder_of_result_files_is_reported(run: Run, folder: Path) -> None:
    (folder / "results").mkdir()
    expected = "unreadable: results: a folder, expected a result file, such as results/*.json"
    code, _, err = run("compare", "results")
    assert (code, err.splitlines()[0]) == (4, expected)
    (folder / "other").mkdir()
    code, _, err = run("agreement", "results", "other")
    assert (code, err.splitlines()[0]) == (4, expected)
    assert "only 0 of 2 files could be read" in err


SCORES = [(1, 1), (2, 3), (3, 3), (4, 5)]


def test_agreement_of_tables(run: Run, folder: Path) -> None:
    for judge, name in enumerate(("a.jsonl", "b.jsonl")):
        rows = [{"task_id": f"t{i}", "judge.score": both[judge]} for i, both in enumerate(SCORES)]
        write(folder / name, rows)
    code, out, _ = run("agreement", "a.jsonl", "b.jsonl", "--scale", "interval", "-f", "json")
    (figure,) = json.loads(out)["figures"]
    assert code == 0
    assert (figure["figure"], figure["n_compared"], figure["exact"]) == ("judge.score", 4, 0.5)
    assert figure["alpha"] == pytest.approx(1 - 0.5 / (2 * 8 * 13.5 / 56))
    assert figure["kappa"] == pytest.approx(1 - 0.5 / 3.5)
    out = run("agreement", "a.jsonl", "b.jsonl")[1]
    assert "judge.score  ordinal    4/4      4        50%  0.889" in out
    code, _, err = run("agreement", "a.jsonl", "./a.jsonl")
    assert code == 0
    assert err == "trajmeter: a.jsonl: listed twice; each counts as a judge of its own\n"
    code, _, err = run("compare", "a.jsonl", "b.jsonl", "a.jsonl", "--figure", "judge.score")
    assert code == 0
    assert err == "trajmeter: a.jsonl: listed twice; each counts as a system of its own\n"
    code, _, err = run("agreement", "a.jsonl")
    assert (code, "needs at least two judges" in err) == (2, True)


def test_agreement_of_framework_results(run: Run, folder: Path) -> None:
    for judge, name in enumerate(("a.json", "b.json")):
        questions = [
            {"question_id": f"q{i}", "question_text": "?", "correctness_score": both[judge]}
            for i, both in enumerate([*SCORES, (0, 0)])
        ]
        result = {"framework_name": "x", "scenario_name": "s", "questions": questions}
        (folder / name).write_text(json.dumps(result))
    code, out, _ = run("agreement", "a.json", "b.json", "-f", "json")
    figure = next(
        each for each in json.loads(out)["figures"] if each["figure"] == "correctness_score"
    )
    assert (code, figure["scale"], figure["n_compared"]) == (0, "ordinal", 4)
    assert figure["alpha"] == pytest.approx(0.8892405063291139)
    other = json.loads((folder / "b.json").read_text()) | {"framework_name": "y"}
    (folder / "b.json").write_text(json.dumps(other))
    code, out, err = run("agreement", "a.json", "b.json")
    assert (code, out) == (2, "")
    assert "the same answers, but the files are of 'x' (a.json), 'y' (b.json)" in err


def test_agreement_of_recordings(run: Run, folder: Path) -> None:
    for judge, name in enumerate(("a.jsonl", "b.jsonl")):
        lines = [
            {
                "key": str(i),
                "model": name,
                "prompt": {"instructions": "score", "text": f"q{i}", "schema_name": "s",
                           "json_schema": {}},
                "reply": {"text": json.dumps({"correctness": both[judge], "reasoning": "r"})},
            }
            for i, both in enumerate(SCORES)
        ]  # fmt: skip
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        (folder / name).write_text(text)
    code, out, _ = run("agreement", "a.jsonl", "b.jsonl", "--scale", "nominal", "-f", "json")
    (figure,) = json.loads(out)["figures"]
    assert (code, figure["figure"]) == (0, "correctness")
    assert figure["alpha"] == pytest.approx(0.41666666666666663)
