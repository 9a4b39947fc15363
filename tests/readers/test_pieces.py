"""Files that are read in pieces give what they give as a whole."""

from __future__ import annotations

import gzip
import json
import os
import random
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyarrow import parquet

from trajmeter.readers.batches import TrajectoryBatches
from trajmeter.readers.file_cutter import FileCutter
from trajmeter.readers.pieces import FolderNotes, LineRange, PieceMaker, RowRange, batches_of
from trajmeter.records import ReadProblem, Trajectory
from trajmeter.schemas import trajectory_batch

if TYPE_CHECKING:
    from trajmeter.readers.pieces import Piece

LINES = (
    b'{"task_id": "a", "turns": []}\r\n'
    b"\n"
    b'{"task_id": "b", "final_output": "\xc3\xa9"}\n'
    b"{broken\n"
    b'{"other": 1}\n'
    b'{"task_id": "c", "task_id": "d"}\n'
    b'{"task_id": "e"}'
)


def _whole(path: Path) -> tuple[list[dict[str, object]], list[str]]:
    problems: list[ReadProblem] = []
    batches = TrajectoryBatches(path, on_problem=problems.append)
    rows = [row for batch in batches for row in batch.to_pylist()]
    return rows, [str(problem) for problem in problems]


def _in_pieces(pieces: list[Piece]) -> tuple[list[dict[str, object]], list[str]]:
    problems: list[ReadProblem] = []
    rows: list[dict[str, object]] = []
    for piece in pieces:
        folders = {} if piece.folder is None else {piece.folder: FolderNotes(Path())}
        for batch in batches_of([piece], folders, {}, problems.append):
            rows += batch.to_pylist()
    return rows, [str(problem) for problem in problems]


