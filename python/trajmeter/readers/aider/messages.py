"""Aider's other histories: the model's messages, and the user's input.

::

    TO LLM 2026-11-22T02:05:21
    -------
    USER Fix the mean.
    LLM RESPONSE 2026-11-22T02:05:23
    ASSISTANT The loop stops one short.

Both describe the same chats as the chat history. If it is in the same folder, they are read with it
and yield nothing themselves. The input alone has no turns, only what the user said.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from typing import TYPE_CHECKING

from trajmeter.readers._files.content import open_content
from trajmeter.readers._files.problems import problem_with
from trajmeter.readers._logs.replies import Reply, turns_of
from trajmeter.readers._logs.sessions import Clock, known_only
from trajmeter.readers._logs.values import epoch_seconds
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.aider.chat import CHAT, chat_of, without_reasoning
from trajmeter.records import ReadProblem, Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["INPUT_HISTORIES", "MESSAGE_HISTORIES"]

_SENT, _RECEIVED = "TO LLM ", "LLM RESPONSE "
_REPLY = "ASSISTANT"
_MESSAGES = re.compile(rb"\s*TO LLM \d{4}-\d\d-\d\dT")
_INPUT = re.compile(rb"\s*# \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?\r?\n\+")


def _is_messages(_: Path, head: bytes) -> Evidence | None:
    return Evidence.CERTAIN if _MESSAGES.match(head.removeprefix(BOM_UTF8)) else None


def _is_input(_: Path, head: bytes) -> Evidence | None:
    return Evidence.LIKELY if _INPUT.match(head.removeprefix(BOM_UTF8)) else None


def _lines(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[str]:
    """The lines of a history; none if the chat history has the same content."""
    if (path.parent / CHAT).is_file():
        return
    try:
        with open_content(path) as file:
            for line in file:
                yield line.decode("utf-8-sig", errors="replace").rstrip("\r\n")
    except OSError as error:
        report(problem_with(path, error))


def _read_messages(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """Read all replies of a file as one trajectory, as it does not say where a chat ends."""
    clock = Clock()
    replies: list[Reply] = []
    started: str | None = None
    is_reply = False
    for line in _lines(path, report):
        if line.startswith((_SENT, _RECEIVED)):
            is_reply = line.startswith(_RECEIVED)
            time = line.removeprefix(_RECEIVED if is_reply else _SENT).strip()
            asked = clock.now
            clock.tick(epoch_seconds(time))
            started = started or time
            if is_reply:
                replies.append(Reply(asked=asked))
                replies[-1].end(clock.now)
        elif is_reply and line.startswith(_REPLY):
            replies[-1].texts.append(line.removeprefix(_REPLY).removeprefix(" "))
    if not clock.lines:
        return
    # A failed request has an empty response.
    answers = [reply for reply in replies if any(reply.texts)]
    for reply in answers:
        reply.texts = list(filter(None, [without_reasoning("\n".join(reply.texts))]))
    yield Trajectory(
        task_id=chat_of(path),
        agent="aider",
        source=Source(file=str(path)),
        turns=turns_of(answers),
        final_output=answers[-1].text if answers else None,
        duration_seconds=clock.passed,
        metadata=known_only(started_at=started),
    )


def _read_input(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """Read the user's input."""
    lines = list(_lines(path, report))
    if lines:
        times = [line.removeprefix("# ") for line in lines if line.startswith("# ")]
        yield Trajectory(
            task_id=chat_of(path),
            agent="aider",
            source=Source(file=str(path)),
            transcript="\n".join(line[1:] for line in lines if line.startswith("+")),
            metadata=known_only(started_at=times[0] if times else None),
        )


MESSAGE_HISTORIES = FileFormat(
    name="aider-message-histories",
    description="histories of aider's messages",
    makes=Trajectory,
    carries=(
        "agent",
        "turns.number",
        "turns.text",
        "turns.duration_seconds",
        "final_output",
        "duration_seconds",
        "metadata",
    ),
    origin="aider 0.86.2 (--llm-history-file)",
    recognises=_is_messages,
    records=_read_messages,
)

INPUT_HISTORIES = FileFormat(
    name="aider-input-histories",
    description="histories of aider's input",
    makes=Trajectory,
    carries=("agent", "transcript", "metadata"),
    origin="aider 0.86.2",
    recognises=_is_input,
    records=_read_input,
)
