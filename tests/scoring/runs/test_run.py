"""Runs in units: the same bytes however they are carried out, and resumed where they ended."""

from __future__ import annotations

import json
import os
import random
from typing import TYPE_CHECKING, Any

import pyarrow.dataset
import pytest
from pyarrow import parquet

import trajmeter
from tests.metrics.fakes import AnswerMetric, RankMetric
from tests.scoring.attempts import SIZES, contents, score_units, write_attempts
from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.metrics import metric
from trajmeter.records import ReadProblem, Task, Trajectory
from trajmeter.schemas import trajectory_batch
from trajmeter.scoring.runs.unit import UnitScorer

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.scoring.scores import Scores


def _direct(file: Path, target: Path, **options: Any) -> Scores:
    scores = trajmeter.score(file, on_problem=lambda _: None, **{"metrics": ["turns"], **options})
    scores.write(target)
    return scores


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl", ".csv"])
def test_a_file_has_the_bytes_of_one_pass(suffix: str, runs: Path, tmp_path: Path) -> None:
    expected = tmp_path / f"expected{suffix}"
    scores = _direct(runs, expected)
    output = tmp_path / f"scores{suffix}"
    done = score_units(runs, output)
    assert output.read_bytes() == expected.read_bytes()
    assert done.summary == scores.summary
    assert (done.rows, done.parts, done.resumed, done.problems) == (200, (), 0, 3)
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(
        [runs.name, expected.name, output.name]
    )


def test_a_folder_holds_parts_in_order_and_says_that_it_is_complete(
    runs: Path, tmp_path: Path
) -> None:
    expected = tmp_path / "expected.parquet"
    scores = _direct(runs, expected)
    done = score_units(runs, tmp_path / "scores")
    folder = tmp_path / "scores"
    assert sorted(each.name for each in folder.iterdir()) == [
        "manifest.json",
        "rows",
        "state",
        "summary.json",
    ]
    assert [*done.parts] == sorted((folder / "rows").iterdir())
    assert len(done.parts) > 3
    rows = pyarrow.dataset.dataset(folder / "rows").to_table()
    assert rows.equals(parquet.read_table(expected))
    assert json.loads((folder / "summary.json").read_text()) == json.loads(
        scores.summary.model_dump_json()
    )
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["rows"] == 200
    assert [unit["part"] for unit in manifest["units"]] == [
        f"rows/{part.name}" for part in done.parts
    ]
    assert sum(unit["problems"] for unit in manifest["units"]) == 3
    metadata = parquet.read_metadata(done.parts[1]).metadata or {}
    assert metadata[b"trajmeter.run_key"].decode() == manifest["run_key"]
    assert metadata[b"trajmeter.unit"] == b"1"


def test_neither_workers_nor_shards_change_a_byte(runs: Path, tmp_path: Path) -> None:
    score_units(runs, tmp_path / "one")
    expected = contents(tmp_path / "one")
    problems: list[ReadProblem] = []
    done = score_units(runs, tmp_path / "workers", workers=2, problems=problems)
    assert contents(tmp_path / "workers") == expected
    assert (len(problems), done.problems) == (3, 3)
    for number in (3, 1, 2):
        shard = score_units(runs, tmp_path / "shards", shard=(number, 3))
        assert shard.is_complete == (number == 2)
    assert contents(tmp_path / "shards") == expected


def test_without_an_output_only_the_summary_is_made(runs: Path, tmp_path: Path) -> None:
    expected = _direct(runs, tmp_path / "expected.csv").summary
    for workers in (1, 2):
        done = score_units(runs, None, workers=workers)
        assert (done.summary, done.rows, done.parts) == (expected, 200, ())
    assert len([*tmp_path.iterdir()]) == 2


