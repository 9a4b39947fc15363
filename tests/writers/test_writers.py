"""Rows as JSON lines and CSV, and what all writers of tables have in common."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import TYPE_CHECKING

import pytest
from pyarrow import parquet

import trajmeter
from tests.writers.tables import FULL, Everything, EverythingMetric, write_table
from trajmeter.metrics import RowLayout, score_trajectories
from trajmeter.records import Trajectory, Usage
from trajmeter.text import from_cell
from trajmeter.writers import (
    CsvWriter,
    JsonLinesWriter,
    ParquetWriter,
    TableWriter,
)
from trajmeter.writers.arrow import arrow_schema, rows_batch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


def test_json_lines_hold_every_column() -> None:
    (line,) = write_table(JsonLinesWriter, FULL).splitlines()
    assert json.loads(line) == {
        "task_id": "one",
        "agent": None,
        "model": None,
        "attempt": None,
        "source": "p.jsonl:7",
        "backend": trajmeter.backend(),
        "all.version": "3",
        "all.parameters": '{"profile": "strict"}',
        "all.error": None,
        "all.flag": True,
        "all.count": 2**53 + 1,
        "all.ratio": 0.1,
        "all.cause": "failed",
        "all.parts": [0.5, 1.0],
        "all.reasons": {"parse_error": 2},
        "all.details": {"check": [1, None]},
    }


def test_json_lines_are_valid_json_for_any_values() -> None:
    result = Everything(ratio=math.inf, details={"path": ["\udcff"]})
    lines = write_table(JsonLinesWriter, result, task_id="\ud800é\n")
    row = json.loads(lines, parse_constant=pytest.fail)
    assert (row["all.ratio"], row["task_id"]) == ("Infinity", "\\ud800é\n")
    assert row["all.details"] == {"path": ["\\udcff"]}


def test_csv_leaves_out_lists_and_structures() -> None:
    text = write_table(CsvWriter, FULL, task_id='say "a",\nb').decode()
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["task_id"] == 'say "a",\nb'
    assert [key for key in row if key.startswith("all.")] == [
        "all.version",
        "all.parameters",
        "all.error",
        "all.flag",
        "all.count",
        "all.ratio",
        "all.cause",
    ]
    cells = (row["all.flag"], row["all.count"], row["all.ratio"], row["all.cause"])
    assert cells == ("true", "9007199254740993", "0.1", "failed")


def test_a_missing_value_is_an_empty_field_and_false_is_not_missing() -> None:
    (row,) = csv.DictReader(io.StringIO(write_table(CsvWriter, Everything(flag=False)).decode()))
    assert (row["agent"], row["all.ratio"], row["all.flag"]) == ("", "", "false")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "'=", "''@"])
def test_csv_marks_text_that_a_spreadsheet_would_run(start: str) -> None:
    text = f"{start}cmd|'/c calc'!A1"
    (row,) = csv.DictReader(
        io.StringIO(write_table(CsvWriter, FULL, task_id=text).decode(), newline="")
    )
    assert row["task_id"] == f"'{text}"
    assert from_cell(row["task_id"]) == text


def test_csv_does_not_mark_numbers_and_other_text() -> None:
    negative = Everything(ratio=-0.5)
    (row,) = csv.DictReader(io.StringIO(write_table(CsvWriter, negative, task_id="'a-b").decode()))
    assert (row["all.ratio"], row["task_id"], from_cell(row["task_id"])) == ("-0.5", "'a-b", "'a-b")


def test_csv_escapes_control_characters() -> None:
    text = write_table(CsvWriter, FULL, task_id="\ra\x1b[31m\x00\u202eb\tc").decode()
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["task_id"] == "\\ra\\x1b[31m\\x00\\u202eb\tc"


def test_csv_writes_text_without_a_utf8_form() -> None:
    assert b"\\ud800" in write_table(CsvWriter, FULL, task_id="\ud800")


def _written(make: Callable[[io.BytesIO, RowLayout], TableWriter], sizes: Sequence[int]) -> bytes:
    """What is written in parts: batches of so many rows, or row by row where it is negative."""
    metric = EverythingMetric(FULL)
    layout = RowLayout([metric])
    attempts = [Trajectory(task_id=f"task {n}") for n in range(sum(map(abs, sizes)))]
    rows = [layout.values(each) for each in score_trajectories(attempts, metrics=[metric])]
    schema = arrow_schema(layout)
    stream = io.BytesIO()
    writer = make(stream, layout)
    start = 0
    for size in sizes:
        part = rows[start : start + abs(size)]
        start += abs(size)
        if size < 0:
            for row in part:
                writer.write(row)
        else:
            writer.write_batch(rows_batch(layout, part, schema))
    writer.finish()
    return stream.getvalue()


@pytest.mark.parametrize("make", [CsvWriter, JsonLinesWriter, ParquetWriter])
@pytest.mark.parametrize("sizes", [(11,), (0, 3, 8), (1,) * 11, (-2, 4, 0, -1, 4)])
def test_rows_are_the_same_bytes_however_they_arrive(
    make: Callable[[io.BytesIO, RowLayout], TableWriter],
    sizes: Sequence[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("trajmeter.writers.parquet._ROW_GROUP", 4)
    assert _written(make, sizes) == _written(make, [-11])


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
@pytest.mark.parametrize("more", [0, 1, 2**63 - 1])
def test_tokens_beyond_64_bits_cost_their_total_alone(
    tmp_path: Path, suffix: str, more: int
) -> None:
    usages = [Usage(input_tokens=2**63 - 1, output_tokens=more), Usage(total_tokens=7)]
    attempts = [Trajectory(task_id="a", turns=(), usage=usage) for usage in usages]
    scores = trajmeter.score(attempts, metrics=["turns"])
    file = tmp_path / f"out{suffix}"
    scores.write(file)
    first, second = scores.rows
    tokens = scores.summary.overall.figures["turns.tokens.total_tokens"]
    assert second["turns.tokens.total_tokens"] == 7
    if more:
        assert first["turns.error"] is None
        assert first["turns.tokens.input_tokens"] == 2**63 - 1
        assert first["turns.tokens.total_tokens"] is None
        assert first["turns.tokens.reason"] == "total_tokens add up to more than 64 bits can hold"
        assert (tokens.scored, tokens.abstained, tokens.total) == (1, 1, 2)
    else:
        assert first["turns.tokens.total_tokens"] == 2**63 - 1
        assert tokens.scored == 2
    if suffix == ".parquet":
        read = parquet.read_table(file)["turns.tokens.total_tokens"].to_pylist()
        assert read == [first["turns.tokens.total_tokens"], 7]
