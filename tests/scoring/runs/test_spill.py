"""Large inputs whose attempts are compared: sorted by task first, and scored share by share."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import pyarrow.dataset
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import trajmeter
from tests.scoring.attempts import SIZES, contents, score_units, write_attempts
from tests.summaries.test_batches import ATTEMPTS, TASKS
from trajmeter.arrays import concatenated_batches
from trajmeter.errors import ConfigurationError
from trajmeter.scoring.runs import spill
from trajmeter.scoring.runs.folder import RunFolder
from trajmeter.scoring.runs.unit import UnitRows, UnitScorer

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import ReadProblem, Trajectory

METRICS = ("turns", "speedup")
SHARES = replace(SIZES, share_bytes=4_000)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Attempts at 50 tasks, those of a task far apart, and lines that cannot be read."""
    file = write_attempts(tmp_path / "runs.jsonl", broken=3)
    lines = file.read_text().splitlines()
    file.write_text("".join(f"{lines[at * 11 % len(lines)]}\n" for at in range(len(lines))))
    return file


def _score(runs: Path, output: Path | None, **options: Any) -> Any:
    return score_units(runs, output, **{"metrics": METRICS, "sizes": SHARES, **options})


def _rows(folder: Path) -> list[str]:
    return sorted(map(str, pyarrow.dataset.dataset(folder / "rows").to_table().to_pylist()))


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl", ".csv"])
def test_a_file_has_the_bytes_of_one_pass(suffix: str, runs: Path, tmp_path: Path) -> None:
    messages: list[str] = []
    done = _score(runs, tmp_path / f"shares{suffix}", messages=messages)
    whole = _score(runs, tmp_path / f"whole{suffix}", sizes=SIZES)
    assert any("sorting 0 MiB by task" in message for message in messages)
    expected = (tmp_path / f"whole{suffix}").read_bytes()
    assert (tmp_path / f"shares{suffix}").read_bytes() == expected
    assert (done.rows, done.problems) == (whole.rows, whole.problems) == (200, 3)
    assert len([*tmp_path.iterdir()]) == 3


def test_a_part_holds_whole_tasks_in_the_order_of_the_input(runs: Path, tmp_path: Path) -> None:
    problems: list[ReadProblem] = []
    done = _score(runs, tmp_path / "shares", problems=problems)
    assert (len(done.parts), done.rows, done.problems, len(problems)) == (10, 200, 3, 3)
    tables = [parquet.read_table(part) for part in done.parts]
    tasks = [{*table["task_id"].to_pylist()} for table in tables]
    assert sum(map(len, tasks)) == len(set.union(*tasks)) == 50
    sources = [table["source"].to_pylist() for table in tables]
    lines = [[int(str(source).rpartition(":")[2]) for source in part] for part in sources]
    assert all(sorted(part) == part for part in lines)
    _score(runs, tmp_path / "whole", sizes=SIZES)
    assert _rows(tmp_path / "shares") == _rows(tmp_path / "whole")
    names = sorted(each.name for each in (tmp_path / "shares").iterdir())
    assert names == ["manifest.json", "rows", "state", "summary.json"]


@settings(max_examples=5, deadline=None)
@given(attempts=ATTEMPTS.filter(bool), share=st.integers(50, 2_000))
def test_any_shares_give_the_rows_and_figures_of_one_pass(
    attempts: list[Trajectory], share: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any")
    file = folder / "runs.jsonl"
    file.write_text("".join(f"{each.model_dump_json()}\n" for each in attempts))
    sizes = replace(SIZES, share_bytes=share)
    done = _score(file, folder / "shares.parquet", tasks=TASKS, sizes=sizes)
    direct = trajmeter.score(file, metrics=METRICS, tasks=TASKS)
    direct.write(folder / "direct.parquet")
    found = parquet.read_table(folder / "shares.parquet")
    assert found.equals(parquet.read_table(folder / "direct.parquet"))
    summary, expected = json.loads(done.summary.model_dump_json()), direct.summary
    known = json.loads(expected.model_dump_json())
    assert _by_name(summary) == _by_name(known)


def _by_name(summary: Any) -> Any:
    """A summary whose groups, which come in the order of their first rows, are sorted."""
    if isinstance(summary, dict):
        return {name: _by_name(each) for name, each in summary.items()}
    if isinstance(summary, list):
        return sorted((_by_name(each) for each in summary), key=str)
    return summary


def test_workers_and_shards_change_no_byte(runs: Path, tmp_path: Path) -> None:
    _score(runs, tmp_path / "one")
    expected = contents(tmp_path / "one")
    _score(runs, tmp_path / "workers", workers=2)
    assert contents(tmp_path / "workers") == expected
    for number in (3, 1, 2):
        _score(runs, tmp_path / "shards", shard=(number, 3))
    assert contents(tmp_path / "shards") == expected
    for number in (1, 2):
        _score(runs, tmp_path / f"shard {number}", shard=(number, 2))
    shards = [tmp_path / "shard 2", tmp_path / "shard 1"]
    merged = trajmeter.merge(shards, output=tmp_path / "merged", verify=True)
    assert (merged.rows, merged.problems) == (200, 3)
    assert contents(tmp_path / "merged") == expected


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limit on open files")
@pytest.mark.parametrize("output", ["scores", "scores.jsonl"])
def test_more_shares_than_the_system_lets_files_be_open_at_first(
    output: str, runs: Path, tmp_path: Path
) -> None:
    import resource

    limit, highest = resource.getrlimit(resource.RLIMIT_NOFILE)
    if highest != resource.RLIM_INFINITY and highest < 1_024:
        pytest.skip("the system allows too few open files")
    sizes = replace(SIZES, share_bytes=400)
    _score(runs, tmp_path / "expected.jsonl", sizes=SIZES)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, highest))
        done = _score(runs, tmp_path / output, sizes=sizes)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, highest))
    assert done.rows == 200
    if output == "scores":
        assert len(done.parts) > 64
    else:
        assert (tmp_path / output).read_bytes() == (tmp_path / "expected.jsonl").read_bytes()


