"""Runs over remote files: the rows of local ones, to folders there and here."""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING

import pytest
from pyarrow import parquet

import trajmeter
from tests.remote.stores import Bucket, held, memory_folder, put
from tests.scoring.attempts import SIZES, contents, score_units, write_attempts
from trajmeter.cli._progress import sized_files
from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.readers import read_tasks, read_trajectories
from trajmeter.remote import RemotePath, path_of
from trajmeter.schemas import trajectory_batch
from trajmeter.scoring.runs.job import Job
from trajmeter.scoring.runs.run import RunOptions, run

if TYPE_CHECKING:
    from pathlib import Path


TASK = b'{"id": "t1", "gold_patch": ""}\n'


def _values(table: Path) -> list[dict[str, object]]:
    rows = parquet.read_table(table).to_pylist()
    return [{name: value for name, value in row.items() if name != "source"} for row in rows]


def _parquet(lines: Path, file: Path) -> Path:
    import pyarrow as pa

    table = pa.Table.from_batches([trajectory_batch([*read_trajectories(lines)])])
    parquet.write_table(table, file, row_group_size=25)
    return file


@pytest.mark.parametrize("kind", ["jsonl", "jsonl.gz", "parquet"])
def test_a_bucket_gives_the_rows_of_files(kind: str, bucket: Bucket, tmp_path: Path) -> None:
    local = write_attempts(tmp_path / "a.jsonl")
    if kind == "parquet":
        local = _parquet(local, tmp_path / "a.parquet")
    content = local.read_bytes()
    bucket.put(f"runs/a.{kind}", gzip.compress(content) if kind == "jsonl.gz" else content)
    bucket.put("runs/b.jsonl", b'{"task_id": "last"}\n{broken\n')
    expected = trajmeter.score_files(local, output=tmp_path / "here.parquet", metrics=["turns"])
    problems: list[object] = []
    done = score_units(
        [path_of(bucket.uri("runs"))],
        tmp_path / "scores",
        problems=problems,  # type: ignore[arg-type]  # any list
        workers=2,
    )
    assert (done.rows, done.problems) == (expected.rows + 1, 1), problems
    assert str(problems[0]).startswith(f"s3://{bucket.name}/runs/b.jsonl:2: ")
    assert len(done.parts) > 3
    rows = [row for part in done.parts for row in _values(part)]
    assert rows[:-1] == _values(tmp_path / "here.parquet")
    first = parquet.read_table(done.parts[0]).to_pylist()[0]["source"]
    assert kind == "parquet" or first == f"s3://{bucket.name}/runs/a.{kind}:1"
    state = (tmp_path / "scores" / "state" / "plan.json").read_text()
    assert "topsecret" not in state + (tmp_path / "scores" / "manifest.json").read_text()
    assert "etag:" in state

    assert score_units([path_of(bucket.uri("runs"))], tmp_path / "scores").resumed == len(
        done.parts
    )
    bucket.put(f"runs/a.{kind}", content + b"\n")
    with pytest.raises(ConfigurationError, match=f"a.{kind} has changed"):
        score_units([path_of(bucket.uri("runs"))], tmp_path / "scores")


def test_a_folder_in_a_bucket_has_the_bytes_of_one_here(bucket: Bucket, tmp_path: Path) -> None:
    runs = write_attempts(tmp_path / "runs.jsonl", broken=2)
    score_units(runs, tmp_path / "scores")
    output = path_of(bucket.uri("out/scores.2026"))
    done = score_units(runs, output)
    expected = contents(tmp_path / "scores")
    found = bucket.held("out/scores.2026")
    assert {name: found[name] for name in expected} == expected
    assert not [name for name in found if name.endswith(".part") or "lock" in name]
    assert str(done.parts[0]) == (f"s3://{bucket.name}/out/scores.2026/rows/part-000000.parquet")
    assert b"topsecret" not in b"".join(found.values())
    again = score_units(runs, output, workers=2)
    assert (again.resumed, again.summary) == (len(done.parts), done.summary)
    with pytest.raises(ConfigurationError, match="contains the results of another run"):
        score_units(runs, output, metrics=("answers",))
    score_units(runs, output, metrics=("answers",), overwrite=True)


def test_a_store_in_memory_is_read_and_written_in_one_process(tmp_path: Path) -> None:
    root = memory_folder()
    local = write_attempts(tmp_path / "a.jsonl")
    put(
        root,
        {"runs/a.jsonl": local, "runs/deep/b.jsonl": local, "tasks.jsonl": TASK},
    )
    assert [task.id for task in read_tasks(f"{root}/tasks.jsonl")] == ["t1"]
    done = trajmeter.score_files(
        f"{root}/runs/**/*.jsonl",
        output=f"{root}/scores",
        metrics=["turns"],
        tasks=f"{root}/tasks.jsonl",
    )
    assert (done.rows, done.is_complete) == (400, True)
    assert sorted(held(f"{root}/scores")) == [
        "manifest.json",
        "rows/part-000000.parquet",
        "state/000000.parquet",
        "state/plan.json",
        "summary.json",
    ]
    assert json.loads(held(f"{root}/scores")["manifest.json"])["rows"] == 400
    assert len(trajmeter.score(f"{root}/runs/a.jsonl", metrics=["turns"]).rows) == 200


@pytest.mark.parametrize("output", ["scores", None])
def test_a_file_that_no_format_recognises_is_named_by_its_uri(
    output: str | None, tmp_path: Path
) -> None:
    root = memory_folder()
    other = tmp_path / "notes.json"
    other.write_text('{"nothing": "known"}')
    put(root, {"runs/a.jsonl": write_attempts(tmp_path / "a.jsonl", 3), "runs/notes.json": other})
    named = re.escape(f"no format recognises it: {root}/runs/notes.json")
    with pytest.warns(UserWarning, match=named):
        trajmeter.score_files(
            f"{root}/runs", output=output and tmp_path / output, metrics=["turns"], workers=1
        )


