"""Results tables read again: every format gives the same columns, and bad rows are told."""

from __future__ import annotations

import csv
import json
import math
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from trajmeter.errors import ConfigurationError, InputError, ReadError
from trajmeter.readers.results import is_results_table, open_results, parameters_of
from trajmeter.text import to_cell

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import ReadProblem

ROWS: list[dict[str, Any]] = [
    {"task_id": "=1+1", "agent": "a", "attempt": "1", "x.ok": True, "x.value": 0.25, "x.size": 3},
    {"task_id": "line\nbreak", "agent": None, "attempt": "2024-01-01", "x.ok": None,
     "x.value": math.inf, "x.size": None},
    {"task_id": 'a "quoted", cell', "agent": "b", "attempt": "3", "x.ok": False,
     "x.value": math.nan, "x.size": -7},
]  # fmt: skip
TEXTS, NUMBERS = ["task_id", "agent", "attempt", "absent"], ["x.ok", "x.value", "x.size"]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write rows as the writers do."""
    if path.suffix == ".parquet":
        parquet.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".csv":
        with path.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(rows[0])
            for row in rows:
                cells = [{True: "true", False: "false"}.get(v, v) if isinstance(v, bool) else v
                         for v in row.values()]  # fmt: skip
                writer.writerow([to_cell(v) if isinstance(v, str) else v for v in cells])
    else:
        values = ({name: _jsonable(v) for name, v in row.items()} for row in rows)
        lines = (json.dumps(each, ensure_ascii=False) for each in values)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def _jsonable(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity"
    return value


def read(source: Any, **options: Any) -> dict[str, list[Any]]:
    table = open_results(source, **options)
    batches = [*table.batches(TEXTS, NUMBERS)]
    columns: dict[str, list[Any]] = {}
    for name in (*TEXTS, *NUMBERS):
        columns[name] = [value for batch in batches for value in batch.column(name).to_pylist()]
    return columns


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl", "rows", "arrow"])
def test_every_format_gives_the_same(tmp_path: Path, suffix: str) -> None:
    sources: dict[str, Any] = {"rows": ROWS, "arrow": pa.Table.from_pylist(ROWS)}
    found = read(sources.get(suffix) or write(tmp_path / f"table.{suffix}", ROWS))
    line = "line\nbreak"
    assert found["task_id"] == ["=1+1", line, 'a "quoted", cell']
    assert found["agent"] == ["a", None, "b"]
    assert found["attempt"] == ["1", "2024-01-01", "3"], "no text becomes a date"
    assert found["absent"] == [None] * 3
    assert found["x.ok"] == [1.0, None, 0.0]
    assert found["x.size"] == [3.0, None, -7.0]
    assert found["x.value"][:2] == [0.25, math.inf]
    assert math.isnan(found["x.value"][2])


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_columns_are_detected_from_their_values(tmp_path: Path, suffix: str) -> None:
    table = open_results(write(tmp_path / f"table.{suffix}", ROWS))
    kinds = dict(table.columns)
    assert (kinds["x.ok"], kinds["x.size"], kinds["task_id"]) == ("boolean", "integer", "text")


@pytest.mark.parametrize("suffix", ["jsonl", "rows"])
def test_a_column_may_begin_with_what_json_cannot_represent(tmp_path: Path, suffix: str) -> None:
    """NaN and infinities are text in JSON lines; other values tell whether that is all they are."""
    columns: dict[str, list[Any]] = {
        "task_id": ["a", "b", "c"],
        "x.value": ["NaN", None, 0.5],
        "x.size": ["-Infinity", 3, 4],
        "x.only": ["Infinity", None, "NaN"],
        "x.label": ["NaN", "b", 1],
    }
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    table = open_results(write(tmp_path / "table.jsonl", rows) if suffix == "jsonl" else rows)
    assert [*table.columns.values()] == ["text", "number", "integer", "number", "text"]


@pytest.mark.parametrize(
    ("value", "kind"), [(True, "boolean"), (3, "integer"), (0.5, "number"), ("é", "text")]
)
def test_a_column_that_begins_with_nulls_has_the_type_of_its_first_value(
    value: Any, kind: str, tmp_path: Path
) -> None:
    """Neither a key of a nested object nor text that looks like one tells it."""
    decoys = {"notes": {"x.ö": [1], "x.n": 2}, "said": '"x.ö": 1'}
    rows = [{"task_id": "a", "x.ö": None, "x.n": None, **decoys} for _ in range(150)]
    table = open_results(write(tmp_path / "rows.jsonl", [*rows, {**rows[0], "x.ö": value}, *rows]))
    assert (table.columns["x.ö"], table.columns["x.n"]) == (kind, "unknown")
    if kind != "text":
        (batch,) = table.batches(["task_id"], ["x.ö", "x.n"])
        assert [each for each in batch.column("x.ö").to_pylist() if each is not None] == [value]


def test_many_columns_that_begin_with_nulls(tmp_path: Path) -> None:
    names = [f"x.{number}" for number in range(40)]
    rows: list[dict[str, Any]] = [{"task_id": "a"} | dict.fromkeys(names) for _ in range(120)]
    rows += [{"task_id": "a", name: number} for number, name in enumerate(names[:30])]
    table = open_results(write(tmp_path / "rows.jsonl", rows))
    assert [table.columns[name] for name in names] == ["integer"] * 30 + ["unknown"] * 10


def test_bad_lines_are_omitted_and_reported(tmp_path: Path) -> None:
    file = tmp_path / "table.jsonl"
    lines = [
        '{"task_id": "t1", "x.value": 1}',
        '{"task_id": "t2",',
        "[1]",
        '{"task_id": "t4", "x.value": "much"}',
        '{"task_id": "t5", "x.value": 2}',
    ]
    file.write_text("\n".join(lines))
    problems: list[ReadProblem] = []
    assert read(file, on_problem=problems.append)["task_id"] == ["t1", "t5"]
    assert [problem.line for problem in problems] == [2, 3, 4]
    assert "x.value is 'much', expected a number" in problems[2].message
    with pytest.raises(ReadError, match=r"table\.jsonl:2"):
        read(file)


@pytest.mark.parametrize(
    "line",
    [
        b'{"task_id": "a", "x.value": 1, "note": "\xff"}',
        b'{"task_id": "a", "x.value": 1}{"task_id": "b", "x.value": 2}',
        b'{"task_id": "a",\n"x.value": 1}',
        b'{"task_id": "a", "x.value": 1}\r{"task_id": "b", "x.value": 2}',
        b"null",
        b"",
        b'{"task_id": "a", "x.value": %b}' % (b"1" * 4301),
        b'{"task_id": "a", "x.value": 1, "note": -%b}' % (b"1" * 4301),
        b'{"task_id": "a", "x.value": 1, "note": %b}' % (b"[" * 201 + b"]" * 201),
        b'{"task_id": "a", "x.value": 1, "note": %b}' % (b'{"a":' * 201 + b"1" + b"}" * 201),
    ],
)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_which_lines_are_rows_does_not_depend_on_the_columns_read(
    tmp_path: Path, line: bytes, end: bytes
) -> None:
    path = tmp_path / "table.jsonl"
    good = b'{"task_id": "g", "x.value": 0.5, "x.list": [1]}'
    path.write_bytes(end.join([good, line, good]))
    found = []
    for values in ((), ("x.list",)):
        problems: list[ReadProblem] = []
        table = open_results(path, on_problem=problems.append)
        (batch,) = table.batches(["task_id"], ["x.value"], values)
        found.append((batch.column("task_id").to_pylist(), problems))
    assert found[0] == found[1]
    assert found[0][0] == ["g", "g"]


@pytest.mark.parametrize(
    "note", [b"[%b]" % b",".join([b"[]"] * 300), b'"%b"' % (b"1" * 4301), b"[" * 150 + b"]" * 150]
)
def test_long_lines_within_the_limits_are_rows(tmp_path: Path, note: bytes) -> None:
    path = tmp_path / "table.jsonl"
    path.write_bytes(b'{"task_id": "a", "x.value": 1, "note": %b}\n' % note * 2)
    (batch,) = open_results(path).batches(["task_id"], ["x.value"])
    assert batch.to_pydict() == {"task_id": ["a", "a"], "x.value": [1.0, 1.0]}


def test_bad_csv_rows_are_omitted_and_reported(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("task_id,x.value\nt1,1.5\nt2,much\nt3,1,2\nt4,\n")
    problems: list[ReadProblem] = []
    found = read(file, on_problem=problems.append)
    assert (found["task_id"], found["x.value"]) == (["t1", "t4"], [1.5, None])
    assert {problem.message for problem in problems} == {
        "x.value is 'much', expected a number or true or false",
        "3 fields, expected 2",
    }


def test_numbers_of_csv_are_those_that_python_reads(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    cells = ["0.1", "1e400", "-Infinity", " 2 ", "1_000", "", "'-3", "nan(1)", "0x10"]
    path.write_text("task_id,x.value\n" + "".join(f"t,{cell}\n" for cell in cells))
    problems: list[ReadProblem] = []
    table = open_results(path, on_problem=problems.append)
    (batch,) = table.batches(["task_id"], ["x.value"])
    expected = [0.1, math.inf, -math.inf, 2.0, 1000.0, None, -3.0]
    assert batch.column("x.value").to_pylist() == expected
    assert [each.record for each in problems] == ["row 8", "row 9"]


def test_rows_that_are_none() -> None:
    with pytest.raises(InputError, match=r"rows\[1\] is 3, expected a mapping"):
        open_results([{"task_id": "t"}, 3])  # type: ignore[list-item]  # what is refused
    with pytest.raises(ConfigurationError, match="no column task_id"):
        open_results([{"id": "t"}])
    with pytest.raises(ReadError, match=r"rows\[0\]: x.value is \[\], expected a number"):
        read([{"task_id": "t", "x.value": []}])


def test_a_folder_of_parts(tmp_path: Path) -> None:
    folder = tmp_path / "scores"
    (folder / "rows").mkdir(parents=True)
    write(folder / "rows" / "part-000001.parquet", ROWS[1:])
    write(folder / "rows" / "part-000000.parquet", ROWS[:1] + ROWS[2:])
    with pytest.raises(ConfigurationError, match=r"no manifest\.json.*incomplete"):
        open_results(folder)
    (folder / "manifest.json").write_text("{}")
    assert read(folder)["attempt"] == ["1", "3", "2024-01-01", "3"]


def test_what_a_results_table_is(tmp_path: Path) -> None:
    tables = [write(tmp_path / f"t.{suffix}", ROWS) for suffix in ("parquet", "csv", "jsonl")]
    assert all(map(is_results_table, tables))
    document = tmp_path / "anchor.json"
    document.write_text('{\n  "framework_name": "anchor",\n  "questions": []\n}\n')
    recording = tmp_path / "judge.jsonl"
    recording.write_text('{"key": "abc", "model": "m"}\n')
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"task_id": "t1",\n{"agent": "a"}\n{"task_id": "t2"}\n')
    spaced = tmp_path / "spaced.jsonl"
    spaced.write_text('  {"task_id": "t1"}\n')
    assert all(map(is_results_table, (broken, spaced)))
    indented = tmp_path / "indented.json"
    indented.write_text('{\n"questions": [\n  {"task_id": "t2"}\n]\n}\n')
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    others = [document, recording, indented, empty, tmp_path, tmp_path / "absent"]
    assert not any(map(is_results_table, others))
    with pytest.raises(ReadError, match="the file is empty"):
        open_results(empty)


def test_settings_of_metrics() -> None:
    text = json.dumps({"context": {"version": "1", "parameters": {"profile": None}}})
    assert parameters_of({"trajmeter.metrics": text})["context"]["version"] == "1"
    assert parameters_of({}) == {}
    assert parameters_of({"trajmeter.metrics": "{"}) == {}


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_lists_and_mappings_are_read_as_json_beside_the_others(tmp_path: Path, suffix: str) -> None:
    rows: list[dict[str, Any]] = [
        {"task_id": "t1", "x.value": 0.5, "x.steps": [0.25, 1.0], "x.words": None},
        {"task_id": "t2", "x.value": None, "x.steps": None, "x.words": ["a", "b"]},
    ]
    table = open_results(write(tmp_path / f"rows{suffix}", rows))
    (batch,) = table.batches(["task_id"], ["x.value"], ["x.steps", "x.words", "absent"])
    assert batch.to_pydict() == {
        "task_id": ["t1", "t2"],
        "x.value": [0.5, None],
        "x.steps": ["[0.25, 1.0]", None],
        "x.words": [None, '["a", "b"]'],
        "absent": [None, None],
    }


@pytest.mark.parametrize(
    "content", [b"\xff\x00\x9f\n\xb0,\xb1\n", b"a\x00b\n", b"[]\n", b'[{"task_id": 1}]']
)
def test_what_is_no_table_is_not_read_as_csv(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "rows").write_bytes(content)
    with pytest.raises(ReadError, match="rows: expected a results table in JSON lines, CSV or"):
        open_results(tmp_path / "rows")


def test_a_header_without_rows_is_checked(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("hello world\n")
    with pytest.raises(ConfigurationError, match="it has no column task_id; logs are scored first"):
        open_results(tmp_path / "a.csv")
    (tmp_path / "b.csv").write_text("task_id,turns.run.passed\n")
    assert [*open_results(tmp_path / "b.csv").columns] == ["task_id", "turns.run.passed"]


def test_a_mapping_of_parquet_is_an_object_and_csv_has_none(tmp_path: Path) -> None:
    kind = pa.map_(pa.string(), pa.int64())
    counts = pa.array([[("a", 1), ("b", 2)], None], kind)
    made = pa.table({"task_id": ["t1", "t2"], "x.counts": counts})
    parquet.write_table(made, tmp_path / "rows.parquet")
    (batch,) = open_results(tmp_path / "rows.parquet").batches(["task_id"], [], ["x.counts"])
    assert batch.column("x.counts").to_pylist() == ['{"a": 1, "b": 2}', None]
    (tmp_path / "rows.csv").write_text("task_id,x.value\nt1,0.5\n")
    (batch,) = open_results(tmp_path / "rows.csv").batches(["task_id"], ["x.value"], ["x.counts"])
    assert batch.column("x.counts").to_pylist() == [None]


def test_what_the_footer_of_parquet_says_beside_the_schema_is_read(tmp_path: Path) -> None:
    table = pa.table({"task_id": ["t1"]}).replace_schema_metadata({"own": "schema"})
    with parquet.ParquetWriter(tmp_path / "rows.parquet", table.schema) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"trajmeter.run": "{}"})
    metadata = open_results(tmp_path / "rows.parquet").metadata
    assert (metadata["own"], metadata["trajmeter.run"]) == ("schema", "{}")


def test_truncated_parquet_is_reported_once_with_its_place(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole.parquet", ROWS).read_bytes()
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(whole[:-9])
    with pytest.raises(ReadError, match="Parquet") as caught:
        open_results(cut)
    assert str(caught.value).count(str(cut)) == 1


@pytest.mark.parametrize("most_rows", [1, 4, 7, 100])
def test_row_groups_are_read_together_and_great_ones_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_rows: int
) -> None:
    monkeypatch.setattr("trajmeter.readers._results.batches._LEAST_ROWS", 1)
    monkeypatch.setattr("trajmeter.readers._results.batches._MOST_ROWS", most_rows)
    rows = [
        {"task_id": f"t{row % 5}" if row % 7 else None, "agent": "a", "x.value": row / 4}
        for row in range(23)
    ]
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.Table.from_pylist(rows), path, row_group_size=3)
    table = open_results(path)
    batches = [
        *table.batches(["task_id", "agent", "absent"], ["x.value"], repeating=["task_id", "absent"])
    ]
    assert max(batch.num_rows for batch in batches) <= max(most_rows, 1)
    for name in ("task_id", "agent", "x.value"):
        read = [value for batch in batches for value in batch.column(name).to_pylist()]
        assert read == [row[name] for row in rows]
    assert all(pa.types.is_dictionary(batch.column("task_id").type) for batch in batches)
    assert {str(batch.column("agent").type) for batch in batches} == {"string"}


def test_a_file_without_rows_has_no_batch_with_any(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"task_id": pa.array([], pa.string())}), path)
    batches = open_results(path).batches(["task_id"], ["x.value"], repeating=["task_id"])
    assert sum(batch.num_rows for batch in batches) == 0


def test_a_column_is_not_read_as_text_and_as_numbers(tmp_path: Path) -> None:
    row = {"task_id": "t", "x.version": 1}
    files = [write(tmp_path / f"t.{suffix}", [row]) for suffix in ("parquet", "csv", "jsonl")]
    sources: list[Any] = [[row], *files]
    for source in sources:
        with pytest.raises(
            ConfigurationError, match=r"x\.version cannot be a figure and a key at once"
        ):
            [*open_results(source).batches(["task_id", "x.version"], ["x.version"])]


def test_a_text_in_memory_that_is_not_unicode_is_refused() -> None:
    with pytest.raises(ReadError, match=r"rows\[1\]: task_id is .*half of a surrogate pair"):
        [*open_results([{"task_id": "é"}, {"task_id": "a\ud800"}]).batches(["task_id"], [])]


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl", "rows", "arrow"])
def test_an_open_table_is_returned_unchanged(tmp_path: Path, suffix: str) -> None:
    sources: dict[str, Any] = {"rows": ROWS, "arrow": pa.Table.from_pylist(ROWS)}
    table = open_results(sources.get(suffix) or write(tmp_path / f"table.{suffix}", ROWS))
    assert open_results(table) is table
