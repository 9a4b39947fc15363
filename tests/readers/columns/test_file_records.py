"""Consecutive small files are gathered into the same batches, in the order of all items."""

from __future__ import annotations

import json
import os
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from tests.readers.both_ways import as_batches, as_records
from trajmeter.readers import FileFormat, format_named
from trajmeter.readers._columns import file_records
from trajmeter.readers._columns.batch_maker import BatchMaker
from trajmeter.readers._columns.file_records import FileRecords, gathered
from trajmeter.readers._files.inputs import Input
from trajmeter.readers.batches import TrajectoryBatches
from trajmeter.records import Trajectory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trajmeter.records import ReadProblem

STEP = {"step_number": 1, "model_output": "hi"}


def batch_of(records: Iterator[Any]) -> Iterator[Any]:
    yield [*records]


def file(path: Path, size: int = 1) -> FileRecords:
    path.write_bytes(b"x" * size)
    return of(Input(str(path)))


def of(given: Input) -> FileRecords:
    names: Iterator[Any] = iter([given.path.name])
    return FileRecords(given, names, batch_of)


def other(name: str) -> Any:
    return partial(iter, [name])


def batches(items: Any) -> list[Any]:
    return [batch for item in gathered(items) for batch in item()]


def test_other_items_stay_between_files(tmp_path: Path) -> None:
    a, b, c, d = (file(tmp_path / name) for name in "abcd")
    found = batches([other("1"), a, b, other("2"), other("3"), c, other("4"), d])
    assert found == ["1", ["a", "b"], "2", "3", ["c"], "4", ["d"]]
    assert batches([]) == []


def test_a_batch_is_of_so_many_files_or_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_records, "_FILES", 3)
    monkeypatch.setattr(file_records, "_BYTES", 100)
    files = [file(tmp_path / name) for name in "abcd"]
    assert batches(files) == [["a", "b", "c"], ["d"]]
    sizes = {"a": 99, "b": 1, "c": 1000, "d": 99, "e": 500, "f": 1}
    files = [file(tmp_path / name, size) for name, size in sizes.items()]
    assert batches(files) == [["a", "b"], ["c"], ["d", "e"], ["f"]]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_folders_pipes_and_files_that_are_gone_are_read_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    whole = format_named("harbor-trials", Trajectory)
    assert isinstance(whole, FileFormat)
    alone = Input(tmp_path / "pipe"), Input(tmp_path / "gone"), Input(tmp_path, whole)
    for given in alone:
        name = given.path.name
        found = batches([file(tmp_path / "a"), of(given), file(tmp_path / "b")])
        assert found == [["a"], [name], ["b"]]


def test_files_before_an_error_are_read_before_it_is_raised(tmp_path: Path) -> None:
    def items() -> Iterator[Any]:
        yield file(tmp_path / "a")
        yield file(tmp_path / "b")
        raise LookupError

    found = gathered(items())
    batch: Any = next(next(found)())
    assert batch == ["a", "b"]
    with pytest.raises(LookupError):
        next(found)


def test_files_have_the_rows_and_problems_that_they_have_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        text = json.dumps([STEP] * (number % 5 + 1))
        (tmp_path / f"{number:02}.memory").write_text(text[:-9] if number % 7 == 0 else text)
    expected = as_records(tmp_path)
    assert (len(expected.rows), len(expected.problems)) == (34, 6)
    counts: list[int] = []
    gather = BatchMaker.gather

    def count(maker: BatchMaker, records: Iterator[Trajectory]) -> Any:
        rows = [*records]
        counts.append(len(rows))
        return gather(maker, iter(rows))

    monkeypatch.setattr(BatchMaker, "gather", count)
    assert as_batches(tmp_path)[0] == expected
    assert max(counts) > 20
    counts.clear()
    monkeypatch.setattr(file_records, "_FILES", 1)
    assert as_batches(tmp_path)[0] == expected
    assert max(counts) == 1


@pytest.mark.parametrize("name", [b"\xff.json", b"\xff/.aider.chat.history.md"])
def test_a_task_named_after_a_file_whose_name_is_not_text(name: bytes, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(name)
    chat = "# aider chat started at 2026-03-01 10:00:00\n\n#### Go.  \n\nDone.\n"
    content = chat if path.suffix == ".md" else json.dumps([{"role": "assistant", "content": "a"}])
    try:
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    except OSError:
        pytest.skip("names of files are text here")
    problems: list[ReadProblem] = []
    (batch,) = TrajectoryBatches(path, on_problem=problems.append)
    assert (batch["task_id"].to_pylist(), problems) == ([r"\udcff"], [])
