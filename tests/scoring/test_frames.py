"""Data frames in and out, by the Arrow C interface."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import trajmeter  # noqa: E402 - only where pyarrow is installed
from trajmeter.errors import ConfigurationError, InputError, ReadError  # noqa: E402 - likewise
from trajmeter.records import Task, ToolCall, Trajectory, Turn  # noqa: E402 - likewise
from trajmeter.schemas import trajectory_batch  # noqa: E402 - likewise

CALL = {"id": "c", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "q", "tool_calls": None},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
]
WANTED = [{"name": "read", "arguments": {"path": "a"}}]
ROWS: list[dict[str, Any]] = [
    {"uid": "t1", "conversation": MESSAGES, "patch": "", "won": 1, "gold": json.dumps(WANTED)},
    {"uid": "t2", "conversation": MESSAGES[:1], "patch": "", "won": 0, "gold": json.dumps(WANTED)},
    {"uid": "t3", "conversation": MESSAGES, "patch": "", "won": None, "gold": None},
]
MAPPING = {
    "messages": "conversation",
    "task_id": "uid",
    "final_patch": "patch",
    "passed": "won",
    "task.expected_tool_calls": "gold",
}
FAMILIES = ["tools", "turns"]


class Stream:
    """Offers columns by the interface alone."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def _checked(scores: Any) -> None:
    rows = scores.rows
    assert [row["task_id"] for row in rows] == ["t1", "t2", "t3"]
    assert [row["tools.exact"] for row in rows] == [True, False, None]
    assert [row["turns.run.passed"] for row in rows] == [True, False, None]
    assert [row["turns.run.turn_count"] for row in rows] == [1, 0, 1]
    # The third row has no reference: it is not scored, and never 0.
    assert rows[2]["tools.any_order_grades.f1"] is None


def test_columns_are_mapped() -> None:
    table = pa.Table.from_pylist(ROWS)
    frames: list[Any] = [table, Stream(table), table.combine_chunks().to_batches()[0]]
    for frame in frames:
        _checked(trajmeter.score(frame, mapping=MAPPING, metrics=FAMILIES))


def test_messages_may_be_text() -> None:
    rows = [{**row, "conversation": json.dumps(row["conversation"])} for row in ROWS]
    _checked(trajmeter.score(pa.Table.from_pylist(rows), mapping=MAPPING, metrics=FAMILIES))


def test_frames_of_polars() -> None:
    pl = pytest.importorskip("polars", reason="polars is not installed")
    frame = pl.DataFrame(ROWS)
    _checked(trajmeter.score(frame, mapping=MAPPING, metrics=FAMILIES))
    with pytest.raises(InputError, match=r"collect\(\) gives a frame"):
        trajmeter.score(frame.lazy(), mapping=MAPPING)
    column = frame["uid"]
    with pytest.raises(InputError, match="a Series cannot be read as a data frame"):
        trajmeter.score(column, mapping=MAPPING)
    with pytest.raises(InputError, match="a Series cannot be read as a data frame"):
        next(trajmeter.score_batches(column))
    with pytest.raises(InputError, match="Array cannot be read as a data frame"):
        trajmeter.score(pa.array(["a"]), mapping=MAPPING)


def test_frames_of_pandas() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    rows = [{**row, "conversation": json.dumps(row["conversation"])} for row in ROWS]
    frame = pandas.DataFrame(rows)
    frame["won"] = frame["won"].astype("Int64")
    _checked(trajmeter.score(frame, mapping=MAPPING, metrics=FAMILIES))
    scores = trajmeter.score(frame, mapping=MAPPING, metrics=FAMILIES)
    assert pandas.DataFrame.from_arrow(scores)["task_id"].tolist() == ["t1", "t2", "t3"]


def test_relations_of_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    rollouts = pa.Table.from_pylist(ROWS)
    relation = duckdb.sql("select * from rollouts order by uid")
    scores = trajmeter.score(relation, mapping=MAPPING, metrics=FAMILIES)
    _checked(scores)
    averages = duckdb.sql('select avg("tools.any_order_grades.f1") from scores')
    assert averages.fetchall() == [(0.5,)]  # of the two that were scored
    assert len(rollouts) == 3


