"""Compressed files, pipes and standard input: read as the plain file is, or said not to be."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
import zstandard

from trajmeter.errors import ExtraMissingError
from trajmeter.readers import ReadProblem, formats, open_content, read_trajectories
from trajmeter.readers._files.content import content_name
from trajmeter.readers.batches import TrajectoryBatches
from trajmeter.records import Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable

LINES = b"".join(b'{"task_id": "t%d", "note": "%s"}\n' % (n, b"x" * n) for n in range(300))


def zstd(content: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(content)


def lz4(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "lz4") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


def read(path: Path, input_format: str | None = None) -> tuple[list[str], list[str]]:
    """Ids and problems, which records and batches have to agree on."""
    problems: list[ReadProblem] = []
    records = read_trajectories(path, input_format=input_format, on_problem=problems.append)
    ids = [each.task_id for each in records]
    again: list[ReadProblem] = []
    batches = TrajectoryBatches(
        path, input_format=input_format, on_problem=again.append, block_bytes=1000
    )
    assert [id_ for batch in batches for id_ in batch["task_id"].to_pylist()] == ids
    assert again == problems
    return ids, [problem.message for problem in problems]


@pytest.mark.parametrize("compress", [gzip.compress, zstd, bz2.compress, lz4, bytes])
@pytest.mark.parametrize("name", ["log.jsonl", "log.jsonl.gz", "log"])
def test_compression_is_detected_from_content(
    tmp_path: Path, compress: Callable[[bytes], bytes], name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(compress(LINES))
    assert read(path) == ([f"t{n}" for n in range(300)], [])


@pytest.mark.parametrize("compress", [gzip.compress, zstd])
def test_members_and_frames_follow_one_another(
    tmp_path: Path, compress: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(compress(LINES) + compress(b"") + compress(b'{"task_id": "last"}'))
    ids, problems = read(path)
    assert (len(ids), ids[-1], problems) == (301, "last", [])


@pytest.mark.parametrize("compress", [gzip.compress, zstd, bz2.compress, lz4])
@pytest.mark.parametrize("end", [7, 20, -30, -1])
def test_content_before_a_truncation_is_read(
    tmp_path: Path, compress: Callable[[bytes], bytes], end: int
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(compress(LINES)[:end])
    problems: list[ReadProblem] = []
    ids = [each.task_id for each in read_trajectories(path, on_problem=problems.append)]
    assert ids == [f"t{n}" for n in range(len(ids))]
    assert any("data is cut off or corrupt: " in problem.message for problem in problems)
    assert {problem.file for problem in problems} == {str(path)}


@pytest.mark.parametrize("name", [known.name for known in formats() if known.makes is Trajectory])
@pytest.mark.parametrize("end", [7, 12, -1])
def test_truncated_content_is_reported_for_any_format(tmp_path: Path, name: str, end: int) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(gzip.compress(b"FORMULACODE_TESTS_START\n")[:end])
    _, problems = read(path, name)
    assert problems


def test_a_document_and_a_log_are_read_compressed(tmp_path: Path) -> None:
    path = tmp_path / "run.traj.json.gz"
    path.write_bytes(gzip.compress(b'{"trajectory_format": "mini-swe-agent-1", "messages": []}'))
    assert read(path) == (["run"], [])
    assert content_name(path) == "run.traj.json"
    assert content_name(Path("a/b.jsonl")) == "b.jsonl"


def test_compressed_parquet_and_zip_say_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet.gz"
    path.write_bytes(gzip.compress(b"PAR1 and more"))
    assert read(path) == ([], ["Parquet that is compressed as a whole; decompress it first"])
    path.write_bytes(gzip.compress(b"PK\x03\x04 and more"))
    assert read(path) == ([], ["the file is a ZIP archive; unpack it first"])


def test_a_document_that_decompresses_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajmeter.readers._files.entries.LONGEST", 1 << 20)
    path = tmp_path / "bomb"
    path.write_bytes(gzip.compress(b"[\n" + b" \n" * (1 << 20)))
    assert read(path) == ([], ["it decompresses to more than 1 MiB; decompress it first"])


def test_the_missing_library_for_zstd_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.zst"
    path.write_bytes(zstd(LINES))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    assert [each.task_id for each in read_trajectories(path)][-1] == "t299"  # by pyarrow
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ExtraMissingError, match=r"log\.zst is .*pip install 'trajmeter\[zstd\]'"):
        next(read_trajectories(path))


def test_compressed_content_can_be_rewound_and_not_moved(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(gzip.compress(LINES))
    with open_content(path) as file:
        assert file.read(10) == LINES[:10]
        assert file.tell() == 10
        file.seek(0)
        assert file.read() == LINES
        with pytest.raises(io.UnsupportedOperation):
            file.seek(-1, io.SEEK_END)
    assert file.closed


def test_a_named_pipe_is_read_and_read_anew(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for content, last in ((LINES, "t299"), (gzip.compress(b'{"task_id": "second"}'), "second")):
        writer = threading.Thread(target=pipe.write_bytes, args=(content,))
        writer.start()
        *_, attempt = read_trajectories(pipe)
        writer.join()
        assert attempt.task_id == last


def test_standard_input_is_a_dash(tmp_path: Path) -> None:
    program = (
        "from trajmeter.readers import read_trajectories\n"
        "from trajmeter.readers.batches import TrajectoryBatches\n"
        "first, *_ = read_trajectories('-')\n"
        "print(first.source, sum(batch.num_rows for batch in TrajectoryBatches('-')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=zstd(LINES),
        capture_output=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout == b"-:1 300\n"
