"""Results tables in Parquet, whose numbers are read column by column when they are asked for."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

import pytest

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402 - which imports pyarrow

from trajmeter.errors import ConfigurationError, ReadError  # noqa: E402 - likewise
from trajmeter.readers.results import open_results, rows_by_column  # noqa: E402 - likewise

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["task_id", "agent", "x.outcome", "no.text"]
NUMBERS = ["x.value", "x.ok", "x.size", "x.text", "x.coded", "no.number"]


@pytest.fixture(autouse=True)
def late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read even small files column by column."""
    monkeypatch.setattr("trajmeter.readers._results.parquet._FEW_CELLS", 0)


def table_of(rows: int) -> Any:
    """Numbers of every type, with nulls, NaN and what text formats make of infinity."""
    numbers = range(rows)
    return pa.table({
        "task_id": [f"t{row % 5}" if row % 7 else None for row in numbers],
        "agent": ["a" if row % 2 else "b" for row in numbers],
        "x.outcome": ["scored" if row % 3 else "abstained" for row in numbers],
        "x.value": pa.array([None if row % 4 == 0 else row / 4 for row in numbers], pa.float32()),
        "x.ok": [None if row % 5 == 0 else row % 2 == 0 for row in numbers],
        "x.size": pa.array(numbers, pa.int16()),
        "x.text": ["NaN" if row % 3 else "Infinity" for row in numbers],
        "x.coded": pa.array([row % 4 / 8 for row in numbers]).dictionary_encode(),
    })  # fmt: skip


def values(batches: Any, names: list[str]) -> dict[str, list[Any]]:
    """Columns of all batches, whatever their chunks; NaN as a text, which equals itself."""
    found: dict[str, list[Any]] = {name: [] for name in names}
    for batch in batches:
        for name in names:
            assert len(batch.column(name)) == batch.num_rows
            found[name] += batch.column(name).to_pylist()
    return {
        name: ["NaN" if isinstance(v, float) and math.isnan(v) else v for v in column]
        for name, column in found.items()
    }


@pytest.mark.parametrize("most_rows", [1, 4, 7, 100])
def test_columns_equal_batches_of_any_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_rows: int
) -> None:
    monkeypatch.setattr("trajmeter.readers._results.batches._LEAST_ROWS", 1)
    monkeypatch.setattr("trajmeter.readers._results.batches._MOST_ROWS", most_rows)
    path = tmp_path / "rows.parquet"
    parquet.write_table(table_of(23), path, row_group_size=3)
    table = open_results(path)
    whole = values(table.batches(TEXTS, NUMBERS), [*TEXTS, *NUMBERS])
    rows = [*rows_by_column(table, TEXTS, NUMBERS, repeating=["task_id", "no.text"])]
    assert values(rows, [*TEXTS, *NUMBERS]) == whole
    assert max(each.num_rows for each in rows) <= most_rows
    assert {str(each.column("x.size").type) for each in rows} == {"double"}


def test_rows_are_left_out_of_columns_that_are_read_later(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    parquet.write_table(table_of(20), path)
    (rows,) = rows_by_column(open_results(path), TEXTS, NUMBERS, repeating=[])
    some = rows.filter(pa.array([row % 2 == 0 for row in range(20)]))
    assert some.num_rows == 10
    assert some.column("x.size").to_pylist() == [*range(0, 20, 2)]
    fewer = some.filter(pa.array([row < 2 for row in range(10)]))
    assert fewer.column("x.size").to_pylist() == [0.0, 2.0]
    assert fewer.column("agent").to_pylist() == ["b", "b"]


def test_unrequested_columns_are_not_read_and_broken_ones_are_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    parquet.write_table(table_of(500), path, compression="none", use_dictionary=False)
    content = bytearray(path.read_bytes())
    group = parquet.ParquetFile(path).metadata.row_group(0)
    columns = [group.column(index) for index in range(group.num_columns)]
    (broken,) = (column for column in columns if column.path_in_schema == "x.size")
    begin = broken.data_page_offset
    content[begin : begin + broken.total_compressed_size] = b"\xff" * broken.total_compressed_size
    path.write_bytes(content)
    (rows,) = rows_by_column(open_results(path), TEXTS, NUMBERS, repeating=[])
    assert rows.column("x.value").to_pylist()[:3] == [None, 0.25, 0.5]
    with pytest.raises(ReadError, match=r"rows\.parquet"):
        rows.column("x.size")


def test_a_column_is_not_a_figure_and_a_key_at_once(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    parquet.write_table(table_of(3), path)
    with pytest.raises(ConfigurationError, match="agent cannot be a figure and a key at once"):
        [*rows_by_column(open_results(path), TEXTS, ["agent"], repeating=[])]
    nested = tmp_path / "nested.parquet"
    parquet.write_table(pa.table({"task_id": ["t"], "x": [{"value": 1.0}]}), nested)
    (rows,) = rows_by_column(open_results(nested), TEXTS, ["x"], repeating=[])
    with pytest.raises(ConfigurationError, match="expected numbers"):
        rows.column("x")


def test_a_part_may_lack_columns_of_the_first(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    for part, table in enumerate((table_of(2), table_of(3).drop_columns(["agent", "x.size"]))):
        parquet.write_table(table, tmp_path / "rows" / f"{part}.parquet")
    (tmp_path / "manifest.json").write_text("{}")
    table = open_results(tmp_path)
    for rows in (
        rows_by_column(table, TEXTS, NUMBERS, repeating=["agent"]),
        table.batches(TEXTS, NUMBERS, repeating=["agent"]),
    ):
        found = values(rows, ["agent", "x.size"])
        assert found == {"agent": ["b", "a", *[None] * 3], "x.size": [0.0, 1.0, *[None] * 3]}


def test_a_file_whose_name_is_not_utf8_is_read(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff.parquet")
    with path.open("wb") as file:
        parquet.write_table(table_of(23), file)
    table = open_results(path)
    read = values(rows_by_column(table, TEXTS, NUMBERS, repeating=["agent"]), NUMBERS)
    assert read["x.size"] == [*range(23)]
    assert values(table.batches(TEXTS, NUMBERS), NUMBERS) == read
