"""What makes a run another one, so that what an earlier one has scored is not used again."""

from __future__ import annotations

import json
import os
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import pyarrow as pa
from pyarrow import parquet

from tests.scoring.attempts import SIZES, contents, score_units, write_attempts
from trajmeter.errors import ConfigurationError
from trajmeter.scoring.reading_options import ReadingOptions
from trajmeter.scoring.runs.job import Job
from trajmeter.scoring.runs.run import RunListener, RunOptions, run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return write_attempts(tmp_path / "runs.jsonl", 40)


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        (("tools", "turns"), "columns: different figures, or a different order"),
        (("turns.run", "tools"), "columns: different figures"),
        (("turns",), "tools was removed"),
    ],
)
def test_other_columns_make_another_run(
    metrics: tuple[str, ...], message: str, runs: Path, tmp_path: Path
) -> None:
    output = tmp_path / "scores"
    score_units(runs, output, metrics=("turns", "tools"))
    with pytest.raises(ConfigurationError, match=message):
        score_units(runs, output, metrics=metrics)
    score_units(runs, output, metrics=metrics, overwrite=True)
    score_units(runs, tmp_path / "expected", metrics=metrics)
    assert contents(output) == contents(tmp_path / "expected")


def test_a_profile_is_named_with_its_metric(runs: Path, tmp_path: Path) -> None:
    output = tmp_path / "scores"
    score_units(runs, output, metrics=("turns", "rules"))
    expected = r"; turns: parameters: profile none → ptcrunner\)"
    with pytest.raises(ConfigurationError, match=expected):
        score_units(runs, output, metrics=("turns", "rules"), profiles=("ptcrunner",))


def test_a_run_that_accepts_longer_lines_is_cut_as_if_there_were_no_other(tmp_path: Path) -> None:
    runs = tmp_path / "runs.jsonl"
    line = json.dumps({"task_id": "t", "final_output": "x" * 900})
    runs.write_text(f"{line}\n" * 40)

    def score(output: Path, max_line: int) -> int:
        job = Job(("turns",), reading=ReadingOptions(max_line=max_line))
        listener = RunListener(on_problem=lambda _: None)
        options = RunOptions(sizes=SIZES, overwrite=True)
        return len(run(job, [runs], output=output, options=options, listener=listener).parts)

    assert score(tmp_path / "scores", 500) == 1
    assert score(tmp_path / "scores", 5_000) == score(tmp_path / "expected", 5_000) > 1
    assert contents(tmp_path / "scores") == contents(tmp_path / "expected")


@pytest.mark.skipif(os.name == "nt", reason="named pipes of POSIX")
def test_tasks_of_a_pipe_are_never_taken_for_those_of_another(runs: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "tasks"
    os.mkfifo(pipe)

    def score(text: str, **options: Any) -> int:
        Thread(target=pipe.write_text, args=(text,), daemon=True).start()
        return score_units(runs, tmp_path / "scores", tasks=(pipe,), **options).resumed

    assert score('{"task_id": "t1"}\n') == 0
    with pytest.raises(ConfigurationError, match="tasks has changed"):
        score('{"task_id": "t2"}\n')
    with pytest.raises(ConfigurationError, match="tasks can only be read once: use one worker"):
        score('{"task_id": "t2"}\n', workers=2, overwrite=True)


def test_a_file_that_is_named_twice_is_known_again(runs: Path, tmp_path: Path) -> None:
    inputs = [runs, tmp_path / "run?.jsonl"]
    done = score_units(inputs, tmp_path / "scores")
    again = score_units(inputs, tmp_path / "scores")
    assert (again.resumed, again.rows) == (len(done.parts), done.rows)


def test_named_files_are_another_run_than_the_folder_with_them(tmp_path: Path) -> None:
    folder, output = tmp_path / "runs", tmp_path / "scores"
    folder.mkdir()
    write_attempts(folder / "runs.jsonl")
    (folder / "notes.jsonl").write_text('{"mine": 1}\n')
    files = sorted(folder.iterdir())
    with pytest.warns(UserWarning, match="1 file is left out"):
        assert score_units(folder, output).problems == 0
    with pytest.raises(ConfigurationError, match="pieces: the inputs are named or ordered differ"):
        score_units(files, output)
    assert score_units(files, output, overwrite=True).problems == 1


def test_the_plan_for_a_folder_says_nothing_of_its_files_once_they_are_named(
    tmp_path: Path,
) -> None:
    folder, output = tmp_path / "runs", tmp_path / "scores"
    folder.mkdir()
    write_attempts(folder / "runs.jsonl")
    table = folder / "scores.parquet"
    parquet.write_table(pa.table({"task_id": ["a"], "turns": ["text"]}), table)
    assert score_units(folder, output).problems == 1
    with pytest.raises(ConfigurationError, match="column turns is string"):
        score_units(table, output, overwrite=True)
