"""Example agents of every kind, including some that misbehave."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter.frameworks.harness import Answer, AnswerUsage, worker_process

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.frameworks.harness import Document


def plain(question: str) -> str:
    return f"You asked {question}"


async def fields(question: str) -> dict[str, Any]:
    return {
        "text": question,
        "sources_used": ["a.md"],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "model_name": "gpt-5-mini"},
        "metadata": {"tool_trace": ["sql"]},
    }


class Whole:
    """Has every method that an agent may have, and records their calls."""

    name = "Whole Agent"

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.documents: list[str] = []

    async def ingest(self, documents: Sequence[Document], settings: Mapping[str, Any]) -> None:
        self.calls.append(f"ingest {settings.get('top_k')}")
        self.documents = [document.name for document in documents]

    async def query(self, question: str) -> Answer:
        self.calls.append(question)
        if question == "raise":
            raise RuntimeError("tool died: <b>no</b>")
        if question == "hang":
            await asyncio.sleep(30)
        return Answer(
            text="pier",
            sources_used=("a.md",),
            usage=AnswerUsage(prompt_tokens=1_000, completion_tokens=0, model_name="gpt-5-mini"),
        )

    async def cleanup(self) -> None:
        self.calls.append("cleanup")


NUMBER = 7


class NamedByProperty:
    @property
    def name(self) -> str:
        return "By Property"

    def query(self, question: str) -> str:
        return question


class NamedWhenMade:
    def __init__(self) -> None:
        self.name = "When Made"

    def query(self, question: str) -> str:
        return question


class Nameless:
    """Has an invalid name."""

    name = 12

    def query(self, question: str) -> str:
        return question


NAMELESS = Nameless()


async def sleep() -> None:
    time.sleep(600)  # noqa: ASYNC251 - what is not to be done


async def late() -> None:
    time.sleep(0.7)  # noqa: ASYNC251 - likewise


async def loop() -> None:
    while True:
        pass


async def native() -> None:
    """Never releases the interpreter's lock."""
    re.fullmatch("(a|a)*b", "a" * 60)


async def swallow() -> None:
    while True:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60)


async def cooperate() -> None:
    await asyncio.sleep(60)


async def patient() -> None:
    """Let cancelled questions of this worker end, however long it takes."""
    vars(worker_process)["CANCEL_SECONDS"] = 60.0


async def leave() -> None:
    os._exit(7)


async def crash() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def fork() -> None:
    os.fork()


async def noise() -> None:
    sys.stdout.write("noise\n")
    os.write(1, b'{"name": "noise"}\n')


async def read() -> None:
    if not sys.stdin.read(1):
        raise EOFError


async def fail() -> None:
    raise LookupError("no index")


ACTS = {
    act.__name__: act
    for act in (
        sleep,
        late,
        loop,
        native,
        swallow,
        cooperate,
        patient,
        leave,
        crash,
        fork,
        noise,
        read,
        fail,
    )
}
EXCEEDING = {act.__name__ for act in (sleep, late, loop, native, swallow, cooperate)}
"""Acts that exceed the limit of a question."""


class Hostile:
    """Does what the question says; answers and a file record where, and what it ingested."""

    def ingest(self, documents: Sequence[Document], settings: Mapping[str, Any]) -> None:
        with Path(settings["scenario_dir"], "ingested").open("a", encoding="utf-8") as file:
            file.write(f"{os.getpid()} {[document.name for document in documents]}\n")

    async def query(self, question: str) -> dict[str, Any]:
        if question in ACTS:
            await ACTS[question]()
        return {"text": question, "metadata": {"process": os.getpid(), "odd": {1, 2}}}

    def cleanup(self) -> None:
        sys.stdout.write("cleaned up\n")


class Untidy:
    """Never finishes its cleanup; creates a file when it is asked."""

    async def query(self, question: str) -> str:
        Path("asked").touch()  # noqa: ASYNC240 - at once
        await asyncio.sleep(600)
        return question

    async def cleanup(self) -> None:
        await loop()


def endless_function(question: str) -> str:
    while question == "loop":
        pass
    return question
