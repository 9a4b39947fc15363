"""Published scenarios, run by their published agents: every result file comes out again."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from trajmeter.frameworks.harness import (
    AskingOptions,
    EvaluationOptions,
    Framework,
    RunOptions,
    evaluate,
)
from trajmeter.frameworks.scenario import read_scenario
from trajmeter.judges import Judge, Prompt, Reply
from trajmeter.prices import price_usd

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LIMIT_SECONDS = 30.0


class ScriptedAgent:
    """Follows a script for each run, which also has the scores that the judge gives."""

    def __init__(self, runs: list[dict[str, Any]], ids: Mapping[str, str]) -> None:
        self._runs = iter(runs)
        self._ids = ids
        self._now: dict[str, Any] = {}

    async def ingest(self, *_: object) -> None:
        self._now = next(self._runs)

    async def query(self, question: str) -> dict[str, Any]:
        scripted = self.step(question)
        if scripted["does"] == "raise":
            raise RuntimeError("tool died")
        if scripted["does"] == "raise_timeout":
            raise TimeoutError
        return {
            "text": scripted["text"],
            "sources_used": scripted["sources"],
            "usage": scripted["usage"],
            "metadata": scripted["metadata"],
        }

    async def cleanup(self) -> None:
        """Nothing to release."""

    def step(self, question: str) -> dict[str, Any]:
        step: dict[str, Any] = self._now[self._ids[question]]
        return step


class ScriptedJudge:
    """Gives each answer its scripted scores."""

    name = "gpt-5-mini"
    replayed = False

    def __init__(self, agent: ScriptedAgent) -> None:
        self._agent = agent

    async def reply(self, prompt: Prompt) -> Reply:
        scores = self._agent.step(json.loads(prompt.text)["question"])["judge"]
        named = zip(("correctness", "completeness", "faithfulness"), scores, strict=True)
        return Reply(text=json.dumps({"reasoning": "scripted", **dict(named)}))


def _agrees(got: Any, expected: Any) -> bool:
    if isinstance(expected, dict):
        return all(_agrees(got[key], value) for key, value in expected.items())
    if isinstance(expected, list):
        return len(got) == len(expected) and all(map(_agrees, got, expected))
    if isinstance(expected, float):
        return bool(abs(got - expected) < 1e-9)
    return bool(got == expected)


def test_published_result_files(reference_data: Path, tmp_path: Path) -> None:
    root = reference_data / "compare"
    scenarios = json.loads((root / "scenarios/agents.json").read_text())["scenarios"]
    compared = 0
    for name, frameworks in scenarios.items():
        mode = "capability" if name == "ferry_chain" else "baseline"
        scenario = read_scenario(root / "scenarios" / name, mode=mode)
        ids = {question.text: question.id for question in scenario.questions}
        for framework, runs in frameworks.items():
            agent = ScriptedAgent(runs, ids)
            judge = Judge(ScriptedJudge(agent), price_usd)
            asking = AskingOptions(scenario.profile, LIMIT_SECONDS, judge, original=True)
            options = EvaluationOptions(RunOptions(asking), runs=len(runs), code_quality=False)
            made = tmp_path / name / framework
            asyncio.run(
                evaluate(scenario, Framework(framework, agent), options=options, folder=made)
            )
            got = {_run(file): json.loads(file.read_text()) for file in made.iterdir()}
            stem = "_".join(framework.lower().split())
            for file in (root / "results" / name).glob(f"{stem}_*.json"):
                expected = json.loads(file.read_text())
                del expected["code_quality"]  # measured of sources that are not published
                for question in expected["questions"]:
                    del question["judge_reasoning"]
                assert _agrees(got[_run(file)], expected), file.name
                compared += 1
    assert compared == 15


def _run(file: Path) -> str:
    """Which run a result file is of; nothing for the only one, and for the average."""
    return file.stem.rpartition("_run")[2] if "_run" in file.stem else ""
