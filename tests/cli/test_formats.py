from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, TypeAlias

import pytest

from trajmeter.readers import formats

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run: TypeAlias = Callable[..., tuple[int, str, str]]

NAMES = [known.name for known in formats()]


def test_every_format_is_listed_with_what_it_carries_and_where_it_comes_from(run: Run) -> None:
    code, out, err = run("formats")
    assert (code, err) == (0, "")
    header, _, *lines = out.splitlines()
    assert header.split() == ["format", "makes", "from", "carries"]
    assert [line.split()[0] for line in lines] == NAMES
    (line,) = (line for line in lines if line.startswith("swe-bench-predictions"))
    assert "model, final_patch, extra" in line
    assert "trajectories" in line


def test_no_line_of_a_piped_table_ends_in_blanks(run: Run) -> None:
    lines = run("formats")[1].splitlines()
    assert [line for line in lines if line != line.rstrip()] == []
    assert lines[0].split() == ["format", "makes", "from", "carries"]


def test_the_list_is_data_too(run: Run) -> None:
    items = json.loads(run("formats", "-f", "json")[1])
    assert [item["format"] for item in items] == NAMES
    assert items[NAMES.index("task-records")]["makes"] == "tasks"
    assert "gold_ranges" in items[NAMES.index("contextbench-gold")]["carries"]
    lines = run("formats", "-f", "jsonl")[1].splitlines()
    assert [json.loads(line) for line in lines] == items
    rows = [*csv.DictReader(io.StringIO(run("formats", "-f", "csv")[1]))]
    assert [row["format"] for row in rows] == NAMES
    table = run("formats", "-f", "markdown")[1].splitlines()
    assert run("formats", "-f", "md")[1].splitlines() == table
    assert len(table) == len(NAMES) + 2
    assert table[0].startswith("| format ")


@pytest.mark.parametrize("option", ["contextbench-prediction", "openhand"])
def test_an_unknown_format_is_an_error(run: Run, option: str) -> None:
    code, out, err = run("score", "preds.jsonl", "-m", "turns", "--input-format", option)
    assert (code, out) == (2, "")
    assert f"unknown format '{option}'; " in err
    assert "did you mean 'contextbench-predictions'?" in err or option == "openhand"


def test_a_named_format_reads_what_it_does_not_look_like(run: Run, folder: Path) -> None:
    (folder / "odd.jsonl").write_text('{"instance_id": "one", "trajectory": [], "model_patch": ""}')
    arguments = ("score", "odd.jsonl", "-m", "turns", "-f", "jsonl")
    code, out, _ = run(*arguments)
    assert (code, out) == (4, "")
    code, out, err = run(*arguments, "--input-format", "swe-bench-predictions")
    assert (code, err) == (0, "")
    assert json.loads(out)["task_id"] == "one"


def test_patterns_and_folders_name_logs(run: Run, folder: Path) -> None:
    (folder / "logs" / "a").mkdir(parents=True)
    (folder / "preds.jsonl").rename(folder / "logs" / "a" / "b.jsonl")
    for logs in ("logs", "logs/**/*.jsonl", "l*"):
        code, out, err = run("score", logs, "-m", "turns", "-f", "jsonl")
        assert (code, err) == (0, "")
        assert [json.loads(line)["agent"] for line in out.splitlines()] == ["crab", "heron"]
    code, out, err = run("score", "*.none", "-m", "turns", "-f", "jsonl")
    assert (code, out) == (2, "")
    assert "*.none: no file matches this pattern" in err
