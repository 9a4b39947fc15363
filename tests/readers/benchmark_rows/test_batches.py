"""Tables of benchmarks as record batches, beside reading them as records."""

from __future__ import annotations

import json
import tempfile
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import trajmeter
from tests.readers.benchmark_rows.reading_columns import assert_never_as_records
from tests.readers.both_ways import as_batches, as_records, as_tables, compared
from trajmeter.benchmark_tables import BENCHMARK_TABLES
from trajmeter.benchmark_tables.columns import as_measurements
from trajmeter.readers import read_trajectories
from trajmeter.readers.batches import TrajectoryBatches
from trajmeter.schemas import trajectory_schema

pa = pytest.importorskip("pyarrow")

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

pytestmark = pytest.mark.usefixtures("rust")

PLAIN: list[dict[str, Any]] = [
    {
        "task_id": task,
        "agent": agent,
        "model": "a/b" if agent == "owl" else None,
        "benchmark": name,
        "agent_nop": 1.5,
        "oracle_nop": None,
        "significant": True,
        "test_failed": None if name == "m.f" else 2,
        "cost": "ignored",
    }
    for task in ("t", "u")
    for agent in ("nop", "owl")
    for name in ("m.f", 'm."g"(é\n)')
]


def parquet(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    from pyarrow.parquet import write_table

    write_table(pa.Table.from_pylist(rows), path)
    return path


def lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


WRITERS = [parquet, lines]


@pytest.mark.parametrize("write", WRITERS)
def test_plain_rows_become_columns(write: Any, tmp_path: Path) -> None:
    assert_never_as_records(write(tmp_path / "rows", PLAIN))
    # The rows of an attempt may stand anywhere; attempts keep the order of their first rows.
    mixed = [PLAIN[place] for place in (5, 0, 7, 2, 1, 4, 3, 6)]
    assert_never_as_records(write(tmp_path / "rows", mixed))


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize(
    "changes",
    [
        {"attempt": 3},
        {"attempt": 3.0},
        {"model": None},
        {"agent_nop": float("nan")},
        {"agent_nop": float("inf"), "oracle_nop": 1e300},
        {"agent_nop": 3, "significant": None},
        {"nop_seconds": 1.5, "agent_seconds": 1e-7, "oracle_seconds": -0.0},
        {"test_failed": 1.0, "test_error": float("nan"), "tests": "odd"},
        {"snapshot_status": "Passed", "snapshot_pass_to_fail": 1},
        {"is_resolved": True, "trajectory_length": 7, "task_cost_usd": 0.5},
        {"total_input_tokens": 9, "total_output_tokens": None, "total_cost": 0.25},
    ],
)
def test_what_else_plain_rows_hold(write: Any, changes: dict[str, Any], tmp_path: Path) -> None:
    if write is lines and not {"nan", "inf"}.isdisjoint(map(str, changes.values())):
        pytest.skip("bare NaN and Infinity are read as records")
    assert_never_as_records(write(tmp_path / "rows", [{**row, **changes} for row in PLAIN]))


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize(
    "changes",
    [
        {"task_id": None},
        {"benchmark": "m.f"},
        {"benchmark": None},
        {"turns": 1},
        {"attempt": 1.5},
        {"attempt": True},
        {"agent_nop": "2.0"},
        {"agent_nop": [1.0]},
    ],
)
def test_other_rows_are_read_as_records(
    write: Any, changes: dict[str, Any], tmp_path: Path
) -> None:
    path = write(tmp_path / "rows", [{**row, **changes} for row in PLAIN])
    assert as_batches(path)[0] == as_records(path)


def test_an_attempt_that_measured_nothing_has_an_empty_table(tmp_path: Path) -> None:
    crashed = {"task_id": "v", "agent": "owl", "benchmark": None, "is_resolved": False}
    for write in WRITERS:
        assert_never_as_records(write(tmp_path / "rows", [*PLAIN, crashed]))


@pytest.mark.parametrize(
    "values",
    [
        [b"\xff\xfe", b"2.0"],
        [date(2026, 1, 1), None],
        [datetime(2026, 1, 1, tzinfo=timezone.utc), None],
        [timedelta(days=1), None],
        [{"a": b"\xff"}, None],
        [[date(2026, 1, 1)], None],
    ],
)
@pytest.mark.parametrize("column", ["agent_nop", "test_failed", "snapshot_status", "task_cost_usd"])
def test_parquet_values_that_json_lacks_are_not_measurements(
    values: list[object], column: str, tmp_path: Path
) -> None:
    rows = [{**row, column: value} for row, value in zip(PLAIN[:2], values, strict=True)]
    path = parquet(tmp_path / "rows", rows)
    expected = as_records(path)
    assert as_batches(path)[0] == expected
    assert expected.problems == []
    assert len(expected.rows) == 1  # both rows are of one attempt
    by_record, by_column = (
        trajmeter.score(of, metrics=["speedup"]).rows for of in ([*read_trajectories(path)], path)
    )
    assert by_column == by_record


def test_columns_of_parquet_of_every_type(tmp_path: Path) -> None:
    from pyarrow.parquet import write_table

    frame = pa.Table.from_pylist(PLAIN)
    for name, kinds in {
        "agent_nop": (pa.float32(), pa.decimal128(30, 3), pa.string()),
        "significant": (pa.int8(), pa.string()),
        "task_id": (pa.large_string(), pa.binary(), pa.dictionary(pa.int8(), pa.string())),
        "test_failed": (pa.uint64(), pa.float32(), pa.decimal128(30, 3), pa.string()),
    }.items():
        for kind in kinds:
            place = frame.column_names.index(name)
            write_table(frame.set_column(place, name, frame[name].cast(kind)), tmp_path / "rows")
            assert as_batches(tmp_path / "rows")[0] == as_records(tmp_path / "rows")


NAMES = st.sampled_from(["a", "b", "", "é", None])
VALUES = st.sampled_from([1.5, 2, 0, -1.0, None, True, "x", 1e300, 2**60])
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "task_id": st.sampled_from(["t", "t", "u", ""]),
            "benchmark": st.sampled_from(["m.f", "m.g", "n.h", None]),
        },
        optional={
            "agent": NAMES,
            "model": NAMES,
            "attempt": st.sampled_from([None, "1", 1, 1.0, 2]),
            "agent_nop": st.floats(0.5, 2) | VALUES,
            "oracle_nop": st.floats(0.5, 2) | VALUES,
            "significant": st.sampled_from([True, False, None]),
            "agent_seconds": VALUES,
            "test_failed": VALUES,
            "is_resolved": VALUES,
            "total_cost": VALUES,
            "else": VALUES,
        },
    ),
    min_size=1,
    max_size=6,
).map(lambda rows: [{"agent_nop": 1.0, **rows[0]}, *rows[1:]])


