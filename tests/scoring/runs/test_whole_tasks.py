"""Large inputs in Parquet whose attempts are compared, side by side: units of whole tasks."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import trajmeter
from tests.scoring.attempts import contents, score_units
from trajmeter.records import Task, Trajectory
from trajmeter.schemas import trajectory_batch
from trajmeter.scoring.runs.plan import PlanSizes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from trajmeter.records import ReadProblem

METRICS = ("turns", "speedup")
SHARES = PlanSizes(piece_bytes=1 << 20, piece_rows=30, files=1, share_bytes=20_000)


def _write(folder: Path, tasks: Sequence[str], rows_of_files: Sequence[int], group: int) -> Path:
    """Attempts at these tasks in files of so many rows; the last file takes the rest."""
    folder.mkdir()
    attempts = [
        Trajectory(task_id=task, agent=f"a{number % 2}", attempt=str(number))
        for number, task in enumerate(tasks)
    ]
    begin = 0
    for number, rows in enumerate([*rows_of_files, len(attempts)]):
        own = attempts[begin : begin + rows]
        begin += rows
        if own:
            table = pa.Table.from_batches([trajectory_batch(own)])
            parquet.write_table(table, folder / f"{number}.parquet", row_group_size=group)
    return folder


def _score(runs: Any, output: Path | None, **options: Any) -> Any:
    return score_units(runs, output, **{"metrics": METRICS, "sizes": SHARES, **options})


def _tasks(parts: Sequence[Path]) -> list[list[str]]:
    return [[*map(str, parquet.read_table(part)["task_id"].to_pylist())] for part in parts]


def test_borders_of_units_lie_between_tasks(tmp_path: Path) -> None:
    # Row groups of 10 make pieces of 30 rows: of the first file 0-29, 30-59, of the second 60-99.
    tasks = [f"t{number // 7}" for number in range(100)]
    runs = _write(tmp_path / "runs", tasks, [60], 10)
    messages: list[str] = []
    done = _score(runs, tmp_path / "units", messages=messages)
    assert [len(each) for each in _tasks(done.parts)] == [35, 28, 28, 9]
    assert [task for each in _tasks(done.parts) for task in each] == tasks
    assert messages == []
    direct = trajmeter.score(runs, metrics=METRICS)
    assert done.summary.model_dump_json() == direct.summary.model_dump_json()
    _score(runs, tmp_path / "units.parquet")
    direct.write(tmp_path / "direct.parquet")
    assert (tmp_path / "units.parquet").read_bytes() == (tmp_path / "direct.parquet").read_bytes()
    manifest = json.loads((tmp_path / "units" / "manifest.json").read_text())
    assert manifest["units"][1]["input"].endswith(
        f"0.parquet, rows [35] to [59] to {runs / '1.parquet'}, rows [0] to [2] (2 files)"
    )


def test_workers_shards_and_a_resumed_run_change_no_byte(tmp_path: Path) -> None:
    tasks = [f"t{number // 7}" for number in range(100)]
    runs = _write(tmp_path / "runs", tasks, [60], 10)
    done = _score(runs, tmp_path / "one")
    expected = contents(tmp_path / "one")
    _score(runs, tmp_path / "workers", workers=2, batch_rows=3)
    assert contents(tmp_path / "workers") == expected
    for number in (2, 1):
        _score(runs, tmp_path / "shards", shard=(number, 2))
    assert contents(tmp_path / "shards") == expected
    done.parts[1].unlink()
    assert _score(runs, tmp_path / "one").resumed == len(done.parts) - 1
    assert contents(tmp_path / "one") == expected


def test_names_of_one_task_are_one_task(tmp_path: Path) -> None:
    tasks = [("t", "alias")[number % 2] if number < 40 else "u" for number in range(60)]
    runs = _write(tmp_path / "runs", tasks, [], 10)
    (tmp_path / "tasks.jsonl").write_text('{"id": "t", "aliases": ["alias"]}\n{"id": "u"}\n')
    done = _score(runs, tmp_path / "units", tasks=(tmp_path / "tasks.jsonl",))
    assert [len(each) for each in _tasks(done.parts)] == [40, 20]
    messages: list[str] = []
    _score(runs, tmp_path / "sorted", messages=messages)
    assert any("sorting" in message for message in messages)


@pytest.mark.parametrize("file", ["lines", "broken", "column"])
def test_other_inputs_are_sorted_and_their_problems_told_once(file: str, tmp_path: Path) -> None:
    runs = _write(tmp_path / "runs", [f"t{number // 7}" for number in range(100)], [60], 10)
    if file == "lines":
        (runs / "2.jsonl").write_text('{"task_id": "t99", "turns": []}\n{broken\n')
    elif file == "broken":
        (runs / "2.parquet").write_bytes(b"PAR1 and no more")
    else:
        table = pa.table({"task_id": ["t99", None], "agent": ["a", "a"]})
        parquet.write_table(table, runs / "2.parquet")
    problems: list[ReadProblem] = []
    messages: list[str] = []
    done = _score(runs, tmp_path / "units", problems=problems, messages=messages)
    assert any("sorting" in message for message in messages)
    assert (len(problems), done.problems) == (1, 1)
    assert done.rows == (100 if file == "broken" else 101)


def test_other_metrics_cut_the_same_files_as_if_nothing_was_known_of_them(tmp_path: Path) -> None:
    runs = _write(tmp_path / "runs", [f"t{number // 7}" for number in range(100)], [60], 10)
    _score(runs, tmp_path / "scores")
    score_units(runs, tmp_path / "scores", sizes=SHARES, overwrite=True)
    score_units(runs, tmp_path / "expected", sizes=SHARES)
    assert contents(tmp_path / "scores") == contents(tmp_path / "expected")


@settings(max_examples=8, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 40), min_size=1, max_size=8),
    files=st.lists(st.integers(1, 60), max_size=3),
    group=st.integers(1, 40),
    is_shuffled=st.booleans(),
)
def test_any_rows_give_those_of_one_pass(
    lengths: list[int],
    files: list[int],
    group: int,
    is_shuffled: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("any")
    tasks = [f"t{number}" for number, length in enumerate(lengths) for _ in range(length)]
    if is_shuffled:
        random.Random(3).shuffle(tasks)  # noqa: S311 - a test
    runs = _write(folder / "runs", tasks, files, group)
    known = [Task(id=each) for each in dict.fromkeys(tasks)]
    done = _score(runs, folder / "units", tasks=known)
    _score(runs, folder / "units.parquet", tasks=known)
    direct = trajmeter.score(runs, metrics=METRICS, tasks=known)
    direct.write(folder / "direct.parquet")
    found = parquet.read_table(folder / "units.parquet")
    assert found.equals(parquet.read_table(folder / "direct.parquet"))
    names = [{*each} for each in _tasks(done.parts)]
    assert sum(map(len, names)) == len({*tasks})