@pytest.mark.parametrize("backend", ["rust", "python"])
def test_lines_cut_at_any_byte_are_read_once(
    backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if backend == "rust":
        pytest.importorskip("trajmeter.kernels._rust")
    monkeypatch.setattr("trajmeter.readers.batches.backend", lambda: backend)
    file = tmp_path / "runs.jsonl"
    file.write_bytes(LINES)
    rows, problems = _whole(file)
    assert [row["task_id"] for row in rows] == ["a", "b", "d", "e"]
    assert len(problems) == 2
    for size in range(1, len(LINES)):
        pieces = [*PieceMaker(piece_bytes=size).pieces(file)]
        assert sum(piece.size for piece in pieces) == len(LINES)
        assert sum(piece.rows or 0 for piece in pieces) == LINES.count(b"\n") + 1
        assert _in_pieces(pieces) == (rows, problems)


def test_a_line_that_is_longer_than_a_piece_is_one(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    long = json.dumps({"task_id": "a", "final_output": "x" * 300_000})
    file.write_text(f'{{"task_id": "0"}}\n{long}\n{{"task_id": "b"}}\n')
    pieces = [*PieceMaker(piece_bytes=1_000).pieces(file)]
    assert [piece.rows for piece in pieces] == [2, 1]
    assert [row["task_id"] for row in _in_pieces(pieces)[0]] == ["0", "a", "b"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n" * 3_000,
        b"text\n" * 1_000,
        b'{"other": 1}\n' * 1_000,
        json.dumps([{"task_id": "a"}] * 500).encode(),
        gzip.compress(LINES * 10),
        LINES[:20],
    ],
)
def test_a_file_without_lines_is_one_piece(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_bytes(content)
    pieces = [*PieceMaker(piece_bytes=100).pieces(file)]
    assert len(pieces) == 1
    assert _in_pieces(pieces) == _whole(file)


@pytest.mark.parametrize("names_format", [True, False])
def test_row_groups_are_gathered_and_read_once(names_format: bool, tmp_path: Path) -> None:
    attempts = [Trajectory(task_id=f"t{number}", attempt=str(number)) for number in range(95)]
    table = pa.Table.from_batches([trajectory_batch(attempts)])
    if not names_format:
        table = table.replace_schema_metadata(None)
    file = tmp_path / "runs.parquet"
    parquet.write_table(table, file, row_group_size=10)
    pieces = [*PieceMaker(piece_rows=30).pieces(file)]
    expected = [RowRange(0, 30), RowRange(30, 60), RowRange(60, 90), RowRange(90, 95)]
    assert [piece.within for piece in pieces] == expected
    assert _in_pieces(pieces) == _whole(file)
    rows = [
        row
        for first in range(0, 95, 7)  # borders within row groups
        for batch in batches_of(
            [replace(pieces[0], within=RowRange(first, min(first + 7, 95)))], {}, {}, _refuse
        )
        for row in batch.to_pylist()
    ]
    assert rows == _whole(file)[0]


def _refuse(problem: ReadProblem) -> None:
    raise AssertionError(str(problem))


def test_a_broken_footer_and_an_absent_file_are_found_when_they_are_read(tmp_path: Path) -> None:
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1" + b"x" * 50)
    pieces = [*PieceMaker().pieces([broken, tmp_path / "absent.jsonl"])]
    rows, problems = _in_pieces(pieces)
    assert rows == []
    assert [problem.partition(": ")[2][:15] for problem in problems] == [
        "invalid Parquet",
        "No such file or",
    ]


def test_identities_follow_from_content_and_not_from_time(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_bytes(LINES)
    table = pa.table({"task_id": ["a", "b"]})
    rows = tmp_path / "runs.parquet"
    parquet.write_table(table, rows)

    def contents(size: int = 40) -> dict[str, str | None]:
        maker = PieceMaker(piece_bytes=size)
        assert [*maker.pieces([file, rows])]
        return {Path(name).name: each.content for name, each in maker.identities.items()}

    first = contents()
    os.utime(file, (1, 1))
    os.utime(rows, (1, 1))
    assert contents() == first
    file.write_bytes(LINES.replace(b'"e"', b'"f"'))
    assert contents()["runs.jsonl"] != first["runs.jsonl"]
    parquet.write_table(pa.table({"task_id": ["a", "c"]}), rows)
    assert contents()["runs.parquet"] != first["runs.parquet"]


def test_an_unchanged_file_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trajmeter.scoring.reading_options import ReadingOptions
    from trajmeter.scoring.runs.plan import PlanSizes, found_files
    from trajmeter.scoring.runs.planning import make_plan

    file = tmp_path / "runs.jsonl"
    file.write_bytes(LINES)
    sizes = PlanSizes(piece_bytes=40)
    plan = make_plan([file], ReadingOptions(), identifies=True, sizes=sizes)
    stored = found_files(json.loads(json.dumps(plan.to_json())))
    monkeypatch.setattr(FileCutter, "cut", None)  # would be called to read it
    again = make_plan([file], ReadingOptions(), identifies=True, known=stored, sizes=sizes)
    assert again == plan
    assert isinstance(again.units[1].pieces[0].within, LineRange)


def test_a_folder_is_walked_and_predictions_that_repeat_logs_are_left_out(tmp_path: Path) -> None:
    log = {"task_id": "a", "final_output": "x"}
    for name in ("b", "a"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "log.jsonl").write_text(json.dumps(log))
    prediction = {"instance_id": "a", "model_patch": "", "model_name_or_path": "m"}
    (tmp_path / "preds.json").write_text(json.dumps([prediction]))
    (tmp_path / "notes.md").write_text("# nothing")
    maker = PieceMaker()
    names = [Path(piece.file).relative_to(tmp_path) for piece in maker.pieces(tmp_path)]
    assert names == [Path("a/log.jsonl"), Path("b/log.jsonl"), Path("notes.md")]
    with pytest.warns(UserWarning, match="predictions and summaries beside logs"):
        problems = [*maker.folders[0].end()]
    assert problems == []


def test_a_large_file_of_a_folder_is_left_out_as_a_small_one_is(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"task_id": "a", "turns": []}\n')
    (tmp_path / "other.jsonl").write_text('{"task_id": "a", "turns": [{"mine": 1}]}\n' * 50)
    with pytest.warns(UserWarning, match="1 file is left out"):
        rows, problems = _whole(tmp_path)
    assert (len(rows), problems) == (1, [])
    maker = PieceMaker(piece_bytes=100)
    assert _in_pieces([*maker.pieces(tmp_path)]) == (rows, [])
    named = tmp_path / "other.jsonl"
    found = _in_pieces([*PieceMaker(piece_bytes=100).pieces(named)])[1]
    assert len(found) == 50


def test_parts_of_a_folder_report_omitted_files_together(tmp_path: Path) -> None:
    whole, part, other = (FolderNotes(tmp_path) for _ in range(3))
    part.read(tmp_path / "a")
    other.leave_out(tmp_path / "b.md")
    other.leave_out(tmp_path / "c.md")
    for each in (part, other):
        whole.merge(each.tally())
    with pytest.warns(UserWarning, match=r"2 files are left out.*b\.md"):
        assert [*whole.end()] == []
    empty = FolderNotes(tmp_path)
    assert ["nothing to read" in problem.message for problem in empty.end()] == [True]


def test_random_pieces_of_random_lines(tmp_path: Path) -> None:
    order = random.Random(7)  # noqa: S311 - a test
    file = tmp_path / "runs.jsonl"
    lines = [
        json.dumps({"task_id": f"t{number}", "final_output": "x" * order.randrange(200)})
        for number in range(300)
    ]
    file.write_text("\n".join(lines))
    expected = _whole(file)
    for size in (64, 1_000, 4_096, 30_000):
        assert _in_pieces([*PieceMaker(piece_bytes=size).pieces(file)]) == expected
