"""Inputs that are cut where it hurts, are odd, or are many: every line is scored once."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyarrow import parquet

import trajmeter
from tests.scoring.attempts import SIZES, contents, score_units, write_attempts
from trajmeter.arrays import nulls
from trajmeter.readers.batches import TrajectoryBatches
from trajmeter.scoring.reading_options import ReadingOptions
from trajmeter.scoring.runs.job import Job
from trajmeter.scoring.runs.plan import PlanSizes
from trajmeter.scoring.runs.run import RunListener, RunOptions, run

if TYPE_CHECKING:
    from trajmeter.records import ReadProblem

_TINY_FILES = 5_001
"""``benches.scale`` has twenty times as many."""
_LONG_LINE = 200 << 20
"""Bytes of a line, more than those of three units."""


def _rows(parts: tuple[Path, ...]) -> list[tuple[str, str]]:
    tables = [parquet.read_table(part, columns=["task_id", "source"]) for part in parts]
    return [(row["task_id"], row["source"]) for table in tables for row in table.to_pylist()]


def test_a_border_of_units_on_each_byte_gives_every_line_once(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    lines = ['{"task_id": "a"}\r\n', "\n", '{"task_id": "bb"}\n', "{broken\n", '{"task_id": "c"}']
    file.write_bytes("".join(lines).encode())
    expected = [("a", f"{file}:1"), ("bb", f"{file}:3"), ("c", f"{file}:5")]
    for size in range(1, file.stat().st_size + 1):
        problems: list[ReadProblem] = []
        sizes = PlanSizes(piece_bytes=size, piece_rows=2, files=2)
        output = tmp_path / f"scores {size}"
        done = score_units(file, output, sizes=sizes, problems=problems)
        assert _rows(done.parts) == expected, size
        assert [problem.line for problem in problems] == [4], size


@pytest.mark.parametrize("lines", range(1, 8))
def test_a_compressed_file_is_cut_into_lines(lines: int, tmp_path: Path) -> None:
    runs = write_attempts(tmp_path / "runs.jsonl", 60, broken=2)
    packed = tmp_path / "runs.jsonl.gz"
    packed.write_bytes(gzip.compress(runs.read_bytes()[:-1]))
    sizes = PlanSizes(piece_bytes=800, piece_rows=lines * 5, files=3)
    done = score_units(packed, tmp_path / "scores", sizes=sizes)
    assert len(done.parts) == -(-62 // (lines * 5))
    assert (done.rows, done.problems) == (60, 2)
    whole = trajmeter.score(packed, metrics=["turns"], on_problem=lambda _: None)
    assert [source for _, source in _rows(done.parts)] == [row["source"] for row in whole.rows]
    before = contents(tmp_path / "scores")
    (tmp_path / "scores" / "manifest.json").unlink()
    for part in done.parts[1::2]:
        part.unlink()
    again = score_units(packed, tmp_path / "scores", sizes=sizes, workers=2)
    assert again.resumed == len(done.parts[::2])
    assert contents(tmp_path / "scores") == before


def test_a_compressed_file_that_is_cut_off_says_where_in_every_unit_after(tmp_path: Path) -> None:
    runs = write_attempts(tmp_path / "runs.jsonl", 4_000)
    packed = tmp_path / "runs.jsonl.gz"
    whole = gzip.compress(runs.read_bytes())
    packed.write_bytes(whole[: len(whole) // 2])
    sizes = PlanSizes(piece_bytes=8_000, piece_rows=300, files=3)
    problems: list[ReadProblem] = []
    done = score_units(packed, tmp_path / "scores", sizes=sizes, problems=problems)
    (problem,) = problems
    assert 1_000 < done.rows < 4_000
    assert problem.line == done.rows + 1
    assert "the gzip data is cut off or corrupt" in problem.message
    assert len(done.parts) == -(-(done.rows + 1) // 300)


def test_a_long_line_that_is_cut_off_is_reported_however_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl.gz"
    text = "".join(sha256(bytes([each])).hexdigest() for each in range(60))  # hardly compresses
    long = json.dumps({"task_id": "a", "final_output": text})
    file.write_bytes(gzip.compress(f'{{"task_id": "a"}}\n{long}'.encode())[:-200])
    reading = ReadingOptions(max_line=500)
    for size in (SIZES, PlanSizes()):
        problems: list[ReadProblem] = []
        run(
            Job(("turns",), reading=reading),
            [file],
            output=None,
            options=RunOptions(sizes=size),
            listener=RunListener(on_problem=problems.append),
        )
        messages = [problem.message for problem in problems]
        assert len(messages) == 2, messages
        assert "longer than 500 bytes" in messages[0]
        assert "cut off" in messages[1]


def test_a_suffix_that_lies_changes_nothing(tmp_path: Path) -> None:
    runs = write_attempts(tmp_path / "runs.jsonl", 60)
    lying = {"plain.jsonl.gz": runs.read_bytes(), "packed.jsonl": gzip.compress(runs.read_bytes())}
    for number, (name, content) in enumerate(lying.items()):
        (tmp_path / name).write_bytes(content)
        done = score_units(tmp_path / name, tmp_path / f"scores {number}")
        assert (done.rows, done.problems) == (60, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere all names are text")
@pytest.mark.parametrize("workers", [1, 2])
def test_names_that_are_no_text_are_read_and_written(workers: int, tmp_path: Path) -> None:
    lines = write_attempts(tmp_path / "runs.jsonl", 100)
    batches = TrajectoryBatches(lines)
    table = pa.Table.from_batches([*batches])
    index = table.schema.get_field_index("source")  # which the file itself is to name
    table = table.set_column(index, table.field(index), nulls(100, table.field(index).type))
    parquet.write_table(table, tmp_path / "runs.parquet", row_group_size=20)
    names = [b"/\xff.jsonl", b"/\xff.parquet", b"/\xff"]
    odd = [Path(os.fsdecode(os.fsencode(tmp_path) + name)) for name in names]
    shutil.copy(lines, odd[0])
    shutil.copy(tmp_path / "runs.parquet", odd[1])
    for metrics in (("turns",), ("turns", "speedup")):
        sizes = replace(SIZES, share_bytes=20_000)
        done = score_units(odd[:2], odd[2], metrics=metrics, sizes=sizes, workers=workers)
        assert (done.rows, done.problems, done.is_complete) == (200, 0, True)
        again = score_units(odd[:2], odd[2], metrics=metrics, sizes=sizes, workers=workers)
        assert again.resumed == len(done.parts) > 1
        table = parquet.read_table(io.BytesIO(done.parts[-1].read_bytes()))
        assert "\\udcff" in str(table["source"][0])
        plain = score_units([lines, tmp_path / "runs.parquet"], None, metrics=metrics, sizes=sizes)
        assert done.summary.overall == plain.summary.overall
        shutil.rmtree(odd[2])


def test_a_line_that_is_longer_than_a_unit_is_scored_once(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    long = json.dumps({"task_id": "long", "final_output": "x" * 3 * SIZES.piece_bytes})
    file.write_text(f'{{"task_id": "a"}}\n{long}\n{{"task_id": "b"}}\n')
    done = score_units(file, tmp_path / "scores")
    assert [task for task, _ in _rows(done.parts)] == ["a", "long", "b"]


@pytest.mark.parametrize("max_line", [_LONG_LINE * 2, 1 << 20])
def test_a_line_of_200_mb_is_scored_or_skipped(max_line: int, tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    with file.open("wb") as stream:
        stream.write(b'{"task_id": "a", "turns": []}\n{"task_id": "long", ')
        for _ in range(_LONG_LINE >> 20):
            stream.write(b" " * (1 << 20))
        stream.write(b'"turns": []}\n{"task_id": "b", "turns": []}\n')
    problems: list[ReadProblem] = []
    done = trajmeter.score_files(
        file,
        output=tmp_path / "scores",
        metrics=["turns"],
        max_line=max_line,
        workers=1,
        on_problem=problems.append,
    )
    is_scored = max_line > _LONG_LINE
    tasks = [task for task, _ in _rows(done.parts)]
    assert tasks == (["a", "long", "b"] if is_scored else ["a", "b"])
    assert [problem.line for problem in problems] == ([] if is_scored else [2])


def test_empty_files_and_folders_are_problems_and_the_rest_is_scored(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    runs = write_attempts(tmp_path / "in" / "runs.jsonl", 20)
    empty = tmp_path / "in" / "empty.jsonl"
    empty.touch()
    problems: list[ReadProblem] = []
    done = score_units([empty, runs], tmp_path / "scores", problems=problems)
    assert (done.rows, [problem.file for problem in problems]) == (20, [str(empty)])


def test_a_record_of_very_many_turns_is_scored(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    turns = ",".join(['{"success":true}'] * 200_000)
    file.write_text(f'{{"task_id": "long", "turns": [{turns}]}}\n{{"task_id": "b", "turns": []}}\n')
    done = score_units(file, tmp_path / "scores")
    rows = parquet.read_table(done.parts[0], columns=["turns.run.turn_count"]).column(0).to_pylist()
    assert rows == [200_000]
    assert done.rows == 2


def test_many_tiny_files_are_gathered(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    content = b'{"task_id": "%d", "agent": "crab", "turns": []}'
    for number in range(_TINY_FILES):
        (folder / f"{number:05}.json").write_bytes(content % number)
    done = score_units(folder, tmp_path / "scores", sizes=PlanSizes())
    assert [task for task, _ in _rows(done.parts)] == list(map(str, range(_TINY_FILES)))
    assert len(done.parts) == -(-_TINY_FILES // 1_000)
    assert score_units(folder, tmp_path / "scores", sizes=PlanSizes()).resumed == len(done.parts)
