"""Attempts of results tables as rows."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from trajmeter.readers.results import open_results
from trajmeter.summaries.attempt_rows import read_attempts
from trajmeter.summaries.options import Reading
from trajmeter.summaries.table_sums import read_sums

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from trajmeter.readers.results import ResultsTable
    from trajmeter.records import ReadProblem
    from trajmeter.summaries.result_sums import ReadColumns

ROWS: list[dict[str, Any]] = [
    {"task_id": "t2", "agent": "b", "attempt": "1", "x.outcome": "scored", "x.value": 1.0},
    {"task_id": "t1", "agent": "b", "attempt": "1", "x.outcome": "abstained", "x.value": 2.0},
    {"task_id": None, "agent": "a", "attempt": "1", "x.outcome": None, "x.value": None},
    {"task_id": "t2", "agent": "b", "attempt": "1", "x.outcome": "not_scored", "x.value": 4.0},
    {"task_id": "t2", "agent": "a", "attempt": "2", "x.outcome": "scored", "x.value": 5.0},
]
ROWS = [{**row, "x.steps": [row["x.value"]]} for row in ROWS]


def summed(tables: Sequence[ResultsTable], figure: str = "x.value") -> tuple[ReadColumns, ...]:
    """Columns that sums of a figure are read from."""
    return read_sums(tables, Reading(figures=[figure], duplicates="first")).columns


@pytest.mark.parametrize("suffix", ["parquet", "rows"])
@pytest.mark.parametrize(("duplicates", "own"), [("first", [0, 1, 2, 4]), ("last", [1, 2, 3, 4])])
def test_texts_are_numbered_in_the_order_of_the_rows_that_count(
    tmp_path: Path, suffix: str, duplicates: str, own: list[int]
) -> None:
    path = tmp_path / "table.parquet"
    parquet.write_table(pa.Table.from_pylist(ROWS), path, row_group_size=2)
    tables = [open_results(path if suffix == "parquet" else ROWS)]
    rows = read_attempts(
        tables,
        summed(tables),
        by=("agent",),
        texts=["task_id", "x.outcome"],
        numbers=["x.value"],
        values=["x.steps"],
        duplicates=duplicates,
    )
    kept = [ROWS[number] for number in own]
    for name, column in {**rows.texts, "x.steps": rows.values["x.steps"]}.items():
        texts = [column.texts[code] if code >= 0 else None for code in column.codes.tolist()]
        expected = [row[name] for row in kept]
        if name == "x.steps":
            expected = [
                "[null]" if row["x.value"] is None else f"[{row['x.value']}]" for row in kept
            ]
        assert texts == expected, name
        assert column.texts == tuple(dict.fromkeys(text for text in expected if text)), name
    assert [rows.tasks[task] for task in rows.task.tolist()] == [row["task_id"] for row in kept]
    counted = [row["x.value"] if row["x.outcome"] == "scored" else None for row in kept]
    values = [None if math.isnan(value) else value for value in rows.numbers["x.value"].tolist()]
    assert values == counted


def test_many_agents_and_models_of_several_tables_are_grouped() -> None:
    rows = [
        {"task_id": f"t{n}", "agent": f"a{n}", "model": f"m{n}", "x.value": n} for n in range(5)
    ]
    tables = [open_results(rows), open_results([{**row, "attempt": "2"} for row in rows[::-1]])]
    found = read_attempts(tables, summed(tables), by=("agent", "model"))
    assert found.groups == tuple((f"a{n}", f"m{n}") for n in range(5))
    assert found.group.tolist() == [0, 1, 2, 3, 4, 4, 3, 2, 1, 0]


def test_tables_without_attempts_repeat_none(tmp_path: Path) -> None:
    path = tmp_path / "table.jsonl"
    path.write_text('{"task_id": [1], "agent": "a", "x.value": 1}\n')
    table = open_results(path, on_problem=lambda _: None)
    for tables, attempts in (([table], 0), ([table, open_results(ROWS[:2])], 2)):
        assert len(read_attempts(tables, summed(tables), by=("agent",))) == attempts


@pytest.mark.parametrize("keeps_text", [True, False])
def test_only_what_sums_need_makes_a_row_unreadable(tmp_path: Path, *, keeps_text: bool) -> None:
    rows: list[dict[str, Any]] = [
        {"task_id": f"t{n}", "agent": "a", "x.value": n, "x.size": n, "note": "n"} for n in range(6)
    ]
    rows[1]["x.value"] = "much"  # the figure
    rows[2]["x.size"] = "large"
    rows[3]["note"] = ["n"]
    rows[4] |= {"x.value": [], "x.size": []}
    path = tmp_path / "table.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    problems: list[ReadProblem] = []
    tables = [open_results(path, on_problem=problems.append)]
    read = summed(tables)
    of_sums = {problem.message for problem in problems}
    problems.clear()
    found = read_attempts(tables, read, by=("agent",), numbers=["x.size"], keeps_text=keeps_text)
    assert found.tasks == ("t0", "t2", "t3", "t5")
    sizes = found.numbers["x.size"].tolist()
    assert sizes == pytest.approx([0.0, math.nan, 3.0, 5.0], nan_ok=True)
    others = {
        "x.size is 'large', expected a number or true or false",
        "note is ['n'], expected text",
    }
    assert {problem.message for problem in problems} == of_sums | others
    (batch,) = found.everything()
    assert batch.column("note").to_pylist() == ["n", "n", None, "n"]


def test_a_column_of_numbers_in_one_table_and_of_lists_in_another_is_read_as_json(
    tmp_path: Path,
) -> None:
    paths = [tmp_path / "lists.parquet", tmp_path / "numbers.parquet"]
    for path, size in zip(paths, ([1, 2], 3), strict=True):
        row = {"task_id": path.stem, "agent": "a", "x.value": 1.0, "size": size}
        parquet.write_table(pa.Table.from_pylist([row]), path)
    tables = [*map(open_results, paths)]
    found = read_attempts(tables, summed(tables), by=("agent",))
    held = [text for batch in found.everything() for text in batch.column("size").to_pylist()]
    assert held == ["[1, 2]", "3"]
