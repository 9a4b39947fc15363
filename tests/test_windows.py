"""What Windows does otherwise, done to the same code on any system, and the real thing on Windows.

There are no locks of POSIX there, an open file can be neither deleted nor replaced, folders cannot
be opened, some names are devices, and a process is killed with a tool.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from threading import Timer
from types import SimpleNamespace
from typing import Any

import pytest

import trajmeter
from trajmeter.errors import ConfigurationError
from trajmeter.frameworks.harness.resume import open_journal
from trajmeter.frameworks.result_files import evaluation_stem
from trajmeter.metrics.context.paths import find
from trajmeter.scoring.runs.engines.workers import available_memory
from trajmeter.system import locks, processes
from trajmeter.writers.atomic import remove_abandoned, replacing

EXAMPLE = Path(__file__).parents[1] / "examples" / "runs" / "runs.jsonl"
_OPEN = Path("/proc/self/fd")


class FakeMsvcrt:
    """Locks that belong to an open file, as those of Windows do."""

    LK_NBLCK = 2

    def locking(self, descriptor: int, mode: int, count: int) -> None:
        fcntl = pytest.importorskip("fcntl")
        assert (mode, count) == (self.LK_NBLCK, 1)
        place, size = os.lseek(descriptor, 0, os.SEEK_CUR), os.fstat(descriptor).st_size
        assert place > size, "a byte of the content would be locked against its readers"
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise PermissionError(errno.EACCES, "Permission denied") from error


def _refuse_if_open(*paths: Path) -> None:
    names = {str(path.resolve()) for path in paths}
    for descriptor in os.listdir(_OPEN):  # noqa: PTH208 - names, which may be gone by now
        try:
            found = os.readlink(_OPEN / descriptor)  # noqa: PTH115 - text, as the names are
        except OSError:
            continue
        if found in names:
            raise PermissionError(errno.EACCES, "used by another process", found)


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file system of Windows."""
    if os.name == "nt":
        return
    if not _OPEN.is_dir():
        pytest.skip("open files are found in /proc")
    unlink, replace, open_file = Path.unlink, Path.replace, os.open

    def refusing_unlink(path: Path, missing_ok: bool = False) -> None:  # noqa: FBT002 - as in Path
        _refuse_if_open(path)
        unlink(path, missing_ok=missing_ok)

    def refusing_replace(path: Path, target: Path) -> Path:
        _refuse_if_open(path, target)
        return replace(path, target)

    def refusing_open(path: Any, *arguments: Any, **options: Any) -> int:
        if not isinstance(path, int) and os.path.isdir(path):  # noqa: PTH112 - any kind of path
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return open_file(path, *arguments, **options)

    monkeypatch.setattr(locks, "WINDOWS", True)
    monkeypatch.setitem(sys.modules, "msvcrt", FakeMsvcrt())
    monkeypatch.setattr(Path, "unlink", refusing_unlink)
    monkeypatch.setattr(Path, "replace", refusing_replace)
    monkeypatch.setattr(os, "open", refusing_open)


@pytest.fixture(params=["posix", "windows"])
def either(request: pytest.FixtureRequest) -> None:
    """Each system's locks; POSIX's are not there on Windows."""
    if request.param == "windows":
        request.getfixturevalue("windows")
    elif os.name == "nt":
        pytest.skip("this is Windows")


@pytest.mark.usefixtures("either")
def test_one_open_file_at_a_time_is_locked(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"first\nsecond\n")
    with path.open("r+b") as one, path.open("r+b") as other:
        assert one.readline() == b"first\n"
        assert locks.lock(one)
        assert not locks.lock(other)
        assert one.readline() == b"second\n"  # reading goes on where it was
        assert other.read() == b"first\nsecond\n"  # and others may read
    with path.open("r+b") as later:
        assert locks.lock(later)


@pytest.mark.usefixtures("either")
def test_a_lock_may_be_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    holder = path.open("r+b")
    assert locks.lock(holder)
    timer = Timer(0.1, holder.close)
    timer.start()
    with path.open("r+b") as other:
        assert locks.lock(other, wait=True)
    timer.join()


@pytest.mark.usefixtures("windows")
def test_a_file_system_without_locks_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def locking(*_: int) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(LK_NBLCK=2, locking=locking))
    with Path(os.devnull).open("r+b") as stream, pytest.raises(OSError, match="Invalid argument"):
        locks.lock(stream)


@pytest.mark.usefixtures("windows")
def test_a_file_that_somebody_reads_is_replaced_when_he_is_done(tmp_path: Path) -> None:
    target = tmp_path / "scores.jsonl"
    target.write_bytes(b"old")
    reader = target.open("rb")
    timer = Timer(0.1, reader.close)
    timer.start()
    with replacing(target) as stream:
        stream.write(b"new")
    timer.join()
    assert target.read_bytes() == b"new"
    assert [*tmp_path.iterdir()] == [target]


@pytest.mark.usefixtures("windows")
def test_a_file_that_is_read_for_ever_keeps_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajmeter.writers.atomic._PAUSES", (0.001, 0.001))
    target = tmp_path / "scores.jsonl"
    target.write_bytes(b"old")
    message = r"scores\.jsonl: cannot be written: "
    with (
        target.open("rb"),
        pytest.raises(ConfigurationError, match=message),
        replacing(target) as stream,
    ):
        stream.write(b"new")
    assert target.read_bytes() == b"old"
    assert [*tmp_path.iterdir()] == [target]


