"""Snapshots of repositories and folders: what each kind of file becomes, with and without cache."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import pytest

from tests.snapshots.git_repositories import commit, git
from trajmeter.errors import ConfigurationError, ExtraMissingError, ReadError, UnknownNameError
from trajmeter.records import Task
from trajmeter.snapshots import FileSnapshot, Snapshot, open_snapshots, take_snapshot
from trajmeter.snapshots._entries import LARGEST_SOURCE

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = b"class Shelf:\n    def loan(self):\n        pass\n"
FILES: dict[str, bytes | str | None] = {
    "shelf.py": SOURCE,
    "empty.py": b"",
    "crlf.py": b"def a():\r\n    pass\r\n",
    "latin.py": b"def b(): 'gr\xfc\xdfe'\n",
    "binary.py": b"def c(): pass\n\0",
    "data.bin": b"\0\n\0",
    "huge.py": b"def d(): pass\n".ljust(LARGEST_SOURCE + 1, b"#"),
    "notes.md": b"def e(): pass",
    "linked.py": "shelf.py",
}
EXPECTED = {  # size, line starts, names of definitions
    "binary.py": (15, [0, 14], None),
    "crlf.py": (20, [0, 10, 20], ("a",)),
    "data.bin": (3, [0, 2], ()),
    "empty.py": (0, [0], ()),
    "huge.py": (LARGEST_SOURCE + 1, [0, 14], None),
    "latin.py": (17, [0, 17], ("b",)),
    "linked.py": (46, [0, 13, 33, 46], ("Shelf", "loan")),
    "notes.md": (13, [0], ()),
    "shelf.py": (46, [0, 13, 33, 46], ("Shelf", "loan")),
}


def names(file: FileSnapshot) -> tuple[str | None, ...] | None:
    return None if file.definitions is None else file.definitions.name


def described(
    snapshot: Snapshot,
) -> dict[str, tuple[int, list[int], tuple[str | None, ...] | None]]:
    return {
        path: (file.size, file.line_starts.tolist(), names(file))
        for path, file in snapshot.files.items()
    }


def exactly(snapshot: Snapshot) -> object:
    """All there is to a snapshot, in a form that compares."""
    places = {
        path: None if found is None else (found.kind, found.start.tolist(), found.end.tolist())
        for path, found in ((path, file.definitions) for path, file in snapshot.files.items())
    }
    return described(snapshot), places


def test_files_of_every_kind_at_a_commit(tmp_path: Path) -> None:
    commit_id = commit(tmp_path / "shelf.git", FILES)
    snapshot = take_snapshot(tmp_path / "shelf.git", cache=False)
    assert (snapshot.repo, snapshot.commit) == ("shelf", commit_id)
    assert described(snapshot) == EXPECTED
    definitions = snapshot.files["shelf.py"].definitions
    assert definitions is not None
    assert definitions.kind == ("class_definition", "function_definition")
    assert definitions.start.tolist() == [0, 17]
    assert definitions.end.tolist() == [45, 45]  # without the newline


def test_files_of_every_kind_in_a_folder(tmp_path: Path) -> None:
    root = tmp_path / "shelf"
    commit(root, FILES)
    commit(root / "nested", {"a.py": b""})  # such as a submodule
    (tmp_path / "outside.py").write_bytes(b"secret")
    (root / "out.py").symlink_to("../outside.py")
    (root / "head").symlink_to(".git/HEAD")
    (root / "into.py").symlink_to("nested/a.py")
    (root / "self").symlink_to("self")
    (root / "slash.py").symlink_to("shelf.py/")  # a file that is no folder
    (root / "detour.py").symlink_to("absent/../shelf.py")
    (root / "below").mkdir()
    (root / "below" / "up.py").symlink_to("../shelf.py")
    (root / "folder").symlink_to("below")
    os.mkfifo(root / "pipe.py")
    (root / ".git").rename(root / "nested" / "moved")
    snapshot = take_snapshot(root, cache=False)
    assert (snapshot.repo, snapshot.commit) == ("shelf", None)
    assert described(snapshot) == {**EXPECTED, "below/up.py": EXPECTED["shelf.py"]}


def test_links_count_in_a_folder_as_in_a_commit(tmp_path: Path) -> None:
    root = tmp_path / "shelf"
    links: dict[str, bytes | str | None] = {
        "src/deep/a.py": b"here",
        "same.py": "src/deep/a.py",
        "again.py": "same.py",
        "short": "src/deep",
        "through.py": "short/a.py",
        "beside.py": "short/../short/a.py",
        "absolute.py": str(root / "src" / "deep" / "a.py"),
        "returning.py": "../shelf/src/deep/a.py",
        "src/returning.py": "../../shelf/same.py",
    }
    commit_id = commit(root, links)
    expected = ["again.py", "same.py", "src/deep/a.py", "through.py"]
    in_folder = open_snapshots(root).find(Task(id="any"))
    assert in_folder is not None
    for snapshot in (
        take_snapshot(root, commit=commit_id, cache=False),
        take_snapshot(root, cache=False),
        in_folder,
    ):
        assert sorted(snapshot.files) == expected
    assert "short/a.py" not in in_folder.files


def test_a_cache_changes_nothing_but_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = commit(tmp_path / "r", FILES)
    second = commit(tmp_path / "r", {"new.py": b"def f(): pass\n", "moved.py": SOURCE})
    take, cache = tmp_path / "r", tmp_path / "cache"
    plain = [exactly(take_snapshot(take, commit=each, cache=False)) for each in (first, second)]
    assert exactly(take_snapshot(take, commit=first, cache=cache)) == plain[0]

    parsed = []

    def parse(content: bytes, *_: object) -> list[object]:
        parsed.append(content)
        return []

    monkeypatch.setattr("trajmeter.snapshots._entries.definitions", parse)
    assert exactly(take_snapshot(take, commit=first, cache=cache)) == plain[0]
    assert parsed == []
    take_snapshot(take, commit=second, cache=cache)
    assert parsed == [b"def f(): pass\n"]  # what changed, and was not there under another name


def test_a_folder_and_a_commit_share_their_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(tmp_path / "r", {"a.py": SOURCE})
    cache = tmp_path / "cache"
    expected = exactly(take_snapshot(tmp_path / "r", cache=cache))
    (tmp_path / "r" / ".git").rename(tmp_path / "gone")
    monkeypatch.delattr("trajmeter.snapshots._entries.definitions")
    assert exactly(take_snapshot(tmp_path / "r", cache=cache)) == expected


def test_language_and_naming_are_part_of_the_cache_key(tmp_path: Path) -> None:
    arrow = b"const add = (a) => a;\n"
    commit(tmp_path / "r", {"a.js": arrow, "a.ts": arrow, "a.txt": arrow})

    def found(profile: str | None) -> list[object]:
        snapshot = take_snapshot(tmp_path / "r", cache=tmp_path / "cache", profile=profile)
        return [*map(names, snapshot.files.values())]

    assert found(None) == [("add",), (), ()]
    assert found("contextbench") == [("a",), (), ()]
    assert found(None) == [("add",), (), ()]


def test_many_files_are_made_by_several_processes(tmp_path: Path) -> None:
    files: dict[str, bytes | str | None] = {
        f"{n:03}.py": b"\n" * n + b"def f%d(): pass\n" % n for n in range(450)
    }
    commit(tmp_path / "r", files)
    snapshot = take_snapshot(tmp_path / "r", cache=False)
    assert described(snapshot) == {
        f"{n:03}.py": (
            n + len(f"def f{n}(): pass\n"),
            [*range(n + 1), n + len(f"def f{n}(): pass\n")],
            (f"f{n}",),
        )
        for n in range(450)
    }
    (tmp_path / "r" / ".git").rename(tmp_path / "gone")
    assert exactly(take_snapshot(tmp_path / "r", cache=False)) == exactly(snapshot)


def test_only_the_paths_that_are_asked_for(tmp_path: Path) -> None:
    commit(tmp_path / "r", FILES)
    snapshot = take_snapshot(
        tmp_path / "r", paths=["shelf.py", "absent.py", "../r/empty.py"], cache=False
    )
    assert [*snapshot.files] == ["shelf.py"]


def test_a_failed_snapshot_says_why(tmp_path: Path) -> None:
    commit(tmp_path / "r", {"a.py": b""})
    with pytest.raises(ReadError, match="r: no commit 'v2'; if it exists elsewhere, fetch it: git"):
        take_snapshot(tmp_path / "r", commit="v2")
    (tmp_path / "plain").mkdir()
    with pytest.raises(
        ConfigurationError, match="plain: not a git repository, so it has no commit"
    ):
        take_snapshot(tmp_path / "plain", commit="v2")
    with pytest.raises(ReadError, match="absent: no such folder"):
        take_snapshot(tmp_path / "absent")
    with pytest.raises(UnknownNameError, match="no profile 'best'"):
        take_snapshot(tmp_path / "r", profile="best")
    git(tmp_path / "r", "config", "uploadpack.allowFilter", "true")
    source = (tmp_path / "r").as_uri()
    git(tmp_path, "clone", "--quiet", "--bare", "--filter=blob:none", source, "part")
    with pytest.raises(ReadError, match=r"part: a\.py: the clone lacks it; fetch everything"):
        take_snapshot(tmp_path / "part", cache=False)


def test_a_suggested_command_does_no_more_than_it_says(tmp_path: Path) -> None:
    commit(tmp_path / "my repo", {"a.py": b""})
    for revision in ("x; touch y", "--upload-pack=touch y"):
        with pytest.raises(ReadError) as caught:
            take_snapshot(tmp_path / "my repo", commit=revision)
        _, _, command = str(caught.value).partition("fetch it: ")
        *words, last = shlex.split(command)
        assert words[:5] == ["git", "-C", str(tmp_path / "my repo"), "fetch", "origin"]
        assert words[5:] == (["--"] if revision.startswith("-") else [])
        assert last == revision


def test_a_shallow_clone_suggests_to_fetch_its_history(tmp_path: Path) -> None:
    first = commit(tmp_path / "r", {"a.py": b""})
    commit(tmp_path / "r", {"a.py": b"x = 1\n"})
    git(tmp_path, "clone", "--quiet", "--depth", "1", (tmp_path / "r").as_uri(), "cut")
    with pytest.raises(ReadError, match=f"no commit '{first}'; if it exists elsewhere, fetch it"):
        take_snapshot(tmp_path / "cut", commit=first)
    with pytest.raises(ReadError, match=r"no commit 'topic'; if it exists elsewhere, fetch it"):
        take_snapshot(tmp_path / "cut", commit="topic")
    with pytest.raises(ReadError, match=f"no commit '{first[:9]}'; the clone is shallow"):
        take_snapshot(tmp_path / "cut", commit=first[:9])
    git(tmp_path / "cut", "worktree", "add", "--quiet", "--detach", "../beside")
    with pytest.raises(ReadError, match=r"no commit 'HEAD~1'; the clone is shallow"):
        take_snapshot(tmp_path / "beside", commit="HEAD~1")
    with pytest.raises(ReadError, match=r"no commit 'HEAD~1'; the clone is shallow") as caught:
        take_snapshot(tmp_path / "cut", commit="HEAD~1")
    _, _, command = str(caught.value).partition("fetch its history: ")
    program, *words = shlex.split(command)
    assert program == "git"
    git(tmp_path, *words)
    assert take_snapshot(tmp_path / "cut", commit="HEAD~1", cache=False).commit == first
    with pytest.raises(ReadError, match=r"cut: no commit 'HEAD~2'$"):
        take_snapshot(tmp_path / "cut", commit="HEAD~2")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"")
    (tmp_path / "a.py").chmod(0)
    with pytest.raises(ReadError, match=r"a\.py: cannot be read"):
        take_snapshot(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_cannot_be_listed_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    with pytest.raises(ReadError, match="closed: Permission denied"):
        take_snapshot(tmp_path)


def test_a_missing_grammar_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from trajmeter.snapshots import _languages

    def absent(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(_languages, "import_module", absent)
    _languages.grammar_version.cache_clear()
    commit(tmp_path / "r", {"a.kt": b""})
    with pytest.raises(ExtraMissingError, match=r"kotlin .* pip install 'trajmeter\[symbols\]'"):
        take_snapshot(tmp_path / "r", cache=False)
