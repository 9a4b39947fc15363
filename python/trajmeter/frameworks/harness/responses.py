"""An agent's response to a question: an answer, an error, or nothing within the limit.

A response is plain data, so it can be created in a worker process.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from trajmeter.frameworks.harness.agents import Answer, error_text, read_answer
from trajmeter.frameworks.harness.calls import DeadlineExceededError, call
from trajmeter.records import Record

if TYPE_CHECKING:
    from trajmeter.frameworks.harness.agents import Agent

__all__ = ["Response", "respond"]


class Response(Record):
    """An agent's response to one question."""

    seconds: float
    """Seconds from question to response; the limit if it was exceeded."""
    answer: Answer | None = None
    """The answer; ``None`` after an error, or if there was none in time."""
    error: str | None = None
    """What the agent raised, or what is wrong with its answer."""
    raised_timeout: bool = False
    """Whether the error is the agent's own time-out."""
    timed_out: bool = False
    """Whether the limit was exceeded."""
    working: bool = False
    """Whether the agent is still working after its limit."""


async def respond(
    agent: Agent, question: str, *, timeout_seconds: float, grace_seconds: float = 0.0
) -> Response:
    """Ask an agent in this process.

    An agent that blocks the event loop cannot be stopped here: its response comes late, and counts
    as timed out.

    Args:
        agent: Agent to ask.
        question: The question.
        timeout_seconds: Its limit.
        grace_seconds: How long to wait after the limit, to see whether the agent ends.

    Returns:
        The response, whatever the agent does.
    """
    late = Response(seconds=timeout_seconds, timed_out=True)
    started = time.perf_counter()

    def seconds() -> float:
        return time.perf_counter() - started

    try:
        raw = await call(
            agent.query, question, timeout_seconds=timeout_seconds, grace_seconds=grace_seconds
        )
        taken = seconds()
        if taken > timeout_seconds:
            return late
        return Response(seconds=taken, answer=read_answer(raw))
    except DeadlineExceededError as error:
        return late.model_copy(update={"working": not error.ended})
    except Exception as error:  # noqa: BLE001 - an agent may raise anything, and the run continues
        taken = seconds()
        if taken > timeout_seconds:
            return late
        return Response(
            seconds=taken,
            error=error_text(error),
            raised_timeout=isinstance(error, TimeoutError),
        )
