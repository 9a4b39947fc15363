"""The folder of a run: what is removed from it, and when it says that it is complete."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import trajmeter
from tests.scoring.attempts import contents, score_units, write_attempts
from trajmeter.errors import ConfigurationError
from trajmeter.scoring.runs import preparing, publishing
from trajmeter.scoring.runs.folder import RunFolder
from trajmeter.scoring.runs.unit_files import UnitFiles

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return write_attempts(tmp_path / "runs.jsonl")


def test_nothing_is_made_in_a_folder_of_other_files(runs: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"contains other files, such as .*runs\.jsonl"):
        score_units(runs, runs.parent)
    assert [*runs.parent.iterdir()] == [runs]


@pytest.mark.parametrize("name", ["rows", "state"])
def test_a_file_in_the_place_of_a_folder_is_another_file(
    name: str, runs: Path, tmp_path: Path
) -> None:
    output = tmp_path / "scores"
    output.mkdir()
    (output / name).write_text("mine")
    with pytest.raises(ConfigurationError, match=f"contains other files, such as .*{name}; choose"):
        score_units(runs, output)
    assert [*output.iterdir()] == [output / name]


@pytest.mark.parametrize("name", ["rows", "state"])
def test_a_link_in_the_place_of_a_folder_is_not_followed(
    name: str, runs: Path, tmp_path: Path
) -> None:
    output = tmp_path / "scores"
    score_units(runs, output)
    (output / name).rename(tmp_path / "other")
    (output / name).symlink_to(tmp_path / "other")
    for lock in (tmp_path / "other").glob("lock-*"):
        lock.write_text("as it was")
    before = contents(tmp_path / "other")
    with pytest.raises(ConfigurationError, match=f"{name} is a link, .*scores may be a link"):
        score_units(runs, output, overwrite=True)
    with pytest.raises(ConfigurationError, match=f"{name} is a link, .*scores may be a link"):
        trajmeter.merge(output, output=output)
    assert contents(tmp_path / "other") == before


def test_links_in_the_place_of_files_are_replaced(runs: Path, tmp_path: Path) -> None:
    output = tmp_path / "scores"
    score_units(runs, output)
    expected = contents(output)
    other = tmp_path / "other"
    other.write_text("kept")
    names = ("manifest.json", "summary.json", "state/000000.parquet", "rows/part-000000.parquet")
    for name in names:
        (output / name).unlink()
        (output / name).symlink_to(other)
        score_units(runs, output)
        assert contents(output) == expected
        assert not (output / name).is_symlink()
        assert other.read_text() == "kept"


@pytest.mark.parametrize("name", ["file", "link"])
def test_a_file_is_no_folder(name: str, runs: Path, tmp_path: Path) -> None:
    output = tmp_path / name
    if name == "file":
        output.write_text("mine")
    else:
        output.symlink_to("nowhere")
    with pytest.raises(ConfigurationError, match=rf"{name} is a file, expected a folder"):
        score_units(runs, output)
    assert output.is_symlink() == (name == "link")


@pytest.mark.parametrize("is_below_a_file", [True, False])
def test_a_folder_that_cannot_be_written_is_refused_before_inputs_are_read(
    is_below_a_file: bool, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unread(*_: Any, **__: Any) -> Any:
        pytest.fail("the inputs were read")

    monkeypatch.setattr(preparing, "make_plan", unread)
    if is_below_a_file:
        with pytest.raises(ConfigurationError, match=r"runs\.jsonl is a file, expected a folder"):
            score_units(runs, runs / "scores")
        return
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(ConfigurationError, match=r"scores: no permission to write"):
        score_units(runs, tmp_path / "scores")


@pytest.mark.parametrize("name", ["summary.json", "rows/mine.parquet", "state/mine"])
def test_shards_are_not_merged_into_a_folder_of_other_files(
    name: str, runs: Path, tmp_path: Path
) -> None:
    score_units(runs, tmp_path / "shard", shard=(1, 1))
    mine = tmp_path / "mine" / name
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    with pytest.raises(ConfigurationError, match="contains other files"):
        trajmeter.merge(tmp_path / "shard", output=tmp_path / "mine")
    assert [each for each in (tmp_path / "mine").rglob("*") if each.is_file()] == [mine]
    assert mine.read_text() == "mine"


def test_a_pattern_that_finds_what_the_run_writes_is_refused(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    score_units([Path("**/*.*")], Path("scores"))
    kept = contents(tmp_path / "scores")
    for overwrite in (False, True):
        with pytest.raises(ConfigurationError, match=r"include scores.*is in the output scores"):
            score_units([Path("**/*.*")], Path("scores"), overwrite=overwrite)
    assert contents(tmp_path / "scores") == kept
    assert runs.exists()


def test_a_shard_that_begins_anew_keeps_the_parts_of_others(runs: Path, tmp_path: Path) -> None:
    output = tmp_path / "scores"
    score_units(runs, output, shard=(1, 2), resume=False)
    first = contents(output)
    done = score_units(runs, output, shard=(2, 2), resume=False)
    assert first.items() < contents(output).items()
    assert done.is_complete
    again = score_units(runs, output, shard=(2, 2), resume=False)
    assert (again.resumed, again.rows) == (0, done.rows)
    assert score_units(runs, output, shard=(1, 2)).resumed > 0


@pytest.mark.skipif(os.name == "nt", reason="locks of POSIX")
@pytest.mark.parametrize("options", [{"overwrite": True, "metrics": ("tools",)}, {"resume": False}])
def test_nothing_is_removed_while_a_shard_is_scored(
    options: dict[str, object], runs: Path, tmp_path: Path
) -> None:
    output = tmp_path / "scores"
    score_units(runs, output, shard=(1, 2))
    kept = contents(output)
    with (
        RunFolder(output, "").locked((2, 2)),
        pytest.raises(ConfigurationError, match="another process is writing this output"),
    ):
        score_units(runs, output, **options)  # type: ignore[arg-type]  # as they are named
    assert contents(output) == kept


@pytest.mark.parametrize("name", ["part-000001.parquet", "000001.parquet", "plan.json"])
def test_a_folder_whose_replacement_was_cut_short_is_replaced(
    name: str, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "scores"
    score_units(runs, output)
    unlink = Path.unlink

    def interrupted(path: Path, **options: Any) -> None:
        if path.name == name:
            raise KeyboardInterrupt
        unlink(path, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", interrupted)
        with pytest.raises(KeyboardInterrupt):
            score_units(runs, output, overwrite=True, metrics=("tools",))
    assert score_units(runs, output, overwrite=True, metrics=("tools",)).is_complete


def _without_settings(plan: bytes) -> bytes:
    return json.dumps({**json.loads(plan), "settings": {}}).encode()


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda plan: plan[: len(plan) // 2], id="truncated"),
        pytest.param(lambda _: b"", id="empty"),
        pytest.param(lambda plan: bytes(len(plan)), id="zeros"),
        pytest.param(_without_settings, id="no settings"),
    ],
)
def test_a_folder_with_a_damaged_plan_is_replaced_if_asked(
    damage: Callable[[bytes], bytes], runs: Path, tmp_path: Path
) -> None:
    output = tmp_path / "scores"
    score_units(runs, output)
    expected = contents(output)
    plan = output / "state" / "plan.json"
    plan.write_bytes(damage(plan.read_bytes()))
    with pytest.raises(
        ConfigurationError, match=r"plan\.json: not the plan of a run: .* --overwrite"
    ):
        score_units(runs, output)
    with pytest.raises(ConfigurationError, match="not the plan of a run"):
        trajmeter.merge(output, output=tmp_path / "all")
    done = score_units(runs, output, overwrite=True)
    assert (done.resumed, done.is_complete) == (0, True)
    assert contents(output) == expected


def test_a_plan_of_something_else_is_never_replaced(runs: Path, tmp_path: Path) -> None:
    plan = tmp_path / "scores" / "state" / "plan.json"
    plan.parent.mkdir(parents=True)
    plan.write_text('{"format_version": "1.2"}')
    with pytest.raises(ConfigurationError, match="not the plan of a run"):
        score_units(runs, tmp_path / "scores", overwrite=True)
    assert plan.exists()


@pytest.mark.parametrize("content", [b"", b"{", bytes(9), b'{"run_key": "' + b"[" * 100_000])
@pytest.mark.parametrize(
    "name", ["notes.txt", "rows/part-a.parquet", "state/plan.db", "state/.env"]
)
def test_a_damaged_plan_among_other_files_is_never_replaced(
    name: str, content: bytes, runs: Path, tmp_path: Path
) -> None:
    output = tmp_path / "scores"
    for file in ("state/plan.json", "rows/part-000000.parquet", "manifest.json", name):
        (output / file).parent.mkdir(parents=True, exist_ok=True)
        (output / file).write_bytes(content)
    kept = {file for file in output.rglob("*") if file.is_file()}
    with pytest.raises(ConfigurationError, match=f"other files, such as .*{re.escape(name)};"):
        score_units(runs, output, overwrite=True)
    assert {file for file in output.rglob("*") if file.is_file()} == kept
    assert all(file.read_bytes() == content for file in kept)


def test_a_damaged_plan_of_a_work_folder_costs_only_the_finished_units(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "scores.jsonl"
    score_units(runs, tmp_path / "expected.jsonl")
    with monkeypatch.context() as patch:
        patch.setattr(publishing, "_read_rows", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            score_units(runs, output)
    (plan,) = tmp_path.glob(".scores.jsonl.*.work/state/plan.json")
    plan.write_bytes(b"")
    assert score_units(runs, output).is_complete
    assert output.read_bytes() == (tmp_path / "expected.jsonl").read_bytes()


def test_a_damaged_part_of_a_work_folder_is_scored_again(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output, expected = tmp_path / "scores.jsonl", tmp_path / "expected.jsonl"
    score_units(runs, expected)
    with monkeypatch.context() as patch:
        patch.setattr(publishing, "_read_rows", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            score_units(runs, output)
    units = sorted(tmp_path.glob(".scores.jsonl.*.work/rows/*.parquet"))
    part = bytearray(units[1].read_bytes())
    part[4:40] = bytes(36)  # within the first page; the footer is intact
    units[1].write_bytes(part)
    done = score_units(runs, output)
    assert (done.resumed, done.is_complete) == (len(units) - 1, True)
    assert output.read_bytes() == expected.read_bytes()


def test_a_merge_that_was_cut_short_is_taken_up(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    score_units(runs, tmp_path / "whole")
    copy = shutil.copyfileobj

    def interrupted(source: Any, target: Any) -> None:
        if Path(source.name).name == "part-000001.parquet":
            raise KeyboardInterrupt
        copy(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfileobj", interrupted)
        with pytest.raises(KeyboardInterrupt):
            trajmeter.merge(tmp_path / "whole", output=tmp_path / "all")
    assert trajmeter.merge(tmp_path / "whole", output=tmp_path / "all").is_complete
    assert contents(tmp_path / "all") == contents(tmp_path / "whole")


def test_there_is_no_manifest_while_a_unit_is_missing(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "scores"
    score_units(runs, output).parts[1].unlink()
    with monkeypatch.context() as patch:
        patch.setattr(UnitFiles, "commit", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            score_units(runs, output)
    assert not (output / "manifest.json").exists()
    assert score_units(runs, output).is_complete
    assert (output / "manifest.json").exists()


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt
