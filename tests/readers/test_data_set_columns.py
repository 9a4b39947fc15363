"""Rows of data sets read into columns in Rust, beside reading them as records."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from pyarrow import parquet

from tests.readers.both_ways import as_batches, as_records, compared
from tests.readers.messages.any_messages import anything, conversations, texts
from tests.readers.test_data_sets import MESSAGES, NEBIUS, SWE_AGENT
from trajmeter.readers import read_trajectories
from trajmeter.readers._columns import table_batches
from trajmeter.readers.batches import TrajectoryBatches
from trajmeter.readers.pieces import PieceMaker, batches_of
from trajmeter.schemas import trajectory_batch, trajectory_schema

pytestmark = pytest.mark.usefixtures("rust")

COLUMNS = tuple(trajectory_schema().names)

patches = st.sampled_from(["", "diff --git a/a b/a\n"]) | texts | st.none()
statuses = st.sampled_from(["submit", "exit_cost", "LimitsExceeded: 100"]) | texts | st.none()
PLAIN = st.fixed_dictionaries(
    {"instance_id": texts},
    optional={
        **dict.fromkeys(("agent", "agent_name", "attempt", "run_id"), texts | st.none()),
        **dict.fromkeys(("model_name", "model_name_or_path"), texts | st.none()),
        "trajectory_id": texts | st.none(),
        "resolved": st.sampled_from([0, 1, 0.0, 1.0, True, False, None]),
        "exit_status": statuses,
        "model": texts | st.none(),
        "model_patch": patches,
        "git_patch": patches,
        "generated_patch": patches,
        "test_result": st.none() | texts | st.fixed_dictionaries({"git_patch": patches}),
        "repo": texts,
        "task_id": texts,
    },
)
ODD = st.fixed_dictionaries(
    {"instance_id": texts | anything},
    optional=dict.fromkeys(
        (
            "agent",
            "agent_name",
            "attempt",
            "exit_status",
            "git_patch",
            "history",
            "info",
            "messages",
            "model",
            "model_name",
            "model_name_or_path",
            "model_patch",
            "note",
            "resolved",
            "run_id",
            "run_id",
            "target",
            "test_result",
            "trajectory",
            "trajectory_id",
        ),
        texts | anything,
    ),
)


def row(key: str, messages: list[Any], about: dict[str, Any], *, is_text: bool) -> dict[str, Any]:
    return {**about, key: json.dumps(messages) if is_text else messages}


rows = st.builds(
    row,
    st.sampled_from(["trajectory", "messages"]),
    conversations() | st.just(SWE_AGENT["trajectory"]),
    PLAIN | PLAIN | PLAIN | ODD,
    is_text=st.booleans(),
)


fenced = st.lists(
    st.sampled_from(
        [
            *("```", "``", "````", "\n", " ", "bash", "bash\n", "py_3\n", "\r\n"),
            *("ls -l", "c++", "é", "größe\n", "→\n", "²\n", "日本", "x" * 40),
            *("\x1c", "\x85", "\u2003", "\u200b", "\ufeff", "\0", '"\\', "\ud800", "😀"),
        ]
    ),
    max_size=9,
).map("".join)
said = fenced | fenced | texts | st.none()
items = st.fixed_dictionaries(
    {"role": st.sampled_from(["ai", "ai", "ai", "user", "system"]), "text": said},
    optional={"system_prompt": texts | st.none(), "mask": st.booleans(), "cutoff_date": texts},
)
odd_items = anything | st.dictionaries(
    st.sampled_from(["role", "text", "content", "tool_calls", "parts", "type", "action"]),
    st.sampled_from(["ai", "user", "message", []]) | said | anything,
)
PLAIN_AGENT = st.fixed_dictionaries(
    {"instance_id": texts, "target": st.sampled_from([0, 1, 0.0, 1.0, True, False, None])},
    optional={
        "model_name": texts | st.none(),
        "exit_status": statuses | st.just("submitted (exit_context)"),
        "generated_patch": patches,
        "eval_logs": texts | st.sampled_from(["3 passed", "a secret token: Bearer 123456789"]),
    },
)
ODD_AGENT = st.dictionaries(
    st.sampled_from(
        [
            *("instance_id", "target", "generated_patch", "model_name", "exit_status"),
            *("messages", "info", "history", "environment", "task_id", "model_patch"),
        ]
    ),
    st.just(MESSAGES) | st.just({"exit_status": "x"}) | texts | anything,
)
agent_rows = st.builds(
    lambda found, about: {**about, "trajectory": found},
    st.lists(items, min_size=1, max_size=4) | st.lists(items | odd_items, max_size=3),
    PLAIN_AGENT | PLAIN_AGENT | PLAIN_AGENT | ODD_AGENT,
)
any_rows = rows | agent_rows

SELECTED = [COLUMNS, ("turns", "extra"), ("turns.program", "final_patch"), ("turns.text",), None]


def same_lines(found: list[dict[str, Any]], columns: tuple[str, ...] | None = COLUMNS) -> int:
    """Hold both readers to the same rows and problems; how many were read as records."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.jsonl")
        path.write_text("\n".join(map(json.dumps, found)))
        read, as_record = as_batches(path, columns)
        assert read == as_records(path, columns)
    return as_record


