"""Asking a judge: retries, invalid replies, and outcomes without a score."""

from __future__ import annotations

import asyncio

import pytest

from tests.judges.scripted import GOOD, ScriptedModel
from trajmeter.judges import (
    AccessError,
    AnswerScores,
    ExchangeError,
    Judge,
    Judgement,
    Reply,
    TransientError,
    judge_answer,
)
from trajmeter.prices import price_usd
from trajmeter.records import Cause

BUSY = TransientError("status 429", retry_after_seconds=0.0)


def verdict(model: ScriptedModel) -> Judgement[AnswerScores]:
    judge = Judge(model, price_usd, first_pause_seconds=0.0)
    return asyncio.run(
        judge_answer(judge, question="Where?", expected="Here.", actual="There.", sources=["a.md"])
    )


def test_a_valid_reply_is_a_verdict_with_its_usage_and_cost() -> None:
    got = verdict(ScriptedModel(GOOD))
    assert got.value == AnswerScores(
        reasoning="fine", correctness=5, completeness=4, faithfulness=3
    )
    # 100 prompt tokens at $0.25 a million and 10 completion tokens at $2.00: 25e-6 + 20e-6
    assert got.record.cost_usd == pytest.approx(45e-6)
    assert (got.record.prompt_tokens, got.record.completion_tokens) == (100, 10)
    assert (got.record.attempts, got.record.cause) == (1, None)


def test_a_reply_without_usage_has_no_known_cost() -> None:
    got = verdict(ScriptedModel("not JSON", Reply(text=GOOD)))
    assert got.value is not None
    assert got.record.cost_usd is None
    for free in (ExchangeError("status 404"), Reply(refusal="prompt rejected")):
        assert verdict(ScriptedModel(free)).record.cost_usd == 0.0


def test_the_judge_sees_question_reference_answer_and_sources_as_data() -> None:
    model = ScriptedModel(GOOD)
    verdict(model)
    (prompt,) = model.prompts
    for text in ("Where?", "Here.", "There.", "a.md"):
        assert text in prompt.text
        assert text not in prompt.instructions
    assert set(prompt.json_schema["required"]) == set(AnswerScores.model_fields)


def test_transport_errors_are_retried_and_then_final() -> None:
    assert verdict(ScriptedModel(BUSY, BUSY, GOOD)).record.attempts == 3
    got = verdict(ScriptedModel(BUSY, BUSY, BUSY, BUSY))
    assert got.value is None
    assert (got.record.cause, got.record.attempts) == (Cause.JUDGE_ERROR, 4)


def test_pauses_double_and_one_that_is_asked_for_is_kept_to_two_minutes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr("trajmeter.judges.asking.asyncio.sleep", sleep)
    monkeypatch.setattr(
        "trajmeter.judges.asking.random.uniform", lambda low, high: (low + high) / 2
    )
    down = TransientError("status 503")
    patient = [TransientError("status 429", retry_after_seconds=s) for s in (7.0, 86_400.0)]
    for script in ([down, down, down, down], [*patient, down, down]):
        judge = Judge(ScriptedModel(*script), price_usd, first_pause_seconds=1.0)
        assert asyncio.run(judge.ask("how", "what", AnswerScores)).value is None
    assert pauses == [1.0, 2.0, 4.0, 7.0, 120.0, 4.0]


def test_an_error_that_will_not_pass_is_not_retried() -> None:
    got = verdict(ScriptedModel(ExchangeError("status 401")))
    assert (got.value, got.record.attempts, got.record.message) == (None, 1, "status 401")


def test_a_time_out_is_distinguished() -> None:
    slow = TransientError("no reply", Cause.JUDGE_TIMEOUT, retry_after_seconds=0.0)
    assert verdict(ScriptedModel(slow, slow, slow, slow)).record.cause is Cause.JUDGE_TIMEOUT


@pytest.mark.parametrize(
    "bad",
    [
        "not JSON",
        '{"correctness": 5}',
        GOOD.replace("5", "6"),
        GOOD.replace("5", "0"),
        GOOD.replace("5", '"high"'),
        GOOD.replace("5", "true"),  # which is no 1
        "[]",
        "",
    ],
)
def test_an_invalid_reply_is_asked_for_again_and_never_a_score(bad: str) -> None:
    model = ScriptedModel(bad, GOOD)
    assert verdict(model).value is not None
    assert "could not be used" in model.prompts[1].text
    assert model.prompts[1].text.startswith(model.prompts[0].text)
    got = verdict(ScriptedModel(bad, bad, bad))
    assert got.value is None
    assert (got.record.cause, got.record.attempts) == (Cause.JUDGE_UNPARSEABLE, 3)
    assert got.record.prompt_tokens == 300  # invalid replies cost too