@pytest.mark.usefixtures("windows")
def test_a_temporary_file_in_use_stays_and_an_abandoned_one_goes(tmp_path: Path) -> None:
    abandoned = tmp_path / ".scores.jsonl.1-0.part"
    abandoned.touch()
    with replacing(tmp_path / "scores.jsonl") as stream:
        stream.write(b"new")
        assert not abandoned.exists()
        remove_abandoned(tmp_path)
        assert len([*tmp_path.iterdir()]) == 1
    assert (tmp_path / "scores.jsonl").read_bytes() == b"new"


@pytest.mark.usefixtures("windows")
def test_a_run_resumes_and_its_folder_belongs_to_one_process(tmp_path: Path) -> None:
    folder = tmp_path / "scores"

    def run(**options: Any) -> Any:
        return trajmeter.score_files(
            EXAMPLE, output=folder, metrics=["turns"], workers=1, **options
        )

    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    assert run().is_complete
    assert run().resumed == 1
    (lock,) = folder.glob("state/lock-*")
    with lock.open("a+") as held:
        assert locks.lock(held)
        with pytest.raises(
            ConfigurationError, match=r"another process is writing this output \(proc"
        ):
            run()
    assert run(resume=False).rows == 6


@pytest.mark.usefixtures("windows")
def test_the_work_folder_of_a_file_goes_although_its_lock_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    if os.name != "nt":
        delete = os.unlink

        def refusing_delete(path: str | Path) -> None:
            _refuse_if_open(Path(path))
            delete(path)

        monkeypatch.setattr(os, "unlink", refusing_delete)
        monkeypatch.setattr(shutil, "_use_fd_functions", False)
    output = tmp_path / "scores.parquet"
    done = trajmeter.score_files(EXAMPLE, output=output, metrics=["turns"], workers=1)
    assert done.is_complete
    assert [*tmp_path.iterdir()] == [output]


@pytest.mark.usefixtures("windows")
def test_two_runs_of_one_agent_reserve_different_names(tmp_path: Path) -> None:
    first = open_journal(tmp_path, "agent_lamps", "digest")
    second = open_journal(tmp_path, "agent_lamps", "digest")
    names = sorted(path.name for path in tmp_path.iterdir())
    assert len(names) == 2
    first.remove()  # which is open, and so has to be closed before
    assert sorted(path.name for path in tmp_path.iterdir()) == names[1:]
    second.__exit__(None, None, None)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.usefixtures("windows")
def test_a_journal_that_is_being_removed_belongs_to_somebody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    going = tmp_path / ".agent_lamps_20260101_000000.journal"
    going.touch()
    open_path = Path.open

    def refusing(path: Path, mode: str = "r", **options: Any) -> Any:
        if path == going:
            raise PermissionError(errno.EACCES, "delete pending")
        return open_path(path, mode, **options)

    monkeypatch.setattr(Path, "open", refusing)
    with open_journal(tmp_path, "agent_lamps", "digest") as journal:
        assert journal.folder == tmp_path


def test_a_process_has_its_own_group_and_is_killed_with_its_children(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(locks, "WINDOWS", True)
    assert processes.own_group() == {"creationflags": 0x200}
    ran: list[list[str]] = []
    monkeypatch.setattr(subprocess, "run", lambda command, **_: ran.append(command))
    killed: list[bool] = []
    process: Any = SimpleNamespace(pid=77, kill=lambda: killed.append(True))
    processes.kill_all(process)
    assert ran[0][0].endswith(r"System32\taskkill.exe")
    assert ran[0][1:] == ["/F", "/T", "/PID", "77"]
    assert killed == [True]

    def missing(command: list[str], **_: object) -> None:
        raise FileNotFoundError(command[0])

    monkeypatch.setattr(subprocess, "run", missing)
    processes.kill_all(process)
    assert killed == [True, True]


def test_the_memory_of_the_machine_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    if os.name != "nt":
        monkeypatch.setattr(locks, "WINDOWS", True)
        monkeypatch.delattr(os, "sysconf")

        def fill(status: Any) -> None:
            assert status[0] == ctypes.sizeof(status)
            status[1] = 4096

        library = SimpleNamespace(kernel32=SimpleNamespace(GlobalMemoryStatusEx=fill))
        monkeypatch.setattr(ctypes, "windll", library, raising=False)
        assert available_memory() == 4096
    assert available_memory() > 0


@pytest.mark.parametrize(
    ("framework", "scenario", "stem"),
    [
        ("Aux.v2", "lamps", "_aux.v2_lamps"),  # aux.anything is a device
        ("com1.x", "lamps", "_com1.x_lamps"),
        (".hidden", "lamps", "_.hidden_lamps"),
        ("--help", "lamps", "_--help_lamps"),
        ("console", "lamps", "console_lamps"),
        ("aux", "lamps", "aux_lamps"),
        ('a:b|c"', "lamps\\x", "a-b-c-_lamps-x"),
    ],
)
def test_result_files_have_names_that_windows_takes(
    framework: str, scenario: str, stem: str
) -> None:
    assert evaluation_stem(framework, scenario) == stem


@pytest.mark.parametrize(
    "written",
    [
        r"shelf\loans.py",
        r".\shelf\loans.py",
        r"C:\work\checkout\shelf\loans.py",
        "C:/work/checkout/shelf/loans.py",
        r"\\server\share\checkout\shelf\loans.py",
        r'"C:\work\checkout\shelf\loans.py"',
    ],
)
def test_paths_of_windows_in_a_log_lead_to_files_of_the_repository(written: str) -> None:
    assert find(written, {"shelf/loans.py", "shelf/fines.py"}, "shelf/shelf") == "shelf/loans.py"
