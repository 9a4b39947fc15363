"""Rows of data sets, scored by the command: with their columns mapped, and as what they are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from pyarrow import parquet  # noqa: E402 - only where it is installed

import trajmeter  # noqa: E402 - likewise

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run: TypeAlias = Callable[..., tuple[int, str, str]]

CALL = {"id": "c", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "Mend it.", "tool_calls": None, "tool_call_id": None},
    {"role": "assistant", "content": None, "tool_calls": [CALL], "tool_call_id": None},
    {"role": "tool", "content": "1\tx\n2\ty", "tool_calls": None, "tool_call_id": "c"},
    {"role": "assistant", "content": "Done.", "tool_calls": [CALL], "tool_call_id": None},
]
PATCH = "--- a/a\n+++ b/a\n@@ -1,2 +1,1 @@\n-x\n y\n"
OPENHANDS: list[dict[str, Any]] = [
    {
        "instance_id": "t1",
        "trajectory_id": "7",
        "trajectory": MESSAGES,
        "model_patch": PATCH,
        "resolved": 1,
        "exit_status": "submit",
        "tools": ["read"],
    },
    {
        "instance_id": "t2",
        "trajectory_id": "8",
        "trajectory": MESSAGES[:1],
        "model_patch": "",
        "resolved": 0,
        "exit_status": "submit",
        "tools": ["read"],
    },
]
TASKS: list[dict[str, Any]] = [
    {
        "id": "t1",
        "gold_ranges": [{"path": "a", "first_line": 1, "last_line": 4}],
        "gold_patch": PATCH,
        "expected_tool_calls": [{"name": "read", "arguments": {"path": "a"}}],
    },
    {"id": "t2"},
]
METRICS = ("-m", "context,tools,turns", "-f", "jsonl")
MAP = "messages=trajectory,task_id=instance_id,final_patch=model_patch"


def _write(rows: list[dict[str, Any]], path: Path, *, row_group: int = 1) -> str:
    if path.suffix == ".parquet":
        parquet.write_table(pa.Table.from_pylist(rows), path, row_group_size=row_group)
    else:
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path.name


def _scored(run: Run, *arguments: str) -> list[dict[str, Any]]:
    code, out, err = run("score", *arguments, *METRICS)
    assert (code, err) == (0, "")
    return [json.loads(line) for line in out.splitlines()]


@pytest.fixture
def tasks(folder: Path) -> str:
    return _write(TASKS, folder / "gold.jsonl")


@pytest.mark.parametrize("name", ["rollouts.parquet", "rollouts.jsonl"])
@pytest.mark.parametrize("is_text", [False, True])
def test_columns_are_mapped(
    run: Run, folder: Path, tasks: str, name: str, *, is_text: bool
) -> None:
    rows = [
        {
            "uid": row["instance_id"],
            "log": json.dumps(row["trajectory"]) if is_text else row["trajectory"],
            "end": {"patch": row["model_patch"], "won": row["resolved"]},
        }
        for row in OPENHANDS
    ]
    mapping = "messages=log,task_id=uid,final_patch=end.patch,passed=end.won"
    first, second = _scored(run, _write(rows, folder / name), "--tasks", tasks, "--map", mapping)
    assert (first["task_id"], first["turns.run.turn_count"]) == ("t1", 2)
    assert (first["turns.recorded_calls"], first["turns.repeated_calls"]) == (2, 1)
    assert (first["turns.run.passed"], second["turns.run.passed"]) == (True, False)
    assert first["tools.any_order_grades.precision"] == 0.5
    assert first["context.edit_location.coverage"] == 1.0
    # What the result shows is seen: two of four lines.
    assert first["context.final.line.coverage"] == 0.5
    # Without a reference there is nothing to compare with, which is no 0.
    assert (second["task_id"], second["turns.run.turn_count"]) == ("t2", 0)
    assert second["tools.any_order_grades.f1"] is second["context.final.line.coverage"] is None
    assert (second["tools.outcome"], second["context.final.line.cause"]) == (
        "abstained",
        "missing_gold",
    )


@pytest.mark.parametrize("name", ["rollouts.parquet", "rollouts.jsonl"])
@pytest.mark.parametrize("is_text", [False, True])
def test_rows_of_openhands(run: Run, folder: Path, tasks: str, name: str, *, is_text: bool) -> None:
    rows = [
        {**row, "trajectory": json.dumps(row["trajectory"])} if is_text else row
        for row in OPENHANDS
    ]
    log = _write(rows, folder / name)
    known = _scored(run, log, "--tasks", tasks)
    assert [row["attempt"] for row in known] == ["7", "8"]
    assert [row["turns.run.passed"] for row in known] == [True, False]
    assert known[0]["context.final.line.coverage"] == 0.5
    # Named as they are, the same columns mean the same; what is not mapped is not looked for.
    named = _scored(run, log, "--tasks", tasks, "--map", f"{MAP},attempt=trajectory_id")
    passed = {"turns.run.passed": None}
    for one, other in zip(known, named, strict=True):
        assert {**one, **passed} == {**other, **passed}
    assert [row["turns.run.passed"] for row in named] == [None, None]


def test_a_frame_is_scored_as_its_file_is(run: Run, folder: Path, tasks: str) -> None:
    log = _write(OPENHANDS, folder / "rollouts.parquet")
    by_command = _scored(run, log, "--tasks", tasks, "--map", MAP)
    mapping = dict(each.split("=") for each in MAP.split(","))
    scores = trajmeter.score(
        pa.Table.from_pylist(OPENHANDS),
        mapping=mapping,
        tasks=folder / tasks,
        metrics=["context", "tools", "turns"],
    )
    figures = [name for name in by_command[0] if name.partition(".")[0] in METRICS[1].split(",")]
    for row, other in zip(by_command, scores.rows, strict=True):
        assert [json.dumps(row[name]) for name in figures] == [
            json.dumps(other[name]) for name in figures
        ]


def test_the_task_may_be_in_the_row(run: Run, folder: Path) -> None:
    wanted = json.dumps(TASKS[0]["expected_tool_calls"])
    rows = [{**row, "gold": wanted} for row in OPENHANDS]
    log = _write(rows, folder / "rollouts.parquet")
    mapping = ("--map", MAP, "--map", "task.expected_tool_calls=gold")
    first, second = _scored(run, log, *mapping)
    assert (first["tools.any_order_grades.recall"], second["tools.any_order_grades.f1"]) == (1, 0)


def test_an_odd_row_costs_itself_alone(run: Run, folder: Path, tasks: str) -> None:
    texts = [json.dumps(MESSAGES), "[{", json.dumps(MESSAGES), '{"role": "user"}']
    rows = [{**OPENHANDS[0], "trajectory": text} for text in texts]
    log = _write(rows, folder / "rollouts.parquet", row_group=4)
    code, out, err = run("score", log, "--tasks", tasks, "--map", MAP, *METRICS)
    assert code == 4
    counts = [json.loads(line)["turns.run.turn_count"] for line in out.splitlines()]
    assert counts == [2, 2]
    assert "rollouts.parquet: [1]: messages: invalid JSON" in err
    assert "rollouts.parquet: [3]: messages: expected a list" in err


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ("messages=conversation,task_id=instance_id", "'conversation'"),
        ("messages=trajectory,task_id=tools", "'tools'"),
        ("messages=trajectory,turns=trajectory,task_id=instance_id", "map one of the two"),
        ("messages=resolved,task_id=instance_id", "'resolved'"),
        ("messages=trajectory,messages=tools", "two columns for 'messages'"),
        ("mesages=trajectory", "trajectories have no field 'mesages'"),
    ],
)
def test_a_mapping_that_cannot_be(run: Run, folder: Path, mapping: str, message: str) -> None:
    log = _write(OPENHANDS, folder / "rollouts.parquet")
    code, out, err = run("score", log, "--map", mapping, *METRICS)
    assert (code, out) == (2, "")
    assert message in err
