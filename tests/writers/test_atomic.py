"""Files that are replaced atomically, while several processes write them."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, BinaryIO

import pytest

from trajmeter.errors import ConfigurationError
from trajmeter.system import locks
from trajmeter.writers import atomic
from trajmeter.writers.atomic import replacing

if TYPE_CHECKING:
    from pathlib import Path

POSIX = pytest.mark.skipif(locks.WINDOWS, reason="renames open files")

_HELD = """
import sys, pathlib
from trajmeter.writers.atomic import replacing
with replacing(pathlib.Path(sys.argv[1])) as stream:
    stream.write(b"half")
    stream.flush()
    print("ready", flush=True)
    sys.stdin.readline()
"""


def test_leftovers_of_a_killed_process_are_removed_but_not_files_of_a_running_one(
    tmp_path: Path,
) -> None:
    target = tmp_path / "rows.jsonl"
    call = [sys.executable, "-c", _HELD, str(target)]
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as killed:
        assert killed.stdout is not None
        killed.stdout.readline()
        killed.kill()
    (left,) = tmp_path.iterdir()
    (tmp_path / ".rows.jsonl.7.part").touch()  # as an earlier version named them
    others = {tmp_path / ".rows.jsonl.old.7-0.part", tmp_path / ".rows.jsonl.mine.part"}
    for other in others:
        other.touch()
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as living:
        assert living.stdout is not None
        living.stdout.readline()
        assert not left.exists()
        with replacing(target) as stream:
            stream.write(b"mine")
        assert target.read_bytes() == b"mine"
        living.communicate(b"go\n")
    assert living.returncode == 0
    assert target.read_bytes() == b"half"
    assert set(tmp_path.iterdir()) == {target, *others}


@POSIX
def test_another_writer_does_not_remove_a_file_that_is_about_to_be_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "rows.jsonl"

    def replace_late(file: Path, target: Path) -> None:
        atomic.remove_abandoned(tmp_path)  # as another writer of the same file does first
        file.replace(target)

    monkeypatch.setattr(atomic, "_replace", replace_late)
    with replacing(target) as stream:
        stream.write(b"mine")
    assert target.read_bytes() == b"mine"


@POSIX
def test_a_writer_that_has_ended_leaves_the_next_file_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Path] = []

    def replace_early(file: Path, target: Path) -> None:
        file.replace(target)
        file.touch()  # as another thread's writer does next
        begun.append(file)

    monkeypatch.setattr(atomic, "_replace", replace_early)
    with replacing(tmp_path / "rows.jsonl") as stream:
        stream.write(b"mine")
    assert begun[0].exists()


@POSIX
def test_a_file_begun_while_an_earlier_one_of_its_name_is_locked_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / ".rows.jsonl.7-0.part"
    left.touch()

    def lock_late(stream: BinaryIO) -> bool:
        left.replace(tmp_path / "rows.jsonl")  # its writer completes it, and begins another
        left.touch()
        return locks.lock(stream)

    monkeypatch.setattr(atomic, "locks", SimpleNamespace(lock=lock_late, WINDOWS=False))
    atomic.remove_abandoned(tmp_path)
    assert left.exists()


def test_an_error_on_closing_names_the_file(tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(os.devnull)
    with (
        pytest.raises(ConfigurationError, match=r"link\.jsonl: cannot be written: Bad file desc"),
        replacing(link) as stream,
    ):
        os.close(stream.fileno())
