"""What commands print on a terminal."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING, TypeAlias

import pytest

from trajmeter.cli import main
from trajmeter.records import Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Printed: TypeAlias = Callable[..., str]

NAME = "a\x9b31m\x7f\u202e\u2066b"


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> Printed:
    """What a command prints on a terminal."""

    def run(*arguments: str) -> str:
        content = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", _Terminal(content, "utf-8"))
        main(arguments)
        sys.stdout.flush()
        return content.getvalue().decode()

    return run


@pytest.fixture
def log(folder: Path) -> Path:
    """One attempt whose agent would control the terminal."""
    attempt = Trajectory(task_id="one", agent=NAME, turn_count=3)
    (folder / "log.jsonl").write_text(attempt.model_dump_json(exclude_none=True) + "\n")
    return folder


def test_json_has_escapes_for_what_would_control_a_terminal(log: Path, printed: Printed) -> None:
    assert log.is_dir()
    rows = printed("score", "log.jsonl", "-m", "turns", "-f", "jsonl")
    assert r"a\u009b31m\u007f\u202e\u2066b" in rows
    assert json.loads(rows)["agent"] == NAME
    summary = printed("score", "log.jsonl", "-m", "turns", "-f", "json")
    assert NAME not in summary
    assert json.loads(summary)["groups"][0]["agent"] == NAME


@pytest.mark.parametrize("output_format", ["table", "csv", "markdown"])
def test_other_formats_have_no_such_characters_either(
    output_format: str, log: Path, printed: Printed
) -> None:
    assert log.is_dir()
    shown = printed("score", "log.jsonl", "-m", "turns", "-f", output_format)
    assert "9b31m" in shown
    assert not set(NAME[1:-1]) - set("31m") & set(shown)


def test_files_and_pipes_get_the_characters(
    log: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert log.is_dir()
    assert main(["score", "log.jsonl", "-m", "turns", "-f", "jsonl"]) == 0
    assert NAME.encode() in capfdbinary.readouterr().out
