"""Aider's chat history, ``.aider.chat.history.md``: all chats in a folder, in order.

::

    # aider chat started at 2026-11-22 02:05:08
    > Model: openai/gpt-4o with diff edit format
    #### Fix the mean.
    The loop stops one short.
    > Tokens: 2.1k sent, 88 received. Cost: $0.01 message, $0.01 session.
    > Applied edit to gauge/levels.py

Lines after ``####`` are the user's, those after ``>`` aider's own; of aider's text, only the first
line has the mark, and the last ends in two blanks. Everything else is a reply of the model. A reply
ends with its tokens, which aider rounds above 999.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from typing import TYPE_CHECKING

from trajmeter.readers._files.content import open_content
from trajmeter.readers._files.problems import problem_with
from trajmeter.readers._logs.replies import Reply, turns_of
from trajmeter.readers._logs.sessions import known_only, stem_of
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.records import Failure, ReadProblem, Source, Trajectory, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["CHAT", "CHAT_HISTORIES", "chat_of", "without_reasoning"]

CHAT = ".aider.chat.history.md"
"""Name of the file, unless the user configured another."""

_END = "  "
_REASONING = re.compile(
    r"<(thinking-content-[0-9a-f]{32})>(?:(?!<\1>).)*?</\1>",  # up to the next, or it is quadratic
    re.DOTALL,
)
"""Reasoning of the model, between tags of aider's own."""
_START = "# aider chat started at "
_MODEL = re.compile(r"(?:Main model|Model): (?P<model>\S+) with .* edit format")
_VERSION = re.compile(r"Aider v(?P<version>\S+)")
_ADDED = re.compile(r"Added (?!\d+ lines? of output )(?P<file>.+) to the chat\.?")
_COMMIT = re.compile(r"Commit (?P<commit>[0-9a-f]{7,40}) ")
_TOKENS = re.compile(
    r"""
    Tokens:\ (?P<sent>[\d.,]+k?)\ sent
    (?:,\ (?P<written>[\d.,]+k?)\ cache\ write)? (?:,\ (?P<read>[\d.,]+k?)\ cache\ hit)?
    ,\ (?P<received>[\d.,]+k?)\ received\.
    (?:.*?Cost:\ \$(?P<cost>[\d.]+)\ message)?
    """,
    re.VERBOSE,
)
_COST = re.compile(r"Cost: \$(?P<cost>[\d.]+) message")
"""Cost on a line of its own, as aider writes it if tokens were both read from and written to a
cache."""
_THOUSAND = 1000
_NO_EDIT = "The LLM did not conform to the edit format."
_TOO_LONG = "has hit a token limit!"
_APPLIED = "Applied edit to "
_API_ERROR = "litellm."
_REFLECTED = re.compile(r"Only \d+ reflections allowed, stopping\.")


def _recognises(_: Path, head: bytes) -> Evidence | None:
    return (
        Evidence.CERTAIN
        if head.removeprefix(BOM_UTF8).lstrip().startswith(_START.encode())
        else None
    )