def test_data_sets_of_hugging_face(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    whole = datasets.Dataset.from_list(ROWS + [{**row, "uid": "not asked for"} for row in ROWS])
    with pytest.raises(InputError, match=r"with_format\('arrow'\)\.iter\(batch_size=1000\)"):
        trajmeter.score(whole, mapping=MAPPING)
    chosen = whole.select([2, 0, 1]).sort("uid")
    scores = [
        trajmeter.score(
            pa.concat_tables(data_set.with_format("arrow").iter(batch_size=2)),
            mapping=MAPPING,
            metrics=FAMILIES,
        )
        for data_set in (chosen, chosen.to_iterable_dataset())
    ]
    for each in scores:
        _checked(each)
    again = datasets.Dataset(scores[0].to_arrow())
    assert again["turns.run.turn_count"][:] == [1, 0, 1]


def test_the_attempts_of_a_frame_have_all_their_fields() -> None:
    table = pa.Table.from_pylist(ROWS)
    scores = trajmeter.score(table, mapping=MAPPING, metrics=["turns"])
    first, second, _ = (found.trajectory for found in scores.results)
    assert first.final_patch == ""
    assert first.calls == (ToolCall(name="read", arguments={"path": "a"}, id="c"),)
    assert (first.passed, second.passed) == (True, False)
    assert scores.results[0].row() == scores.rows[0]
    again = pickle.loads(pickle.dumps(scores))  # noqa: S301 - our own
    assert again.results == scores.results


_OPENHANDS: dict[str, Any] = {
    "instance_id": "t",
    "trajectory_id": "7",
    "trajectory": MESSAGES,
    "model_patch": "",
}
_SAID = [{"role": "user", "text": "Mend it."}, {"role": "ai", "text": "So.\n```\nls\n```"}]


@pytest.mark.parametrize(
    ("row", "attempt", "passed"),
    [
        pytest.param({**_OPENHANDS, "resolved": 1, "exit_status": "s"}, "7", True, id="rebench"),
        pytest.param({**_OPENHANDS, "tools": ["read"]}, "7", None, id="zero"),
        pytest.param(
            {
                "instance_id": "t",
                "messages": MESSAGES,
                "resolved": False,
                "test_result": {"git_patch": "x"},
            },
            None,
            False,
            id="gym",
        ),
        pytest.param(
            {
                "instance_id": "t",
                "model_name": "m",
                "generated_patch": "",
                "target": True,
                "exit_status": "submitted",
                "trajectory": _SAID,
            },
            None,
            True,
            id="swe-agent",
        ),
    ],
)
def test_a_known_data_set_needs_no_mapping(
    row: dict[str, Any], attempt: str | None, passed: bool | None
) -> None:
    scores = trajmeter.score(pa.Table.from_pylist([row]), metrics=["context", "tools", "turns"])
    (found,) = scores.results
    assert (found.trajectory.task_id, found.trajectory.attempt) == ("t", attempt)
    assert found.trajectory.passed is passed
    assert found.trajectory.final_patch == ("x" if "test_result" in row else "")
    assert str(found.trajectory.source) == "data frame: 0"
    (line,) = scores.rows
    assert line["turns.run.turn_count"] == 1
    # Without tasks there is nothing to compare with, which is no 0.
    assert (line["context.final.line.cause"], line["tools.cause"]) == (
        "missing_gold",
        "missing_task",
    )
    assert line["context.final.line.coverage"] is line["tools.any_order_grades.f1"] is None


ATTEMPTS = [
    Trajectory(task_id="t", turns=(Turn(tool_calls=(ToolCall(name="read"),)),)),
    Trajectory(task_id="t"),
]
TASKS = [Task(id="t", expected_tool_calls=(ToolCall(name="read"),))]


def test_columns_of_ours_come_back_as_they_were() -> None:
    table = pa.Table.from_batches([trajectory_batch(ATTEMPTS)])
    found = trajmeter.score(table, tasks=TASKS, metrics=FAMILIES)
    expected = trajmeter.score(ATTEMPTS, tasks=TASKS, metrics=FAMILIES)
    rows = found.rows
    sources = [row.pop("source") for row in rows]
    assert sources == ["data frame: 0", "data frame: 1"]
    assert rows == [{k: v for k, v in row.items() if k != "source"} for row in expected.rows]
    frames: list[Any] = [table, Stream(table), table.to_batches()[0], table.to_batches()]
    for frame in frames:
        (batch,) = trajmeter.score_batches(
            frame,
            tasks=TASKS,
            metrics=FAMILIES,
        )
        assert batch.column("tools.exact").to_pylist() == [True, None]


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({**MAPPING, "agent": "nobody"}, "data frame: map: no column 'nobody' for 'agent'"),
        ({**MAPPING, "task.gold_patch": "x"}, "data frame: map: no column 'x' for 'gold_patch'"),
        ({**MAPPING, "passed": "patch"}, "cannot hold 'passed'"),
        ({**MAPPING, "pased": "won"}, "pased"),
    ],
)
def test_a_wrong_mapping_is_reported_before_the_first_row(
    mapping: dict[str, str], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        trajmeter.score(pa.Table.from_pylist(ROWS), mapping=mapping)


def test_one_bad_row_does_not_lose_the_others() -> None:
    rows = [{**row, "won": 3 if row["uid"] == "t2" else row["won"]} for row in ROWS]
    problems: list[Any] = []
    table = pa.Table.from_pylist(rows)
    scores = trajmeter.score(table, mapping=MAPPING, metrics=["turns"], on_problem=problems.append)
    assert [row["task_id"] for row in scores.rows] == ["t1", "t3"]
    assert str(problems[0]).startswith("data frame: 1: passed")
    with pytest.raises(ReadError, match="passed"):
        trajmeter.score(table, mapping=MAPPING, metrics=["turns"])


@pytest.mark.parametrize("by_columns", [False, True])
def test_scores_are_read_by_the_interface(by_columns: bool, tmp_path: Any) -> None:
    attempts: Any = ATTEMPTS
    if by_columns:
        attempts = tmp_path / "attempts.jsonl"
        attempts.write_text("".join(f"{each.model_dump_json()}\n" for each in ATTEMPTS))
    scores = trajmeter.score(attempts, tasks=TASKS, metrics=[*FAMILIES, "context"])
    table = scores.to_arrow()
    assert pa.table(scores) == table
    assert table.column_names == list(scores.rows[0])
    assert table["tools.exact"].to_pylist() == [True, None]
    assert not any(pa.types.is_map(kind) for kind in table.schema.types)
    pl = pytest.importorskip("polars", reason="polars is not installed")
    assert pl.DataFrame(scores)["tools.exact"].to_list() == [True, None]
    assert scores.to_polars().equals(pl.DataFrame(scores))


def test_no_scores_have_the_same_columns() -> None:
    none = trajmeter.score([], metrics=FAMILIES).to_arrow()
    assert none.schema == trajmeter.score(ATTEMPTS, metrics=FAMILIES).to_arrow().schema
    assert len(none) == 0


def test_scores_as_frames_of_pandas() -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = trajmeter.score(ATTEMPTS, tasks=TASKS, metrics=FAMILIES).to_pandas()
    assert frame["turns.run.turn_count"].tolist()[0] == 1
