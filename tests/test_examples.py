"""The bundled examples: what they hold agrees with the repository they are made of."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import trajmeter
from trajmeter.patches import edited_lines
from trajmeter.readers import read_tasks, read_trajectories
from trajmeter.snapshots import Snapshot, open_snapshots

if TYPE_CHECKING:
    from trajmeter.records import Task

CONTEXT = Path(__file__).parents[1] / "examples" / "context"
TASK = next(iter(read_tasks(CONTEXT / "gold.jsonl")))

Definition = tuple[str, int, int, str]


@pytest.fixture
def snapshot() -> Snapshot:
    found = open_snapshots(CONTEXT / "snapshots.jsonl").find(TASK)
    assert found is not None
    return found


def definitions(source: bytes, line_starts: list[int]) -> list[Definition]:
    """Functions and classes as Python's own parser places them, outer ones first."""
    found: list[Definition] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            kind = "class" if isinstance(node, ast.ClassDef) else "function"
            start = line_starts[node.lineno - 1] + node.col_offset
            end = line_starts[node.end_lineno - 1] + node.end_col_offset
            found.append((f"{kind}_definition", start, end, node.name))
    return sorted(found, key=lambda definition: definition[1])


def test_the_snapshot_is_that_of_the_repository(snapshot: Snapshot) -> None:
    checkout = open_snapshots(CONTEXT / "repo").find(TASK)
    assert checkout is not None
    assert set(snapshot.files) == set(checkout.files)
    for path, file in snapshot.files.items():
        assert file.size == checkout.files[path].size
        assert file.line_starts.tolist() == checkout.files[path].line_starts.tolist()


@pytest.mark.parametrize("name", ["__init__", "catalog", "fines", "loans"])
def test_the_definitions_are_those_of_the_source(snapshot: Snapshot, name: str) -> None:
    path = f"shelf/{name}.py"
    file = snapshot.files[path]
    columns = file.definitions
    assert columns is not None
    source = (CONTEXT / "repo" / path).read_bytes()
    listed = zip(columns.kind, columns.start, columns.end, columns.name, strict=True)
    assert list(listed) == definitions(source, file.line_starts.tolist())


def test_what_the_page_of_the_example_says_of_its_records() -> None:
    trajectories = list(read_trajectories(CONTEXT / "predictions.jsonl"))
    tasks = list(read_tasks(CONTEXT / "gold.jsonl"))
    assert [trajectory.model for trajectory in trajectories] == ["heron"] * 4 + ["magpie"] * 4
    known = {name for task in tasks for name in (task.id, *task.aliases)}
    assert [t.task_id for t in trajectories if t.task_id not in known] == ["shelf__shelf-99"]
    lines = [sum(len(r) for r in line_sets(task).values()) for task in tasks]
    assert lines == [12 + 11, 1 + 4, 3 + 5, 20]
    gold = edited_lines(tasks[0].gold_patch or "")
    assert gold.lines == {"shelf/catalog.py": (11,), "shelf/loans.py": (22,)}
    patches = [edited_lines(trajectory.final_patch or "") for trajectory in trajectories]
    assert patches[0].lines == {"shelf/loans.py": (22,)}
    assert [patch.is_diff for patch in patches] == [
        *(True, True, False, True),
        *(True, False, True, True),
    ]


def line_sets(task: Task) -> dict[str, set[int]]:
    sets: dict[str, set[int]] = {}
    for gold in task.gold_ranges or ():
        sets.setdefault(gold.path, set()).update(range(gold.first_line, gold.last_line + 1))
    return sets


def test_the_first_attempt_scores_as_worked_out_by_hand() -> None:
    scores = trajmeter.score(
        CONTEXT / "predictions.jsonl",
        tasks=CONTEXT / "gold.jsonl",
        snapshots=CONTEXT / "snapshots.jsonl",
    )
    row = scores.rows[0]
    # The arithmetic stands in the page of the example.
    assert row["context.final.line.coverage"] == pytest.approx(18 / 23)
    assert row["context.final.line.precision"] == 1.0
    assert row["context.trajectory.line.auc_coverage"] == pytest.approx((12 + 18 + 18) / (3 * 23))
    assert row["context.trajectory.line.redundancy"] == pytest.approx(1 - 34 / 38)
    assert row["context.edit_location.coverage"] == 1 / 2
    assert row["context.edit_location.precision"] == 1.0
    causes = [row["context.final.symbol.cause"] for row in scores.rows]
    assert causes == [
        *(None, None, "no_context_extracted", "missing_snapshot"),
        *(None, None, None, "missing_gold"),
    ]
