"""Tasks prepared once in a run, as many as fit into memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.metrics.context.repositories import attempt, gold, lines, snapshot, task
from trajmeter.metrics.context import score
from trajmeter.metrics.context.profile import PROFILES
from trajmeter.metrics.context.tasks import PreparedTasks
from trajmeter.snapshots import open_snapshots

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import Task
    from trajmeter.snapshots import Snapshot

TASKS = [task(gold("a.py", 1, 4)).model_copy(update={"id": str(number)}) for number in range(4)]


class _Store:
    """A store that notes what it is asked for, and gives each task a snapshot or all the same."""

    def __init__(self, *, shared: bool = False) -> None:
        self.asked: list[str] = []
        self._shared = snapshot(["a.py"]) if shared else None

    def find(self, task: Task) -> Snapshot:
        self.asked.append(task.id)
        return self._shared or snapshot(["a.py"])


def _tasks(store: _Store | None, most_bytes: int) -> PreparedTasks:
    return PreparedTasks(store, PROFILES[0], most_bytes=most_bytes)


def test_tasks_are_prepared_once_while_there_is_room() -> None:
    store = _Store()
    kept = _tasks(store, 10**9)
    first = [kept.find(each) for each in TASKS]
    assert [kept.find(each) for each in TASKS] == first
    assert store.asked == ["0", "1", "2", "3"]


def test_repositories_used_longest_ago_are_forgotten_first() -> None:
    store = _Store()
    kept = _tasks(store, 1)
    for each in (*TASKS, TASKS[0], TASKS[0]):
        found = score(kept.find(each), attempt([lines("a.py", 1, 1)]))
        assert found.final.line.coverage == 1 / 4
    assert store.asked == ["0", "1", "2", "3", "0"]


def test_tasks_of_one_repository_are_forgotten_too() -> None:
    store = _Store(shared=True)
    kept = _tasks(store, 22_000)  # two tasks of 9,000 bytes; full with more than twice as much
    fifth = TASKS[0].model_copy(update={"id": "4"})
    for each in (*TASKS, fifth, fifth, TASKS[3], TASKS[0]):
        found = score(kept.find(each), attempt([lines("a.py", 1, 1)]))
        assert found.final.line.coverage == 1 / 4
    assert store.asked == ["0", "1", "2", "3", "4", "3", "0"]


def test_tasks_of_one_snapshot_share_its_files() -> None:
    kept = _tasks(_Store(shared=True), 10**9)
    first, second = (kept.find(each) for each in TASKS[:2])
    assert first.resolve("a.py").file is second.resolve("./a.py").file


def test_tasks_without_a_snapshot_share_nothing() -> None:
    kept = _tasks(None, 10**9)
    first, second = (kept.find(each) for each in TASKS[:2])
    assert first.resolve("a.py").file is not second.resolve("a.py").file


def test_gold_ranges_by_themselves_share_the_files_of_their_task() -> None:
    for store in (_Store(), None):
        kept = _tasks(store, 1)
        whole = task(gold("a.py", 1, 4), gold("a.py", 3, 10), gold("b.py", 1, 1))
        parts = kept.find_parts(whole, 2)
        seen = attempt([lines("a.py", 3, 4)])
        shares = [score(each, seen).final.line.coverage for each in parts]
        assert shares == [2 / 4, 2 / 8]
        files = {id(each.resolve("a.py").file) for each in (*parts, kept.find(whole))}
        assert len(files) == 1


def test_tasks_in_use_are_counted() -> None:
    kept = _tasks(_Store(), 22_000)
    fullness = []
    for of in (*TASKS, task(gold("a.py", 1, 4), gold("a.py", 1, 4))):
        kept.find_another(of)
        fullness.append(kept.is_full)
    assert fullness == [False, False, False, False, True]


def test_the_last_prepared_tasks_outlive_a_call() -> None:
    store, of = _Store(shared=True), TASKS[0].model_copy()
    first = _tasks(store, 10**9).find(of)
    assert _tasks(store, 10**9).find(of) is first
    assert store.asked == ["0", "0"]  # it may know of another snapshot by now
    assert _tasks(_Store(shared=True), 10**9).find(of) is not first
    assert _tasks(None, 10**9).find(of) is not first
    assert PreparedTasks(store, PROFILES[1]).find(of) is not first
    assert _tasks(store, 10**9).find(of.model_copy()) is not first


def test_tasks_of_a_call_share_the_files_of_the_last_one() -> None:
    store = _Store(shared=True)
    _tasks(store, 10**9).find(TASKS[0])
    again = _tasks(store, 10**9)
    first, second = (again.find(each) for each in TASKS[:2])
    assert first.resolve("a.py").file is second.resolve("./a.py").file


def test_nothing_of_a_folder_outlives_a_call(tmp_path: Path) -> None:
    (tmp_path / "b.py").touch()
    store, of = open_snapshots(tmp_path), task(gold("a.py", 1, 4))
    first = PreparedTasks(store, PROFILES[0]).find(of)
    assert PreparedTasks(store, PROFILES[0]).find(of) is not first


def test_few_tasks_outlive_a_call() -> None:
    store = _Store(shared=True)
    first = _tasks(store, 10**9).find(TASKS[0])
    for number in range(9):
        _tasks(store, 10**9).find(TASKS[0].model_copy(update={"id": f"other {number}"}))
    assert _tasks(store, 10**9).find(TASKS[0]) is not first
