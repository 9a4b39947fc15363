"""Conversion in units: resumed, divided, merged, and always the same bytes."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from pyarrow import parquet

import trajmeter
from tests.scoring.attempts import contents, convert_units, score_units
from trajmeter.errors import ConfigurationError
from trajmeter.readers import read_trajectories
from trajmeter.schemas import trajectory_schema
from trajmeter.scoring.runs.unit import UnitRows
from trajmeter.writers.arrow import stored_schema

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import ReadProblem


def test_parts_hold_the_trajectories_in_order(runs: Path, tmp_path: Path) -> None:
    problems: list[ReadProblem] = []
    done = convert_units(runs, tmp_path / "converted", problems=problems)
    assert (done.rows, done.resumed, done.problems, len(problems)) == (200, 0, 3, 3)
    assert len(done.parts) > 3
    assert parquet.read_schema(done.parts[0]).equals(stored_schema(trajectory_schema()))
    expected = [*read_trajectories(runs, on_problem=lambda _: None)]
    assert [*read_trajectories(done.parts)] == expected
    folder = tmp_path / "converted"
    summary = {"trajectories": 200, "formats": {"trajectory-records": 200}}
    assert json.loads((folder / "summary.json").read_text()) == summary
    assert done.summary.model_dump() == summary
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["rows"], manifest["settings"]["results"]) == (200, "trajectories")


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_one_file_holds_them_too(suffix: str, runs: Path, tmp_path: Path) -> None:
    mapped = {"task_id": "m", "unusable": {"x": "y"}, "run_log": {"events": {"i": 3}}}
    runs.write_text(runs.read_text() + json.dumps(mapped) + "\n")
    output = tmp_path / f"converted{suffix}"
    done = convert_units(runs, output)
    assert (done.rows, done.parts) == (201, ())
    assert [*read_trajectories(output)] == [*read_trajectories(runs, on_problem=lambda _: None)]
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([output.name, runs.name])


def test_neither_workers_nor_shards_change_a_byte(runs: Path, tmp_path: Path) -> None:
    convert_units(runs, tmp_path / "one")
    expected = contents(tmp_path / "one")
    problems: list[ReadProblem] = []
    convert_units(runs, tmp_path / "workers", workers=2, problems=problems)
    assert (contents(tmp_path / "workers"), len(problems)) == (expected, 3)
    for number in (3, 1, 2):
        convert_units(runs, tmp_path / "shards", shard=(number, 3))
    assert contents(tmp_path / "shards") == expected
    for number in (1, 2):
        convert_units(runs, tmp_path / f"shard {number}", shard=(number, 2))
    shards = [tmp_path / "shard 2", tmp_path / "shard 1"]
    merged = trajmeter.merge(shards, output=tmp_path / "merged", verify=True)
    assert (merged.rows, merged.problems) == (200, 3)
    assert contents(tmp_path / "merged") == expected


def test_an_ended_conversion_is_taken_up(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    convert_units(runs, tmp_path / "whole")
    state = UnitRows.state
    begun: list[int] = []

    def end_at_third(work: UnitRows) -> Any:
        begun.append(work.unit.number)
        if len(begun) == 3:
            raise KeyboardInterrupt
        return state(work)

    monkeypatch.setattr(UnitRows, "state", end_at_third)
    with pytest.raises(KeyboardInterrupt):
        convert_units(runs, tmp_path / "ended")
    assert not (tmp_path / "ended" / "manifest.json").exists()
    done = convert_units(runs, tmp_path / "ended")
    assert (begun[:4], done.resumed, done.problems) == ([0, 1, 2, 2], 2, 3)
    assert contents(tmp_path / "ended") == contents(tmp_path / "whole")
    assert convert_units(runs, tmp_path / "ended").resumed == len(done.parts)
    assert convert_units(runs, tmp_path / "ended", resume=False).resumed == 0


def test_scores_and_trajectories_do_not_share_a_folder(runs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    convert_units(runs, folder)
    with pytest.raises(ConfigurationError, match=r"run \(results: trajectories → scores\)"):
        score_units(runs, folder)
    score_units(runs, folder, overwrite=True)
    shutil.copytree(folder, tmp_path / "copy")
    convert_units(runs, tmp_path / "other")
    with pytest.raises(ConfigurationError, match=r"another run than .*results: scores →"):
        trajmeter.merge([folder, tmp_path / "other"], output=tmp_path / "copy")


def test_what_was_converted_scores_as_what_it_was_made_of(runs: Path, tmp_path: Path) -> None:
    convert_units(runs, tmp_path / "converted")
    again = trajmeter.score(tmp_path / "converted" / "rows", metrics=["turns"])
    direct = trajmeter.score(runs, metrics=["turns"], on_problem=lambda _: None)
    assert [str(row) for row in again.rows] == [str(row) for row in direct.rows]
