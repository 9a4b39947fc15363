"""Shards put together: each unit once, and the results of a run that was not divided."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import trajmeter
from tests.scoring.attempts import contents, score_units, write_attempts
from trajmeter.errors import ConfigurationError, ReadError, UnknownNameError
from trajmeter.scoring.runs.key import PARTS_FORMAT


@pytest.fixture
def shards(tmp_path: Path) -> list[Path]:
    """Folders of two shards, beside one of the whole."""
    runs = write_attempts(tmp_path / "runs.jsonl", broken=2)
    score_units(runs, tmp_path / "whole", metrics=("turns", "tools"))
    for number in (1, 2):
        score_units(
            runs,
            tmp_path / f"shard {number}",
            shard=(number, 2),
            metrics=("turns", "tools"),
        )
    return [tmp_path / "shard 1", tmp_path / "shard 2"]


def _unify(shards: list[Path]) -> None:
    """Copy the parts of the second folder to the first."""
    for name in ("rows", "state"):
        shutil.copytree(shards[1] / name, shards[0] / name, dirs_exist_ok=True)


def test_folders_of_shards_become_the_whole(shards: list[Path], tmp_path: Path) -> None:
    for order in (shards, shards[::-1]):
        target = tmp_path / f"all {order[0].name}"
        merged = trajmeter.merge(order, output=target, verify=True)
        assert contents(target) == contents(tmp_path / "whole")
        assert (merged.rows, merged.problems, merged.is_complete) == (200, 2, True)
    assert contents(shards[0]).keys().isdisjoint({"manifest.json", "summary.json"})


def test_one_folder_is_completed_in_place(shards: list[Path], tmp_path: Path) -> None:
    _unify(shards)
    trajmeter.merge(shards[0], output=shards[0])
    assert contents(shards[0]) == contents(tmp_path / "whole")


def test_a_missing_unit_is_named(shards: list[Path], tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"units are missing: 1 \(.*runs\.jsonl, lines"):
        trajmeter.merge(shards[:1], output=tmp_path / "all")
    assert not (tmp_path / "all").exists()


def test_a_unit_without_its_state_is_missing(shards: list[Path], tmp_path: Path) -> None:
    (shards[1] / "state" / "000001.parquet").unlink()
    with pytest.raises(ConfigurationError, match=r"1 of .* units are missing: 1 \("):
        trajmeter.merge(shards, output=tmp_path / "all")


@pytest.mark.parametrize("left", [0, 900])
def test_a_unit_with_a_truncated_state_is_taken_from_another_folder(
    left: int, shards: list[Path], tmp_path: Path
) -> None:
    state = shards[1] / "state" / "000001.parquet"
    state.write_bytes(state.read_bytes()[:left])
    with pytest.raises(ConfigurationError, match=r"1 of .* units are missing: 1 \("):
        trajmeter.merge(shards, output=tmp_path / "all")
    assert not (tmp_path / "all").exists()
    trajmeter.merge([*shards, tmp_path / "whole"], output=tmp_path / "all")
    assert contents(tmp_path / "all") == contents(tmp_path / "whole")


@pytest.mark.parametrize("content", ["[]", "{}", "{", '{"run_key": "a", "plan": {}}'])
def test_what_is_no_plan_is_said(content: str, shards: list[Path], tmp_path: Path) -> None:
    plan = shards[0] / "state" / "plan.json"
    plan.write_text(content)
    with pytest.raises(ConfigurationError, match=r"plan\.json: not the plan of a run"):
        trajmeter.merge(shards, output=tmp_path / "all")
    with pytest.raises(ConfigurationError, match=r"plan\.json: not the plan of a run"):
        score_units(tmp_path / "runs.jsonl", shards[0])


def test_parts_of_another_format_are_refused(shards: list[Path], tmp_path: Path) -> None:
    plan = shards[0] / "state" / "plan.json"
    plan.write_text(plan.read_text().replace(f'"parts": {PARTS_FORMAT}', '"parts": 0'))
    with pytest.raises(ConfigurationError, match="an incompatible version of Trajmeter"):
        trajmeter.merge(shards, output=tmp_path / "all")


def test_a_unit_that_is_there_twice_has_to_be_the_same(shards: list[Path], tmp_path: Path) -> None:
    _unify(shards)
    trajmeter.merge(shards, output=tmp_path / "all")
    part = shards[1] / "rows" / "part-000001.parquet"
    score_units(tmp_path / "runs.jsonl", tmp_path / "other", metrics=("turns",))
    from pyarrow import parquet

    table = parquet.read_table(part)
    about = {**(parquet.read_metadata(part).metadata or {})}
    about.pop(b"ARROW:schema")
    parquet.write_table(table.slice(1).replace_schema_metadata(about), part)
    with pytest.raises(ConfigurationError, match=r"unit 1 .* with different bytes"):
        trajmeter.merge(shards, output=tmp_path / "more")


def test_parts_that_the_manifest_does_not_name_are_found(
    shards: list[Path], tmp_path: Path
) -> None:
    assert shards
    whole = tmp_path / "whole"
    trajmeter.merge(whole, output=whole, verify=True)
    part = whole / "rows" / "part-000002.parquet"
    content = bytearray(part.read_bytes())
    content[40] ^= 1
    part.write_bytes(content)
    trajmeter.merge(whole, output=tmp_path / "unseen")
    with pytest.raises(ConfigurationError, match=r"part-000002\.parquet is not the part"):
        trajmeter.merge(whole, output=tmp_path / "copy", verify=True)


def test_parts_of_shards_are_compared_with_what_was_noted_of_them(
    shards: list[Path], tmp_path: Path
) -> None:
    part = shards[1] / "rows" / "part-000001.parquet"
    content = bytearray(part.read_bytes())
    content[40] ^= 1
    part.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"not the part that .*000001\.parquet names"):
        trajmeter.merge(shards, output=tmp_path / "all", verify=True)
    assert not (tmp_path / "all").exists()


def test_other_runs_and_other_folders_are_refused(shards: list[Path], tmp_path: Path) -> None:
    runs = tmp_path / "runs.jsonl"
    score_units(runs, tmp_path / "other", shard=(2, 2), metrics=("turns",))
    with pytest.raises(ConfigurationError, match=r"another run than .*tools was removed"):
        trajmeter.merge([shards[0], tmp_path / "other"], output=tmp_path / "all")
    with pytest.raises(ConfigurationError, match="is not the folder of a run"):
        trajmeter.merge([tmp_path / "absent"], output=tmp_path / "all")
    with pytest.raises(ConfigurationError, match="at least one folder"):
        trajmeter.merge([], output=tmp_path / "all")
    with pytest.raises(ConfigurationError, match="contains the results of another run"):
        trajmeter.merge(shards, output=tmp_path / "other")
    with pytest.raises(ConfigurationError, match=r"all\.parquet: merged shards are a folder"):
        trajmeter.merge(shards, output=tmp_path / "all.parquet")
    assert not (tmp_path / "all.parquet").exists()


def test_a_python_file_that_a_folder_names_is_only_run_if_it_is_named_again(
    tmp_path: Path,
) -> None:
    runs = write_attempts(tmp_path / "runs.jsonl")
    file = tmp_path / "own.py"
    file.write_text(
        "from trajmeter import metric\n\n"
        "open(__file__ + '.ran', 'w').close()\n\n"
        "@metric\ndef own(task, trajectory):\n    return 1.0\n"
    )
    name = f"{file}@own"
    score_units(runs, tmp_path / "scores", metrics=("turns", name))
    ran = tmp_path / "own.py.ran"
    ran.unlink()
    copy = tmp_path / "all"
    trajmeter.merge(tmp_path / "scores", output=copy, metrics=[name])
    assert contents(copy) == contents(tmp_path / "scores")
    trajmeter.merge(tmp_path / "scores", output=copy, metrics=name)
    plan = copy / "state" / "plan.json"
    other = tmp_path / "other.py"
    other.write_text(file.read_text())
    plan.write_text(plan.read_text().replace(file.name, other.name))
    file.write_text(f"{file.read_text()}# changed\n")
    for metrics in ((), (name,), ("turns",)):
        with pytest.raises(ConfigurationError, match=r"only run if you name it too: --metrics "):
            trajmeter.merge(copy, output=tmp_path / "more", metrics=metrics)
    assert not (tmp_path / "other.py.ran").exists()
    assert not (tmp_path / "more").exists()


def test_a_python_file_may_be_elsewhere_by_the_time_of_merging(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = write_attempts(tmp_path / "runs.jsonl")
    code = "from trajmeter import metric\n\n@metric\ndef own(task, trajectory):\n    return 1.0\n"
    (tmp_path / "own.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    score_units(runs, Path("scores"), metrics=("turns", "own.py@own"))
    there = tmp_path / "there"
    there.mkdir()
    (tmp_path / "own.py").rename(there / "moved.py")
    name = f"{there / 'moved.py'}@own"
    trajmeter.merge("scores", output="all", metrics=name)
    assert contents(tmp_path / "all") == contents(tmp_path / "scores")
    (there / "moved.py").write_text(f"{code}\n")
    with pytest.raises(ConfigurationError, match=r"own\.py@own, or another path to the same file"):
        trajmeter.merge("scores", output="more", metrics=name)
    with pytest.raises(ReadError, match=r"absent\.py: No such file"):
        trajmeter.merge("scores", output="more", metrics="absent.py@own")


def test_only_metrics_of_the_run_are_named(shards: list[Path], tmp_path: Path) -> None:
    message = "unknown metric of this run 'turn'; did you mean 'turns'? Available: tools, turns"
    with pytest.raises(UnknownNameError, match=f"^{re.escape(message)}$"):
        trajmeter.merge(shards, output=tmp_path / "all", metrics=["tools", "turn"])
    assert not (tmp_path / "all").exists()
    trajmeter.merge(shards, output=tmp_path / "all", metrics=["tools"])
