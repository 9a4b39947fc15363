"""Many small files are read together, and give what they give one by one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from tests.readers.both_ways import as_batches, as_records
from trajmeter.kernels import backend
from trajmeter.readers import batches
from trajmeter.readers._columns.batch_maker import BatchMaker

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trajmeter.records import Trajectory

_PAD = "x" * (17 << 10)
_LOG = {
    "info": {"submission": "x", "exit_status": "Submitted"},
    "messages": [{"role": "user", "content": "hi"}],
    "trajectory_format": "mini-swe-agent-1.1",
    "instance_id": "crab__sums-1",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Small files of all kinds, some large ones and some that cannot be read among them."""
    for number in range(120):
        record = {"task_id": f"t{number}", "agent": "crab", "turns": [{"success": True}]}
        text, suffix = json.dumps(record), "json"
        if number % 7 == 0:
            text, suffix = f"{text}\n{text}\n", "jsonl"
        elif number % 11 == 0:
            text = f"[{text}, {text}]"
        elif number % 13 == 0:
            text = json.dumps(_LOG)
        elif number % 17 == 0:
            text = "" if number % 2 else text[:-5]
        elif number % 41 == 0:
            text = json.dumps({**record, "final_output": _PAD})
        elif number % 43 == 0:
            text = json.dumps({**record, "final_output": 5})
        (tmp_path / f"{number:03}.{suffix}").write_text(text)
    (tmp_path / "301.json").symlink_to("nowhere")
    return tmp_path


@pytest.mark.filterwarnings("ignore:.*left out, because no format:UserWarning")
@pytest.mark.parametrize("columns", [None, ("turns.success",)])
def test_many_small_files_have_the_rows_and_problems_of_their_records(
    columns: tuple[str, ...] | None, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = as_records(folder, columns)
    assert len(expected.rows) > 120
    assert len(expected.problems) > 4
    assert as_batches(folder, columns)[0] == expected
    monkeypatch.setattr(batches, "_MANY", 1)
    assert as_batches(folder, columns)[0] == expected
    monkeypatch.setattr(batches, "_MANY", 10_000)
    assert as_batches(folder, columns)[0] == expected


@pytest.mark.skipif(backend() == "python", reason="without Rust, all of them are")
def test_only_many_files_are_read_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gathered: list[int] = []
    gather = BatchMaker.gather

    def count(maker: BatchMaker, records: Iterator[Trajectory]) -> object:
        rows = [*records]
        gathered.append(len(rows))
        return gather(maker, iter(rows))

    monkeypatch.setattr(BatchMaker, "gather", count)
    monkeypatch.setattr(batches, "_MANY", 4)
    for number in range(3):
        (tmp_path / f"{number}.jsonl").write_text('{"task_id": "a"}\n')
    assert len(as_batches(tmp_path)[0].rows) == 3
    assert gathered == []
    (tmp_path / "3.jsonl").write_text('{"task_id": "a"}\n')
    assert len(as_batches(tmp_path)[0].rows) == 4
    assert gathered == [4]
