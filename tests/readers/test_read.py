"""Files of any kind: recognised by content, read one by one, problems reported with their place."""

from __future__ import annotations

import gzip
import json
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from trajmeter.errors import ExtraMissingError, ReadError
from trajmeter.readers import ReadProblem, read_tasks, read_trajectories
from trajmeter.records import Source, ToolCall, Trajectory
from trajmeter.schemas import trajectory_batch

if TYPE_CHECKING:
    from collections.abc import Iterator

PREDICTION = '{"instance_id": "i", "traj_data": {"pred_steps": []}, "model_patch": ""}'
OWN = '{"task_id": "own"}'
GOLD = '{"inst_id": "g", "gold_ctx": []}'


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(*paths: Path) -> tuple[list[str], list[str]]:
    """Ids of what was read, and the problems as text without their folder."""
    problems: list[ReadProblem] = []
    ids = [t.task_id for t in read_trajectories(paths, on_problem=problems.append)]
    folders = [f"{Path(problem.file).parent}/" for problem in problems]
    return ids, [
        str(problem).removeprefix(folder) for problem, folder in zip(problems, folders, strict=True)
    ]


@pytest.mark.parametrize(
    ("content", "sources"),
    [
        (PREDICTION, [(1, None)]),
        (f"{PREDICTION}\n{OWN}\n", [(1, None), (2, None)]),
        (f"\n{PREDICTION}\r\n\r\n  \n{OWN}", [(2, None), (5, None)]),
        (f"\ufeff{PREDICTION}\n{OWN}", [(1, None), (2, None)]),
        (f"[{PREDICTION}, {OWN}]", [(None, "[0]"), (None, "[1]")]),
        (f"\ufeff\n[\n{PREDICTION},\n{OWN}\n]\n", [(None, "[0]"), (None, "[1]")]),
        (json.dumps(json.loads(PREDICTION), indent=2), [(None, None)]),
        (json.dumps([json.loads(OWN)], indent=2), [(None, "[0]")]),
        # Records by their id, as SWE-bench keeps its predictions.
        (f'{{"i": {PREDICTION}, "j": {PREDICTION}}}', [(None, "i"), (None, "j")]),
        (json.dumps({"i": json.loads(PREDICTION)}, indent=2), [(None, "i")]),
    ],
)
def test_lines_and_documents_are_distinguished(
    tmp_path: Path, content: str, sources: list[tuple[int | None, str | None]]
) -> None:
    path = write(tmp_path / "any.name", content)
    assert [t.source for t in read_trajectories(path)] == [
        Source(file=str(path), line=line, record=record) for line, record in sources
    ]


def test_files_are_read_in_order_and_by_any_kind_of_path(tmp_path: Path) -> None:
    first, second = write(tmp_path / "z", PREDICTION), write(tmp_path / "a", OWN)
    assert [t.task_id for t in read_trajectories([str(first), second])] == ["i", "own"]
    assert [t.task_id for t in read_trajectories(str(second))] == ["own"]
    assert [t.id for t in read_tasks(write(tmp_path / "g", GOLD))] == ["g"]


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ('{"instance_id": "x", "traj_d', "invalid JSON: EOF while parsing"),
        ("}", "invalid JSON: expected value"),
        ("[1]", "expected a trajectory, got a list"),
        ("null", "expected a trajectory, got null"),
        ('{"a": 1, "b": 2}', "got an object with the keys ['a', 'b']"),
        ('{"traj_data": {}}', "no id: expected instance_id or original_inst_id"),
        (GOLD, "expected a trajectory, got ContextBench gold"),
        ('{"instance_id": 1, "traj_data": {}}', "instance_id: expected text, got 1"),
    ],
)
@pytest.mark.parametrize("position", [0, 1, 2])
def test_a_broken_line_is_reported_and_the_others_are_read(
    tmp_path: Path, broken: str, message: str, position: int
) -> None:
    lines = [PREDICTION, OWN]
    lines.insert(position, broken)
    ids, problems = read(write(tmp_path / "p.jsonl", "\n".join(lines)))
    assert ids == ["i", "own"]
    (problem,) = problems
    assert problem.startswith(f"p.jsonl:{position + 1}: ")
    assert message in problem


