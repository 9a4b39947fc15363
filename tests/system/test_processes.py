"""Worker processes: replies of a function in another process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from trajmeter.system.processes import WorkerEndedError, WorkerProcess

if TYPE_CHECKING:
    from pathlib import Path

DOUBLES = """
from trajmeter.system.processes import requests, send

def main():
    for number, replies in requests():
        print("printed, and no reply")
        send(replies, number + number)
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "doubling.py").write_text(DOUBLES)
    monkeypatch.syspath_prepend(tmp_path)
    return "doubling"


def test_a_process_replies_to_each_request(module: str) -> None:
    with WorkerProcess(module) as process:
        for value in (1, "ab", b"\0" * 100_000, [None]):
            process.send(value)
            assert process.receive() == value + value  # type: ignore[operator]  # of one type each


def test_a_process_imports_nothing_from_the_current_folder(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    downloaded = tmp_path / "downloaded"
    downloaded.mkdir()
    for name in ("importlib", "json"):
        (downloaded / f"{name}.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(downloaded)
    with WorkerProcess(module) as process:
        process.send(1)
        assert process.receive() == 2


def test_a_failed_process_is_reported_with_its_exit_code(
    module: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with WorkerProcess(module) as process:
        process.send({})  # which cannot be added
        with pytest.raises(WorkerEndedError, match=r"^1$"):
            process.receive()
        process.send(1)
        with pytest.raises(WorkerEndedError, match=r"^1$"):
            process.receive()
    out, err = capfd.readouterr()
    assert out == ""
    assert "printed, and no reply" in err
    assert "TypeError" in err
