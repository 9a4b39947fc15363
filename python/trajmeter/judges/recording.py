"""Recorded exchanges: a judged run that can be repeated offline, with the same scores."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections import defaultdict, deque
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.judges.exchange import ExchangeError, Prompt, Reply, TransientError
from trajmeter.records import Cause, Record
from trajmeter.validation_errors import describe_error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trajmeter.judges.exchange import ChatModel

__all__ = ["Exchange", "Recorder", "Replay", "is_recording", "read_exchanges"]

_BEGINNING = b'{"key":"'
"""Start of every recorded exchange, by which an incomplete one is recognised."""


class Exchange(Record):
    """One line of a recording."""

    key: str
    """Digest of model and prompt."""
    model: str
    """Model that was asked."""
    prompt: Prompt
    """The prompt."""
    reply: Reply | None = None
    """The reply."""
    error: str | None = None
    """Why the reply is missing."""
    cause: Cause | None = None
    """The error's cause."""
    transient: bool = False
    """Whether asking again might have helped."""


class Recorder:
    """A model that writes every exchange to a file of JSON lines as soon as it is finished.

    An incomplete exchange at the end of the file, left by a killed process, is removed with a
    warning.

    Args:
        model: Model to ask.
        file: Recording to append to, or a new file; its folder is created if missing.

    Raises:
        ConfigurationError: The file cannot be written, or is not a recording.
    """

    replayed = False

    def __init__(self, model: ChatModel, file: Path) -> None:
        self._model = model
        self._file = file.absolute()  # an agent may change the working directory
        self.name = model.name
        try:  # now, before the first reply has been paid for
            self._file.parent.mkdir(parents=True, exist_ok=True)
            if self._file.is_file():  # a pipe cannot be read
                _make_ready(self._file)
            self._file.open("ab").close()
        except OSError as error:
            raise _unwritable(file, error) from error

    async def reply(self, prompt: Prompt) -> Reply:
        """Ask the model and record the exchange."""
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
        try:
            with self._file.open("a", encoding="utf-8") as lines:
                lines.write(exchange.model_dump_json(exclude_none=True) + "\n")
        except OSError as error:
            raise _unwritable(self._file, error) from error


class Replay:
    """A model that answers from a recording, in recorded order, without making requests.

    An incomplete exchange at its end is ignored with a warning.

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
        for exchange in read_exchanges(file):
            self._exchanges[exchange.key].append(exchange)

    async def reply(self, prompt: Prompt) -> Reply:
        """The next recorded outcome for this prompt; the last one is repeated."""
        recorded = self._exchanges.get(_key(self.name, prompt))
        if not recorded:
            raise ExchangeError(
                f"{self._file} has no exchange of {self.name!r} for this prompt, which begins "
                f"{prompt.text[:80]!r}; the question, the answer or the model has changed since"
            )
        exchange = recorded.popleft() if len(recorded) > 1 else recorded[0]
        if exchange.reply is not None:
            return exchange.reply
        message, cause = exchange.error or "no reply", exchange.cause or Cause.JUDGE_ERROR
        if exchange.transient:
            raise TransientError(message, cause, retry_after_seconds=0.0)
        raise ExchangeError(message, cause)


def read_exchanges(file: Path) -> Iterator[Exchange]:
    """Read a recording; an incomplete exchange at its end is ignored with a warning.

    Raises:
        ReadError: It cannot be read; the message names file and line.
    """
    try:
        # Bytes, because an incomplete line may end inside a character.
        *lines, last = file.read_bytes().split(b"\n")
    except OSError as error:
        raise ReadError(f"{file}: cannot be read: {error}") from error
    if _is_cut_off(last):
        _warn_of_cut(file, len(lines) + 1)
    else:
        lines.append(last)
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield Exchange.model_validate_json(line)
            except ValidationError as error:
                fault = describe_error(error)
                raise ReadError(f"{file}:{number}: not a recorded exchange: {fault}") from error


def is_recording(file: Path) -> bool:
    """Whether a file begins like a recording."""
    try:
        with file.open("rb") as lines:
            return lines.read(len(_BEGINNING)) == _BEGINNING
    except OSError:
        return False


def _make_ready(file: Path) -> None:
    """Prepare a file so that the next exchange starts on a new line.

    Raises:
        ConfigurationError: The file is not a recording.
    """
    with file.open("r+b") as lines:
        known = cut = False
        line = b""
        for number, line in enumerate(lines, start=1):
            cut = not line.endswith(b"\n") and _is_cut_off(line)
            if cut:
                _warn_of_cut(file, number)
            elif line.strip() and not known:
                try:
                    Exchange.model_validate_json(line)
                except ValidationError as error:
                    raise ConfigurationError(
                        f"{file}:{number}: not a recorded exchange; name a recording to append to, "
                        "or a new file"
                    ) from error
                known = True
        if cut:
            lines.seek(-len(line), os.SEEK_END)
            lines.truncate()
        elif line and not line.endswith(b"\n"):
            lines.seek(0, os.SEEK_END)
            lines.write(b"\n")


def _is_cut_off(line: bytes) -> bool:
    """Whether a line without a line break is an incomplete exchange."""
    if not line or line[: len(_BEGINNING)] != _BEGINNING[: len(line)]:
        return False
    try:
        Exchange.model_validate_json(line)
    except ValidationError as error:
        return error.errors()[0]["type"] == "json_invalid"
    return False


def _warn_of_cut(file: Path, number: int) -> None:
    warnings.warn(
        f"{file}:{number}: incomplete exchange ignored",
        stacklevel=3,
    )


def _unwritable(file: Path, error: OSError) -> ConfigurationError:
    return ConfigurationError(f"{file}: cannot be written: {error.strerror or error}")


def _key(model: str, prompt: Prompt) -> str:
    content = json.dumps([model, prompt.model_dump()], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(content.encode()).hexdigest()
