"""Rows of Langfuse's scheduled exports, and scores of its traces."""

from __future__ import annotations

import csv
import gzip
import io
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.readers.langfuse.test_observations import OBSERVATIONS, trace
from tests.readers.logs import read, read_one, write_lines

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from trajmeter.records import Trajectory

_SNAKE = {
    "costDetails": "cost_details",
    "endTime": "end_time",
    "parentObservationId": "parent_observation_id",
    "providedModelName": "provided_model_name",
    "startTime": "start_time",
    "statusMessage": "status_message",
    "traceId": "trace_id",
    "usageDetails": "usage_details",
}
COLUMNS = (*_SNAKE.values(), "id", "type", "name", "metadata", "level", "input", "output")


def exported(value: Any) -> str:
    """A payload in a row, which is text; empty text if it was not set."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


def row_of(observation: dict[str, Any]) -> dict[str, Any]:
    """A row of ``observations_v2``."""
    found = {_SNAKE.get(key, key): value for key, value in observation.items()}
    found["provided_model_name"] = observation["model"] or ""
    for key in ("start_time", "end_time"):
        found[key] = found[key].replace("T", " ").replace("Z", "000")
    for key in ("input", "output", "status_message", "parent_observation_id"):
        found[key] = exported(found[key])
    return {key: found[key] for key in COLUMNS} | {"project_id": "p", "total_cost": 0}


def score(name: str, value: float, kind: str = "NUMERIC", **fields: Any) -> dict[str, Any]:
    """A row of ``scores``."""
    return {
        "id": f"s-{name}-{value}",
        "timestamp": "2026-01-02 03:05:00.000000",
        "project_id": "p",
        "trace_id": "t1",
        "observation_id": None,
        "session_id": None,
        "name": name,
        "value": value,
        "source": "API",
        "comment": None,
        "data_type": kind,
        "string_value": None,
        **fields,
    }


TRACE = {
    "id": "t1",
    "timestamp": "2026-01-02 03:04:00.250000",
    "name": "solve",
    "metadata": {"task_id": "shelf-1"},
    "user_id": None,
    "session_id": "s1",
    "public": False,
    "bookmarked": False,
    "input": None,
    "output": None,
}
ROWS = [row_of(each) for each in OBSERVATIONS]
SCORES = [
    score("passed", 1, "BOOLEAN"),
    score("helpfulness", 0.75),
    score("tone", 2, "CATEGORICAL", string_value="calm"),
    score("note", 0, "TEXT", string_value="As agreed."),
    score("step", 0.1, observation_id="o2"),
    score("other", 0.2, trace_id=None, session_id="s1"),
]
VALUES = {"passed": True, "helpfulness": 0.75, "tone": "calm", "note": "As agreed."}


def as_csv(rows: Sequence[dict[str, Any]]) -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, [*rows[0]])
    writer.writeheader()
    for row in rows:
        writer.writerow(
            {
                key: json.dumps(each) if isinstance(each, (dict, bool)) else each
                for key, each in row.items()
            }
        )
    return file.getvalue()


def as_parquet(rows: Sequence[dict[str, Any]]) -> bytes:
    """Rows with maps, decimals and times, as a database writes them."""
    schema = {key: pa.array([row[key] for row in rows]) for key in rows[0] if key != "metadata"}
    for key in ("metadata", "usage_details"):
        if key in rows[0]:
            kind: Any = pa.map_(pa.string(), pa.string() if key == "metadata" else pa.uint64())
            schema[key] = pa.array([[*row[key].items()] for row in rows], kind)
    if "cost_details" in rows[0]:
        kind = pa.map_(pa.string(), pa.decimal128(38, 12))
        costs = [
            [(key, Decimal(str(each))) for key, each in row["cost_details"].items()] for row in rows
        ]
        schema["cost_details"] = pa.array(costs, kind)
        for key in ("start_time", "end_time"):
            schema[key] = schema[key].cast(pa.timestamp("us"))
    file = io.BytesIO()
    pq.write_table(pa.table(schema), file)
    return file.getvalue()


def expected(tmp_path: Path) -> Trajectory:
    whole = read_one(write_lines(tmp_path / "whole.jsonl", trace(*OBSERVATIONS)))
    return whole.model_copy(update={"task_id": "t1", "attempt": None})


def same(found: Trajectory, other: Trajectory, **fields: Any) -> bool:
    return found == other.model_copy(update={"source": found.source, **fields})


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv", "a.parquet", "a.jsonl.gz"])
def test_rows_of_observations(name: str, tmp_path: Path) -> None:
    lines = "".join(f"{json.dumps(row)}\n" for row in ROWS).encode()
    contents = {
        "a.json": json.dumps(ROWS).encode(),
        "a.jsonl": lines,
        "a.csv": as_csv(ROWS).encode(),
        "a.parquet": as_parquet(ROWS),
        "a.jsonl.gz": gzip.compress(lines),
    }
    path = tmp_path / name
    path.write_bytes(contents[name])
    assert same(read_one(path), expected(tmp_path))


def test_the_total_cost_may_be_a_decimal(tmp_path: Path) -> None:
    rows = [{**row, "cost_details": {}, "total_cost": Decimal("0.5")} for row in ROWS]
    (tmp_path / "a.parquet").write_bytes(as_parquet(rows))
    turns = read_one(tmp_path / "a.parquet").turns or ()
    assert [turn.usage and turn.usage.cost_usd for turn in turns] == [0.5, 0.5]


def test_text_may_be_bytes(tmp_path: Path) -> None:
    rows = [
        {key: each.encode() if isinstance(each, str) else each for key, each in row.items()}
        for row in ROWS
    ]
    for row, known in zip(rows, ROWS, strict=True):
        row |= {key: known[key] for key in ("start_time", "end_time")}
    (tmp_path / "a.parquet").write_bytes(as_parquet(rows))
    assert same(read_one(tmp_path / "a.parquet"), expected(tmp_path))


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_the_folders_of_an_export_are_read_together(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "export"
    parts = {"traces/1": [TRACE], "observations/1": ROWS[2:], "observations/2": ROWS[:2]}
    for name, rows in (parts | {"scores/1": SCORES}).items():
        path = folder / f"{name}.{kind}"
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "jsonl":
            write_lines(path, *rows)
        elif kind == "csv":
            path.write_text(as_csv(rows))
        else:
            path.write_bytes(as_parquet(rows))
    (folder / "manifests").mkdir()
    (folder / "manifests" / "1.json").write_text('{"files": []}')
    for given in (folder, tmp_path):
        found = {"task_id": "shelf-1", "attempt": "t1", "passed": True}
        attempt = read_one(given)
        assert same(attempt, expected(tmp_path), **found, metadata={"scores": VALUES})
        (tmp_path / "whole.jsonl").unlink()


def test_a_folder_of_observations_is_read_as_a_whole(tmp_path: Path) -> None:
    for number, row in enumerate(ROWS):
        write_lines(tmp_path / "observations" / f"{number}.jsonl", row)
    (tmp_path / "observations" / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    assert same(read_one(tmp_path / "observations"), expected(tmp_path))


def test_logs_beside_an_export_are_read_too(tmp_path: Path) -> None:
    write_lines(tmp_path / "observations" / "a.jsonl", *ROWS)
    write_lines(tmp_path / "a.jsonl", {"task_id": "a", "turns": []})
    write_lines(tmp_path / "more" / "b.jsonl", {"task_id": "b", "turns": []})
    attempts, problems = read(tmp_path)
    assert sorted(attempt.task_id for attempt in attempts) == ["a", "b", "t1"]
    assert not problems


def test_other_folders_of_observations_are_not_of_this_format(tmp_path: Path) -> None:
    write_lines(tmp_path / "observations" / "a.jsonl", {"task_id": "a", "turns": []})
    attempt = read_one(tmp_path)
    assert (attempt.task_id, attempt.turns) == ("a", ())


@pytest.mark.parametrize(
    ("scores", "passed"),
    [
        ([score("resolved", 0, "BOOLEAN")], False),
        ([score("passed", 1)], True),
        ([score("passed", 0.5)], None),
        ([score("passed", 3, "CATEGORICAL", string_value="yes")], None),
        ([score("correct", 1, "BOOLEAN")], None),
        ([score("resolved", 0), score("passed", 1)], True),
        (
            [
                score("passed", 1, timestamp="2026-01-02 03:06:00.000000"),
                score("passed", 0, timestamp="2026-01-02 03:05:00.000000"),
            ],
            True,
        ),
        ([score("passed", 1, "BOOLEAN", observation_id="o1")], None),
        ([score("passed", 1, "CORRECTION")], None),
    ],
)
def test_a_score_may_say_whether_the_attempt_passed(
    scores: list[dict[str, Any]], passed: bool | None, tmp_path: Path
) -> None:
    assert read_one(write_lines(tmp_path / "a", *ROWS, *scores)).passed is passed


def test_scores_in_a_trace_of_the_api(tmp_path: Path) -> None:
    own = {"id": "s1", "name": "passed", "value": 1, "dataType": "BOOLEAN", "traceId": "t1"}
    attempt = read_one(write_lines(tmp_path / "a", trace(*OBSERVATIONS, scores=[own, 3])))
    assert (attempt.passed, attempt.metadata) == (True, {"scores": {"passed": True}})


def test_scores_alone_are_no_attempts(tmp_path: Path) -> None:
    attempts, problems = read(write_lines(tmp_path / "a.jsonl", *SCORES))
    assert attempts == []
    assert [each.message.partition(";")[0] for each in problems] == ["no observations"]


def test_long_and_bad_rows_of_csv(tmp_path: Path) -> None:
    long = {**ROWS[3], "output": "x" * 200_000}
    text = as_csv([*ROWS[:3], long])
    path = tmp_path / "a.csv"
    path.write_text(f'{text}a,b\r\n"c,{"d," * 30}\n')
    (attempt,), problems = read(path)
    assert attempt.final_output == "x" * 200_000
    assert [(each.line, each.message) for each in problems] == [
        (6, f"expected {len(ROWS[0])} values, got 2"),
        (7, "invalid CSV: unexpected end of data"),
    ]
