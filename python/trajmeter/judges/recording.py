"""Recorded exchanges: a judged run that can be repeated offline, with the same verdicts."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict, deque
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.judges.exchange import ExchangeError, Prompt, Reply, TransientError
from trajmeter.records import Cause, Record

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.judges.exchange import ChatModel

__all__ = ["Recorder", "Replay"]


class Exchange(Record):
    """One line of a recording."""

    key: str
    """Digest of model and prompt."""
    model: str
    """Model that was asked."""
    prompt: Prompt
    """What was asked."""
    reply: Reply | None = None
    """What came back."""
    error: str | None = None
    """Why nothing came back."""
    cause: Cause | None = None
    """The error's cause."""
    transient: bool = False
    """Whether asking again might have helped."""


class Recorder:
    """A model that writes every exchange to a file of JSON lines, one as soon as it is over.

    Args:
        model: Model to ask.
        file: Recording to append to, or a new file; its folder is made.

    Raises:
        ConfigurationError: The file cannot be written, or holds something else than a recording.
    """

    replayed = False

    def __init__(self, model: ChatModel, file: Path) -> None:
        self._model = model
        self._file = file.absolute()  # an agent may change the current folder
        self.name = model.name
        try:  # now, and not when the first reply is paid for
            self._file.parent.mkdir(parents=True, exist_ok=True)
            if self._file.is_file():  # of a pipe nothing could be read
                _check_recording(self._file)
            self._file.open("ab").close()
        except OSError as error:
            raise ConfigurationError(
                f"{file}: cannot be written: {error.strerror or error}"
            ) from error

    async def reply(self, prompt: Prompt) -> Reply:
        """Ask the model and record what comes of it."""
        outcome: dict[str, Any] = {}
        try:
            reply = await self._model.reply(prompt)
        except ExchangeError as error:
            outcome = {
                "error": str(error),
                "cause": error.cause,
                "transient": isinstance(error, TransientError),
            }
            raise
        else:
            outcome = {"reply": reply}
            return reply
        finally:
            if outcome:
                self._append(prompt, outcome)

    def _append(self, prompt: Prompt, outcome: dict[str, Any]) -> None:
        exchange = Exchange(key=_key(self.name, prompt), model=self.name, prompt=prompt, **outcome)
        with self._file.open("a", encoding="utf-8") as lines:
            lines.write(exchange.model_dump_json(exclude_none=True) + "\n")


class Replay:
    """A model that answers from a recording, in the order recorded, and makes no request.

    Args:
        model: Name of the model that was recorded.
        file: The recording.

    Raises:
        ReadError: The recording cannot be read; the message names file and line.
    """

    replayed = True

    def __init__(self, model: str, file: Path) -> None:
        self.name = model
        self._file = file
        self._exchanges: dict[str, deque[Exchange]] = defaultdict(deque)
        try:
            # Not splitlines, which breaks lines at characters that JSON leaves as they are.
            lines = file.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ReadError(f"{file}: cannot be read: {error}") from error
        for number, line in enumerate(lines, start=1):
            if line.strip():
                try:
                    exchange = Exchange.model_validate_json(line)
                except ValidationError as error:
                    raise ReadError(f"{file}:{number}: not a recorded exchange: {error}") from error
                self._exchanges[exchange.key].append(exchange)

    async def reply(self, prompt: Prompt) -> Reply:
        """The next recorded outcome of this prompt; the last one is repeated."""
        recorded = self._exchanges.get(_key(self.name, prompt))
        if not recorded:
            raise ExchangeError(
                f"{self._file} holds no exchange of {self.name!r} for this prompt, which begins "
                f"{prompt.text[:80]!r}; the question, the answer or the model has changed since"
            )
        exchange = recorded.popleft() if len(recorded) > 1 else recorded[0]
        if exchange.reply is not None:
            return exchange.reply
        message, cause = exchange.error or "no reply", exchange.cause or Cause.JUDGE_ERROR
        if exchange.transient:
            raise TransientError(message, cause, retry_after_seconds=0.0)
        raise ExchangeError(message, cause)


def _check_recording(file: Path) -> None:
    """Refuse to append to what is no recording; an empty file becomes one."""
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                try:
                    Exchange.model_validate_json(line)
                except ValidationError as error:
                    raise ConfigurationError(
                        f"{file}:{number}: not a recorded exchange; name a recording to append to, "
                        "or a new file"
                    ) from error
                return


def _key(model: str, prompt: Prompt) -> str:
    content = json.dumps([model, prompt.model_dump()], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(content.encode()).hexdigest()