def same_table(found: list[dict[str, Any]], columns: tuple[str, ...] | None = COLUMNS) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        parquet.write_table(pa.Table.from_pylist(found), path, row_group_size=2)
        read, as_record = as_batches(path, columns)
        assert read == as_records(path, columns)
    return as_record


@pytest.mark.parametrize("is_text", [False, True])
@pytest.mark.parametrize(
    "about",
    [
        {"instance_id": "a", "resolved": 1},
        {"instance_id": "a", "resolved": False, "exit_status": "exit_cost", "model": ""},
        {"instance_id": "a", "test_result": {"git_patch": "y"}, "model_patch": ""},
        {"instance_id": "a", "git_patch": "", "repo": "a/b", "trajectory_id": "a-1"},
        {"id": "a", "model_patch": "x"},
    ],
)
def test_rows_are_read_in_rust(about: dict[str, Any], *, is_text: bool) -> None:
    keys = ["messages", "trajectory"] if "instance_id" in about else ["messages"]
    for key in keys:
        found = [row(key, MESSAGES, about, is_text=is_text)] * 3
        assert (same_lines(found), same_table(found)) == (0, 0)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"target": None, "exit_status": None},
        {"target": 1.0, "eval_logs": "1 passed, no token"},
        {"model_name": None, "generated_patch": None},
        {"trajectory": [{"role": "user", "text": "Mend it."}]},
        {"trajectory": [{"role": "ai", "text": "```é```", "mask": True}, {"role": "ai"}]},
        {"trajectory": [{"role": "ai", "text": "```größe\n``` ```\n\x1f a\xa0```"}]},
    ],
)
def test_rows_of_swe_agent_are_read_in_rust(more: dict[str, Any]) -> None:
    found = [{**SWE_AGENT, **more}] * 3
    assert (same_lines(found), same_table(found)) == (0, 0)
    assert same_lines([{**found[0], "trajectory": [*found[0]["trajectory"], 1, None]}]) == 0


def test_rows_that_may_be_something_else_are_read_as_records() -> None:
    turn = SWE_AGENT["trajectory"][0]
    for odd in (
        {**SWE_AGENT, "trajectory": [{"role": "ai", "text": "```größe\nls\n```"}]},
        {**SWE_AGENT, "trajectory": [{**turn, "content": "a"}]},
        {**SWE_AGENT, "trajectory": [{**turn, "role": None}]},
        {**SWE_AGENT, "trajectory": []},
        {**SWE_AGENT, "trajectory": json.dumps([turn])},
        {**SWE_AGENT, "messages": MESSAGES},
        {**SWE_AGENT, "info": {}, "trajectory": [{**turn, "action": "ls"}]},
        {**SWE_AGENT, "target": 2},
        {**SWE_AGENT, "model_name": 3},
        {**SWE_AGENT, "instance_id": None},
        {**SWE_AGENT, "exit_status": {}},
        {"instance_id": "a", "trajectory": [turn]},
        {**NEBIUS, "trajectory": json.dumps(MESSAGES)[:-1]},
        {**NEBIUS, "trajectory": [{"role": "ai", "text": "a", "content": "a"}]},
        {**NEBIUS, "info": {}, "trajectory": [{"action": "ls", **MESSAGES[0]}]},
        {**NEBIUS, "history": [{"action": "run", "args": {}}]},
        {**NEBIUS, "resolved": 2},
        {**NEBIUS, "model": 3},
        {**NEBIUS, "trajectory": None, "messages": []},
    ):
        assert same_lines([odd]) == 1, odd


@given(st.lists(any_rows, min_size=1, max_size=3), st.sampled_from([COLUMNS, None, ("turns",)]))
@example([{**NEBIUS, "exit_status": "max_iteration \ud800"}], COLUMNS)
@example([{**SWE_AGENT, "eval_logs": "\ud800"}, SWE_AGENT, NEBIUS, SWE_AGENT], COLUMNS)
@example([{**NEBIUS, "trajectory": '[{"role": "user", "content": "a"}]\n'}], COLUMNS)
@example([{**NEBIUS, "trajectory": '[{"role": "user", "content": "a"}] 1'}], COLUMNS)
def test_same_rows_and_problems_as_records(
    found: list[dict[str, Any]], columns: tuple[str, ...] | None
) -> None:
    same_lines(found, columns)


