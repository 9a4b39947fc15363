"""Asks a judge until it gives a usable reply, or until it is clear that it will not."""

from __future__ import annotations

import asyncio
import random
import re
import string
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from trajmeter.judges.exchange import AccessError, ExchangeError, Prompt, TransientError
from trajmeter.records import Cause, JudgeRecord
from trajmeter.validation_errors import describe_errors

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.judges.exchange import ChatModel, Reply

__all__ = ["Judge", "Judgement"]

JudgementT = TypeVar("JudgementT", bound=BaseModel)

_LONGEST_PAUSE = 120.0
"""Maximum seconds to wait if an endpoint requests a pause; some request a day."""
_BLANK = string.whitespace + "\ufeff"
_FENCE = re.compile(r"(`{3,}|~{3,})[^{[\n]*")
"""A fence with the name of a language, which ends before JSON or with its line."""


@dataclass(frozen=True)
class Judgement(Generic[JudgementT]):
    """A judge's reply, or why it cannot be used."""

    value: JudgementT | None
    """The reply; ``None`` with a cause in ``record``."""
    record: JudgeRecord
    """Tokens, cost and attempts, and the cause of a missing reply."""


@dataclass
class Judge:
    """A judging model with its retries, rate limit and concurrency.

    Transport errors are retried after increasing pauses, or after the pause the endpoint requests.
    If a reply does not match the schema, the judge is asked again, with the reason. Neither ever
    becomes a score.

    A judge that refuses access, or fails for several questions in a row, is given up: later
    questions are not asked, and their records say so.
    """

    model: ChatModel
    """Model to ask."""
    price: Callable[[str, int, int], float | None]
    """Cost in US dollars of a model's prompt and completion tokens; ``None`` if unknown."""
    transport_attempts: int = 4
    """Maximum number of calls for one reply if there are transport errors."""
    reply_attempts: int = 3
    """Maximum number of replies to read if they are invalid."""
    first_pause_seconds: float = 1.0
    """Pause before the second call; it doubles from then on."""
    requests_per_minute: float | None = None
    """Maximum number of calls to start per minute; ``None`` for no limit."""
    concurrency: int = 4
    """Maximum number of concurrent calls."""
    failures_in_a_row: int = 5
    """Number of consecutive questions without a usable reply after which the judge is given up.

    A refusal is a reply, and a replayed judge is never given up: its failures cost nothing.
    """
    _slots: asyncio.Semaphore = field(init=False, repr=False)
    _next_start: float = field(default=0.0, init=False, repr=False)
    _failures: int = field(default=0, init=False, repr=False)
    _given_up: ExchangeError | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        """Create the slots that calls wait for."""
        self._slots = asyncio.Semaphore(self.concurrency)

    async def ask(
        self, instructions: str, text: str, reply_model: type[JudgementT]
    ) -> Judgement[JudgementT]:
        """Ask for a judgement.

        Args:
            instructions: The judge's task and how it scores.
            text: What to judge.
            reply_model: Model of the reply; its JSON Schema goes to the judge.

        Returns:
            The reply, or why it is missing: refused, unparseable, error, timed out.
        """
        tally = _Tally()
        has_access = True
        try:
            judgement = await self._ask(instructions, text, reply_model, tally)
        except ExchangeError as error:
            judgement = Judgement(None, self._record(tally, error.cause, str(error)))
            has_access = not isinstance(error, AccessError)
        self._count(judgement.record, has_access=has_access)
        return judgement

    def _count(self, record: JudgeRecord, *, has_access: bool) -> None:
        """Give the judge up if it refuses access, or has failed for too many questions in a row."""
        if record.cause in (None, Cause.JUDGE_REFUSED):
            self._failures = 0
            return
        self._failures += 1
        is_hopeless = not has_access or self._failures >= self.failures_in_a_row
        if is_hopeless and not self.model.replayed:
            self._given_up = self._given_up or ExchangeError(
                f"not asked, because the judge was given up: {record.message}",
                record.cause or Cause.JUDGE_ERROR,
            )

    async def _ask(
        self, instructions: str, text: str, reply_model: type[JudgementT], tally: _Tally
    ) -> Judgement[JudgementT]:
        question = text
        message = ""
        for _ in range(self.reply_attempts):
            prompt = Prompt(
                instructions=instructions,
                text=question,
                schema_name=reply_model.__name__,
                json_schema=reply_model.model_json_schema(),
            )
            reply = await self._reply(prompt, tally)
            if reply.refusal is not None:
                return Judgement(None, self._record(tally, Cause.JUDGE_REFUSED, reply.refusal))
            try:
                value = reply_model.model_validate_json(_unfenced(reply.text))
            except ValidationError as error:
                message = describe_errors(error)
                question = (
                    f"{text}\n\nYour last reply could not be used ({message}). "
                    "Reply again with one JSON object that meets the schema, and nothing else."
                )
            else:
                return Judgement(value, self._record(tally))
        return Judgement(None, self._record(tally, Cause.JUDGE_UNPARSEABLE, message))

    async def _reply(self, prompt: Prompt, tally: _Tally) -> Reply:
        pause = self.first_pause_seconds
        for attempt in range(1, self.transport_attempts + 1):
            try:
                async with self._slots:
                    self._refuse_if_given_up()
                    await self._wait_for_turn()
                    self._refuse_if_given_up()
                    tally.attempts += 1
                    reply = await self.model.reply(prompt)
            except TransientError as error:
                if attempt == self.transport_attempts:
                    raise
                asked = error.retry_after_seconds
                # Jitter keeps calls that failed together from being retried together.
                jittered = pause * random.uniform(0.5, 1.5)  # noqa: S311 - not for secrets
                await asyncio.sleep(jittered if asked is None else min(asked, _LONGEST_PAUSE))
                pause *= 2
            else:
                tally.prompt_tokens += reply.prompt_tokens
                tally.completion_tokens += reply.completion_tokens
                # A prompt that an endpoint rejects costs nothing; a reply to one does.
                if reply.refusal is None and not reply.prompt_tokens:
                    tally.is_metered = False
                return reply
        raise ExchangeError("no call was made: transport_attempts is below 1")

    def _refuse_if_given_up(self) -> None:
        if self._given_up is not None:
            raise self._given_up

    async def _wait_for_turn(self) -> None:
        if self.requests_per_minute is None:
            return
        now = asyncio.get_running_loop().time()
        start = max(now, self._next_start)
        self._next_start = start + 60.0 / self.requests_per_minute
        await asyncio.sleep(start - now)

    def _record(
        self, tally: _Tally, cause: Cause | None = None, message: str | None = None
    ) -> JudgeRecord:
        tokens = (tally.prompt_tokens, tally.completion_tokens)
        cost = self.price(self.model.name, *tokens) if tally.is_metered else None
        return JudgeRecord(
            model=self.model.name,
            cause=cause,
            message=message,
            prompt_tokens=tokens[0],
            completion_tokens=tokens[1],
            cost_usd=0.0 if self.model.replayed else cost,
            attempts=tally.attempts,
            replayed=self.model.replayed,
        )


@dataclass
class _Tally:
    """Calls and tokens of one judgement so far."""

    attempts: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    is_metered: bool = True
    """Whether every reply that is not a refusal came with its usage."""


def _unfenced(text: str) -> str:
    """The reply without the code fence that models often put around JSON."""
    stripped = text.strip(_BLANK)
    fence = _FENCE.match(stripped)
    if fence is None or not stripped.endswith(fence[1], fence.end()):
        return stripped
    return stripped[fence.end() :].removesuffix(fence[1])
