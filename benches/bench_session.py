"""Scoring of one attempt inside a harness, compared with the call for many attempts.

The attempt has 10 turns with a call and three views in each. Its task has five gold ranges and ten
expected calls, and four metric families score it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import trajmeter
from trajmeter.records import GoldRange, Task, ToolCall

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

    from trajmeter import Session

TURNS = 10
FAMILIES = ["context", "tools", "turns", "rules"]
TASK = Task(
    id="t",
    gold_ranges=tuple(
        GoldRange(path=f"src/{at}.py", first_line=10, last_line=60) for at in range(5)
    ),
    gold_patch="",
    expected_tool_calls=tuple(
        ToolCall(name="read", arguments={"path": f"src/{at}.py"}) for at in range(TURNS)
    ),
)
SCORER = trajmeter.Scorer(FAMILIES, tasks=[TASK])
COVERED = 0.6  # lines 10 to 60 of three of five files


def recorded() -> Session:
    session = SCORER.session("t", agent="mine", model="m")
    for turn in range(TURNS):
        session.turn()
        for file in range(3):
            session.view(f"src/{file}.py", turn * 5 + 1, turn * 5 + 30)
        session.tool_call("read", {"path": f"src/{turn}.py"}, success=True)
    return session


@pytest.mark.benchmark(group="score one attempt")
@pytest.mark.parametrize("way", ["Session.finish", "Scorer.score", "trajmeter.score([one])"])
def bench_one_attempt(benchmark: BenchmarkFixture, way: str) -> None:
    attempt = recorded().trajectory
    assert SCORER.score(attempt).figure("context.line.coverage").value == COVERED
    if way == "Session.finish":
        scored = benchmark.pedantic(  # type: ignore[no-untyped-call]  # it publishes no types
            lambda session: session.finish(), setup=lambda: ((recorded(),), {}), rounds=400
        )
        assert scored.results == SCORER.score(attempt).results
    elif way == "Scorer.score":
        scored = benchmark(SCORER.score, attempt)
        assert scored.figure("tools.exact").passed
    else:
        scores = benchmark(lambda: trajmeter.score([attempt], tasks=[TASK], metrics=FAMILIES))
        assert scores.rows[0]["tools.exact"]


@pytest.mark.benchmark(group="record one attempt")
@pytest.mark.parametrize("what", ["session", "view", "tool_call", "usage", "live", "10 turns"])
def bench_recording(benchmark: BenchmarkFixture, what: str) -> None:
    session = recorded()
    ways = {
        "session": lambda: SCORER.session("t", agent="mine", model="m"),
        "view": lambda: session.view("src/1.py", 3, 9),
        "tool_call": lambda: session.tool_call("read", {"path": "a.py"}),
        "usage": lambda: session.usage(input_tokens=900, output_tokens=80),
        "live": lambda: session.live,
        "10 turns": recorded,
    }
    assert session.live.coverage.line == COVERED
    benchmark.pedantic(  # type: ignore[no-untyped-call]  # it publishes no types
        ways[what], rounds=200, iterations=1 if what == "10 turns" else 50
    )
    assert session.live.turns == TURNS