@given(rows=ROWS, is_parquet=st.booleans())
def test_both_ways_of_reading_agree(rows: list[dict[str, Any]], is_parquet: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows"
        try:
            write = parquet if is_parquet else lines
            write(path, rows)
        except pa.ArrowException:  # values of several types make no column
            lines(path, rows)
        expected = as_records(path)
        assert as_batches(path)[0] == expected
        assert as_tables(path)[0] == expected


def test_tables_of_doubles_are_columns_if_asked_for(tmp_path: Path) -> None:
    mixed = [PLAIN[place] for place in (5, 0, 7, 2, 1, 4, 3, 6)]
    cases = [
        (PLAIN, 4),
        (mixed, 4),
        ([{**row, "agent_nop": float("nan"), "nop_seconds": 1.5} for row in PLAIN], 4),
        ([{"task_id": "t", "benchmark": name, "agent_nop": None} for name in "fg"], 1),
        ([{**row, "agent_nop": 3} for row in PLAIN], 0),
        ([{**row, "significant": "yes"} for row in PLAIN], 0),
        ([*PLAIN, {"task_id": "v", "benchmark": None}], 0),
    ]
    for rows, count in cases:
        path = parquet(tmp_path / "rows", rows)
        assert as_tables(path) == (as_records(path), count)
    path = lines(tmp_path / "rows", PLAIN)
    assert as_tables(path) == (as_records(path), 0)


def test_files_with_and_without_tables_in_columns(tmp_path: Path) -> None:
    paths = [
        parquet(tmp_path / "a.parquet", PLAIN),
        lines(tmp_path / "b.jsonl", [{**row, "attempt": "2"} for row in PLAIN]),
        parquet(tmp_path / "c.parquet", [{**row, "oracle_nop": 2.0} for row in PLAIN[:3]]),
        parquet(tmp_path / "d.parquet", [{**row, "agent_nop": 2} for row in PLAIN[:3]]),
    ]
    problems: list[Any] = []
    columns = [*trajectory_schema().names, BENCHMARK_TABLES]
    (batch,) = TrajectoryBatches(paths, columns=columns, on_problem=problems.append)
    assert batch.column(BENCHMARK_TABLES).null_count == 4 + 2
    found = compared(as_measurements(batch).to_pylist())
    assert found == [row for path in paths for row in as_records(path).rows]
    assert problems == []
