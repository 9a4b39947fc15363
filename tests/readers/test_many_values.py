"""Records with more values than are read: they are reported, and the others are read."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from tests.readers.both_ways import as_batches, as_records
from tests.readers.inspect.archives import STORED, archive
from tests.readers.inspect.samples import HEADER, sample
from trajmeter.json_input import MOST_VALUES

if TYPE_CHECKING:
    from pathlib import Path

MANY = "[0" + ",0" * MOST_VALUES + "]"
MESSAGE = "it has more than 10,000,000 JSON values"
GOOD = json.dumps({"task_id": "good", "turns": []})


@pytest.mark.parametrize(
    "line",
    [
        f'{{"task_id": "many", "turns": [], "more": {MANY}}}',
        f'{{"task_id": "many", "turns": {MANY}}}',
        f'{{"task_id": "many", "messages": {MANY}}}',
        f'{{"instance_id": "many", "model_patch": "", "more": {MANY}}}',
        MANY,
    ],
    ids=["extra", "turns", "messages", "prediction", "list"],
)
def test_a_line_with_too_many_values_is_left_out(line: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(f"{GOOD}\n{line}\n{GOOD}\n".encode(), 1))
    records, (batches, _) = as_records(path), as_batches(path)
    assert len(records.rows) == 2
    assert [str(problem) for problem in records.problems] == [f"{path}:2: {MESSAGE}"]
    assert (batches.rows, batches.problems) == (records.rows, records.problems)


def test_a_list_of_too_many_values_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(MANY)
    for read in (as_records(path), as_batches(path)[0]):
        assert [str(problem) for problem in read.problems] == [f"{path}: {MESSAGE}"]


def test_a_record_of_a_list_with_too_many_values_is_left_out(tmp_path: Path) -> None:
    """The list itself is split first where the kernels in Rust are used."""
    path = tmp_path / "a.json"
    path.write_text(f'[{GOOD}, {{"task_id": "many", "turns": [], "more": {MANY}}}]')
    read, _ = as_batches(path)
    (problem,) = read.problems
    assert problem.message == MESSAGE


def test_a_benchmark_row_with_too_many_values_is_left_out(tmp_path: Path) -> None:
    row = '{"task_id": "a", "agent": "owl", "benchmark": "f", "agent_nop": 1.5, "more": 1}'
    path = tmp_path / "a.jsonl"
    path.write_text(f"{row}\n{row.replace('1}', MANY + '}')}\n")
    records, (batches, _) = as_records(path), as_batches(path)
    assert [str(problem) for problem in records.problems] == [f"{path}:2: {MESSAGE}"]
    assert (batches.rows, batches.problems) == (records.rows, records.problems)
    assert len(records.rows) == 1


def test_a_sample_of_inspect_with_too_many_values_is_left_out(tmp_path: Path) -> None:
    many = json.dumps(sample(metadata=None)).replace('"metadata": null', f'"metadata": {MANY}')
    path = tmp_path / "a.eval"
    samples = ("samples/1_epoch_1.json", sample()), ("samples/2_epoch_1.json", many.encode())
    path.write_bytes(archive(("header.json", HEADER), *samples, method=STORED))
    records, (batches, _) = as_records(path), as_batches(path)
    assert [problem.message for problem in records.problems] == [MESSAGE]
    assert (batches.rows, batches.problems) == (records.rows, records.problems)
    assert len(records.rows) == 1
