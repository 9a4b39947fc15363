"""Snapshots in folders of files."""

from __future__ import annotations

import os
import pickle
from typing import TYPE_CHECKING

import pytest

from trajmeter.errors import ReadError
from trajmeter.records import GoldRange, Task
from trajmeter.snapshots import Snapshot, open_snapshots

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

COMMIT = "c" * 40


def tree(root: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


def checkout(root: Path, files: Mapping[str, bytes]) -> Snapshot:
    snapshot = open_snapshots(tree(root, {"README": b"", **files})).find(Task(id="any"))
    assert snapshot is not None
    return snapshot


@pytest.mark.parametrize(
    ("content", "starts"),
    [
        (b"ab\ncde\nf\n", [0, 3, 7, 9]),  # the last one is the empty line after the newline
        (b"ab\ncde\nf", [0, 3, 7]),
        (b"", [0]),
        (b"\n", [0, 1]),
        (b"a\r\nb\r\n", [0, 3, 6]),  # CR belongs to its line
        (b"a\rb", [0]),  # and separates none
        (b"\xff\xfe\n\x00", [0, 3]),  # bytes, whatever they encode
    ],
)
def test_sizes_and_lines_of_a_file(tmp_path: Path, content: bytes, starts: list[int]) -> None:
    file = checkout(tmp_path, {"src/f": content}).files["src/f"]
    assert (file.size, file.line_starts.tolist()) == (len(content), starts)
    assert file.definitions is None


def test_files_are_listed_by_relative_path(tmp_path: Path) -> None:
    contents = {".git/config": b"", ".github/a.yml": b"", "src/b.py": b"", "src/a.py": b""}
    files = checkout(tmp_path, contents).files
    assert list(files) == ["README", ".github/a.yml", "src/a.py", "src/b.py"]
    assert len(files) == 4


@pytest.mark.parametrize(
    "path",
    [
        *("", ".", "..", "/", "src", "src/", "./src/a.py", "src/../src/a.py", "src//a.py"),
        *("../outside.py", "src/../../outside.py", "absent.py", "src/a.py/b", ".git/config"),
        *("out.py", "outer/outside.py", "loop", "pipe", "a\0b", "\ud800", "x" * 5_000),
        *("config", "inner/config", "src/.git", "sub/.git/HEAD", "head"),
    ],
)
def test_nothing_but_files_of_the_folder_is_found(tmp_path: Path, path: str) -> None:
    tree(tmp_path, {"outside.py": b""})
    root = tree(tmp_path / "root", {"README": b"", "src/a.py": b"", ".git/config": b""})
    tree(root, {"src/.git": b"gitdir: elsewhere", "sub/.git/HEAD": b""})  # as of submodules
    (root / "head").symlink_to("sub/.git/HEAD")
    (root / "out.py").symlink_to(tmp_path / "outside.py")
    (root / "outer").symlink_to(tmp_path)
    (root / "loop").symlink_to("loop")
    (root / "config").symlink_to(".git/config")
    (root / "inner").symlink_to(".git")
    os.mkfifo(root / "pipe")
    files = checkout(root, {}).files
    assert path not in files
    assert list(files) == ["README", "src/a.py"]
    with pytest.raises(KeyError):
        files[path]


def test_absolute_paths_are_not_found(tmp_path: Path) -> None:
    files = checkout(tmp_path, {"src/a.py": b""}).files
    assert str(tmp_path / "src/a.py") not in files
    assert None not in files


def test_a_link_within_the_folder_is_its_file(tmp_path: Path) -> None:
    tree(tmp_path, {"src/a.py": b"a\nb\n"})
    (tmp_path / "alias.py").symlink_to("src/a.py")
    files = checkout(tmp_path, {}).files
    assert files["alias.py"].line_starts.tolist() == [0, 2, 4]


def test_a_file_is_read_once(tmp_path: Path) -> None:
    files = checkout(tmp_path, {"a.py": b"a\n"}).files
    assert files["a.py"] is files["a.py"]


def test_a_file_that_went_away_is_an_error_with_its_path(tmp_path: Path) -> None:
    files = checkout(tmp_path, {"a.py": b"a\n"}).files
    assert "a.py" in files
    (tmp_path / "a.py").unlink()
    with pytest.raises(ReadError, match=r"a\.py: No such file"):
        files["a.py"]


@pytest.mark.parametrize("mark", ["README", ".git/HEAD"])
def test_a_checkout_serves_every_task(tmp_path: Path, mark: str) -> None:
    store = open_snapshots(tree(tmp_path, {mark: b"", "src/a.py": b""}))
    first = store.find(Task(id="one", commit=COMMIT))
    assert first is not None
    assert first is store.find(Task(id="two"))
    assert "src/a.py" in first.files


@pytest.mark.parametrize("path", ["src/a.py", "/testbed/src/a.py", "src\\a.py"])
def test_folders_alone_are_a_checkout_for_a_task_whose_gold_they_hold(
    tmp_path: Path, path: str
) -> None:
    store = open_snapshots(tree(tmp_path, {"src/a.py": b"", "task/src/b.py": b""}))

    def found(task_id: str, path: str) -> list[str] | None:
        gold = (GoldRange(path=path, first_line=1, last_line=1),)
        snapshot = store.find(Task(id=task_id, commit=COMMIT, gold_ranges=gold))
        return None if snapshot is None else list(snapshot.files)

    assert found("any", path) == ["src/a.py", "task/src/b.py"]
    assert found("any", "src/b.py") is None
    assert found("any", "../src") is None
    assert found("task", path) == ["src/b.py"]


def test_folders_are_found_by_commit_then_id_then_alias(tmp_path: Path) -> None:
    # A file whose name begins with a dot does not make a checkout of the folder.
    root = tree(tmp_path, {f"{COMMIT}/c": b"", "task/t": b"", "alias/a": b"", ".DS_Store": b""})
    store = open_snapshots(root)

    def names(task: Task) -> list[str] | None:
        snapshot = store.find(task)
        return None if snapshot is None else list(snapshot.files)

    assert names(Task(id="task", commit=COMMIT, aliases=("alias",))) == ["c"]
    assert names(Task(id="task", commit="d" * 40, aliases=("alias",))) == ["t"]
    assert names(Task(id="other", aliases=("nothing", "alias"))) == ["a"]
    assert names(Task(id="other")) is None


@pytest.mark.parametrize("task_id", ["", ".", "..", "../root", "task/", "/", "a\\..\\b", "x\0"])
def test_an_id_never_leads_to_another_folder(tmp_path: Path, task_id: str) -> None:
    root = tree(tmp_path / "root", {"task/t": b""})
    assert open_snapshots(root).find(Task(id=task_id, commit=task_id)) is None


def test_an_id_leads_through_no_link_of_a_checkout(tmp_path: Path) -> None:
    tree(tmp_path / "outside", {"private": b"secret"})
    root = tree(tmp_path / "checkout", {"README": b""})
    (root / "linked").symlink_to(tmp_path / "outside")
    snapshot = open_snapshots(root).find(Task(id="linked"))
    assert snapshot is not None
    assert [*snapshot.files] == ["README"]
    (root / "README").unlink()  # a folder of checkouts, which the user may have linked
    snapshot = open_snapshots(root).find(Task(id="linked"))
    assert snapshot is not None
    assert [*snapshot.files] == ["private"]


def test_a_store_can_be_sent_to_another_process(tmp_path: Path) -> None:
    store = open_snapshots(tree(tmp_path, {"README": b"a\n"}))
    store.find(Task(id="any"))
    copy = pickle.loads(pickle.dumps(store))  # noqa: S301 - our own object
    assert copy.find(Task(id="any")).files["README"].size == 2