@given(st.lists(any_rows, min_size=1, max_size=3), st.sampled_from(SELECTED))
def test_same_rows_and_problems_in_a_table(
    found: list[dict[str, Any]], columns: tuple[str, ...] | None
) -> None:
    try:
        parquet.write_table(pa.Table.from_pylist(found), pa.BufferOutputStream())
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):
        assume(False)  # noqa: FBT003 - positional-only
    same_table(found, columns)


def test_uncertain_rows_are_inserted_where_they_were() -> None:
    found = [{**NEBIUS, "instance_id": str(at), "resolved": at % 3} for at in range(9)]
    assert same_table(found) == 3


def test_tables_that_have_no_certain_row_are_read_as_records() -> None:
    odd = {**NEBIUS, "resolved": 2}
    assert same_table([odd] * 63 + [NEBIUS] * 3) == 63
    assert same_table([odd] * 64 + [NEBIUS] * 3) == 67


def test_types_without_a_json_form_are_read_as_records(tmp_path: Path) -> None:
    table = pa.Table.from_pylist([NEBIUS] * 3)
    table = table.append_column("when", pa.array([0] * 3, pa.timestamp("s")))
    parquet.write_table(table, tmp_path / "rows.parquet")
    read, _ = as_batches(tmp_path / "rows.parquet")
    assert read == as_records(tmp_path / "rows.parquet")
    assert len(read.rows) == 3


def test_a_broken_row_group_loses_no_other(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    table = pa.Table.from_pylist([{**NEBIUS, "repo": "q" * 99}] * 2 + [NEBIUS] * 4)
    parquet.write_table(table, path, row_group_size=2, compression="none", write_page_checksum=True)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"q" * 99, b"q" * 98 + b"r", 1))
    read, _ = as_batches(path)
    assert read == as_records(path)
    assert len(read.rows) == 4
    (problem,) = read.problems
    assert "row group 0 cannot be read, rows [0] to [1]" in problem.message


def test_large_rows_are_read_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_batches, "_LINE_BYTES", 1_000)
    assert same_table([{**NEBIUS, "instance_id": str(at)} for at in range(20)]) == 0


def test_rows_are_read_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    table = pa.Table.from_pylist([{**NEBIUS, "instance_id": str(at)} for at in range(20)])
    parquet.write_table(table, path, row_group_size=5)
    pieces = [*PieceMaker(piece_rows=10).pieces(path)]
    assert len(pieces) == 2

    def refuse(problem: object) -> None:
        raise AssertionError(problem)

    rows = [
        each
        for piece in pieces
        for batch in batches_of([piece], {}, {}, refuse)
        for each in batch.to_pylist()
    ]
    whole = [each for batch in TrajectoryBatches(path) for each in batch.to_pylist()]
    assert rows == whole
    assert [each["source"]["record"] for each in whole] == [f"[{at}]" for at in range(20)]


def test_a_table_that_contains_a_line_of_json_is_a_table() -> None:
    assert same_table([{**NEBIUS, "instance_id": '\n{"a": 1}\n{"b": 2}\n'}]) == 0


def test_a_named_format_reads_rows_that_it_would_not_recognise(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    turns = [{"role": "ai", "text": "```ls```"}]
    found = [
        {**SWE_AGENT, "messages": MESSAGES},
        {**SWE_AGENT, "history": []},
        {"instance_id": "a", "trajectory": turns},
        {**SWE_AGENT, "trajectory": [{**turns[0], "content": ""}]},
    ]
    path.write_text("\n".join(map(json.dumps, found)))
    batches = TrajectoryBatches(path, input_format="swe-agent-rows")
    rows = [each for batch in batches for each in batch.to_pylist()]
    records = [*read_trajectories(path, input_format="swe-agent-rows")]
    assert compared(rows) == compared(trajectory_batch(records).to_pylist())
    assert len(rows) == len(found)


def test_a_repeated_key_counts_where_it_is_last(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    text = json.dumps(SWE_AGENT)
    path.write_text(
        "\n".join(
            [
                text[:-1] + ', "target": true}',
                text[:-1] + ', "trajectory": null}',
                text[:-1] + ', "trajectory": [{"role": "ai", "role": "user", "text": "x"}]}',
                text[:-1] + ', "trajectory": [{"role": "ai", "text": 1, "t\\u0065xt": "x"}]}',
            ]
        )
    )
    for columns in (COLUMNS, ("turns",)):
        read, _ = as_batches(path, columns)
        assert read == as_records(path, columns)
