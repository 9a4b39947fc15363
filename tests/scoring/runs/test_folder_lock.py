"""One process at a time writes the folder of a run, where the file system has locks."""

from __future__ import annotations

import errno
import json
import os
import re
from typing import TYPE_CHECKING

import pytest

from tests.scoring.attempts import contents, score_units
from trajmeter.errors import ConfigurationError
from trajmeter.scoring.runs.folder import RunFolder
from trajmeter.scoring.runs.folder_lock import holding, is_held

if TYPE_CHECKING:
    from pathlib import Path


def test_a_second_process_on_one_output_is_refused_before_it_reads(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "scores"
    score_units(runs, output)
    key = json.loads((output / "manifest.json").read_text())["run_key"]
    message = f"another process is writing .*process {os.getpid()}"
    with RunFolder(output, key).locked((1, 1)), monkeypatch.context() as patch:
        patch.setattr("trajmeter.scoring.runs.preparing.make_plan", None)
        with pytest.raises(ConfigurationError, match=message):
            score_units(runs, output)
    assert score_units(runs, output).is_complete


def test_a_lock_that_cannot_be_written_is_named(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "scores" / "state" / "lock-1-of-1").mkdir(parents=True)
    with pytest.raises(ConfigurationError, match=r"lock-1-of-1: cannot be written: "):
        score_units(runs, tmp_path / "scores")


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="needs links of POSIX")
def test_a_lock_that_is_a_link_is_not_written(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("kept")
    (tmp_path / "scores" / "state").mkdir(parents=True)
    (tmp_path / "scores" / "state" / "lock-1-of-1").symlink_to(tmp_path / "other")
    with pytest.raises(ConfigurationError, match=r"lock-1-of-1: cannot be written: "):
        score_units(runs, tmp_path / "scores")
    assert (tmp_path / "other").read_text() == "kept"


@pytest.mark.skipif(os.name == "nt", reason="locks of POSIX")
@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP])
def test_without_locks_a_run_warns_and_two_at_once_write_the_same_bytes(
    number: int, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    score_units(runs, tmp_path / "locked")
    expected = contents(tmp_path / "locked")
    key = json.loads(expected["manifest.json"])["run_key"]
    output = tmp_path / "scores"

    def flock(_: int, __: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("fcntl.flock", flock)
    message = f"^{re.escape(str(output))}: this file system has no locks; two runs that write"
    folder = RunFolder(output, key)
    folder.make()
    with pytest.warns(UserWarning, match=message) as warned, folder.locked((1, 1)):
        assert score_units(runs, output).is_complete  # while another run would hold the lock
    assert len(warned) == 2  # one of each run
    assert contents(output) == expected


@pytest.mark.skipif(os.name == "nt", reason="locks of POSIX")
def test_a_lock_of_which_nothing_is_known_counts_as_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "lock-1-of-1"
    assert not is_held(place)
    with holding(place, tmp_path):
        assert is_held(place)
    assert not is_held(place)

    def flock(_: int, __: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", flock)
    assert is_held(place)
