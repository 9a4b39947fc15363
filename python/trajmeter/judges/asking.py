"""Asking a judge until there is a verdict, or a reason why there is none."""

from __future__ import annotations

import asyncio
import random
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from trajmeter.judges.exchange import ExchangeError, Prompt, TransientError
from trajmeter.records import Cause, JudgeRecord

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.judges.exchange import ChatModel, Reply

__all__ = ["Judge", "Judgement"]

JudgementT = TypeVar("JudgementT", bound=BaseModel)

_LONGEST_PAUSE = 120.0
"""Seconds to wait at most where an endpoint asks for a pause: a used-up day would be one."""
_FENCED = re.compile(r"^```[a-z]*\n(.*?)\n?```$", re.DOTALL)


@dataclass(frozen=True)
class Judgement(Generic[JudgementT]):
    """What a judge said, or why it said nothing that counts."""

    value: JudgementT | None
    """The verdict; ``None`` with a cause in ``record``."""
    record: JudgeRecord
    """Tokens, cost and attempts, and the cause where there is no verdict."""


@dataclass
class Judge:
    """A judging model with its retries, rate limit and concurrency.

    Transport errors are retried after a growing pause, or the pause the endpoint asks for. A reply
    that does not meet the schema is asked for again, with what is wrong with it. Neither ever turns
    into a score.
    """

    model: ChatModel
    """Model that replies."""
    price: Callable[[str, int, int], float | None]
    """Cost in US dollars of a model's prompt and completion tokens; ``None`` if not known."""
    transport_attempts: int = 4
    """Calls made for one reply before a transport error stands."""
    reply_attempts: int = 3
    """Replies read before an invalid one stands."""
    first_pause_seconds: float = 1.0
    """Pause before the second call; it doubles from there."""
    requests_per_minute: float | None = None
    """Calls begun in a minute, at most; ``None`` is no limit."""
    concurrency: int = 4
    """Calls under way at once, at most."""
    _slots: asyncio.Semaphore = field(init=False, repr=False)
    _next_start: float = field(default=0.0, init=False, repr=False)

    def __post_init__(self) -> None:
        """Prepare the slots that calls wait for."""
        self._slots = asyncio.Semaphore(self.concurrency)

    async def ask(
        self, instructions: str, text: str, verdict: type[JudgementT]
    ) -> Judgement[JudgementT]:
        """Ask for a verdict.

        Args:
            instructions: What the judge is and how it scores.
            text: What to judge.
            verdict: Model of the verdict; its JSON Schema goes to the judge.

        Returns:
            The verdict, or the cause why there is none: refused, unparseable, error, timed out.
        """
        tally = _Tally()
        question = text
        message = ""
        for _ in range(self.reply_attempts):
            prompt = Prompt(
                instructions=instructions,
                text=question,
                schema_name=verdict.__name__,
                json_schema=verdict.model_json_schema(),
            )
            try:
                reply = await self._reply(prompt, tally)
            except ExchangeError as error:
                return Judgement(None, self._record(tally, error.cause, str(error)))
            if reply.refusal is not None:
                return Judgement(None, self._record(tally, Cause.JUDGE_REFUSED, reply.refusal))
            try:
                value = verdict.model_validate_json(_unfenced(reply.text))
            except ValidationError as error:
                message = "; ".join(
                    f"{'.'.join(map(str, e['loc'])) or 'reply'}: {e['msg']}" for e in error.errors()
                )
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
                    await self._wait_for_turn()
                    tally.attempts += 1
                    reply = await self.model.reply(prompt)
            except TransientError as error:
                if attempt == self.transport_attempts:
                    raise
                asked = error.retry_after_seconds
                # Jitter keeps calls that failed together from coming back together.
                jittered = pause * random.uniform(0.5, 1.5)  # noqa: S311 - not for secrets
                await asyncio.sleep(jittered if asked is None else min(asked, _LONGEST_PAUSE))
                pause *= 2
            else:
                tally.prompt_tokens += reply.prompt_tokens
                tally.completion_tokens += reply.completion_tokens
                return reply
        raise ExchangeError("no call was made: transport_attempts is below 1")

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
        return JudgeRecord(
            model=self.model.name,
            cause=cause,
            message=message,
            prompt_tokens=tokens[0],
            completion_tokens=tokens[1],
            cost_usd=0.0 if self.model.replayed else self.price(self.model.name, *tokens),
            attempts=tally.attempts,
            replayed=self.model.replayed,
        )


@dataclass
class _Tally:
    """What one verdict has taken so far."""

    attempts: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


def _unfenced(text: str) -> str:
    """The reply without the code fence that models like to put around JSON."""
    stripped = text.strip()
    fenced = _FENCED.match(stripped)
    return fenced.group(1) if fenced else stripped
