"""Reading in processes: what arrives is what one process reads, in the same order."""

from __future__ import annotations

import gzip
import os
import threading
import warnings
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from tests.readers.logs import write_lines
from trajmeter.errors import InternalError, ReadError, UnknownNameError
from trajmeter.readers import parallel
from trajmeter.readers.batches import TrajectoryBatches
from trajmeter.readers.parallel import ParallelBatches
from trajmeter.system.processes import WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from trajmeter.records import ReadProblem

RUN = {
    "trajectory_format": "mini-swe-agent-1",
    "info": {"submission": "diff", "exit_status": "Submitted"},
    "messages": [
        {"role": "assistant", "content": "```bash\ncat src/a.py\n```"},
        {"role": "user", "content": "<returncode>0</returncode>\n<output>x</output>"},
    ],
}
TRIAL = {"trial_name": "t__1", "task_name": "t", "task_checksum": "c", "agent_info": {"name": "x"}}


UNREADABLE_REPLY = """
from trajmeter.system.processes import requests, send

class Reply:
    def __reduce__(self):
        return int, ("text",)

def main():
    for _, replies in requests():
        send(replies, Reply())
"""
ODD_ERROR = """
from trajmeter.errors import ReadError
from trajmeter.readers._columns import reader_process

class OddError(ReadError):
    def __init__(self, file, line):
        super().__init__(f"{file}:{line}: odd")

class Files(reader_process.FilesRead):
    def _inputs(self):
        raise OddError("a.odd", 3)

def main():
    reader_process.FilesRead = Files
    reader_process.main()
"""


@pytest.fixture(autouse=True)
def processes_for_little_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_WORTH_BYTES", 1)
    monkeypatch.setattr(parallel, "_PARCEL_FILES", 3)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A folder of many logs, of which some cannot be read, and predictions that repeat others."""
    folder = tmp_path / "logs"
    for number in range(8):
        write_lines(folder / f"{number}.traj.json", RUN | {"instance_id": f"run-{number}"})
        write_lines(folder / f"{number}.jsonl", *({"task_id": f"{number}-{k}"} for k in range(3)))
        write_lines(folder / f"{number}.jsonx", {"task_id": f"own-{number}", "trun_count": 1}, "{")
        (folder / f"{number}.json").write_text("{" if number == 5 else '{"note": 1}')
    write_lines(folder / "preds.json", {"instance_id": "run-1", "model_patch": ""})
    write_lines(folder / "trial" / "result.json", TRIAL)
    (folder / "z.jsonl.gz").write_bytes(gzip.compress(b'{"task_id": "z"}'))
    return folder


def read(batches: Iterable[pa.RecordBatch], problems: list[ReadProblem]) -> tuple[Any, ...]:
    """Rows, problems and warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        table = pa.Table.from_batches([*batches])
    return table.to_pylist(), problems, [str(each.message) for each in told]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_processes_read_what_one_reads(logs: Path, tmp_path: Path, workers: int) -> None:
    alone = write_lines(tmp_path / "alone.jsonl", {"task_id": "alone"}, "{")
    paths = [alone, logs, tmp_path / "absent.jsonl"]
    problems: list[ReadProblem] = []
    serial = TrajectoryBatches(paths, on_problem=problems.append)
    rows, expected, told = read(serial, problems)
    found: list[ReadProblem] = []
    batches = ParallelBatches(paths, on_problem=found.append, workers=workers)
    assert read(batches, found) == (rows, expected, told)
    assert [row["task_id"] for row in rows].count("run-1") == 1
    assert len(expected) > len(told) > 0
    assert batches.formats == serial.formats
    assert batches.rows == len(rows)


