"""Files of Inspect that another program has rewritten."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

from tests.readers.inspect.archives import archive
from tests.readers.inspect.samples import HEADER, sample
from tests.readers.logs import read

if TYPE_CHECKING:
    from pathlib import Path


def test_a_document_with_sorted_keys(tmp_path: Path) -> None:
    """Version and status are then beyond the beginning from which formats are recognised."""
    path = tmp_path / "run.json"
    about = {**HEADER["eval"], "dataset": {"sample_ids": [*map(str, range(20_000))]}}
    for header in (HEADER, {**HEADER, "eval": about}):
        log = {**header, "samples": [sample(target="x" * 200_000)]}
        path.write_text(json.dumps(log, sort_keys=True))
        attempts, problems = read(path)
        assert (len(attempts), problems) == (1, [])


def test_records_with_similar_keys_are_those_of_their_format(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    record = {"task_id": "a", "turns": [], "eval": HEADER["eval"]}
    path.write_text(2 * f"{json.dumps(record)}\n")
    attempts, problems = read(path)
    assert (len(attempts), problems) == (2, [])


def test_a_compressed_archive_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "run.eval.gz"
    path.write_bytes(
        gzip.compress(archive(("header.json", HEADER), ("samples/a_epoch_1.json", sample())))
    )
    attempts, (problem,) = read(path)
    assert attempts == []
    assert "compressed as a whole; decompress it first" in problem.message