def test_an_ended_run_is_taken_up_where_it_was(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    score_units(runs, tmp_path / "whole")
    scored: list[int] = []
    score = UnitScorer.state

    def fail_at_third(scorer: UnitScorer) -> Any:
        scored.append(scorer.unit.number)
        if len(scored) == 3:
            raise KeyboardInterrupt
        return score(scorer)

    monkeypatch.setattr(UnitScorer, "state", fail_at_third)
    for output in (tmp_path / "scores", tmp_path / "scores.parquet"):
        scored.clear()
        with pytest.raises(KeyboardInterrupt):
            score_units(runs, output)
        messages: list[str] = []
        done = score_units(runs, output, messages=messages)
        assert scored[:4] == [0, 1, 2, 2]
        assert len(scored) == len(set(scored)) + 1
        assert done.resumed == 2
        assert done.problems == 3
        assert messages == [f"resuming: 2 of {len(set(scored))} units are done"]
    assert contents(tmp_path / "scores") == contents(tmp_path / "whole")
    assert not [*tmp_path.glob(".scores.parquet.*")]


def test_no_resume_scores_everything_again(runs: Path, tmp_path: Path) -> None:
    score_units(runs, tmp_path / "scores")
    assert score_units(runs, tmp_path / "scores").resumed > 3
    assert score_units(runs, tmp_path / "scores", resume=False).resumed == 0


def test_another_runs_folder_is_refused_with_what_differs(runs: Path, tmp_path: Path) -> None:
    output = tmp_path / "scores"
    score_units(runs, output)
    with pytest.raises(ConfigurationError, match=r"rules is new.*--overwrite"):
        score_units(runs, output, metrics=("turns", "rules"))
    write_attempts(runs, 100)
    with pytest.raises(ConfigurationError, match=r"runs\.jsonl has changed"):
        score_units(runs, output)
    done = score_units(runs, output, overwrite=True)
    assert (done.rows, done.resumed) == (100, 0)
    score_units(runs, tmp_path / "again")
    assert contents(output) == contents(tmp_path / "again")


def test_folders_of_other_things_are_left_alone(runs: Path, tmp_path: Path) -> None:
    output = tmp_path / "mine"
    output.mkdir()
    (output / "thesis.tex").write_text("all of it")
    with pytest.raises(ConfigurationError, match=r"contains other files, such as .*thesis\.tex"):
        score_units(runs, output, overwrite=True)
    assert (output / "thesis.tex").read_text() == "all of it"
    with pytest.raises(ConfigurationError, match="is in the input"):
        score_units([tmp_path], tmp_path / "scores")


@pytest.mark.parametrize("damage", ["part", "state", "cut"])
def test_a_unit_that_lacks_a_file_is_scored_again(damage: str, runs: Path, tmp_path: Path) -> None:
    output = tmp_path / "scores"
    done = score_units(runs, output)
    expected = contents(output)
    if damage == "part":
        done.parts[1].unlink()
    elif damage == "state":
        (output / "state" / "000001.parquet").unlink()
    else:
        done.parts[1].write_bytes(done.parts[1].read_bytes()[:-9])
    again = score_units(runs, output)
    assert again.resumed == len(done.parts) - 1
    assert contents(output) == expected


def test_a_touched_parquet_file_is_scored_again_and_touched_lines_are_not(
    runs: Path, tmp_path: Path
) -> None:
    table = tmp_path / "runs.parquet"
    attempts = [Trajectory(task_id="a", attempt=str(number)) for number in range(65)]
    parquet.write_table(
        pyarrow.Table.from_batches([trajectory_batch(attempts)]), table, row_group_size=10
    )
    inputs = [runs, table]
    units = len(score_units(inputs, tmp_path / "scores").parts)
    for file in inputs:
        os.utime(file, (10, 10))
    of_lines = len(score_units(runs, tmp_path / "lines").parts)
    assert score_units(inputs, tmp_path / "scores").resumed == of_lines < units


def test_old_work_folders_are_named_and_kept(runs: Path, tmp_path: Path) -> None:
    old = tmp_path / ".scores.parquet.0123456789abcdef.work"
    (old / "rows").mkdir(parents=True)
    messages: list[str] = []
    score_units(runs, tmp_path / "scores.parquet", messages=messages)
    assert messages == []
    os.utime(old, (0, 0))
    score_units(runs, tmp_path / "scores.parquet", messages=messages)
    assert [str(old) in message for message in messages] == [True]
    assert old.exists()


def test_metrics_that_compare_attempts_see_whole_tasks(tmp_path: Path) -> None:
    runs = write_attempts(tmp_path / "runs.jsonl")
    lines = runs.read_text().splitlines(keepends=True)
    random.Random(3).shuffle(lines)  # noqa: S311 - a test
    runs.write_text("".join(lines))
    expected = tmp_path / "expected.parquet"
    metrics = (RankMetric(),)
    _direct(runs, expected, metrics=metrics)
    score_units(runs, tmp_path / "scores.parquet", metrics=metrics)
    assert (tmp_path / "scores.parquet").read_bytes() == expected.read_bytes()


def test_a_users_figures_of_the_run_need_a_state(tmp_path: Path) -> None:
    runs = write_attempts(tmp_path / "runs.jsonl")
    whole = trajmeter.score(runs, metrics=[AnswerMetric()]).summary
    done = score_units(runs, None, metrics=(AnswerMetric(),))
    assert "no methods merge, state and restore" in done.summary.errors[-1].message
    assert done.summary.overall.figures == whole.overall.figures


def test_missing_tasks_are_counted_over_units(tmp_path: Path) -> None:
    runs = write_attempts(tmp_path / "runs.jsonl")
    tasks = [Task(id="t1x"), Task(id="t1")]
    whole = trajmeter.score(runs, metrics=["answers"], tasks=tasks).summary
    done = score_units(runs, None, metrics=("answers",), tasks=tuple(tasks))
    assert whole.missing_tasks is not None
    assert done.summary.missing_tasks == whole.missing_tasks


def test_folders_of_many_files(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    for number in range(10):
        (logs / f"{number}").mkdir(parents=True)
        write_attempts(logs / f"{number}" / "runs.jsonl", number + 1)
    (logs / "notes.txt").write_text("nothing of interest")
    with pytest.warns(UserWarning, match="1 file is left out"):
        whole = trajmeter.score(logs, metrics=["turns"])
    whole.write(tmp_path / "expected.csv")
    with pytest.warns(UserWarning, match="1 file is left out"):
        done = score_units(logs, tmp_path / "scores")
    assert len(done.parts) == 4
    assert done.summary == whole.summary
    with pytest.warns(UserWarning, match="1 file is left out"):
        score_units(logs, tmp_path / "scores.csv")
    assert (tmp_path / "scores.csv").read_bytes() == (tmp_path / "expected.csv").read_bytes()


def test_the_shard_that_completes_a_run_tells_of_an_empty_folder(
    runs: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    inputs, output = [runs, tmp_path / "empty"], tmp_path / "scores"
    counts = []
    for shard in ((2, 2), (1, 2)):
        problems: list[ReadProblem] = []
        done = score_units(inputs, output, shard=shard, problems=problems)
        unread = [problem for problem in problems if "nothing to read" in problem.message]
        counts.append((done.is_complete, len(unread), done.problems - len(problems)))
    assert counts == [(False, 0, 0), (True, 1, 0)]
    assert score_units(inputs, output).problems == 4


def test_an_empty_folder_is_a_problem_of_the_whole_run(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    problems: list[ReadProblem] = []
    done = score_units(tmp_path / "logs", tmp_path / "scores", problems=problems)
    assert (done.rows, done.problems, len(problems), done.is_complete) == (0, 1, 1, True)


def test_objects_score_but_are_not_resumed(runs: Path, tmp_path: Path) -> None:
    @metric
    def answered(task: Task | None, trajectory: Trajectory) -> float:
        return 1.0

    score_units(runs, tmp_path / "scores", metrics=(answered,))
    with pytest.raises(ConfigurationError, match="contains the results of another run"):
        score_units(runs, tmp_path / "scores", metrics=(answered,))
    with pytest.raises(ConfigurationError, match="by name or path"):
        score_units(runs, tmp_path / "more", metrics=(answered,), workers=2)


def test_score_files_takes_names_and_one_worker(runs: Path, tmp_path: Path) -> None:
    problems: list[ReadProblem] = []
    done = trajmeter.score_files(
        str(runs), output=str(tmp_path / "scores"), metrics="turns", on_problem=problems.append
    )
    assert (done.rows, len(done.parts), len(problems)) == (200, 1, 3)
    with pytest.raises(ReadError, match=r"runs\.jsonl:"):
        trajmeter.score_files(runs, output=tmp_path / "other", metrics="turns")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shard": (0, 2)}, "shard 0/2"),
        ({"shard": (3, 2)}, "shard 3/2"),
        ({"workers": 0}, "workers is 0"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str, runs: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=message):
        score_units(runs, tmp_path / "scores", **options)


def test_a_shard_needs_a_folder(runs: Path, tmp_path: Path) -> None:
    for output in (None, tmp_path / "scores.csv"):
        with pytest.raises(ConfigurationError, match="a shard needs a folder"):
            score_units(runs, output, shard=(1, 2))


def test_sizes_are_part_of_the_plan(runs: Path, tmp_path: Path) -> None:
    score_units(runs, tmp_path / "scores")
    with pytest.raises(ConfigurationError, match="piece_bytes 4000 → 5000"):
        score_units(runs, tmp_path / "scores", sizes=type(SIZES)(piece_bytes=5_000))


def test_mappings_of_parts_are_read_as_objects(runs: Path, tmp_path: Path) -> None:
    from trajmeter.readers.results import open_results

    score_units(runs, tmp_path / "scores")
    direct = trajmeter.score(runs, metrics=["turns"], on_problem=lambda _: None)
    name = "turns.error_breakdown"
    found = [
        None if text is None else json.loads(text)
        for batch in open_results(tmp_path / "scores").batches(["task_id"], [], [name])
        for text in batch[name].to_pylist()
    ]
    assert found == [row[name] for row in direct.rows]
    assert {} in found
    assert {"parse_error": 1} in found
