"""Other programs read the parts of a run as one table, in the order of the inputs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import trajmeter
from tests.scoring.attempts import convert_units, score_units, write_attempts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _pyarrow(rows: Path) -> list[dict[str, Any]]:
    from pyarrow import dataset

    table = dataset.dataset(rows).to_table()
    found: list[dict[str, Any]] = table.to_pylist()
    return found


def _polars(rows: Path) -> list[dict[str, Any]]:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    found: list[dict[str, Any]] = polars.scan_parquet(rows).collect().to_dicts()
    return found


def _duckdb(rows: Path) -> list[dict[str, Any]]:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    table = duckdb.sql(f"from '{rows}/*.parquet'").to_arrow_table()
    found: list[dict[str, Any]] = table.to_pylist()
    return found


def _datasets(rows: Path) -> list[dict[str, Any]]:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    cache = str(rows.parents[1] / "cache")
    found = datasets.load_dataset("parquet", data_dir=str(rows), split="train", cache_dir=cache)
    return [*found]


_READERS = [_pyarrow, _polars, _duckdb, _datasets]


@pytest.mark.parametrize("read", _READERS)
def test_parts_are_one_table(read: Callable[[Path], list[dict[str, Any]]], tmp_path: Path) -> None:
    runs = write_attempts(tmp_path / "runs.jsonl")
    done = score_units(runs, tmp_path / "scores", metrics=("turns", "context"))
    assert len(done.parts) > 3
    expected = trajmeter.score(runs, metrics=["turns", "context"]).rows
    found = read(tmp_path / "scores" / "rows")
    assert len(found) == len(expected) == 200
    for row, own in zip(found, expected, strict=True):
        assert row.keys() == own.keys()
        for name, value in own.items():
            held = row[name]
            if isinstance(value, dict):  # a mapping is a list of keys and values
                held = {pair["key"]: pair["value"] for pair in held}
            assert held == (list(value) if isinstance(value, tuple) else value), name


@pytest.mark.parametrize("read", _READERS)
def test_converted_parts_are_one_table(
    read: Callable[[Path], list[dict[str, Any]]], tmp_path: Path
) -> None:
    runs = write_attempts(tmp_path / "runs.jsonl")
    attempts = [json.loads(line) for line in runs.read_text().splitlines()]
    for attempt in attempts:
        attempt["run_log"] = {"events": {"i": int(attempt["attempt"])}}
    runs.write_text("".join(f"{json.dumps(attempt)}\n" for attempt in attempts))
    convert_units(runs, tmp_path / "converted")
    found = read(tmp_path / "converted" / "rows")
    events = [row["run_log"]["events"] for row in found]
    assert events == [[{"key": "i", "value": number}] for number in range(200)]
    assert [row["attempt"] for row in found] == [str(number) for number in range(200)]
    assert sum(len(row["turns"] or ()) for row in found) == 400
