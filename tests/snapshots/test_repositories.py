"""Snapshots from a folder of git repositories."""

from __future__ import annotations

import pickle
import shlex
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from tests.snapshots.git_repositories import commit, git
from trajmeter.errors import ReadError
from trajmeter.records import Task
from trajmeter.snapshots import Snapshot, open_repositories
from trajmeter.snapshots._git import GitRepository
from trajmeter.snapshots._making import EntryMaker

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.snapshots import FileSnapshot


@pytest.mark.parametrize(
    "place",
    [
        "owner__name",
        "owner__name.git",
        "owner/name",
        "owner/name.git",
        "name",
        "name.git",
        "Owner__Name",  # as hosts do not tell them apart
        "t",  # the task's id
        ".",
    ],
)
@pytest.mark.parametrize("bare", [False, True])
def test_a_repository_is_found_by_its_name(tmp_path: Path, place: str, *, bare: bool) -> None:
    commit_id = commit(tmp_path / "source", {"a.py": b"def f(): pass\n"})
    root = tmp_path / "repositories"
    root.mkdir()
    git(root, "clone", "--quiet", *(["--bare"] if bare else []), "../source", place)
    store = open_repositories(root, cache=False)
    task = Task(id="t", repo="owner/name", commit=commit_id)
    snapshot = store.find(task)
    assert snapshot is not None
    assert (snapshot.repo, snapshot.commit) == ("owner/name", commit_id)
    definitions = snapshot.files["a.py"].definitions
    assert definitions is not None
    assert definitions.name == ("f",)
    assert [*snapshot.files] == ["a.py"]
    assert "b.py" not in snapshot.files
    assert store.find(task) is snapshot
    assert [*store.missing()] == []


def test_the_commit_decides_between_repositories(tmp_path: Path) -> None:
    commit(tmp_path / "crab__shelf", {"a": b"1"})
    second = commit(tmp_path / "heron__shelf", {"a": b"2"})
    store = open_repositories(tmp_path, cache=False)
    for repo in ("shelf", None):
        snapshot = store.find(Task(id="t", repo=repo, commit=second))
        assert snapshot is not None
        assert snapshot.commit == second
    assert store.find(Task(id="t", repo="crab/shelf", commit=second)) is None


def test_tasks_without_a_repository_or_commit_are_reported(tmp_path: Path) -> None:
    commit_id = commit(tmp_path / "shelf", {"a": b"1"})
    (tmp_path / "plain" / "folder").mkdir(parents=True)
    (tmp_path / "file").write_bytes(b"")
    store = open_repositories(tmp_path, cache=False)
    absent = "0" * 40
    for task in (
        Task(id="t1", repo="crab/quill", commit=commit_id),
        Task(id="t2", repo="crab/plain", commit=commit_id),
        Task(id="t3", repo="crab/shelf", commit=absent),
        Task(id="t4", repo="crab/shelf"),
    ):
        assert store.find(task) is None
    shelf = tmp_path / "shelf"
    without_repository, without_commit = store.missing()
    assert without_repository == (
        f"2 tasks found no repository in {tmp_path}, such as 'crab/quill' of 't1'; owner/name is "
        "looked for as owner__name, owner/name and name, with or without .git"
    )
    assert without_commit == (
        f"2 tasks found no commit in their repository, such as 't3', which needs '{absent}' in "
        f"{shelf}; fetch it: git -C {shlex.quote(str(shelf))} fetch origin {absent}"
    )


def test_two_commits_of_one_repository_take_turns(tmp_path: Path) -> None:
    first = commit(tmp_path / "r", {"a.py": b"def f(): pass\n"})
    second = commit(tmp_path / "r", {"a.py": b"\ndef g(): pass\n"})
    store = open_repositories(tmp_path, cache=tmp_path / "cache")
    found = []
    for commit_id in (first, second, first):
        snapshot = store.find(Task(id=commit_id, repo="r", commit=commit_id))
        assert snapshot is not None
        definitions = snapshot.files["a.py"].definitions
        assert definitions is not None
        found.append((definitions.name, definitions.start.tolist()))
    assert found == [(("f",), [0]), (("g",), [1]), (("f",), [0])]


