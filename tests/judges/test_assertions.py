"""Assertions graded by a judging model, through the rule ``llm_judge``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.judges.scripted import ScriptedModel
from trajmeter.judges import Judge, ModelAssertionJudge, Reply
from trajmeter.metrics.rules import RulesMetric
from trajmeter.prices import price_usd
from trajmeter.records import Assertion, Cause, Outcome, Task, Trajectory

if TYPE_CHECKING:
    from trajmeter.metrics.rules.result import JudgeScore

TASK = Task(
    id="t",
    question="Book a berth.",
    assertions=(
        Assertion(name="polite", type="llm_judge", check="The reply is polite."),
        Assertion(name="booked", type="llm_judge", check="A berth is booked."),
        Assertion(type="output_contains", check="berth"),  # graded by a rule, not sent
    ),
)
ATTEMPT = Trajectory(task_id="t", transcript="user: Book.", final_output="Berth 12 is yours.")


def score(*script: str | Reply) -> tuple[JudgeScore, ScriptedModel]:
    model = ScriptedModel(*script)
    judge = ModelAssertionJudge(Judge(model, price_usd, first_pause_seconds=0.0))
    try:
        return RulesMetric(judge=judge).score(TASK, ATTEMPT).llm_judge, model
    finally:
        judge.close()


def test_the_score_is_the_share_of_judged_assertions_that_hold() -> None:
    said = [("polite", "pass"), ("booked", "fail")]
    verdicts = [{"name": name, "reason": "r", "result": result} for name, result in said]
    got, model = score(json.dumps({"verdicts": verdicts}))
    assert (got.score, got.sent, got.judged) == (5.0, 2, 2)  # 10 * 1 / 2
    assert "Berth 12 is yours." in model.prompts[0].text
    assert "output_contains" not in model.prompts[0].text


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (Reply(refusal="no"), Cause.JUDGE_REFUSED),
        (Reply(text="nonsense"), Cause.JUDGE_UNPARSEABLE),
    ],
)
def test_a_judge_without_a_usable_reply_gives_no_score(reply: Reply, cause: Cause) -> None:
    got, _ = score(reply, reply, reply)
    assert (got.outcome, got.cause, got.score) == (Outcome.NOT_SCORED, cause, None)
