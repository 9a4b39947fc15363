"""Snapshots in a file of JSON lines."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from trajmeter.errors import ReadError
from trajmeter.json_input import MOST_VALUES
from trajmeter.records import ReadProblem, Task
from trajmeter.snapshots import Snapshot, open_snapshots

if TYPE_CHECKING:
    from pathlib import Path

A, B = "a" * 40, "b" * 40

# "ab\ncd": 5 bytes, lines at 0 and 3.
FILE = {"size": 5, "line_starts": [0, 3], "definitions": [["function_definition", 0, 2, "f"]]}


def line(**changes: object) -> dict[str, Any]:
    return {"repo": "acme/widget", "commit": A, "files": {"src/a.py": FILE}} | changes


def write(path: Path, *records: object) -> Path:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


def found(path: Path, *, commit: str | None = None, repo: str | None = None) -> Snapshot | None:
    return open_snapshots(path).find(Task(id="t", commit=commit, repo=repo))


def test_a_snapshot_holds_its_files_in_columns(tmp_path: Path) -> None:
    anonymous = {"size": 0, "line_starts": [0], "definitions": [["arrow_function", 0, 0, None]]}
    unknown = {"size": 3, "line_starts": [0, 3]}
    files = {"src/a.py": FILE, "empty.js": anonymous, "notes.md": unknown}
    snapshot = found(write(tmp_path / "s.jsonl", line(files=files)), commit=A)
    assert snapshot is not None
    assert (snapshot.repo, snapshot.commit) == ("acme/widget", A)
    assert set(snapshot.files) == set(files)
    file = snapshot.files["src/a.py"]
    assert file.size == 5
    assert file.line_starts.dtype == np.int64
    assert file.line_starts.tolist() == [0, 3]
    assert file.definitions is not None
    assert file.definitions.kind == ("function_definition",)
    assert file.definitions.start.tolist() == [0]
    assert file.definitions.end.tolist() == [2]
    assert file.definitions.end.dtype == np.int64
    assert file.definitions.name == ("f",)
    nameless = snapshot.files["empty.js"].definitions
    assert nameless is not None
    assert (len(nameless), nameless.name) == (1, (None,))
    # Not extracted is not the same as none found.
    assert snapshot.files["notes.md"].definitions is None


def test_no_definitions_are_empty_columns(tmp_path: Path) -> None:
    files = {"a.txt": {"size": 0, "line_starts": [0], "definitions": []}}
    snapshot = found(write(tmp_path / "s.jsonl", line(files=files)), commit=A)
    assert snapshot is not None
    definitions = snapshot.files["a.txt"].definitions
    assert definitions is not None
    assert len(definitions) == 0
    assert definitions.start.dtype == np.int64


@pytest.mark.parametrize(
    ("repo", "expected"),
    [
        ("acme/widget", "acme/widget"),
        ("widget", "acme/widget"),
        ("Acme__Widget", "acme/widget"),
        ("https://example.org/acme/gadget.git", "acme/gadget"),
        ("other/widget", None),
        (None, None),
    ],
)
def test_repositories_at_the_same_commit_are_distinguished_by_name(
    tmp_path: Path, repo: str | None, expected: str | None
) -> None:
    path = write(tmp_path / "s.jsonl", line(), line(repo="acme/gadget"), line(commit=B))
    snapshot = found(path, commit=A, repo=repo)
    assert (snapshot and snapshot.repo) == expected


def test_an_exact_name_comes_before_one_without_owner(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", line(repo="acme/widget"), line(repo="widget"))
    snapshot = found(path, commit=A, repo="widget")
    assert snapshot is not None
    assert snapshot.repo == "widget"
    assert found(path, commit=A, repo="x/widget") is not None  # only "widget" says nothing else


def test_a_commit_alone_is_enough(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", line(), line(commit=B))
    assert found(path, commit=A, repo="renamed/since") is not None
    assert found(path, commit="c" * 40, repo="acme/widget") is None
    assert found(path, repo="acme/widget") is None


def test_a_snapshot_without_commit_serves_tasks_without_one(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", line(commit=None))
    assert found(path, repo="widget") is not None
    assert found(path) is None
    assert found(path, repo="widget", commit=A) is None


def test_keys_may_be_in_any_order(tmp_path: Path) -> None:
    record = dict(reversed(line(note="\u00e9").items()))
    assert found(write(tmp_path / "s.jsonl", record), commit=A) is not None


def test_byte_order_mark_blank_lines_and_crlf(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    lines = [json.dumps(line()), "", json.dumps(line(commit=B))]
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    assert found(path, commit=A) is not None
    assert found(path, commit=B) is not None


def test_many_snapshots_are_found_again(tmp_path: Path) -> None:
    commits = [f"{number:040x}" for number in range(30)]
    files = [{"f": {"size": number, "line_starts": [0]}} for number in range(30)]
    records = (line(commit=c, files=f) for c, f in zip(commits, files, strict=True))
    store = open_snapshots(write(tmp_path / "s.jsonl", *records))
    copy = pickle.loads(pickle.dumps(store))  # noqa: S301 - our own object
    for number in (0, 29, 0, 7, *range(30)):
        for each in (store, copy):
            snapshot = each.find(Task(id="t", commit=commits[number]))
            assert snapshot is not None
            assert snapshot.files["f"].size == number
    again = store.find(Task(id="t", commit=commits[29]))
    assert again is store.find(Task(id="u", commit=commits[29]))


def test_bad_lines_are_reported_and_the_others_found(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    good, second = json.dumps(line()), json.dumps(line(commit=B))
    path.write_text(f'{good}\n{{"repo": "x", "com\n{good}\n[1]\n{second}\n{second[:-20]}')
    problems: list[ReadProblem] = []
    store = open_snapshots(path, on_problem=problems.append)
    assert store.find(Task(id="t", commit=A)) is not None
    assert store.find(Task(id="t", commit=B)) is not None
    assert [problem.line for problem in problems] == [2, 3, 4, 6]
    assert "cut short" in problems[0].message
    assert "the first is on line 1" in problems[1].message
    with pytest.raises(ReadError, match=r"s\.jsonl:2: the line is cut short"):
        open_snapshots(path)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ({"line_starts": [0]}, r"files\.a\.py\.size: required, but missing"),
        ({"size": -1, "line_starts": [0]}, r"size: expected at least 0, got -1"),
        ({"size": 1.5, "line_starts": [0]}, r"size: expected an integer, got 1\.5"),
        ({"size": 2**63, "line_starts": [0]}, "size: expected at most 9223372036854775807"),
        ({"size": 5, "line_starts": []}, "expected to rise from 0 to at most 5"),
        ({"size": 5, "line_starts": [1, 3]}, "expected to rise from 0 to at most 5"),
        ({"size": 5, "line_starts": [0, 3, 3]}, "expected to rise from 0 to at most 5"),
        ({"size": 5, "line_starts": [0, 6]}, "expected to rise from 0 to at most 5"),
        ({"size": 5, "line_starts": [0, True]}, r"line_starts\[1\]: expected an integer, got true"),
        ({**FILE, "definitions": [["f", 0, 2]]}, r"definitions\[0\]\[3\]: required, but missing"),
        ({**FILE, "definitions": [["f", 0, 6, "x"]]}, r"definitions\[0\]: \[0, 6\) is not a range"),
        ({**FILE, "definitions": [["f", 3, 2, "x"]]}, r"definitions\[0\]: \[3, 2\) is not a range"),
    ],
)
def test_a_file_that_cannot_be_is_refused_with_its_place(
    tmp_path: Path, file: dict[str, Any], message: str
) -> None:
    path = write(tmp_path / "s.jsonl", line(commit=B), line(files={"a.py": file}))
    store = open_snapshots(path)
    assert store.find(Task(id="t", commit=B)) is not None
    with pytest.raises(ReadError, match=rf"s\.jsonl:2: .*{message}"):
        store.find(Task(id="t", commit=A))


def test_an_absent_path_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"absent\.jsonl: cannot be read: No such file"):
        open_snapshots(tmp_path / "absent.jsonl")


def test_published_snapshots_serve_their_tasks(reference_data: Path) -> None:
    folder = reference_data / "contextbench"
    store = open_snapshots(folder / "snapshots.jsonl")
    gold = map(json.loads, (folder / "gold.jsonl").read_text().splitlines())
    tasks = [Task(id=g["instance_id"], repo=g["repo"], commit=g["base_commit"]) for g in gold]
    assert sum(store.find(task) is not None for task in tasks) == 25


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_a_file_without_snapshots_is_reported(tmp_path: Path, content: str) -> None:
    path = tmp_path / "snapshots.jsonl"
    path.write_text(content)
    problems: list[ReadProblem] = []
    open_snapshots(path, on_problem=problems.append)
    assert [str(problem) for problem in problems] == [
        f"{path}: the file is empty, expected snapshots"
    ]
    with pytest.raises(ReadError, match="the file is empty, expected snapshots"):
        open_snapshots(path)


@pytest.mark.parametrize(
    ("start", "told"),
    [
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
            "the file is a Git LFS pointer instead of the data; run 'git lfs pull'",
        ),
        (b"\x1f\x8b\x08", "the file is compressed with gzip; decompress it first"),
    ],
)
def test_a_file_that_holds_no_lines_is_reported_once(
    tmp_path: Path, start: bytes, told: str
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(start)
    problems: list[ReadProblem] = []
    assert open_snapshots(path, on_problem=problems.append).find(Task(id="t", commit=A)) is None
    (problem,) = problems
    assert (problem.line, problem.message.startswith(told)) == (None, True)


def test_a_large_repository_has_more_lines_than_a_log_has_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajmeter.snapshots._lines.backend", lambda: "python")
    path = tmp_path / "s.jsonl"
    more = f', "more": [0{",0" * MOST_VALUES}]}}'
    path.write_text(json.dumps(line()).removesuffix("}") + more + "\n")
    assert found(path, commit=A) is not None