def test_files_read_ahead_are_those_read_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "owner__name"
    before = commit(place, {"a.py": b"def f(): pass\n", "same.py": b"x = 1\n"})
    after = commit(place, {"a.py": b"def g(): pass\n", "b.txt": b"1\n2\n"})
    other = commit(tmp_path / "heron__nest", {"a.py": b"class C: pass\n"})
    tasks = [Task(id=each, repo="owner/name", commit=each) for each in (before, after)]
    tasks.append(Task(id="o", repo="heron/nest", commit=other))
    store, one_by_one = (open_repositories(tmp_path, cache=False) for _ in range(2))
    found = [snapshot for snapshot in map(store.find, tasks) if snapshot is not None]
    paths = ("a.py", "b.txt", "gone.py")
    store.read_ahead([*((each, paths) for each in found), (Snapshot(None, None, {}), paths)])
    monkeypatch.setattr(EntryMaker, "entries", None)
    kept = [{path: each.files[path] for path in paths if path in each.files} for each in found]
    monkeypatch.undo()
    for files, task in zip(kept, tasks, strict=True):
        expected = one_by_one.find(task)
        assert expected is not None
        assert [*files] == [path for path in paths if path in expected.files]
        for path, file in files.items():
            assert described(file) == described(expected.files[path])
    assert kept[0]["a.py"].definitions.name == ("f",)  # type: ignore[union-attr] # it has some
    assert "b.txt" not in kept[0]
    assert found[0].files["same.py"].size == 6  # which was not read ahead


def described(file: FileSnapshot) -> tuple[object, ...]:
    known = file.definitions
    of_it = None if known is None else (known.kind, known.name, [*known.start], [*known.end])
    return file.size, [*file.line_starts], of_it


def test_a_missing_file_is_reported_when_requested(tmp_path: Path) -> None:
    place = tmp_path / "owner__name"
    commit_id = commit(place, {"a.py": b"1\n", "b.py": b"2\n"})
    blob = git(place, "rev-parse", f"{commit_id}:a.py")
    (place / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    store = open_repositories(tmp_path, cache=False)
    snapshot = store.find(Task(id="t", repo="owner/name", commit=commit_id))
    assert snapshot is not None
    store.read_ahead([(snapshot, ["a.py", "b.py"])])
    assert snapshot.files["b.py"].size == 2
    with pytest.raises(ReadError, match=r"a\.py"):
        snapshot.files["a.py"]


def test_a_store_can_be_pickled_and_closed(tmp_path: Path) -> None:
    task = Task(id="t", repo="r", commit=commit(tmp_path / "r", {"a.py": b"def f(): pass\n"}))
    store = open_repositories(tmp_path, cache=tmp_path / "cache")
    for each in (store, store, pickle.loads(pickle.dumps(store))):  # noqa: S301
        snapshot = each.find(task)
        assert snapshot is not None
        assert snapshot.files["a.py"].size == 14
        store.close()


def test_a_repository_may_be_opened_while_others_are_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [
        Task(id=repo, repo=repo, commit=commit(tmp_path / repo, {"a.py": repo.encode()}))
        for repo in ("crab", "heron")
    ]
    store = open_repositories(tmp_path, cache=False)
    assert store.find(tasks[0]) is not None

    def close_late(repository: GitRepository) -> None:
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(store.find, tasks[1]).result() is not None
        close(repository)

    close = GitRepository.close
    monkeypatch.setattr(GitRepository, "close", close_late)
    store.close()
    monkeypatch.undo()
    store.close()


def test_a_file_missing_from_the_clone_has_its_own_error(tmp_path: Path) -> None:
    commit_id = commit(tmp_path / "source", {"a.py": b""})
    git(tmp_path / "source", "config", "uploadpack.allowFilter", "true")
    source = (tmp_path / "source").as_uri()
    git(tmp_path, "clone", "--quiet", "--bare", "--filter=blob:none", source, "part")
    snapshot = open_repositories(tmp_path, cache=False).find(
        Task(id="t", repo="part", commit=commit_id)
    )
    assert snapshot is not None
    assert "a.py" in snapshot.files
    with pytest.raises(ReadError, match=r"part: a\.py: the clone lacks it"):
        snapshot.files["a.py"]


def test_a_folder_is_needed(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ReadError, match="not a folder, expected a folder of git repositories"):
        open_repositories(tmp_path / "file")
