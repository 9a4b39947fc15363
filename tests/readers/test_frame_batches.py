"""Rows of frames read in columns, beside reading them as records."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pa = pytest.importorskip("pyarrow", reason="frames need pyarrow")

from tests.readers.both_ways import Read, compared  # noqa: E402 - only where pyarrow is installed
from tests.scoring.strategies import any_trajectories  # noqa: E402 - likewise
from trajmeter.errors import InputError  # noqa: E402 - likewise
from trajmeter.kernels import backend  # noqa: E402 - likewise
from trajmeter.readers import frame_batches  # noqa: E402 - likewise
from trajmeter.readers._columns import batch_maker  # noqa: E402 - likewise
from trajmeter.readers._columns.arrow_json import has_json, json_texts  # noqa: E402 - likewise
from trajmeter.readers.frame_batches import FrameBatches  # noqa: E402 - likewise
from trajmeter.readers.frames import read_frame  # noqa: E402 - likewise
from trajmeter.schemas import trajectory_batch, trajectory_schema  # noqa: E402 - likewise

if TYPE_CHECKING:
    from trajmeter.records import Trajectory

ALL = trajectory_schema().names
MAPPING = {"messages": "talk", "task_id": "uid", "final_patch": "about.patch", "passed": "won"}


Told = tuple[Read, list[str]]
"""Rows and problems, and what was warned of."""


def as_records(table: Any, **how: Any) -> Told:
    problems: list[Any] = []
    rows: list[Any] = []
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for record in read_frame(table, on_problem=problems.append, **how):
            rows += trajectory_batch([record]).to_pylist()
    return Read(compared(rows), problems), [str(each.message) for each in warned]


def as_columns(table: Any, **how: Any) -> Told:
    problems: list[Any] = []
    rows: list[Any] = []
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        frame = FrameBatches(table, ALL, on_problem=problems.append, **how)
        for batch in frame:
            batch.validate(full=True)
            assert batch.schema.equals(trajectory_schema(), check_metadata=True)
            rows += batch.to_pylist()
    assert len(frame.numbers) == len(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = [trajectory_batch([record]).to_pylist()[0] for record in frame.reader()()]
    assert compared(again) == compared(rows)
    return Read(compared(rows), problems), [str(each.message) for each in warned]


texts = st.sampled_from(["", "x", 'a "b"\\', "é\n\t\x01", "\u2028 ok", "{", "[]"])
arguments = st.sampled_from(
    ['{"path": "a.py"}', "{", "", '{"n": 1.0}', '{"INVALID_JSON": "x"}', '{"a": 1, "a": 2}']
)
calls = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["c1", "c2", None]),
        "function": st.fixed_dictionaries(
            {"name": st.sampled_from(["look", "read", "bash", None]), "arguments": arguments}
        ),
    }
)
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "assistant", "tool", "stranger"])},
    optional={
        "content": st.none() | texts,
        "tool_calls": st.none() | st.lists(calls, max_size=2),
        "tool_call_id": st.sampled_from(["c1", "c2", None]),
    },
)
rows = st.fixed_dictionaries(
    {"talk": st.none() | st.lists(messages, max_size=5), "uid": st.none() | texts},
    optional={
        "about": st.none() | st.fixed_dictionaries({"patch": st.none() | texts}),
        "won": st.none() | st.integers(0, 2),
        "model": st.none() | texts,
        "score": st.none() | st.floats(width=16),
        "note": st.none() | texts,
    },
)


def table_of(found: list[Any], *, as_text: bool) -> Any:
    full = [
        {
            "about": None,
            "won": None,
            **row,
            "talk": json.dumps(row["talk"]) if as_text and row["talk"] is not None else row["talk"],
        }
        for row in found
    ]
    schema = pa.schema([("about", pa.struct([("patch", pa.string())])), ("won", pa.int8())])
    table = pa.Table.from_pylist(full)
    for field in schema:
        at = table.schema.get_field_index(field.name)
        table = table.set_column(at, field, table.column(at).cast(field.type))
    return table


@given(
    st.lists(rows, min_size=1, max_size=6),
    st.booleans(),
    st.sets(st.sampled_from([*MAPPING, "model", "metadata.note", "usage.cost_usd"])),
    st.integers(0, 2),
)
def test_mapped_rows_are_those_of_records(
    found: list[Any], as_text: bool, used: set[str], cut: int
) -> None:
    more = {"model": "model", "metadata.note": "note", "usage.cost_usd": "score"}
    table = table_of(found, as_text=as_text).slice(cut)
    mapping = {
        field: column
        for field, column in {**MAPPING, **more}.items()
        if field in {*used, "task_id"} and column.partition(".")[0] in table.schema.names
    }
    assert as_columns(table, mapping=mapping) == as_records(table, mapping=mapping)


def test_a_column_named_like_a_field_is_mapped_in_parts_as_for_records() -> None:
    usage = {"input_tokens": 5, "output_tokens": 3}
    table = pa.Table.from_pylist([{"uid": "a", "talk": ANSWER, "usage": usage}])
    mapping = {"task_id": "uid", "messages": "talk", "duration_seconds": "usage.input_tokens"}
    (batch,) = FrameBatches(table, ALL, mapping=mapping)
    (row,) = batch.select(["duration_seconds", "usage"]).to_pylist()
    assert row["duration_seconds"] == 5.0
    assert (row["usage"]["input_tokens"], row["usage"]["output_tokens"]) == (None, 3)
    assert as_columns(table, mapping=mapping) == as_records(table, mapping=mapping)


@given(st.lists(rows, min_size=1, max_size=6), st.booleans())
def test_rows_as_they_are_are_those_of_records(found: list[Any], as_text: bool) -> None:
    table = table_of(found, as_text=as_text)
    names = {"talk": "messages", "uid": "task_id", "won": "resolved"}
    table = table.rename_columns([names.get(name, name) for name in table.schema.names])
    assert as_columns(table) == as_records(table)


@given(st.lists(any_trajectories, min_size=1, max_size=4))
def test_columns_of_ours_are_those_of_records(found: list[Any]) -> None:
    table = pa.Table.from_batches([trajectory_batch(found)])
    assert as_columns(table) == as_records(table)


ANSWER: list[dict[str, Any]] = [{"role": "assistant", "content": "x"}]
TEXT = json.dumps(ANSWER)


@pytest.mark.parametrize(
    "text",
    [
        f'{TEXT},"passed":true',
        f'{TEXT},"nothing":null',
        f"{TEXT}}}",
        f"{TEXT},{TEXT}",
        f'{TEXT},"checked":[1]',
        TEXT.replace("[{", "[\n{"),
        TEXT[:-1],
        "",
        "null",
        "3",
        f" {TEXT} ",
    ],
)
def test_text_of_messages_is_one_value(text: str) -> None:
    table = pa.table({"t": ["a", "b"], "m": [text, TEXT]})
    mapping = {"task_id": "t", "messages": "m"}
    assert as_columns(table, mapping=mapping) == as_records(table, mapping=mapping)


@pytest.mark.skipif(backend() == "python", reason="rows are read in columns in Rust")
def test_no_object_is_made_of_plain_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: object) -> None:
        raise AssertionError("a row was read as a record")

    monkeypatch.setattr(frame_batches, "values_as_they_are", fails)
    about = {"patch": ""}
    found = [{"talk": ANSWER, "uid": f"t{at}", "won": at % 2, "about": about} for at in range(200)]
    for as_text in (False, True):
        table = table_of(found, as_text=as_text)
        rows = [
            row
            for batch in FrameBatches(table, ["turns", "passed"], mapping=MAPPING)
            for row in batch.to_pylist()
        ]
        assert [row["task_id"] for row in rows] == [f"t{at}" for at in range(200)]
        assert [row["passed"] for row in rows] == [False, True] * 100
        assert {len(row["turns"]) for row in rows} == {1}
        assert rows[7]["source"]["record"] == "7"


@pytest.mark.parametrize(
    "column",
    [
        pa.array([b"x", None]),
        pa.array([{"a": 1}, None], pa.map_(pa.string(), pa.int64())),
        pa.array([1, None], pa.timestamp("s")),
        pa.array([1, None], pa.decimal128(3)),
        pa.array(["a", None]).dictionary_encode(),
        pa.array([["a"], None], pa.list_(pa.string(), 1)),
        pa.array([float("nan"), 1e300]),
        pa.array([2**63, 1], pa.uint64()),
        pa.array([None, None]),
    ],
)
def test_columns_of_any_type_beside_messages(column: Any) -> None:
    table = pa.table({"t": ["a", "b"], "m": [TEXT, TEXT], "more": column})
    mapping = {"task_id": "t", "messages": "m"}
    assert as_columns(table, mapping=mapping) == as_records(table, mapping=mapping)
    bare = table.rename_columns(["task_id", "messages", "more"])
    assert as_columns(bare) == as_records(bare)


def test_a_row_that_no_column_holds_is_left_out_of_the_records_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def batch(records: list[Trajectory], **how: Any) -> Any:
        if any(record.task_id == "b" for record in records):
            raise InputError("no column holds it")
        return trajectory_batch(records, **how)

    monkeypatch.setattr(batch_maker, "trajectory_batch", batch)
    binary = pa.array([b"x"] * 3)  # whose rows are read as records
    table = pa.table({"t": ["a", "b", "c"], "m": [TEXT] * 3, "binary": binary})
    problems: list[Any] = []
    mapping = {"task_id": "t", "messages": "m"}
    frame = FrameBatches(table, ["turns"], mapping=mapping, on_problem=problems.append)
    assert [row["task_id"] for batch in frame for row in batch.to_pylist()] == ["a", "c"]
    assert [record.task_id for record in frame.reader()()] == ["a", "c"]
    assert [str(problem) for problem in problems] == ["data frame: 1: no column holds it"]


STRUCTURES = st.fixed_dictionaries(
    {
        'a"': st.none() | st.text(max_size=5),
        "b": st.none() | st.integers(-(2**63), 2**63 - 1),
        "c": st.lists(st.none() | st.fixed_dictionaries({"d": st.none() | st.floats(width=32)})),
    }
)


@given(st.lists(st.none() | STRUCTURES, max_size=5), st.integers(0, 3))
def test_columns_as_json(values: list[Any], cut: int) -> None:
    array = pa.array(values).slice(cut)
    assert has_json(array.type)
    for text, value in zip(json_texts(array).to_pylist(), array.to_pylist(), strict=True):
        if text is None:
            assert value is None
        else:
            told = text.replace("inf", "Infinity").replace("nan", "NaN")
            assert repr(json.loads(told)) == repr(value)