def test_a_record_with_an_id_is_described_by_its_keys_not_taken_for_a_task(tmp_path: Path) -> None:
    _, problems = read(write(tmp_path / "p.jsonl", '{"id": 1, "notes": []}\n{"id": "t"}'))
    (problem,) = problems
    assert "expected a trajectory, got an object with the keys ['id', 'notes'], which no" in problem
    hint = "; map its columns (--map, or mapping= in Python) as docs/formats/your-own.md shows"
    assert problem.endswith(hint)
    unread: list[ReadProblem] = []
    tasks = write(tmp_path / "t.jsonl", '{"uid": 1, "notes": ""}')
    assert [*read_tasks(tasks, on_problem=unread.append)] == []
    assert "expected a task, got an object with the keys ['uid', 'notes'], wh" in str(unread[0])
    assert str(unread[0]).endswith("; write tasks as docs/formats/own-records.md shows")
    _, problems = read(write(tmp_path / "p.jsonl", f'{OWN}\n{{"id": "t", "question": "why"}}'))
    assert problems[0].endswith("expected a trajectory, got Task records; pass tasks with --tasks")


def test_the_pages_that_messages_name_exist() -> None:
    pages = Path(__file__).parents[2] / "docs" / "formats"
    assert all((pages / f"{name}.md").is_file() for name in ("own-records", "your-own"))


def test_a_broken_record_of_a_document_is_reported_by_its_index(tmp_path: Path) -> None:
    ids, problems = read(write(tmp_path / "p.json", f"[{OWN}, 7, {PREDICTION}]"))
    assert ids == ["own", "i"]
    (problem,) = problems
    assert problem == "p.json: [1]: expected a trajectory, got a number"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
            "a Git LFS pointer instead of the data",
        ),
        (b"PK\x03\x04\x14\x00", "a ZIP archive"),
        (
            gzip.compress(OWN.encode(), mtime=0)[:-9],
            "the gzip data is cut off or corrupt: Compressed file ",
        ),
        (b"\x28\xb5\x2f\xfd\x00", "the zstd data is cut off or corrupt: "),
        (b"PAR1 cut", "invalid Parquet: "),
        ("", "the file is empty, expected JSON records"),
        ("\ufeff \r\n\n", "the file is empty, expected JSON records"),
        ("instance_id,patch\n", "expected JSON, JSON lines or Parquet; the file begins 'instance"),
        (OWN.encode("utf-16"), "the file is in UTF-16, expected UTF-8; convert it first"),
        ('[{"task_id": "a"},\n{"task_id": ', "invalid JSON: EOF"),
        ('{\n "task_id": "a",\n "turns": [', "invalid JSON: EOF"),
    ],
)
def test_a_file_that_cannot_be_read_is_reported_once(
    tmp_path: Path, content: str | bytes, message: str
) -> None:
    good = write(tmp_path / "good.jsonl", OWN)
    ids, problems = read(write(tmp_path / "bad", content), good)
    assert ids == ["own"]
    assert problems
    assert message in problems[-1]


