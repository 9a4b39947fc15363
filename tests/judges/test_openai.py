"""The judge against a real local server that speaks chat completions."""

from __future__ import annotations

import asyncio
import json
import logging

import pytest

from tests.judges.endpoint import Endpoint, completion, endpoint
from tests.judges.scripted import GOOD
from trajmeter.errors import ConfigurationError
from trajmeter.judges import (
    AnswerScores,
    Judge,
    Judgement,
    OpenAIChat,
    Prompt,
    TransientError,
)
from trajmeter.prices import price_usd
from trajmeter.records import Cause

KEY = "sk-secret-of-the-test"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", KEY)


def ask(
    server: Endpoint, model: str = "gpt-4o-mini", *, timeout_seconds: float = 60.0
) -> Judgement[AnswerScores]:
    async def once() -> Judgement[AnswerScores]:
        chat = OpenAIChat(
            model,
            base_url=server.address,
            key_variable="JUDGE_KEY",
            timeout_seconds=timeout_seconds,
        )
        judge = Judge(chat, price_usd, first_pause_seconds=0.0, transport_attempts=3)
        return await judge.ask("grade", "this", AnswerScores)

    return asyncio.run(once())


def test_a_verdict_comes_with_schema_temperature_and_usage() -> None:
    with endpoint(GOOD) as server:
        got = ask(server)
    assert got.value is not None
    assert (got.record.prompt_tokens, got.record.completion_tokens) == (50, 5)
    (request,) = server.requests
    assert request["temperature"] == 0.0
    schema = request["response_format"]["json_schema"]["schema"]
    assert set(schema["properties"]) == set(AnswerScores.model_fields)
    assert server.keys == [f"Bearer {KEY}"]


@pytest.mark.parametrize("model", ["gpt-5-mini", "o3-mini", "openai/gpt-5", "openai:gpt-5"])
def test_reasoning_models_are_sent_no_temperature(model: str) -> None:
    with endpoint(GOOD) as server:
        assert ask(server, model).value is not None
    assert "temperature" not in server.requests[0]


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 503])
def test_rate_limits_and_server_errors_are_retried(status: int) -> None:
    with endpoint(status, status, GOOD) as server:
        got = ask(server)
    assert got.value is not None
    assert got.record.attempts == 3


def test_the_pause_that_an_endpoint_asks_for_is_passed_on() -> None:
    prompt = Prompt(instructions="grade", text="this", schema_name="S", json_schema={})

    async def once(address: str) -> None:
        await OpenAIChat("m", base_url=address, key_variable="JUDGE_KEY").reply(prompt)

    for status, asked in ((429, 0.0), (503, None)):  # the endpoint asks with 429 alone
        with endpoint(status) as server, pytest.raises(TransientError) as caught:
            asyncio.run(once(server.address))
        assert caught.value.retry_after_seconds == asked


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_request_the_endpoint_will_not_take_is_not_repeated(status: int) -> None:
    with endpoint(status) as server:
        got = ask(server)
    assert (got.value, got.record.cause) == (None, Cause.JUDGE_ERROR)
    assert len(server.requests) == 1
    assert str(status) in (got.record.message or "")


@pytest.mark.parametrize("step", ["slow", "drip"])
def test_a_slow_reply_is_a_time_out(step: str) -> None:
    with endpoint(step) as server:
        got = ask(server, timeout_seconds=0.1)
    assert (got.value, got.record.cause) == (None, Cause.JUDGE_TIMEOUT)
    assert got.record.attempts == 3


@pytest.mark.parametrize(
    "body",
    [
        b'{"id": "x", "choices": [',
        b"<html>bad gateway</html>",
        b"[]",
        b"null",
        json.dumps(completion("") | {"choices": []}).encode(),
        json.dumps(completion("") | {"choices": None}).encode(),
        json.dumps(completion("") | {"choices": [{"index": 0}]}).encode(),
        json.dumps(completion(GOOD) | {"usage": {"prompt_tokens": -5}}).encode(),
    ],
)
def test_a_body_that_is_not_a_chat_completion_is_retried_and_then_reported(body: bytes) -> None:
    with endpoint(body, GOOD) as server:
        got = ask(server)
    assert got.value is not None
    assert got.record.attempts == 2
    with endpoint(body) as server:
        got = ask(server)
    assert got.record.attempts == 3
    assert got.record.cause in {Cause.JUDGE_ERROR, Cause.JUDGE_UNPARSEABLE}


def test_a_reply_of_the_wrong_schema_is_asked_for_again_and_then_unparseable() -> None:
    with endpoint('{"correctness": 9}') as server:
        got = ask(server)
    assert (got.value, got.record.cause) == (None, Cause.JUDGE_UNPARSEABLE)
    assert len(server.requests) == 3


def test_a_refusal_is_not_a_score() -> None:
    with endpoint({"refusal": "I cannot grade this."}) as server:
        got = ask(server)
    assert (got.value, got.record.cause) == (None, Cause.JUDGE_REFUSED)
    assert got.record.message == "I cannot grade this."


def test_a_filtered_reply_is_a_refusal() -> None:
    with endpoint("filtered") as server:
        got = ask(server)
    assert (got.value, got.record.cause) == (None, Cause.JUDGE_REFUSED)
    assert len(server.requests) == 1


def test_the_key_appears_in_no_message_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for status in (401, 500):
        with endpoint(status) as server:  # the endpoint quotes the key in its error
            got = ask(server)
        assert KEY not in got.record.model_dump_json()
    for reply in ({"refusal": "no, {authorization}"}, GOOD.replace("fine", "{authorization}")):
        with endpoint(reply) as server:  # or in what it replies
            got = ask(server)
        said = f"{got.record.model_dump_json()} {got.value}"
        assert KEY not in said
        assert "[redacted]" in said
    assert KEY not in caplog.text


@pytest.mark.parametrize(
    ("address", "cause"),
    [("http://127.0.0.1:1/v1", "Connect"), ("host.example/v1", "missing an 'http://' or")],
)
def test_what_keeps_the_endpoint_from_being_reached_is_reported(address: str, cause: str) -> None:
    got = ask(Endpoint([], address))
    assert got.record.cause is Cause.JUDGE_ERROR
    assert got.record.message is not None
    assert cause in got.record.message.removeprefix("Connection error")


def test_white_space_around_a_key_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", f" {KEY}\n")
    with endpoint(GOOD) as server:
        assert ask(server).value is not None
    assert server.keys == [f"Bearer {KEY}"]


@pytest.mark.parametrize("key", ["sk-one\nsk-two", "sk-é"])
def test_a_key_that_cannot_be_sent_is_an_error_at_once(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("JUDGE_KEY", key)
    with pytest.raises(ConfigurationError, match="the key in JUDGE_KEY contains") as caught:
        OpenAIChat("m", key_variable="JUDGE_KEY")
    assert "sk-" not in str(caught.value)


def test_without_a_key_the_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JUDGE_KEY")
    with pytest.raises(ConfigurationError, match="set the environment variable JUDGE_KEY"):
        OpenAIChat(key_variable="JUDGE_KEY")