def _read(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """Read the chats of a file in order."""
    chat: _Chat | None = None
    number = 0
    for line in _lines(path, report):
        if line.startswith(_START):
            if chat is not None:
                yield chat.trajectory(path)
            number += 1
            chat = _Chat(number, line.removeprefix(_START).strip())
        elif chat is not None:
            chat.add(line)
    if chat is not None:
        yield chat.trajectory(path)


def _lines(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[str]:
    """The lines of a file, up to where it cannot be read, which is reported."""
    try:
        with open_content(path) as file:
            for line in file:
                yield line.decode("utf-8-sig", errors="replace").rstrip("\r\n")
    except OSError as error:
        report(problem_with(path, error))


def chat_of(path: Path) -> str:
    """The task of a history: the name of its folder, since aider names none."""
    return path.resolve().parent.name or stem_of(path)


def without_reasoning(text: str) -> str:
    """The text of a reply, without the model's reasoning."""
    return _REASONING.sub("", text).strip("\n")


def _has_cost_below(line: str) -> bool:
    """Whether it is of tokens both read from and written to a cache."""
    found = _TOKENS.fullmatch(line)
    return found is not None and bool(found["read"] and found["written"])


class _Chat:
    """The data from the lines of one chat so far."""

    def __init__(self, number: int, started: str) -> None:
        self._number = number
        self._started = started
        self._replies: list[Reply] = []
        self._lines: list[str] = []
        self._is_aside = False
        self._model: str | None = None
        self._version: str | None = None
        self._files: list[str] = []
        self._commits: list[str] = []
        self._failure: Failure | None = None

    def add(self, line: str) -> None:
        """Add a line."""
        is_whole = line.endswith(_END)
        if self._is_aside:
            self._is_aside = not is_whole
            self._add_cost(line)
        elif line.startswith("> ") and (
            is_whole or not any(self._lines) or _has_cost_below(line[2:])
        ):
            # Within a reply, any other line without the usual end is a quotation by the model.
            self._is_aside = not is_whole
            self._add_aside(line[2:].strip())
        elif line.startswith("#### ") and is_whole:
            self._say()
            self._failure = None
        else:
            self._lines.append(line)

    def trajectory(self, path: Path) -> Trajectory:
        """The chat, after all its lines were added."""
        self._say()
        texts = [reply.text for reply in self._replies if reply.text]
        return Trajectory(
            task_id=chat_of(path),
            agent="aider",
            model=self._model,
            attempt=self._started or None,
            source=Source(file=str(path), record=f"chat {self._number}"),
            turns=turns_of(self._replies),
            final_output=texts[-1] if texts else None,
            failure=self._failure,
            metadata=known_only(
                version=self._version,
                started_at=self._started or None,
                chat_files=self._files or None,
                commits=self._commits or None,
            ),
        )

    def _add_aside(self, line: str) -> None:
        """Add a message of aider itself."""
        if found := _TOKENS.match(line):
            self._say()
            self._count(found)
        elif found := _MODEL.fullmatch(line):
            self._model = self._model or found["model"]
        elif found := _VERSION.fullmatch(line):
            self._version = found["version"]
        elif found := _ADDED.fullmatch(line):
            self._files.append(found["file"])
        elif found := _COMMIT.match(line):
            self._commits.append(found["commit"])
        elif line.endswith(_TOO_LONG):
            self._failure = Failure(reason="budget_exhausted", message=line)
        elif line.startswith(_API_ERROR) or _REFLECTED.fullmatch(line):
            self._say()
            is_refused = line.startswith(_API_ERROR)
            reason = "api_error" if is_refused else "max_turns_exceeded"
            self._failure = Failure(reason=reason, message=line)
        elif self._replies and line == _NO_EDIT:
            self._replies[-1].error = Failure(reason="edit_format_error", message=line)
        elif self._replies and line.startswith(_APPLIED):
            self._replies[-1].is_done = True

    def _add_cost(self, line: str) -> None:
        """Add the cost that follows the tokens of the last reply."""
        found = _COST.match(line)
        usage = self._replies[-1].usage if self._replies else None
        if found and usage is not None and usage.cost_usd is None:
            cost = {"cost_usd": float(found["cost"])}
            self._replies[-1].usage = usage.model_copy(update=cost)

    def _say(self) -> None:
        """End the reply made up of the lines so far, unless they are blank."""
        text = "\n".join(self._lines).strip("\n")
        self._lines = []
        if text.strip():
            answer = without_reasoning(text)
            self._replies.append(Reply(texts=[answer] if answer else []))
            self._failure = None  # earlier failures were retried

    def _count(self, found: re.Match[str]) -> None:
        """Record the usage of the last reply; nothing was received if the request failed."""
        if not self._replies or self._replies[-1].usage is not None:
            return
        self._replies[-1].usage = Usage(
            input_tokens=_number(found["sent"]),
            output_tokens=_number(found["received"]),
            cached_input_tokens=_number(found["read"]),
            cache_write_tokens=_number(found["written"]),
            cost_usd=float(found["cost"]) if found["cost"] else None,
        )


def _number(text: str | None) -> int | None:
    """A count in aider's notation, such as 88, 2.1k or 15k."""
    if text is None:
        return None
    digits = text.replace(",", "").removesuffix("k")
    return round(float(digits) * (_THOUSAND if text.endswith("k") else 1))


CHAT_HISTORIES = FileFormat(
    name="aider-chat-histories",
    description="chat histories of aider",
    makes=Trajectory,
    carries=(
        "agent",
        "model",
        "attempt",
        "turns.number",
        "turns.success",
        "turns.error",
        "turns.text",
        "turns.usage.input_tokens",
        "turns.usage.cached_input_tokens",
        "turns.usage.cache_write_tokens",
        "turns.usage.output_tokens",
        "turns.usage.cost_usd",
        "final_output",
        "failure",
        "metadata",
    ),
    origin="aider 0.86.2",
    recognises=_recognises,
    records=_read,
)