def test_a_part_that_fails_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = memory_folder()
    runs = write_attempts(tmp_path / "runs.jsonl")
    output = path_of(f"{root}/scores")
    real = RemotePath.replacing

    def failing(self: RemotePath):  # type: ignore[no-untyped-def]  # noqa: ANN202 - as what it stands for
        if self.name == "part-000002.parquet":
            raise OSError(28, "No space left on device")
        return real(self)

    with monkeypatch.context() as patch:
        patch.setattr(RemotePath, "replacing", failing)
        with pytest.raises(ConfigurationError, match=r"part-000002.parquet: cannot be written"):
            score_units(runs, output)
    assert sorted(name for name in held(f"{root}/scores") if name.startswith("rows/")) == [
        "rows/part-000000.parquet",
        "rows/part-000001.parquet",
    ]
    assert "manifest.json" not in held(f"{root}/scores")
    assert score_units(runs, output).resumed == 2
    score_units(runs, tmp_path / "here")
    expected = contents(tmp_path / "here")
    found = held(f"{root}/scores")
    assert {name: found[name] for name in expected} == expected


def test_shards_meet_elsewhere(tmp_path: Path) -> None:
    root = memory_folder()
    runs = write_attempts(tmp_path / "runs.jsonl", broken=1)
    for number in (2, 1):
        score_units(runs, path_of(f"{root}/shard-{number}"), shard=(number, 2))
    merged = trajmeter.merge(
        [f"{root}/shard-1", f"{root}/shard-2"], output=f"{root}/scores", verify=True
    )
    assert (merged.rows, merged.is_complete) == (200, True)
    score_units(runs, tmp_path / "here")
    expected, found = contents(tmp_path / "here"), held(f"{root}/scores")
    assert {name: found[name] for name in expected if name.startswith("rows/")} == {
        name: content for name, content in expected.items() if name.startswith("rows/")
    }


def test_a_remote_output_is_a_folder(tmp_path: Path) -> None:
    runs = write_attempts(tmp_path / "runs.jsonl")
    with pytest.raises(ConfigurationError, match="as a folder of parts"):
        score_units(runs, path_of(f"{memory_folder()}/scores.parquet"))


def test_only_needed_columns_of_parquet_are_asked_for(tmp_path: Path) -> None:
    root = memory_folder()
    lines = tmp_path / "a.jsonl"
    long = "".join(f"{number:08x}" for number in range(50_000))
    lines.write_text(
        "".join(
            json.dumps({"task_id": f"t{n}", "final_output": f"{n}{long}", "turns": []}) + "\n"
            for n in range(40)
        )
    )
    put(root, {"a.parquet": _parquet(lines, tmp_path / "a.parquet")})
    size = (tmp_path / "a.parquet").stat().st_size
    asked: list[int] = []
    import fsspec  # type: ignore[import-untyped]  # it has no types
    from fsspec.implementations.memory import (  # type: ignore[import-untyped]  # likewise
        MemoryFile,
    )

    class Counted(MemoryFile):  # type: ignore[misc]  # fsspec has no types
        def read(self, size: int = -1) -> bytes:
            content: bytes = super().read(size)
            asked.append(len(content))
            return content

    store = fsspec.filesystem("memory").store
    name = next(key for key in store if key.endswith(f"{root.removeprefix('memory://')}/a.parquet"))
    store[name] = Counted(None, name, store[name].getvalue())
    done = run(
        Job(("turns",)),
        [path_of(f"{root}/a.parquet")],
        output=tmp_path / "scores",
        options=RunOptions(sizes=SIZES),
    )
    assert done.rows == 40
    assert size > 2_000_000
    assert sum(asked) < size


_NAMES = ["run[1].jsonl", "run1.jsonl", "a*.jsonl", "ab.jsonl", "q?.jsonl", "qa.jsonl"]


@pytest.mark.parametrize(
    ("given", "read"),
    [
        *((name, [name]) for name in _NAMES),
        ("", sorted(_NAMES)),
        ("*.jsonl", sorted(_NAMES)),
        ("r[au]n*", ["run1.jsonl", "run[1].jsonl"]),
        ("q?.json?", ["q?.jsonl", "qa.jsonl"]),
        ("?*n[[]1].jsonl", ["run[1].jsonl"]),
        ("run[].[]1[]].jsonl", ["run[1].jsonl"]),
    ],
)
def test_a_name_that_looks_like_a_pattern_stands_for_itself(
    given: str, read: list[str], tmp_path: Path
) -> None:
    folder = memory_folder()
    put(folder, {name: json.dumps({"task_id": name}).encode() for name in _NAMES})
    uri = f"{folder}/{given}"
    assert [attempt.task_id for attempt in read_trajectories(uri)] == read
    trajmeter.score_files(uri, output=tmp_path / "scores.parquet", metrics=["turns"])
    rows = parquet.read_table(tmp_path / "scores.parquet").to_pylist()
    assert [row["task_id"] for row in rows] == read
    assert [name for name, _ in sized_files(path_of(uri))] == [f"{folder}/{each}" for each in read]


def test_a_question_mark_matches_no_slash() -> None:
    folder = memory_folder()
    put(folder, {"a/b.jsonl": b'{"task_id": "x"}'})
    with pytest.raises(ReadError, match="No such file"):
        list(read_trajectories(f"{folder}/a?b.jsonl"))
