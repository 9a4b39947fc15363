"""Rewards of 256 completions with ten calls, compared with a loop over Scorer.score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import trajmeter
from trajmeter.hosts.trl import Reward
from trajmeter.records import Task, ToolCall

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

COMPLETIONS = 256
CALLS = 10
EXPECTED = [{"name": "read", "arguments": {"path": f"src/{at}.py"}} for at in range(CALLS)]


def completion() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for call in EXPECTED:
        found.append({"role": "assistant", "tool_calls": [{"type": "function", "function": call}]})
        found.append({"role": "tool", "name": "read", "content": "x = 1"})
    return found


@pytest.mark.benchmark(group="reward 256 completions of 10 calls")
@pytest.mark.parametrize("way", ["Reward", "Scorer.score"])
def bench_rewards(benchmark: BenchmarkFixture, way: str) -> None:
    completions = [completion() for _ in range(COMPLETIONS)]
    if way == "Reward":
        reward = Reward("tools.f1")
        found = benchmark(
            reward, completions=completions, expected_tool_calls=[EXPECTED] * COMPLETIONS
        )
    else:
        calls = tuple(ToolCall.model_validate(call) for call in EXPECTED)
        scorer = trajmeter.Scorer(["tools"], tasks=[Task(id="t", expected_tool_calls=calls)])

        def loop() -> list[float | None]:
            attempts = (trajmeter.from_messages(each, task_id="t") for each in completions)
            return [scorer.score(each).figure("tools.f1").value for each in attempts]

        found = benchmark(loop)
    assert found == [1.0] * COMPLETIONS