def test_an_ended_run_uses_what_it_sorted(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _score(runs, tmp_path / "whole")
    _end_at_unit(2, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        _score(runs, tmp_path / "ended")
    place = tmp_path / "ended" / "spill-1-of-1"
    assert (place / "notes.parquet").exists()
    monkeypatch.undo()
    messages: list[str] = []
    done = _score(runs, tmp_path / "ended", messages=messages)
    assert messages == ["resuming: 2 of 10 units are done"]
    assert (done.resumed, done.problems) == (2, 3)
    assert contents(tmp_path / "ended") == contents(tmp_path / "whole")
    place.mkdir()  # as a run that is killed at its very end leaves
    assert _score(runs, tmp_path / "ended").resumed == 10
    assert not place.exists()


@pytest.mark.parametrize("way", ["another run", "shards", "merged"])
def test_what_an_ended_run_sorted_is_removed_by_whoever_completes_the_folder(
    way: str, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "ended"
    _end_at_unit(2, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        _score(runs, output)
    monkeypatch.undo()
    assert (output / "spill-1-of-1").exists()
    (output / "spill-notes").mkdir()  # of somebody else
    if way == "another run":
        _score(runs, output, metrics=("turns",), sizes=SIZES, overwrite=True)
    elif way == "shards":
        other = RunFolder(output, "")
        with other.locked((1, 1)):
            _score(runs, output, shard=(1, 2))
            _score(runs, output, shard=(2, 2))
        assert (output / "spill-1-of-1").exists()  # another process was using it
        _score(runs, output, shard=(2, 2))
    else:
        _score(runs, tmp_path / "other")
        trajmeter.merge([output, tmp_path / "other"], output=output)
    names = sorted(each.name for each in output.iterdir())
    assert names == ["manifest.json", "rows", "spill-notes", "state", "summary.json"]


def test_a_folder_with_sorted_attempts_whose_replacement_was_cut_short_is_replaced(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "ended"
    _end_at_unit(2, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        _score(runs, output)
    monkeypatch.undo()

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    options: dict[str, Any] = {"metrics": ("turns",), "sizes": SIZES, "overwrite": True}
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", interrupted)
        with pytest.raises(KeyboardInterrupt):
            _score(runs, output, **options)
    assert _score(runs, output, **options).is_complete
    assert not (output / "spill-1-of-1").exists()


@pytest.mark.parametrize("damage", ["notes", "inputs"])
def test_what_is_not_of_this_run_is_sorted_again(
    damage: str, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _end_at_unit(2, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        _score(runs, tmp_path / "ended")
    monkeypatch.undo()
    if damage == "notes":
        (tmp_path / "ended" / "spill-1-of-1" / "notes.parquet").unlink()
        (tmp_path / "ended" / "spill-1-of-1" / "000005.arrow").write_bytes(b"torn")
    else:
        runs.touch()
    messages: list[str] = []
    done = _score(runs, tmp_path / "ended", messages=messages)
    assert (len(messages), done.resumed) == (2, 2)
    _score(runs, tmp_path / "whole")
    assert contents(tmp_path / "ended") == contents(tmp_path / "whole")


def _end_at_unit(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    state = UnitRows.state

    def end(work: UnitRows) -> Any:
        if work.unit.number == number:
            raise KeyboardInterrupt
        return state(work)

    monkeypatch.setattr(UnitRows, "state", end)


def test_an_input_that_changes_while_it_is_sorted_ends_the_run(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial_of = UnitScorer.trial_of

    def change(work: UnitScorer, task_id: str) -> str:
        runs.write_text(runs.read_text() + "\n")
        return trial_of(work, task_id)

    monkeypatch.setattr(UnitScorer, "trial_of", change)
    with pytest.raises(ConfigurationError, match="changed while the run read it"):
        _score(runs, tmp_path / "changed")


def test_little_is_held_while_attempts_are_sorted(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _score(runs, tmp_path / "once")
    monkeypatch.setattr(spill, "_HELD_BYTES", 1)
    written: list[int] = []

    def count(batches: list[pyarrow.RecordBatch]) -> pyarrow.RecordBatch:
        written.append(sum(map(len, batches)))
        return concatenated_batches(batches)

    monkeypatch.setattr(spill, "concatenated_batches", count)
    _score(runs, tmp_path / "often", batch_rows=30)
    assert (max(written) <= 30, sum(written), len(written) > 40) == (True, 200, True)
    assert _rows(tmp_path / "often") == _rows(tmp_path / "once")