@pytest.mark.parametrize(
    "reply",
    [
        f"```json\n{GOOD}\n```",
        f"```JSON\r\n{GOOD}\r\n```",
        f"``` {GOOD}```",
        f"``` json\n{GOOD}\n```",
        f"```{GOOD}```",
        f"````json5 title='a'\n{GOOD}\n````",
        f"~~~json\n{GOOD}\n~~~",
        f"\ufeff{GOOD}\n",
    ],
)
def test_a_fenced_reply_is_read(reply: str) -> None:
    assert verdict(ScriptedModel(reply)).value is not None


def test_a_refusal_is_final() -> None:
    got = verdict(ScriptedModel(Reply(refusal="I would rather not.")))
    assert (got.value, got.record.cause) == (None, Cause.JUDGE_REFUSED)
    assert got.record.message == "I would rather not."


def test_concurrent_calls_are_limited() -> None:
    class Counting(ScriptedModel):
        running = most = 0

        async def reply(self, prompt: object) -> Reply:
            del prompt
            Counting.running += 1
            Counting.most = max(Counting.most, Counting.running)
            await asyncio.sleep(0.001)
            Counting.running -= 1
            return Reply(text=GOOD)

    async def ask_all() -> None:
        judge = Judge(Counting(), price_usd, concurrency=2)
        await asyncio.gather(*(judge.ask("i", str(i), AnswerScores) for i in range(8)))

    asyncio.run(ask_all())
    assert Counting.most == 2


def test_a_rate_limit_spaces_the_calls() -> None:
    async def ask_three() -> float:
        judge = Judge(ScriptedModel(GOOD, GOOD, GOOD), price_usd, requests_per_minute=6_000)
        loop = asyncio.get_running_loop()
        started = loop.time()
        await asyncio.gather(*(judge.ask("i", str(i), AnswerScores) for i in range(3)))
        return loop.time() - started

    assert asyncio.run(ask_three()) >= 0.02  # the third call begins 2 * 10 ms after the first


def verdicts(judge: Judge, questions: int) -> list[Judgement[AnswerScores]]:
    async def ask() -> list[Judgement[AnswerScores]]:
        return [
            await judge_answer(judge, question="Where?", expected="", actual="", sources=[])
            for _ in range(questions)
        ]

    return asyncio.run(ask())


def test_a_judge_that_refuses_access_is_not_asked_again() -> None:
    model = ScriptedModel(AccessError("status 401"))
    first, *others = verdicts(Judge(model, price_usd), 3)
    assert len(model.prompts) == 1
    assert first.record.message == "status 401"
    assert {(each.record.attempts, each.record.message) for each in others} == {
        (0, "not asked, because the judge was given up: status 401")
    }


def test_a_judge_that_always_fails_is_abandoned_after_a_few_questions() -> None:
    model = ScriptedModel(*[ExchangeError("status 404")] * 9)
    got = verdicts(Judge(model, price_usd, failures_in_a_row=3), 6)
    assert len(model.prompts) == 3
    assert [each.record.cause for each in got] == [Cause.JUDGE_ERROR] * 6


def test_a_judge_that_fails_now_and_then_or_refuses_is_asked_on() -> None:
    wrong, refusal = ExchangeError("status 404"), Reply(refusal="no")
    model = ScriptedModel(wrong, wrong, GOOD, wrong, wrong, refusal, refusal, refusal, wrong, GOOD)
    got = verdicts(Judge(model, price_usd, failures_in_a_row=3), 10)
    assert len(model.prompts) == 10
    assert got[-1].value is not None


def test_questions_after_a_judge_was_given_up_do_not_wait_for_the_rate_limit() -> None:
    judge = Judge(
        ScriptedModel(AccessError("status 401")), price_usd, requests_per_minute=60.0 / 3600.0
    )

    async def ask() -> list[Judgement[AnswerScores]]:
        first = await judge.ask("how", "what", AnswerScores)
        return [first, await asyncio.wait_for(judge.ask("how", "else", AnswerScores), 60.0)]

    assert [each.record.attempts for each in asyncio.run(ask())] == [1, 0]
