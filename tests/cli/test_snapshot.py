"""``trajmeter snapshot``, and ``trajmeter score --repos``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.outputs import json_lines
from tests.snapshots.git_repositories import commit, git
from trajmeter.records import Extent, GoldRange, Task, Trajectory, Turn, View
from trajmeter.snapshots import open_snapshots

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

LOANS = b"class Loan:\n    def renew(self):\n        pass\n\n    def end(self):\n        pass\n"
OTHER = b"def other():\n    pass\n"


@pytest.fixture
def repository(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A repository ``crab/shelf``, a task at its first commit, and an attempt at the task."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    files: dict[str, bytes | str | None] = {"src/loans.py": LOANS, "src/other.py": OTHER}
    first = commit(folder / "repos" / "crab__shelf", files)
    commit(folder / "repos" / "crab__shelf", {"src/loans.py": b"", "src/new.py": b""})
    task = Task(
        id="shelf-1",
        repo="crab/shelf",
        commit=first,
        gold_ranges=(GoldRange(path="src/loans.py", first_line=2, last_line=3),),
    )
    (folder / "tasks.jsonl").write_text(task.model_dump_json(exclude_none=True) + "\n")
    views = (
        View(path="/testbed/src/loans.py", extent=Extent.LINES, start=3, end=6),
        View(path="src/other.py", extent=Extent.LINES, start=1, end=1),
    )
    attempt = Trajectory(task_id="shelf-1", turns=(Turn(views=views),))
    (folder / "attempts.jsonl").write_text(attempt.model_dump_json(exclude_none=True) + "\n")
    return first


def test_head_of_a_repository(run: Run, folder: Path, repository: str) -> None:
    code, out, err = run("snapshot", "repos/crab__shelf")
    (snapshot,) = json_lines(out)
    head = git(folder / "repos" / "crab__shelf", "rev-parse", "HEAD")
    assert (code, err, snapshot["repo"], snapshot["commit"]) == (0, "", "crab__shelf", head)
    assert [*snapshot["files"]] == ["src/loans.py", "src/new.py", "src/other.py"]
    assert snapshot["files"]["src/other.py"] == {
        "size": 22,
        "line_starts": [0, 13, 22],
        "definitions": [["function_definition", 0, 21, "other"]],
    }


def test_several_commits_and_a_folder_in_one_file(run: Run, folder: Path, repository: str) -> None:
    (folder / "plain@v1").mkdir()
    (folder / "plain@v1" / "a.py").write_bytes(OTHER)
    where = "repos/crab__shelf"
    code, out, err = run(
        "snapshot", f"{where}@{repository[:10]}", f"{where}@main", "plain@v1", "-o", "out/s.jsonl"
    )
    assert (code, out) == (0, "")
    assert err == "trajmeter: wrote 3 snapshots of 6 files to out/s.jsonl\n"
    first, second, third = json_lines((folder / "out" / "s.jsonl").read_text())
    assert (first["commit"], [*first["files"]]) == (repository, ["src/loans.py", "src/other.py"])
    assert len(second["files"]) == 3
    assert (third["repo"], third["commit"], [*third["files"]]) == ("plain@v1", None, ["a.py"])


@pytest.mark.parametrize("where", ["repos", "repos/crab__shelf"])
def test_the_commits_of_tasks(run: Run, folder: Path, repository: str, where: str) -> None:
    code, _, err = run("snapshot", where, "--tasks", "tasks.jsonl", "-o", "s.parquet")
    assert (code, err) == (0, "trajmeter: wrote 1 snapshot of 2 files to s.parquet\n")
    task = Task(id="any", repo="crab/shelf", commit=repository)
    snapshot = open_snapshots(folder / "s.parquet").find(task)
    assert snapshot is not None
    assert (snapshot.repo, [*snapshot.files]) == ("crab/shelf", ["src/loans.py", "src/other.py"])


def test_a_folder_without_git_serves_tasks_as_it_does_in_scoring(
    run: Run, folder: Path, repository: str
) -> None:
    (folder / "repos" / "crab__shelf" / ".git").rename(folder / "moved")
    plain = folder / "repos" / "crab__shelf"
    (plain / "README").write_bytes(b"")
    (plain / "src" / "loans.py").write_bytes(LOANS)
    code, out, err = run("snapshot", "repos/crab__shelf", "-t", "tasks.jsonl")
    (snapshot,) = json_lines(out)
    assert (code, err, snapshot["repo"], snapshot["commit"]) == (0, "", "crab/shelf", repository)
    assert len(snapshot["files"]["src/loans.py"]["definitions"]) == 3
    code, out, err = run("snapshot", "cache", "-t", "tasks.jsonl")
    assert (code, out) == (0, "")
    assert err.startswith("trajmeter: 1 of 1 tasks have no snapshot, such as 'shelf-1'")


def test_only_the_files_that_trajectories_and_gold_need(
    run: Run, folder: Path, repository: str
) -> None:
    commit(folder / "repos" / "crab__shelf", {"src/third.py": b""})
    head = f"repos/crab__shelf@{repository}"
    (folder / "one.jsonl").write_text('{"task_id": "shelf-1", "turns": []}\n')
    for trajectories, expected in (
        ("attempts.jsonl", ["src/loans.py", "src/other.py"]),
        ("one.jsonl", ["src/loans.py"]),  # which gold names
    ):
        code, out, _ = run("snapshot", head, "-t", "tasks.jsonl", "--trajectories", trajectories)
        assert code == 0
        assert [[*each["files"]] for each in json_lines(out)] == [expected]
    _, out, _ = run("snapshot", head, "--trajectories", "attempts.jsonl")
    assert [[*each["files"]] for each in json_lines(out)] == [["src/loans.py", "src/other.py"]]


def test_tasks_without_a_snapshot_are_reported(run: Run, folder: Path, repository: str) -> None:
    lost = Task(id="lost", repo="crab/quill", commit="0" * 40)
    with (folder / "tasks.jsonl").open("a") as file:
        file.write(lost.model_dump_json(exclude_none=True) + "\n")
    code, _, err = run("snapshot", "repos", "-t", "tasks.jsonl", "-o", "s.jsonl")
    assert code == 0
    assert err.splitlines()[0] == (
        f"trajmeter: 1 of 2 tasks have no snapshot, such as 'lost' (crab/quill at {'0' * 40}): "
        "looked in repos"
    )


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["absent"], 2, "absent: no such folder"),
        (["repos/crab__shelf@v9"], 4, "repos/crab__shelf: no commit 'v9'; if it exists elsewhere"),
        (["repos/crab__shelf@"], 2, "expected a commit after '@'"),
        (["repos@main"], 2, "repos: not a git repository, so it has no commit 'main'"),
        (["repos"], 2, "repos: a folder of git repositories; name them one by one, or pass"),
        (["repos", "-o", "s.csv"], 2, "s.csv: expected a file that ends in .jsonl, .parquet"),
        (["repos", "-p", "best"], 2, "snapshots have no profile 'best'"),
        (["repos", "--cache", "c", "--no-cache"], 2, "--cache and --no-cache cannot be used"),
        (["repos", "--map", "turns=steps"], 2, "--input-format and --map need --trajectories LOGS"),
        (["repos", "--input-format", "x"], 2, "--input-format and --map need --trajectories LOGS"),
        (["repos", "-t", "tasks.jsonl", "-o", "tasks.jsonl"], 2, "tasks.jsonl is an input"),
    ],
)
def test_errors_say_what_to_do(
    run: Run, repository: str, arguments: list[str], code: int, message: str
) -> None:
    found, out, err = run("snapshot", *arguments)
    assert (found, out) == (code, "")
    assert message in err


def test_a_file_that_cannot_be_read_is_left_out_and_reported(
    run: Run, folder: Path, repository: str
) -> None:
    source = folder / "repos" / "crab__shelf"
    git(source, "config", "uploadpack.allowFilter", "true")
    git(folder, "clone", "--quiet", "--bare", "--filter=blob:limit=30", source.as_uri(), "part")
    code, out, err = run("snapshot", f"part@{repository}", "--no-cache")
    assert code == 4
    assert [[*each["files"]] for each in json_lines(out)] == [["src/other.py"]]
    assert err.startswith("unreadable: part: src/loans.py: the clone lacks it; fetch everything: ")


def test_the_cache_is_where_it_is_reported_to_be(run: Run, folder: Path, repository: str) -> None:
    outputs = [run("snapshot", "repos/crab__shelf", *words)[1] for words in (
        ["--no-cache"], ["--cache", "here"], ["--cache", "here"], []
    )]  # fmt: skip
    assert len(set(outputs)) == 1
    assert [*(folder / "here").glob("*.sqlite")]
    assert [*(folder / "cache" / "trajmeter").glob("*.sqlite")]


def test_score_straight_from_a_repository(run: Run, folder: Path, repository: str) -> None:
    code, out, err = run(
        "score", "attempts.jsonl", "-t", "tasks.jsonl", "--repos", "repos", "-f", "jsonl"
    )
    assert (code, err) == (0, "")
    (row,) = json_lines(out)
    # Gold: lines 2-3 of loans.py, which touch Loan and renew. Viewed: lines 3-6,
    # which touch Loan, renew and end, and a line of other.
    assert row["context.final.symbol.gold_size"] == 2
    assert row["context.final.symbol.predicted_size"] == 4
    assert row["context.final.symbol.intersection"] == 2
    # Line 2 has 21 bytes, line 3 has 13, line 4 one, line 5 19, line 6 13, and line 1 of other 13.
    assert row["context.final.span.gold_size"] == 21 + 13
    assert row["context.final.span.predicted_size"] == 13 + 1 + 19 + 13 + 13
    assert row["context.final.span.intersection"] == 13
    assert run("snapshot", "repos", "-t", "tasks.jsonl", "-o", "s.parquet")[0] == 0
    again = run("score", "attempts.jsonl", "-t", "tasks.jsonl", "-s", "s.parquet", "-f", "jsonl")
    assert again == (0, out, "")


def test_score_tells_what_it_did_not_find(run: Run, folder: Path, repository: str) -> None:
    (folder / "empty").mkdir()
    code, _, err = run("score", "attempts.jsonl", "-t", "tasks.jsonl", "--repos", "empty")
    assert code == 0
    assert err.startswith("trajmeter: 1 task found no repository in empty, such as 'crab/shelf' of")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--repos", "repos", "-s", "repos"], "--snapshots and --repos cannot be used together"),
        (["--no-cache"], "--cache and --no-cache need --repos DIR"),
    ],
)
def test_options_that_contradict_each_other(
    run: Run, repository: str, options: list[str], message: str
) -> None:
    code, _, err = run("score", "attempts.jsonl", *options)
    assert code == 2
    assert message in err
