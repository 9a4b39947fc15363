"""Files of commits, read from git's objects."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from tests.snapshots.git_repositories import commit, git
from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.snapshots._git import GitRepository
from trajmeter.snapshots._git_objects import GitObjects

if TYPE_CHECKING:
    from pathlib import Path


def contents(repository: GitRepository, commit_id: str) -> dict[str, bytes]:
    files = repository.files(commit_id)
    found = repository.read(files.values())
    return {path: each.content for path, each in zip(files, found, strict=True) if each is not None}


def test_two_commits_of_one_repository(tmp_path: Path) -> None:
    first = commit(tmp_path, {"b.py": b"one\n", "a/x.py": b"", "a.py": b"a"})
    second = commit(tmp_path, {"b.py": b"two\r\n", "a.py": None, "a/y/z.py": b"\xff\0"})
    repository = GitRepository(tmp_path)
    assert contents(repository, first) == {"a.py": b"a", "a/x.py": b"", "b.py": b"one\n"}
    assert contents(repository, second) == {
        "a/x.py": b"",
        "a/y/z.py": b"\xff\0",
        "b.py": b"two\r\n",
    }
    assert [*repository.files(second)] == ["a/x.py", "a/y/z.py", "b.py"]


def test_a_commit_has_many_names(tmp_path: Path) -> None:
    first = commit(tmp_path, {"a": b"1"})
    git(tmp_path, "tag", "--annotate", "v1", "--message", "One")
    second = commit(tmp_path, {"a": b"2"})
    git(tmp_path, "branch", "feature/x", first)
    repository = GitRepository(tmp_path)
    for name in (first, first[:9], "v1", "feature/x", "HEAD~1", "HEAD^", "main@{0}~1"):
        assert repository.commit(name) == first
    assert repository.commit("HEAD") == second
    tree = git(tmp_path, "rev-parse", "HEAD^{tree}")
    for name in ("", " ", "nope", "0" * 40, "HEAD\nmain", "HEAD:a", "--all", tree):
        assert repository.commit(name) is None
    assert repository.commit("HEAD") == second  # the answers are not out of step


def test_bare_repositories_worktrees_and_submodules_are_repositories(tmp_path: Path) -> None:
    first = commit(tmp_path / "one", {"a": b"1"})
    git(tmp_path, "clone", "--quiet", "--bare", "one", "two.git")
    git(tmp_path / "one", "worktree", "add", "--quiet", "--detach", "../three")
    for name in ("one", "two.git", "three"):
        repository = GitRepository(tmp_path / name)
        assert repository.name == name.removesuffix(".git")
        assert contents(repository, first) == {"a": b"1"}


def test_a_repository_is_named_after_its_folder(tmp_path: Path) -> None:
    root = tmp_path / b"sh\xffelf".decode("utf-8", "surrogateescape")
    commit(root, {})
    assert GitRepository(root).name == GitRepository(root / ".git").name == r"sh\udcffelf"


def test_a_folder_within_a_repository_is_none(tmp_path: Path) -> None:
    commit(tmp_path, {"a/b": b"1"})
    with pytest.raises(ReadError, match="a: not a git repository"):
        GitRepository(tmp_path / "a")


def test_links_lead_to_files_of_the_commit_alone(tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"secret")
    root = tmp_path / "repository"
    commit_id = commit(
        root,
        {
            "src/a.py": b"here",
            "same.py": "src/a.py",
            "src/up.py": "../src/./a.py",
            "again.py": "same.py",
            "out": "../outside",
            "far": "src/../../outside",
            "absolute": "/etc/passwd",
            "git": ".git/HEAD",
            "folder": "src",
            "nowhere": "src/b.py",
            "loop": "pool",
            "pool": "loop",
        },
    )
    assert contents(GitRepository(root), commit_id) == dict.fromkeys(
        ("again.py", "same.py", "src/a.py", "src/up.py"), b"here"
    )


def test_links_lead_on_through_folders_and_names_that_are_not_utf_8(tmp_path: Path) -> None:
    odd = b"\xff.py".decode("utf-8", "surrogateescape")
    commit_id = commit(
        tmp_path,
        {
            "src/deep/a.py": b"here",
            "short": "src/deep",
            "through.py": "short/a.py",
            "up.py": "short/../deep/a.py",  # up from the folder that the link leads to
            "beside.py": "short/../short/a.py",
            odd: b"odd",
            "odd.py": odd,
            "no_folder.py": "src/deep/a.py/../a.py",
            "slash.py": "src/deep/a.py/",
        },
    )
    here = dict.fromkeys(("src/deep/a.py", "through.py", "up.py"), b"here")
    assert contents(GitRepository(tmp_path), commit_id) == {**here, "odd.py": b"odd"}


def test_a_link_whose_content_is_missing_is_listed(tmp_path: Path) -> None:
    commit_id = commit(tmp_path, {"a.py": b"1", "b.py": "a.py", "c.py": "b.py"})
    blob = git(tmp_path, "rev-parse", "HEAD:b.py")
    (tmp_path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    files = GitRepository(tmp_path).files(commit_id)
    assert files["b.py"] == files["c.py"] == blob


def test_submodules_and_names_that_are_not_utf_8_are_left_out(tmp_path: Path) -> None:
    commit(tmp_path / "inner", {"b": b"1"})
    root = tmp_path / "outer"
    commit(root, {"a": b"1"})
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "--quiet", "../inner", "sub")
    (root / b"\xff.py".decode("utf-8", "surrogateescape")).write_bytes(b"")
    repository = GitRepository(root)
    assert [*repository.files(commit(root, {}))] == [".gitmodules", "a"]


def test_git_ignores_the_environment_and_replacements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = commit(tmp_path / "one", {"a": b"1"})
    blob = git(tmp_path / "one", "rev-parse", "HEAD:a")
    other = git(tmp_path / "one", "hash-object", "-w", "--stdin", input_bytes=b"2")
    git(tmp_path / "one", "replace", blob, other)
    commit(tmp_path / "two", {"b": b"1"})
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "two" / ".git"))
    assert contents(GitRepository(tmp_path / "one"), wanted) == {"a": b"1"}


def test_objects_missing_from_a_partial_clone_are_not_fetched(tmp_path: Path) -> None:
    commit_id = commit(tmp_path / "one", {"a/b": b"1", "c": b"2"})
    git(tmp_path / "one", "config", "uploadpack.allowFilter", "true")
    source = (tmp_path / "one").as_uri()
    git(tmp_path, "clone", "--quiet", "--bare", "--filter=blob:none", source, "two")
    repository = GitRepository(tmp_path / "two")
    files = repository.files(commit_id)
    assert [*files] == ["a/b", "c"]
    assert [*repository.read(files.values())] == [None, None]
    git(tmp_path, "clone", "--quiet", "--bare", "--filter=tree:0", source, "three")
    with pytest.raises(ReadError, match=r"three: .*lacks it; fetch everything: git -C"):
        GitRepository(tmp_path / "three").files(commit_id)


@pytest.mark.skipif(os.name == "nt", reason="a script stands for an old git")
def test_settings_of_a_partial_clone_start_no_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit_id = commit(tmp_path / "one", {"a": b"1"})
    git(tmp_path / "one", "config", "uploadpack.allowFilter", "true")
    source = (tmp_path / "one").as_uri()
    git(tmp_path, "clone", "--quiet", "--bare", "--filter=blob:none", source, "two")
    started = tmp_path / "started"
    for setting in ("protocol.allow", "protocol.ext.allow", "protocol.file.allow"):
        git(tmp_path / "two", "config", setting, "always")
    git(tmp_path / "two", "config", "remote.origin.url", f"ext::touch {started}")
    # Git before 2.45 fetches what is missing.
    old = tmp_path / "bin" / "git"
    old.parent.mkdir()
    old.write_text(f'#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec "{shutil.which("git")}" "$@"\n')
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(old.parent), prepend=os.pathsep)
    repository = GitRepository(tmp_path / "two")
    with suppress(ReadError):
        [*repository.read(repository.files(commit_id).values())]
    assert not started.exists()


def test_a_broken_repository_is_an_error(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    with pytest.raises(ReadError, match="not a git repository"):
        GitRepository(tmp_path).commit("HEAD")
    commit_id = commit(tmp_path / "one", {"a": b"1"})
    tree = git(tmp_path / "one", "rev-parse", f"{commit_id}^{{tree}}")
    place = tmp_path / "one" / ".git" / "objects" / tree[:2] / tree[2:]
    place.chmod(0o644)
    place.write_bytes(b"rubbish")
    with pytest.raises(ReadError, match="one: "):
        GitRepository(tmp_path / "one").files(commit_id)


def test_without_git_the_error_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(tmp_path, {"a": b"1"})
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigurationError, match=r"needs git, .*install it"):
        GitRepository(tmp_path).commit("HEAD")


def test_a_repository_can_be_pickled_and_closed(tmp_path: Path) -> None:
    commit_id = commit(tmp_path, {"a": b"1"})
    repository = GitRepository(tmp_path)
    assert contents(repository, commit_id) == {"a": b"1"}
    repository.close()
    assert contents(repository, commit_id) == {"a": b"1"}
    assert contents(pickle.loads(pickle.dumps(repository)), commit_id) == {"a": b"1"}  # noqa: S301


def test_more_objects_than_are_asked_for_at_a_time(tmp_path: Path) -> None:
    files: dict[str, bytes | str | None] = {f"{n:03}": b"%d" % n * n * 500 for n in range(200)}
    commit_id = commit(tmp_path, files)
    assert contents(GitRepository(tmp_path), commit_id) == files


def test_ids_of_sha_256(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--object-format=sha256")
    commit_id = commit(tmp_path, {"a/b": b"1"})
    assert len(commit_id) == 64
    assert contents(GitRepository(tmp_path), commit_id) == {"a/b": b"1"}


def test_an_interrupted_answer_is_not_taken_for_that_to_a_later_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit_id = commit(tmp_path, {"a": b"1", "b": b"2", "c": b"3"})
    repository = GitRepository(tmp_path)
    files = repository.files(commit_id)

    def late(*_: object) -> bytes:  # as a handler of a timer raises
        raise TimeoutError

    with monkeypatch.context() as patch:
        patch.setattr(GitObjects, "_content", late)
        with pytest.raises(TimeoutError):
            list(repository.read(files.values()))
    assert repository.commit("HEAD") == commit_id
    assert contents(repository, commit_id) == {"a": b"1", "b": b"2", "c": b"3"}


_FORKED = """
import os, sys
from pathlib import Path
from trajmeter.snapshots._git import GitRepository

repository = GitRepository(Path(sys.argv[1]))
commit = repository.commit("HEAD")
for object_id in repository.files(commit).values():
    repository._objects._send(f"{object_id}\\n")  # another thread waits for the answer
child = os.fork()
if child == 0:
    os._exit(repository.commit("HEAD") != commit)
assert os.waitpid(child, 0)[1] == 0
assert repository._objects._receive().content == b"1"
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_asks_its_own_git(tmp_path: Path) -> None:
    commit(tmp_path, {"a": b"1"})
    call = [sys.executable, "-c", _FORKED, str(tmp_path)]
    done = subprocess.run(call, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
