"""Groups asked for by name: the figures that the whole family has, and nothing computed beside."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import trajmeter
from tests.metrics.context.repositories import gold, snapshot, ten_lines
from tests.scoring.strategies import trajectories
from trajmeter import kernels
from trajmeter.metrics import create, describe
from trajmeter.metrics.groups import group_names
from trajmeter.records import Outcome, Task, Trajectory, Turn, Usage, View
from trajmeter.schemas import trajectory_batch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.snapshots import Snapshot

# Functions of the same names hide these modules.
_CONTEXT_RESULT = import_module("trajmeter.metrics.context.composing")
_CONTEXT_BATCH = import_module("trajmeter.metrics.context.batch")
_TURNS_ANALYSIS = import_module("trajmeter.metrics.turns.analysis")
_TURNS_BATCH = import_module("trajmeter.metrics.turns.batch")

TASK = Task(
    id="one",
    gold_ranges=(gold("a.py", 2, 4),),
    gold_patch="--- a/a.py\n+++ b/a.py\n@@ -3 +3,2 @@\n-a\n+b\n",
)


class _Store:
    def find(self, task: Task) -> Snapshot | None:
        del task
        return snapshot({"a.py": ten_lines([("function", 0, 20, "f")]), "b/c.py": ten_lines()})


_RESULTS = {name: create([name])[0].result_type for name in ("context", "turns")}
GROUPS = [
    f"{family}.{group}" for family, result in _RESULTS.items() for group in group_names(result)
]
PROFILES = [(), *((name,) for family in _RESULTS for name in describe(family).profiles)]


def _on_both_paths(
    attempts: Sequence[Trajectory], metrics: list[str], profiles: Sequence[str]
) -> list[list[dict[str, Any]]]:
    references: dict[str, Any] = {"tasks": [TASK], "snapshots": _Store(), "profiles": profiles}
    by_record = trajmeter.score(attempts, metrics=metrics, **references).rows
    batches = [trajectory_batch(attempts)]
    by_column = trajmeter.score_batches(batches, metrics=metrics, **references)
    return [by_record, [row for batch in by_column for row in batch.to_pylist()]]


@given(
    attempts=st.lists(trajectories(), min_size=1, max_size=3),
    chosen=st.lists(st.sampled_from(GROUPS), min_size=1, max_size=3, unique=True),
    profiles=st.sampled_from(PROFILES),
)
def test_chosen_groups_have_the_figures_of_the_whole_family(
    attempts: list[Trajectory], chosen: list[str], profiles: tuple[str, ...]
) -> None:
    families = sorted({name.partition(".")[0] for name in chosen})
    known = {profile for family in families for profile in describe(family).profiles}
    profiles = tuple(profile for profile in profiles if profile in known)
    attempts = [attempt.model_copy(update={"task_id": "one"}) for attempt in attempts]
    whole = _on_both_paths(attempts, families, profiles)
    for expected, found in zip(whole, _on_both_paths(attempts, chosen, profiles), strict=True):
        assert [*map(repr, found)] == [
            repr({name: row[name] for name in found[0]}) for row in expected
        ]


TURN = Turn(views=(View(path="a.py"),), usage=Usage(input_tokens=1))
ATTEMPT = Trajectory(
    task_id="one",
    turns=(TURN, Turn()),
    final_views=(View(path="a.py"),),
    final_patch=TASK.gold_patch,
)
_CONTEXT = {"final": "final_figures", "trajectory": "step_figures", "edits": "edit_locations"}
_COLUMNS = {"final": "final_columns", "trajectory": "step_columns", "edits": "edit_columns"}


@pytest.mark.parametrize(
    ("group", "part"),
    [
        ("final", "final"),
        ("trajectory.span", "trajectory"),
        ("edit_location", "edits"),
        ("contextbench_editloc", "edits"),
    ],
)
def test_parts_of_context_that_are_not_asked_for_are_not_computed(
    group: str, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: set[str] = set()
    for module, functions in ((_CONTEXT_RESULT, _CONTEXT), (_CONTEXT_BATCH, _COLUMNS)):
        for name, function in functions.items():
            monkeypatch.setattr(module, function, _noting(computed, name, module, function))
    by_record, by_column = _on_both_paths([ATTEMPT], [f"context.{group}"], [])
    assert computed == {part}
    outcomes = [name for name in by_record[0] if name.endswith(".outcome")]
    assert {row[name] for row in (by_record[0], by_column[0]) for name in outcomes} == {"scored"}


def _noting(computed: set[str], name: str, module: Any, function: str) -> Any:
    original = getattr(module, function)

    def note(*arguments: Any, **named: Any) -> Any:
        computed.add(name)
        return original(*arguments, **named)

    return note


def test_views_are_not_looked_at_for_edit_locations_nor_steps_for_the_final_context() -> None:
    measured: list[Any] = []
    own = kernels.active()

    def measure(*columns: Any) -> Any:
        measured.append([len(columns[2].path), len(columns[3]) - 1])
        return own.context_batch(*columns)

    many = ATTEMPT.model_copy(update={"turns": (TURN,) * 5})
    for group, expected in {
        "edit_location": [0, 0],
        "final": [6, 1],
        "trajectory": [5, 5],
        "views": [6, 1],
    }.items():
        fake = mock.Mock(edit_counts=own.edit_counts, context_batch=measure)
        with mock.patch.object(_CONTEXT_BATCH, "active", return_value=fake):
            _on_both_paths([many], [f"context.{group}"], [])
        assert measured.pop() == expected, group
        (metric,) = create([f"context.{group}"])
        assert ("turns.views" in metric.batch_columns) == (group != "edit_location")  # type: ignore[union-attr] # has it
        assert ("final_patch" in metric.batch_columns) == (group == "edit_location")  # type: ignore[union-attr] # has it


@pytest.mark.parametrize("group", ["run", "tokens", "cost"])
def test_turns_are_not_analysed_for_other_groups(group: str) -> None:
    with (
        mock.patch.object(_TURNS_ANALYSIS, "_analyse", side_effect=AssertionError),
        mock.patch.object(_TURNS_BATCH, "analyse_columns", side_effect=AssertionError),
    ):
        by_record, by_column = _on_both_paths([ATTEMPT], [f"turns.{group}"], [])
    assert by_record[0] == by_column[0]
    (metric,) = create([f"turns.{group}"])
    result: Any = metric.score(None, ATTEMPT)  # type: ignore[union-attr] # scores attempts
    assert (result.outcome, result.cause) == (Outcome.NOT_SCORED, None)


def test_the_groups_of_one_metric_leave_another_one_whole() -> None:
    one, _ = create(["context.final", "turns"])
    (whole,) = create(["context"])
    assert whole.batch_columns > one.batch_columns  # type: ignore[union-attr] # both have them
