"""Folders and patterns: what in them is read, in which order, and what is said of the rest."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING

import pytest

from tests.readers.mlflow.examples import TRACE
from trajmeter.readers import ReadProblem, read_tasks, read_trajectories
from trajmeter.readers.batches import TrajectoryBatches

if TYPE_CHECKING:
    from pathlib import Path

OWN = '{"task_id": "own"}'
RUN = '{"trajectory_format": "mini-swe-agent-1", "messages": []}'
PREDICTIONS = '{"instance_id": "p", "model_patch": ""}'


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path: Path | str) -> tuple[list[str], list[str], list[str]]:
    """Ids, problems and warnings, which records and batches have to agree on."""
    problems: list[ReadProblem] = []
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ids = [each.task_id for each in read_trajectories(path, on_problem=problems.append)]
    again: list[ReadProblem] = []
    with warnings.catch_warnings(record=True) as told_again:
        warnings.simplefilter("always")
        batches = TrajectoryBatches(path, columns=["extra"], on_problem=again.append)
        assert [id_ for batch in batches for id_ in batch["task_id"].to_pylist()] == ids
    assert again == problems
    messages = [str(each.message) for each in told]
    assert [str(each.message) for each in told_again] == messages
    return ids, [str(problem) for problem in problems], messages


def test_a_folder_of_mixed_formats_is_read_in_the_order_of_paths(tmp_path: Path) -> None:
    write(tmp_path / "b/run.traj.json", RUN)
    write(tmp_path / "b.jsonl", OWN)
    write(tmp_path / "a/z/times.json", '{"result_columns": ["result"], "results": {}}')
    write(tmp_path / "c.log", "FORMULACODE_TESTS_START\n{}\nFORMULACODE_TESTS_END\n")
    assert read(tmp_path) == (["z", "run", "own", "c"], [], [])


def test_a_folder_below_that_one_format_reads_is_read_as_a_whole(tmp_path: Path) -> None:
    run = tmp_path / "runs" / "first"
    write(run / "run_metadata.json", "{}")
    trial = {
        "trial_name": "t.1-of-1.x",
        "task_id": "t",
        "is_resolved": True,
        "failure_mode": "unset",
    }
    write(run / "t" / "t.1-of-1.x" / "results.json", json.dumps(trial))
    write(tmp_path / "other" / "own.jsonl", OWN)
    assert read(tmp_path) == (["own", "t"], [], [])


def test_files_that_are_never_logs_are_skipped_silently(tmp_path: Path) -> None:
    write(tmp_path / "own.jsonl", OWN)
    for name in ("a.py", "b.PNG", "config.yaml", ".git/objects.json", "fix.patch", "LICENSE"):
        write(tmp_path / name, OWN)
    assert read(tmp_path) == (["own"], [], [])


def test_unrecognised_files_are_reported_once(tmp_path: Path) -> None:
    write(tmp_path / "own.jsonl", OWN)
    first = write(tmp_path / "a.json", '{"version": 1}')
    for name in ("notes.md", "empty.log", "screen.txt", "list.json"):
        write(tmp_path / name, "[1, 2]" if name == "list.json" else "")
    assert read(tmp_path) == (
        ["own"],
        [],
        [f"{tmp_path}: 5 files are left out, because no format recognises them: {first} …"],
    )


def test_text_with_an_object_in_it_is_no_log_but_may_precede_one(tmp_path: Path) -> None:
    text = write(tmp_path / "a" / "b.log", 'starting\nready\n{"a": 1}\nwaiting\n')
    write(tmp_path / "a" / "c.log", f"starting\n[INFO] ready\n{OWN}\n")
    ids, problems, warned = read(tmp_path)
    assert ids == ["own"]
    assert [each.partition(": ")[0] for each in problems] == [
        f"{tmp_path}/a/c.log:1",
        f"{tmp_path}/a/c.log:2",
    ]
    assert warned == [f"{tmp_path}: 1 file is left out, because no format recognises it: {text}"]


def test_records_that_are_ours_by_their_id_alone_may_be_of_others(tmp_path: Path) -> None:
    other = write(tmp_path / "results.jsonl", '{"task_id": "t", "turns": 5}')
    own = write(tmp_path / "own.jsonl", OWN)
    assert read(tmp_path) == (
        ["own"],
        [],
        [f"{tmp_path}: 1 file is left out, because no format recognises it: {other}"],
    )
    own.write_text(f'{OWN}\n{{"task_id": "t", "turns": 5}}')
    other.unlink()
    assert read(tmp_path) == (["own"], [f"{own}:2: turns: expected a list, got 5"], [])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", '{"cut', "invalid JSON: "),
        ("a.jsonl", "", "the file is empty, expected JSON records"),
        ("a.jsonl.gz", b"\x1f\x8b\x08", "the gzip data is cut off or corrupt: "),
        ("a.parquet", "PAR1", "invalid Parquet: "),
        ("a.log", "version https://git-lfs.github.com/spec/v1\n", "the file is a Git LFS pointer"),
    ],
)
def test_data_that_cannot_be_read_is_a_problem(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    write(tmp_path / name, content)
    write(tmp_path / "own.jsonl", OWN)
    ids, problems, told = read(tmp_path)
    assert (ids, told) == (["own"], [])
    (problem,) = problems
    assert problem.startswith(f"{tmp_path / name}:")
    assert message in problem


def test_predictions_next_to_logs_are_not_read_twice(tmp_path: Path) -> None:
    predictions = write(tmp_path / "a" / "preds.json", json.dumps({"p": json.loads(PREDICTIONS)}))
    assert read(tmp_path) == (["p"], [], [])
    write(tmp_path / "z" / "run.traj.json", RUN)
    beside = write(tmp_path / "z" / "run.pred", PREDICTIONS)
    ids, problems, (told,) = read(tmp_path)
    assert (ids, problems) == (["run", "p"], [])  # those of another folder are of other attempts
    assert told.startswith(f"{beside}: left out, because predictions and summaries beside")
    write(tmp_path / "a" / "b" / "run.traj.json", RUN)
    ids, problems, (told,) = read(tmp_path)
    assert (ids, problems) == (["run", "run"], [])
    assert told.startswith(
        f"{predictions} (and 1 more): left out, because predictions and summaries"
    )
    assert read(predictions) == (["p"], [], [])


def test_what_mlflow_stores_beside_traces_is_no_log(tmp_path: Path) -> None:
    said = '{"messages": [{"role": "user", "content": "Why?"}]}'
    trace, run = tmp_path / "1" / "traces" / "tr-1", tmp_path / "1" / "run"
    write(trace / "trace_info.yaml", "trace_id: tr-1")
    write(trace / "artifacts" / "traces.json", json.dumps(TRACE["data"]))
    for name in ("mlflow.traceInputs", "mlflow.traceOutputs"):
        write(trace / "request_metadata" / name, said)
    write(trace / "tags" / "prompt", said)
    write(run / "meta.yaml", "lifecycle_stage: active\nrun_id: run\n")
    for name in ("params/prompt", "tags/prompt", "metrics/loss"):
        write(run / name, said)
    write(tmp_path / "1" / "models" / "m" / "artifacts" / "MLmodel", "")
    write(tmp_path / "1" / "models" / "m" / "artifacts" / "input_example.json", said)
    write(tmp_path / ".trash" / "2" / "deleted.jsonl", OWN)
    assert read(tmp_path) == (["tr-1"], [], [])
    write(run / "artifacts" / "own.jsonl", OWN)  # what a run was given to keep may be logs
    assert read(tmp_path) == (["own", "tr-1"], [], [])
    assert read(trace / "request_metadata")[0] == ["mlflow.traceInputs", "mlflow.traceOutputs"]


@pytest.mark.parametrize("name", ["metrics", "params", "tags"])
def test_logs_beside_the_meta_file_of_another_program_are_read(tmp_path: Path, name: str) -> None:
    write(tmp_path / "meta.yaml", "name: June\n")
    write(tmp_path / name / "own.jsonl", OWN)
    assert read(tmp_path) == (["own"], [], [])


def test_a_folder_with_nothing_to_read_is_a_problem(tmp_path: Path) -> None:
    empty = "nothing to read in the folder: no file in it has a format that 'trajmeter formats'"
    assert read(tmp_path) == ([], [f"{tmp_path}: {empty} lists"], [])
    note = write(tmp_path / "sub" / "note.txt", "hello")
    assert read(tmp_path) == ([], [f"{tmp_path}: {empty} lists; none recognises {note}"], [])


def test_patterns_name_files_and_a_file_of_that_name_is_itself(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a/c.jsonl", "a/d/e.jsonl", "a/f.txt"):
        write(tmp_path / name, json.dumps({"task_id": name}))
    ids, problems, _ = read(f"{tmp_path}/**/*.jsonl")
    assert (ids, problems) == (["a/c.jsonl", "a/d/e.jsonl", "b.jsonl"], [])
    assert read(f"{tmp_path}/[ab]*")[0] == ["a/c.jsonl", "a/d/e.jsonl", "a/f.txt", "b.jsonl"]
    write(tmp_path / "[b].jsonl", OWN)
    assert read(f"{tmp_path}/[b].jsonl")[0] == ["own"]
    _, problems, _ = read(f"{tmp_path}/*.none")
    assert problems == [f"{tmp_path}/*.none: No such file or directory"]


def test_links_to_folders_are_not_followed_and_those_to_files_are(tmp_path: Path) -> None:
    write(tmp_path / "logs" / "own.jsonl", OWN)
    (tmp_path / "logs" / "again.jsonl").symlink_to("own.jsonl")
    (tmp_path / "logs" / "loop").symlink_to(tmp_path / "logs")
    (tmp_path / "logs" / "gone.jsonl").symlink_to("nowhere")
    assert read(tmp_path / "logs")[0] == ["own", "own"]


def test_tasks_are_read_from_folders_too(tmp_path: Path) -> None:
    write(tmp_path / "tasks" / "gold.jsonl", '{"inst_id": "g", "gold_ctx": []}')
    assert [task.id for task in read_tasks(tmp_path)] == ["g"]


def test_a_format_that_is_named_reads_everything(tmp_path: Path) -> None:
    path = write(
        tmp_path / "mixed.jsonl", f"{PREDICTIONS}\n" + '{"task_id": "own", "model_patch": 1}'
    )
    problems: list[ReadProblem] = []
    read_as = {
        name: [
            each.task_id
            for each in read_trajectories(path, input_format=name, on_problem=problems.append)
        ]
        for name in ("trajectory-records", "swe-bench-predictions")
    }
    assert read_as == {"trajectory-records": ["own"], "swe-bench-predictions": ["p"]}
    assert [problem.line for problem in problems] == [1, 2]
    for name, ids in read_as.items():
        again: list[ReadProblem] = []
        batches = TrajectoryBatches(path, input_format=name, on_problem=again.append)
        assert [id_ for batch in batches for id_ in batch["task_id"].to_pylist()] == ids
        assert len(again) == 1
