"""Lines that are cut off, too long, or lie across the blocks in which files are read."""

from __future__ import annotations

import bz2
import gzip
import io
import json
from hashlib import sha512
from typing import TYPE_CHECKING

import pytest

from tests.readers.files.test_content import lz4, zstd
from trajmeter import json_input
from trajmeter.readers._files.inputs import Input
from trajmeter.readers._files.lines import bounded_blocks
from trajmeter.readers._read import read_records
from trajmeter.readers._recognition.choice import Choice
from trajmeter.readers.batches import TrajectoryBatches
from trajmeter.records import Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trajmeter.records import ReadProblem


def read(
    path: Path, *, longest: int = json_input.LONGEST_LINE, block: int = 1000
) -> tuple[list[str], list[ReadProblem]]:
    """Ids and problems, on which records and batches have to agree."""
    problems: list[ReadProblem] = []
    choice = Choice(Trajectory, max_line=longest)
    ids = [each.task_id for each in read_records(Input(path), choice, problems.append)]
    again: list[ReadProblem] = []
    batches = TrajectoryBatches(path, on_problem=again.append, block_bytes=block, max_line=longest)
    assert [id_ for batch in batches for id_ in batch["task_id"].to_pylist()] == ids
    assert again == problems
    return ids, problems


@pytest.mark.parametrize("compress", [gzip.compress, zstd, bz2.compress, lz4])
def test_lines_before_a_cut_are_read_and_the_line_of_the_cut_is_named(
    tmp_path: Path, compress: Callable[[bytes], bytes]
) -> None:
    notes = (sha512(b"%d" % n).hexdigest().encode() for n in range(9000))
    lines = b"".join(b'{"task_id": "t%d", "note": "%s"}\n' % each for each in enumerate(notes))
    whole = compress(lines)
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(whole[: len(whole) * 2 // 3])
    ids, (problem,) = read(path, block=1 << 16)
    assert ids == [f"t{n}" for n in range(len(ids))]
    assert 2000 < len(ids) < 9000
    assert problem.line == len(ids) + 1
    start = sum(map(len, lines.splitlines(keepends=True)[: len(ids)]))
    end = int(problem.message.rpartition("; ")[2].split(" ")[0].replace(",", ""))
    assert start <= end < start + len(lines.splitlines()[len(ids)])
    assert "data is cut off or corrupt: " in problem.message


@pytest.mark.parametrize(("indent", "is_read"), [(None, False), (1, True)])
def test_a_log_on_a_line_that_is_too_long_is_omitted(
    indent: int | None, is_read: bool, tmp_path: Path
) -> None:
    path = tmp_path / "a.traj.json"
    message = {"role": "user", "content": "x" * 100}
    log = {"trajectory_format": "mini-swe-agent-1", "info": {}, "messages": [message] * 20}
    path.write_text(json.dumps(log, indent=indent))
    ids, problems = read(path, longest=1000)
    assert ids == ["a"] * is_read
    assert ["the line is longer" in problem.message for problem in problems] == [True] * (
        not is_read
    )


def test_lines_that_are_too_long_are_omitted_anywhere(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    long = b'{"task_id": "long", "note": "%s"}\n' % (b"x" * 5000)
    path.write_bytes(
        long + b'{"task_id": "a"}\n' + long + long + b'\n{"task_id": "b"}\r\n' + long.rstrip()
    )
    for block in (10, 100, 4000, 1 << 20):
        for longest in (100, 4999, 5030):
            ids, problems = read(path, longest=longest, block=block)
            assert ids == ["a", "b"]
            assert [problem.line for problem in problems] == [1, 3, 4, 7]
            assert problems[0].message == (
                f"the line is longer than {longest:,} bytes (--max-line); it is left out"
            )
    assert read(path, longest=5032) == (["long", "a", "long", "long", "b", "long"], [])


def test_a_long_line_of_a_compressed_file_is_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajmeter.readers._files.compression.LONGEST", 1 << 20)
    path = tmp_path / "bomb"
    for compress in (gzip.compress, zstd):
        path.write_bytes(compress(b'{"task_id": "a"}\n' + b" " * (1 << 24) + b'\n{"task_id": "b"}'))
        ids, (problem,) = read(path, longest=1 << 20)
        assert (ids, problem.line) == (["a", "b"], 2)


@pytest.mark.parametrize("ending", [b"\n", b""])
def test_blocks_hold_every_line_once_wherever_they_are_cut(ending: bytes) -> None:
    content = b"a\nbb\r\n\nccc\n" + b"d" * 30 + ending
    for size in range(1, len(content) + 2):
        blocks = [*bounded_blocks(io.BufferedReader(io.BytesIO(content)), size)]
        assert b"".join(block.content for block in blocks) == content
        assert all(block.content.endswith(b"\n") for block in blocks[:-1])


def test_a_line_of_200_mb_is_read_or_left_out_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        file.write(b'{"task_id": "a"}\n{"task_id": "long", "final_output": "')
        for _ in range(200):
            file.write(b"x" * 1_000_000)
        file.write(b'"}\n{"task_id": "b"}\n')
    batches = TrajectoryBatches(path, columns=["usage"])
    assert [id_ for each in batches for id_ in each["task_id"].to_pylist()] == ["a", "long", "b"]
    ids, (problem,) = read(path, longest=1_000_000, block=1 << 20)
    assert (ids, problem.line) == (["a", "b"], 2)
