"""Arguments of the wrong kind are refused by name and index, and not from deep inside."""

from __future__ import annotations

from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import pytest

import trajmeter
from trajmeter.arguments import paths_and_records
from trajmeter.errors import ConfigurationError, InputError, UnknownNameError
from trajmeter.metrics import context, turns
from trajmeter.readers import read_tasks, read_trajectories
from trajmeter.records import Task, Trajectory
from trajmeter.schemas import trajectory_batch

if TYPE_CHECKING:
    from collections.abc import Callable

ATTEMPT = Trajectory(task_id="one")
BATCH = trajectory_batch([ATTEMPT])
SEVERAL = "expected the path of a file, or a list of paths"


@pytest.mark.parametrize(
    ("call", "given", "message"),
    [
        (trajmeter.score, 5, f"trajectories is 5 (int), {SEVERAL} or Trajectory records"),
        (trajmeter.score, None, f"trajectories is None (NoneType), {SEVERAL} or Trajectory"),
        (
            trajmeter.score,
            {"task_id": "one"},
            "trajectories is {'task_id': 'one'} (dict),",
        ),
        (trajmeter.score, b"a.jsonl", "trajectories is b'a.jsonl' (bytes), expected the path"),
        (trajmeter.score, ATTEMPT, f"(Trajectory), {SEVERAL}"),
        (
            trajmeter.score,
            [ATTEMPT, 1],
            "trajectories[1] is 1 (int), expected the path",
        ),
        (trajmeter.compare, 5, f"results is 5 (int), {SEVERAL} or FrameworkEvaluation records"),
        (
            trajmeter.compare,
            [1],
            "results[0] is 1 (int), expected the path of a",
        ),
        (trajmeter.score_batches, 5, "batches is 5 (int), expected an iterable of RecordBatch"),
        (trajmeter.score_batches, "a.parquet", "batches is 'a.parquet' (str), expected an iter"),
        (read_trajectories, 5, f"paths is 5 (int), {SEVERAL}"),
        (read_tasks, [5], "paths[0] is 5 (int), expected the path of a file"),
    ],
)
def test_what_is_neither_a_file_nor_a_record_is_named(
    call: Callable[[Any], Any], given: object, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        next(iter(call(given)))
    assert message in str(caught.value)


@pytest.mark.parametrize("given", [3, [ATTEMPT]])
def test_tasks_are_checked_by_both_paths(given: Any) -> None:
    with pytest.raises(InputError, match=r"^tasks(\[0\])? is .*expected the path of a file"):
        trajmeter.score([ATTEMPT], tasks=given)
    with pytest.raises(InputError, match=r"^tasks(\[0\])? is .*expected the path of a file"):
        trajmeter.score_batches([BATCH], tasks=given)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"metrics": 5}, "metrics is 5, expected a list, or one name"),
        ({"metrics": len}, "metrics is <built-in function len>, expected a list, or one name"),
        ({"profiles": 7}, "profiles is 7, expected a list, or one name"),
        ({"snapshots": 5}, "snapshots is 5, expected a path, or a store with the method find"),
    ],
)
def test_options_of_the_wrong_kind_are_named(option: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        trajmeter.score([ATTEMPT], **option)
    assert str(caught.value) == message


def test_metrics_may_come_from_a_generator() -> None:
    names: Any = (name for name in ("turns", "rules"))
    rows = trajmeter.score([ATTEMPT], metrics=names).rows
    assert {"turns.version", "rules.version"} <= set(rows[0])


def test_files_and_records_pass() -> None:
    task = Task(id="one")
    files = ["a", Path("b"), PurePosixPath("c")]
    assert list(paths_and_records([*files, task], Task, name="tasks")) == [*files, task]
    for file in files:
        assert list(paths_and_records(file, name="paths")) == [file]


PREPARED = trajmeter.prepare(Task(id="one"), None)


@pytest.mark.parametrize(
    ("call", "given", "message"),
    [
        (
            partial(trajmeter.prepare, snapshot=None),
            {"id": "one"},
            "task is {'id': 'one'} (dict),",
        ),
        (partial(trajmeter.prepare, Task(id="one")), "repo", "snapshot is 'repo' (str), expected"),
        (trajmeter.ContextTracker, Task(id="one"), "(Task), expected a PreparedTask"),
        (trajmeter.ContextTracker(PREPARED).update, None, "views is None (NoneType), expected a l"),
        (trajmeter.ContextTracker(PREPARED).update, ["a.py"], "views[0] is 'a.py' (str), expected"),
        (trajmeter.ContextTracker(PREPARED).result, 5, "final_views is 5 (int), expected a list"),
        (partial(context.score, PREPARED), {}, "trajectory is {} (dict), expected a Trajectory"),
        (lambda given: context.score(given, ATTEMPT), {}, "prepared is {} (dict), expected a Prep"),
        (turns.score, {"task_id": "one"}, "trajectory is {'task_id': 'one'} (dict), expected a T"),
        (turns.aggregate, ATTEMPT, "(Trajectory), expected a list of TurnsResult"),
        (turns.aggregate, [None], "results[0] is None (NoneType), expected a TurnsResult"),
    ],
)
def test_what_is_not_the_record_of_a_function_is_named(
    call: Callable[[Any], Any], given: object, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        call(given)
    assert message in str(caught.value)


def test_the_other_arguments_of_those_functions_are_checked() -> None:
    wrong: Any = 5
    with pytest.raises(InputError, match=r"^final_patch is 5 \(int\), expected text$"):
        trajmeter.ContextTracker(PREPARED).result(final_patch=wrong)
    backend: Any = "rust"
    with pytest.raises(InputError, match=r"^kernels is 'rust', expected trajmeter\.kernels\.load"):
        trajmeter.prepare(Task(id="one"), None, kernels=backend)
    for call in (partial(trajmeter.prepare, Task(id="one"), None), partial(turns.score, ATTEMPT)):
        with pytest.raises(UnknownNameError, match="has no profile 5"):
            call(profile=wrong)
