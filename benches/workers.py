"""Cost of a worker process, to start it and per question. Run ``python -m benches.workers``.

The agent returns immediately, so that only the overhead of Trajmeter is measured.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from typing import TYPE_CHECKING, Any

from trajmeter.frameworks.harness import AgentWorkers, FunctionAgent
from trajmeter.frameworks.harness.responses import Response, respond

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_AGENT = "benches.workers:answer"
_STARTS, _QUESTIONS = 10, 500
_LIMIT_SECONDS = 60.0


async def answer(question: str) -> str:
    """Answer immediately, as the agent."""
    return question


def main() -> None:
    """Measure and print."""
    agent: Any = FunctionAgent(answer)
    starts = []
    for _ in range(_STARTS):
        began = time.perf_counter()
        started = AgentWorkers(_AGENT)
        assert started.load().name == "answer"
        starts.append(time.perf_counter() - began)
        started.kill()
    workers = AgentWorkers(_AGENT)

    async def in_worker() -> Response:
        return await workers.respond("q", timeout_seconds=_LIMIT_SECONDS)

    async def here() -> Response:
        return await respond(agent, "q", timeout_seconds=_LIMIT_SECONDS)

    _print("start of a worker", starts)
    _print("question to a worker", asyncio.run(_timed(in_worker)))
    _print("question in this process", asyncio.run(_timed(here)))
    workers.kill()


async def _timed(ask: Callable[[], Awaitable[Response]]) -> list[float]:
    seconds = []
    for _ in range(_QUESTIONS + 1):
        began = time.perf_counter()
        response = await ask()
        seconds.append(time.perf_counter() - began)
        assert response.answer is not None
        assert response.answer.text == "q"
    return seconds[1:]  # the first started a worker


def _print(name: str, seconds: list[float]) -> None:
    median, late = statistics.median(seconds), statistics.quantiles(seconds, n=20)[-1]
    sys.stdout.write(f"{name}: median {median * 1e3:.2f} ms, p95 {late * 1e3:.2f} ms\n")


if __name__ == "__main__":
    main()