def test_an_absent_file_and_a_folder_are_reported(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    ids, problems = read(tmp_path / "absent", tmp_path / "folder", write(tmp_path / "good", OWN))
    assert ids == ["own"]
    assert problems[0] == "absent: No such file or directory"
    assert problems[1] == (
        "folder: nothing to read in the folder: no file in it has a format that "
        "'trajmeter formats' lists"
    )


def test_the_wrong_file_is_reported_once_and_not_read_to_its_end(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.jsonl", f"{GOLD}\n" * 1_000)
    ids, problems = read(path)
    assert ids == []
    (problem,) = problems
    assert problem == (
        "gold.jsonl: none of its first 20 records can be used: "
        "expected a trajectory, got ContextBench gold; pass tasks with --tasks"
    )


def test_records_before_the_first_that_is_known_are_reported(tmp_path: Path) -> None:
    content = f"{GOLD}\n2\n{OWN}\n3\n{GOLD}"
    _, problems = read(write(tmp_path / "p.jsonl", content))
    assert [problem.split(": ")[0] for problem in problems] == [
        "p.jsonl:1",
        "p.jsonl:2",
        "p.jsonl:4",
        "p.jsonl:5",
    ]


def test_without_a_callback_the_first_problem_raises(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", f"{OWN}\n{{\n{OWN}\n")
    trajectories = read_trajectories(path)
    assert next(trajectories).task_id == "own"
    with pytest.raises(ReadError, match=r"[\\/]p\.jsonl:2: invalid JSON"):
        next(trajectories)


def test_an_error_of_the_callback_is_passed_on(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", f"{{\n{OWN}\n")

    def refuse(problem: ReadProblem) -> None:
        raise ReadError(f"seen {problem.line}")

    with pytest.raises(ReadError, match=r"^seen 1$"):
        list(read_trajectories(path, on_problem=refuse))


def test_lines_are_read_as_they_are_asked_for(tmp_path: Path) -> None:
    problems: list[ReadProblem] = []
    path = write(tmp_path / "p.jsonl", f"{OWN}\n{OWN}\n{{\n")
    trajectories: Iterator[object] = read_trajectories(path, on_problem=problems.append)
    assert len(list(islice(trajectories, 2))) == 2
    assert problems == []
    assert list(trajectories) == []
    assert len(problems) == 1


def test_parquet_rows_are_read(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    context = json.dumps([{"file": "a.py", "start_line": 1, "end_line": 2}])
    rows = [{"instance_id": f"i{n}", "gold_context": context, "language": None} for n in range(70)]
    rows[2]["gold_context"] = "context1\N{FULLWIDTH COLON} file: a.py"
    path = tmp_path / "gold"
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    problems: list[ReadProblem] = []
    tasks = list(read_tasks(path, on_problem=problems.append))
    assert [task.id for task in tasks] == [f"i{n}" for n in range(70) if n != 2]
    assert tasks[-1].source == Source(file=str(path), record="[69]")
    assert tasks[0].gold_ranges is not None
    (problem,) = problems
    assert problem.record == "[2]"
    assert "gold_context: expected a list of ranges" in problem.message


def test_parquet_of_our_own_columns_is_read(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    call = ToolCall(name="grep", arguments={"q": 1})
    attempts = [Trajectory(task_id=name, metadata={"b": [1]}, tool_calls=(call,)) for name in "abc"]
    batch = trajectory_batch(attempts)
    metadata = pyarrow.array([batch["metadata"][0].as_py(), "{", None])
    table = pyarrow.Table.from_batches([batch])
    place = table.column_names.index("metadata")
    table = table.set_column(place, table.field(place), metadata)
    path = tmp_path / "attempts"
    parquet.write_table(table, path)
    problems: list[ReadProblem] = []
    first, last = read_trajectories(path, on_problem=problems.append)
    assert first == attempts[0].model_copy(update={"source": Source(file=str(path), record="[0]")})
    assert (last.task_id, last.metadata, last.tool_calls) == ("c", {}, (call,))
    assert [(problem.record, problem.message[:12]) for problem in problems] == [
        ("[1]", "invalid JSON")
    ]


def test_the_missing_library_for_parquet_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ExtraMissingError, match=r"trajmeter\[data\]"):
        list(read_tasks(write(tmp_path / "gold.parquet", b"PAR1")))


def test_long_strings_and_many_turns(tmp_path: Path) -> None:
    step = '{"files": ["a.py"], "spans": {}}'
    patch = "x" * 1_600_000
    record = (
        f'{{"instance_id": "i", "traj_data": {{"pred_steps": [{",".join([step] * 600)}]}}, '
        f'"model_patch": "{patch}"}}'
    )
    (trajectory,) = read_trajectories(write(tmp_path / "p.jsonl", record))
    assert len(trajectory.turns or ()) == 600
    assert trajectory.final_patch == patch


def test_strings_that_no_output_could_hold_are_repaired(tmp_path: Path) -> None:
    record = r'{"instance_id": "i\u0000\ud83d\ude00", "model_patch": "caf\udce9"}'
    (trajectory,) = read_trajectories(write(tmp_path / "p.jsonl", record))
    assert trajectory.task_id == "i\0\N{GRINNING FACE}"
    assert trajectory.final_patch == "caf\ufffd"
    assert trajectory.model_dump_json()


def test_bare_nan_and_infinity_are_kept(tmp_path: Path) -> None:
    record = '{"task_id": "i", "duration_seconds": Infinity, "extra": {"a": -Infinity}}'
    (trajectory,) = read_trajectories(write(tmp_path / "p.jsonl", record))
    assert trajectory.duration_seconds == float("inf")
    assert trajectory.extra == {"a": float("-inf")}


def test_repeated_keys_and_repeated_ids(tmp_path: Path) -> None:
    record = '{"task_id": "a", "task_id": "b"}'
    ids, problems = read(write(tmp_path / "p.jsonl", f"{record}\n{record}"))
    # The last of the keys counts; attempts at one task are told apart by their source.
    assert (ids, problems) == (["b", "b"], [])
