"""Snapshots in Parquet files."""

from __future__ import annotations

import json
import os
import pickle
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.records import Task
from trajmeter.snapshots import open_snapshots
from trajmeter.snapshots.parquet import snapshot_schema
from trajmeter.writers.snapshots import open_snapshot_file

if TYPE_CHECKING:
    from pathlib import Path

ENTRIES = {
    "a.py": b'{"size":9,"line_starts":[0,3,7,9],'
    b'"definitions":[["class",0,7,"\xc3\xbc"],["f",3,6,null]]}',
    "b.py": b'{"size":0,"line_starts":[0]}',
    'c "d".md': b'{"size":3,"line_starts":[0],"definitions":[]}',
}


def write(path: Path) -> Path:
    with open_snapshot_file(path) as writer:
        writer.write("one/two", "c1", ENTRIES)
        writer.write("one/two", "c2", {"b.py": ENTRIES["b.py"]})
        writer.write(None, None, {})
    return path


def described(path: Path, commit: str) -> Any:
    snapshot = open_snapshots(path).find(Task(id="t", repo="two", commit=commit))
    assert snapshot is not None
    files: dict[str, Any] = {}
    for name, file in snapshot.files.items():
        found = file.definitions
        columns = found and (found.kind, found.start.tolist(), found.end.tolist(), found.name)
        files[name] = (file.size, file.line_starts.tolist(), columns if found else found is None)
    return snapshot.repo, snapshot.commit, files


@pytest.mark.parametrize("name", ["s.jsonl", "s.parquet", "folder/s.PARQUET"])
def test_both_forms_hold_the_same(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name)
    assert described(path, "c1") == (
        "one/two",
        "c1",
        {
            "a.py": (9, [0, 3, 7, 9], (("class", "f"), [0, 3], [7, 6], ("ü", None))),
            "b.py": (0, [0], True),  # whose definitions are not known
            'c "d".md': (3, [0], False),  # none
        },
    )
    assert described(path, "c2") == ("one/two", "c2", {"b.py": (0, [0], True)})
    store = pickle.loads(pickle.dumps(open_snapshots(path)))  # noqa: S301
    assert store.find(Task(id="t", commit="c2")) is not None
    assert store.find(Task(id="t", commit="c3")) is None


def test_lines_are_as_the_docs_describe_them(tmp_path: Path) -> None:
    first, *_ = write(tmp_path / "s.jsonl").read_text().splitlines()
    assert json.loads(first) == {
        "repo": "one/two",
        "commit": "c1",
        "files": {path: json.loads(entry) for path, entry in ENTRIES.items()},
    }


def test_a_file_whose_name_is_not_utf8_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / os.fsdecode(b"\xff.parquet"))
    assert described(path, "c2") == ("one/two", "c2", {"b.py": (0, [0], True)})


def test_rows_that_share_a_row_group_are_read_one_by_one(tmp_path: Path) -> None:
    table = parquet.read_table(write(tmp_path / "s.parquet"))
    parquet.write_table(table, tmp_path / "t.parquet")
    for commit in ("c1", "c2"):
        assert described(tmp_path / "t.parquet", commit) == described(
            tmp_path / "s.parquet", commit
        )


def test_a_file_without_snapshots_is_an_error(tmp_path: Path) -> None:
    place = tmp_path / "s.parquet"
    place.write_bytes(b"rubbish")
    with pytest.raises(ReadError, match=r"s\.parquet: not a Parquet file"):
        open_snapshots(place)
    parquet.write_table(pa.table({"a": [1]}), place)
    with pytest.raises(ReadError, match=r"not a file .* with the columns repo, commit, files"):
        open_snapshots(place)
    parquet.write_table(snapshot_schema().empty_table(), place)
    with pytest.raises(ReadError, match="the file is empty, expected snapshots"):
        open_snapshots(place)
    row: dict[str, Any] = {"repo": "r", "commit": "c", "files": []}
    parquet.write_table(pa.Table.from_pylist([row, row], snapshot_schema()), place)
    with pytest.raises(ReadError, match=r"\[1\]: a second snapshot .* the first is on row 0"):
        open_snapshots(place)
    row["files"] = [{"path": "a", "size": 1, "line_starts": [0, 2], "definitions": None}]
    parquet.write_table(pa.Table.from_pylist([row], snapshot_schema()), place)
    with pytest.raises(ReadError, match=r"\[0\]: files\['a'\]\.line_starts: expected to rise"):
        open_snapshots(place).find(Task(id="t", commit="c"))


_FILE: dict[str, Any] = {"path": "a", "size": 9, "line_starts": [0], "definitions": None}


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (None, "files: expected no null"),
        ([None], "files: expected no null"),
        ([{**_FILE, "path": None}], "files.path: expected no null"),
        ([{**_FILE, "size": None}], "files.size: expected no null"),
        ([{**_FILE, "line_starts": None}], "files.line_starts: expected no null"),
        ([{**_FILE, "line_starts": [0, None]}], "files.line_starts: expected no null"),
        ([{**_FILE, "definitions": [None]}], "files.definitions: expected no null"),
        ([{**_FILE, "definitions": [{"kind": "f"}]}], "files.definitions.start: expected no null"),
        (
            [{**_FILE, "definitions": [{"kind": "f", "start": -1, "end": 1}]}],
            "files['a'].definitions[0]: [-1, 1) is not a range within the file's 9 bytes",
        ),
    ],
)
def test_a_row_that_is_not_a_snapshot_says_why(tmp_path: Path, files: object, reason: str) -> None:
    place = tmp_path / "s.parquet"
    row = {"repo": "r", "commit": "c", "files": files}
    parquet.write_table(pa.Table.from_pylist([row], snapshot_schema()), place)
    with pytest.raises(ReadError) as error:
        open_snapshots(place).find(Task(id="t", commit="c"))
    assert str(error.value) == f"{place}[0]: {reason}"


def test_a_damaged_file_is_an_error(tmp_path: Path) -> None:
    place = write(tmp_path / "s.parquet")
    content = place.read_bytes()
    for damaged in (b"\xff\xffe/two", b"one/two"[:3]):
        place.write_bytes(content.replace(b"one/two", damaged))
        with pytest.raises(ReadError, match=r"s\.parquet: (damaged|not a Parquet file|cannot)"):
            open_snapshots(place)


def test_other_suffixes_are_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(ConfigurationError, match=r"expected a file that ends in \.jsonl, \.parquet"),
        open_snapshot_file(tmp_path / "s.json"),
    ):
        pass


def test_a_file_appears_only_when_it_is_complete(tmp_path: Path) -> None:
    for name in ("s.jsonl", "s.parquet"):
        with pytest.raises(KeyError):
            _fail_while_writing(tmp_path / name)
    assert [*tmp_path.iterdir()] == []


def _fail_while_writing(path: Path) -> None:
    with open_snapshot_file(path) as writer:
        writer.write("r", "c", ENTRIES)
        raise KeyError
