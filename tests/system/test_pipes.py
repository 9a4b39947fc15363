"""Copies of pipes: when they are made, shared, kept and deleted."""

from __future__ import annotations

import errno
import io
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from trajmeter.readers import open_content, read_tasks, read_trajectories
from trajmeter.readers.batches import TrajectoryBatches
from trajmeter.system import pipes
from trajmeter.system.pipes import keeping_pipes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from typing_extensions import Buffer

    from trajmeter.records import ReadProblem

LINES = b"".join(b'{"task_id": "t%d"}\n' % number for number in range(300))

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """A pipe that nothing has been written to."""
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.fixture
def writer(pipe: Path) -> Iterator[Thread]:
    """A thread that writes 300 trajectories to the pipe, once."""
    thread = Thread(target=pipe.write_bytes, args=(LINES,))
    thread.start()
    yield thread
    thread.join()


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the copies."""
    folder = tmp_path / "copies"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_another_call_leaves_the_copy(pipe: Path, writer: Thread, tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_bytes(b'{"id": "t0"}\n')
    attempts = read_trajectories(pipe)
    assert next(attempts).task_id == "t0"
    writer.join()
    assert [task.id for task in read_tasks(tmp_path / "tasks.jsonl")] == ["t0"]
    with open_content(pipe) as content:  # would wait for a writer without the copy
        assert content.read() == LINES
    assert len([*attempts]) == 299


def test_threads_that_open_a_pipe_share_one_copy(pipe: Path, writer: Thread) -> None:
    def content(_: int) -> bytes:
        with open_content(pipe) as file:
            return file.read()

    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(content, range(4))] == [LINES] * 4
    assert not writer.is_alive()


def test_calls_can_read_the_same_content(pipe: Path, writer: Thread, copies: Path) -> None:
    with keeping_pipes():
        assert len([*read_trajectories(pipe)]) == 300
        writer.join()
        with keeping_pipes():
            assert len([*read_trajectories(pipe)]) == 300
        assert sum(batch.num_rows for batch in TrajectoryBatches(pipe)) == 300
        assert len([*copies.iterdir()]) == 1
    assert not [*copies.iterdir()]


def test_an_incomplete_copy_is_deleted_too(pipe: Path, copies: Path) -> None:
    end = os.open(pipe, os.O_RDWR)  # so that the pipe never ends
    with keeping_pipes():
        batches = TrajectoryBatches(pipe)
        batches.start()
        os.write(end, LINES * 100)  # more than a pipe and a buffer hold
        while not any(copy.stat().st_size for copy in copies.iterdir()):
            pass
    assert not [*copies.iterdir()]
    os.close(end)
    batches.close()


def test_a_pipe_that_cannot_be_copied_is_copied_when_it_can(pipe: Path, copies: Path) -> None:
    copies.rmdir()
    with pytest.raises(FileNotFoundError):
        open_content(pipe)
    copies.mkdir()
    thread = Thread(target=pipe.write_bytes, args=(LINES,))
    thread.start()
    with open_content(pipe) as file:
        assert file.read() == LINES
    thread.join()


def test_a_full_temporary_folder_is_named(
    pipe: Path, writer: Thread, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class FullFile(io.BytesIO):
        name = "copy"

        def write(self, _: Buffer) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(tempfile, "NamedTemporaryFile", lambda **_: FullFile())
        problems: list[ReadProblem] = []
        assert [*read_trajectories(pipe, on_problem=problems.append)] == []
    writer.join()
    expected = (
        f"{pipe}: {os.strerror(errno.ENOSPC)}: pipes and standard input are copied to "
        f"the temporary folder {copies}; set TMPDIR to choose another"
    )
    assert [*map(str, problems)] == [expected]
    again = Thread(target=pipe.write_bytes, args=(LINES,))
    again.start()
    assert len([*read_trajectories(pipe)]) == 300
    again.join()


def test_what_follows_lost_content_of_a_pipe_is_not_read(
    pipe: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (copies / "full").touch()
    end = os.open(pipe, os.O_RDWR)
    os.write(end, b'{"task_id": "lo')
    with monkeypatch.context() as patched:
        patched.setattr(pipes, "_BUFFER", 15)
        patched.setattr(tempfile, "NamedTemporaryFile", lambda **_: (copies / "full").open("rb"))
        with pytest.raises(OSError, match="TMPDIR"):
            open_content(pipe)
    os.write(end, b'st"}\n{"task_id": "next"}\n')
    with pytest.raises(OSError, match="TMPDIR"):
        open_content(pipe)
    os.close(end)
