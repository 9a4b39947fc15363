"""Histories of aider's messages, and of what the user typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.readers.logs import read, read_one, turns_of

if TYPE_CHECKING:
    from pathlib import Path

MESSAGES = """TO LLM 2026-03-01T10:00:00
-------
SYSTEM Act as an expert.
-------
USER Fix it.
-------
ASSISTANT Ok.
LLM RESPONSE 2026-03-01T10:00:02
ASSISTANT The loop
ASSISTANT
ASSISTANT stops short.
TO LLM 2026-03-01T10:00:03
-------
USER Go on.
LLM RESPONSE 2026-03-01T10:00:04

"""
INPUT = """
# 2026-03-01 10:00:00.123456
+Fix it.
+Please.

# 2026-03-01 10:01:00.123456
+/exit
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "repo").mkdir()
    return tmp_path / "repo"


def test_reasoning_is_left_out(folder: Path) -> None:
    tag = f"thinking-content-{'7b' * 16}"
    answer = f"ASSISTANT <{tag}>\nASSISTANT Hm.\nASSISTANT </{tag}>\nASSISTANT\nASSISTANT The loop"
    (folder / ".aider.llm.history").write_text(MESSAGES.replace("ASSISTANT The loop", answer))
    (turn,) = turns_of(read_one(folder / ".aider.llm.history"))
    assert turn.text == "The loop\n\nstops short."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_replies_with_their_times(folder: Path, encoding: str) -> None:
    path = folder / ".aider.llm.history"
    path.write_text(MESSAGES, encoding=encoding)
    attempt = read_one(path)
    assert (attempt.task_id, attempt.agent, attempt.model) == ("repo", "aider", None)
    assert attempt.duration_seconds == 4.0
    (turn,) = turns_of(attempt)  # the second request failed
    assert turn.text == "The loop\n\nstops short."
    assert turn.duration_seconds == 2.0
    assert attempt.final_output == turn.text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_the_input_has_no_turns(folder: Path, encoding: str) -> None:
    path = folder / ".aider.input.history"
    path.write_text(INPUT, encoding=encoding)
    attempt = read_one(path)
    assert attempt.turns is None
    assert attempt.transcript == "Fix it.\nPlease.\n/exit"
    assert attempt.metadata == {"started_at": "2026-03-01 10:00:00.123456"}


@pytest.mark.parametrize("content", [MESSAGES, INPUT])
def test_beside_the_chat_they_are_no_attempts_of_their_own(folder: Path, content: str) -> None:
    (folder / "log").write_text(content)
    (folder / ".aider.chat.history.md").write_text("# aider chat started at 2026-03-01 10:00:00\n")
    assert read(folder / "log") == ([], [])
