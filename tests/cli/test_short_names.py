"""Short names of figures work wherever a command takes the name of one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.summaries.tables import F1, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str, str]]

pytest.importorskip("pyarrow")
pytest.importorskip("scipy")

SHORT = "context.line.f1"
EXAMPLE = Path(__file__).parents[2] / "examples" / "context"


@pytest.fixture(autouse=True)
def tables(folder: Path) -> None:
    for name, shift in {"old": 0.0, "new": 0.25}.items():
        values = {f"t{n}": [shift + n / 40] for n in range(12)}
        lines = (json.dumps(row) + "\n" for row in rows_of(values, agent=name))
        (folder / f"{name}.jsonl").write_text("".join(lines))


def given(*options: str) -> list[str]:
    """Options, of which F stands for the figure."""
    return [option.replace("F", SHORT) for option in options]


@pytest.mark.parametrize(
    "options",
    [
        ["--figure", "F"],
        ["--figure", "context.line.*"],
        ["--fail-under", "F=0.1"],
        ["--fail-under-lower", "F=0.05"],
        ["--figure", "F", "--by", "none", "--no-regression", "old.jsonl", "--margin", "F=0.1"],
        ["--range", "F=0..1"],
        ["--better", "F=higher"],
        ["--success", "F>=0.2"],
    ],
)
def test_summarize(run: Run, options: list[str]) -> None:
    code, out, err = run("summarize", "new.jsonl", "--format", "json", *given(*options))
    assert code == 0, err
    found = json.loads(out)
    assert F1 in {each["figure"] for each in found["groups"][0]["figures"]}
    assert {gate["outcome"] for gate in found["gates"]} <= {"passed"}


def test_a_gate_against_the_better_end(run: Run) -> None:
    options = given("--better", "F=lower", "--fail-over", "F=0.9", "--fail-over-upper", "F=0.9")
    code, out, _ = run("summarize", "new.jsonl", "--format", "json", *options)
    gates = json.loads(out)["gates"]
    assert (code, [gate["outcome"] for gate in gates]) == (0, ["passed", "passed"])


@pytest.mark.parametrize(
    "options",
    [
        ["--figure", "F"],
        ["--margin", "F=0.1"],
        ["--missing", "worst", "--range", "F=0..1"],
        ["--better", "F=higher"],
    ],
)
def test_compare(run: Run, options: list[str]) -> None:
    tables = ["old.jsonl", "new.jsonl"]
    code, out, err = run("compare", *tables, "--format", "json", *given(*options))
    assert (code, err) == (0, "")
    assert json.loads(out)["pairs"][0]["figures"][0]["figure"] == F1


@pytest.mark.parametrize(
    "options",
    [
        ["--figure", "F"],
        ["--success", "F>=0.2"],
        ["--range", "F=0..1"],
        ["--better", "F=higher"],
    ],
)
def test_report(run: Run, options: list[str]) -> None:
    code, out, err = run("report", "old.jsonl", "new.jsonl", *given(*options))
    assert (code, err) == (0, "")
    assert f"new is better than old at {SHORT}" in out


def test_agreement(run: Run) -> None:
    tables = ["old.jsonl", "old.jsonl", "--format", "json"]
    code, out, _ = run("agreement", *tables, *given("--figure", "F"))
    assert code == 0
    assert [each["figure"] for each in json.loads(out)["figures"]] == [F1]


def test_gates_of_score(run: Run) -> None:
    files = ["-t", str(EXAMPLE / "gold.jsonl"), "-s", str(EXAMPLE / "snapshots.jsonl")]
    command = ["score", str(EXAMPLE / "predictions.jsonl"), *files]
    code, out, err = run(*command, *given("--fail-under", "F=0.99"))
    assert code == 1
    assert f"failed  {F1}" in out + err