def test_settings_reach_every_process(tmp_path: Path) -> None:
    paths = [write_lines(tmp_path / f"{n}.jsonl", {"id": n, "task_id": "x"}) for n in range(9)]
    batches = ParallelBatches(paths, mapping={"task_id": "id"}, workers=2)
    rows, _, _ = read(batches, [])
    assert [row["task_id"] for row in rows] == [str(n) for n in range(9)]
    with pytest.raises(UnknownNameError, match="unknown format 'song'"):
        ParallelBatches(paths, input_format="song")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_read_in_its_place(tmp_path: Path) -> None:
    paths = [write_lines(tmp_path / f"{n}.jsonl", {"task_id": f"{n}"}) for n in range(9)]
    os.mkfifo(tmp_path / "pipe")
    paths.insert(5, tmp_path / "pipe")
    threading.Thread(target=(tmp_path / "pipe").write_text, args=('{"task_id": "p"}',)).start()
    rows, _, _ = read(ParallelBatches(paths, workers=2), [])
    assert [row["task_id"] for row in rows] == [*"01234p5678"]


def test_without_a_listener_the_first_problem_raises(tmp_path: Path) -> None:
    paths = [write_lines(tmp_path / f"{n}.jsonl", {"task_id": f"{n}"}, "{") for n in range(9)]
    with pytest.raises(ReadError, match=r"0\.jsonl:2: invalid JSON"):
        list(ParallelBatches(paths, workers=2))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The processes that are started."""
    found: list[Any] = []

    class Remembered(WorkerProcess):
        def __init__(self, module: str) -> None:
            super().__init__(module)
            found.append(self._process)

    monkeypatch.setattr(parallel, "WorkerProcess", Remembered)
    return found


def test_who_stops_early_leaves_no_process_behind(tmp_path: Path, started: list[Any]) -> None:
    lines = [{"task_id": f"{n}", "transcript": "x" * 1000} for n in range(2000)]
    paths = [write_lines(tmp_path / f"{n}.jsonl", *lines) for n in range(12)]
    threads = {*threading.enumerate()}
    batches = iter(ParallelBatches(paths, workers=2))
    next(batches)
    assert [process.poll() for process in started] == [None, None]
    batches.close()  # type: ignore[attr-defined]  # a generator's
    assert all(process.poll() is not None for process in started)
    assert {*threading.enumerate()} <= threads


def test_little_is_read_without_processes(
    tmp_path: Path, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [write_lines(tmp_path / f"{n}.jsonl", {"task_id": f"{n}"}) for n in range(9)]
    monkeypatch.setattr(parallel, "_WORTH_BYTES", 1 << 20)
    assert ParallelBatches(paths[:1], workers=2).rows == 0
    assert len(read(ParallelBatches(paths, workers=2), [])[0]) == 9
    assert started == []
    monkeypatch.setattr(parallel, "_WORTH_BYTES", 1)
    assert len(read(ParallelBatches(paths[:1], workers=2), [])[0]) == 1  # one file, one process
    assert started == []


@pytest.mark.parametrize(
    ("main", "message"),
    [
        ("import os\ndef main(): os._exit(7)", "ended with 7, in one of .*0.jsonl to .*2.jsonl"),
        ("def main(): print('not a reply', flush=True)", "ended with 0, in one of"),
        (UNREADABLE_REPLY, "ended with ValueError: invalid literal .*, in one of"),
    ],
)
def test_the_end_of_a_process_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, main: str, message: str
) -> None:
    assert_ends(tmp_path, monkeypatch, main, InternalError, message)


def test_an_error_that_cannot_be_sent_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_ends(tmp_path, monkeypatch, ODD_ERROR, RuntimeError, r"^OddError: a\.odd:3: odd$")


def assert_ends(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    main: str,
    error: type[Exception],
    message: str,
) -> None:
    """Assert that reading ends with an error if this module runs in each process."""
    (folder / "ending_reader.py").write_text(main)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(parallel, "_MODULE", "ending_reader")
    paths = [write_lines(folder / f"{n}.jsonl", {"task_id": f"{n}"}) for n in range(9)]
    with pytest.raises(error, match=message):
        list(ParallelBatches(paths, workers=2))
