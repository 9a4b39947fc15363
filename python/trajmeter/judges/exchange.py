"""One exchange with a judging model: the prompt, and the reply or the error."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from pydantic import Field

from trajmeter.errors import TrajmeterError
from trajmeter.records import Cause, Record

__all__ = ["AccessError", "ChatModel", "ExchangeError", "Prompt", "Reply", "TransientError"]


class Prompt(Record):
    """What to ask a judge."""

    instructions: str
    """The judge's task and how it scores; the same for every question."""
    text: str
    """What to judge."""
    schema_name: str
    """Name of the reply's JSON Schema."""
    json_schema: dict[str, Any]
    """JSON Schema of the reply."""


class Reply(Record):
    """What a model replied."""

    text: str = ""
    """The reply's text, which should be JSON."""
    refusal: str | None = None
    """The model's words if it declined to answer."""
    prompt_tokens: int = Field(default=0, ge=0)
    """Tokens of the prompt."""
    completion_tokens: int = Field(default=0, ge=0)
    """Tokens of the reply."""


class ChatModel(Protocol):
    """A model that replies to one prompt; it neither retries nor parses replies."""

    @property
    def name(self) -> str:
        """Name of the model in the price table."""

    @property
    def replayed(self) -> bool:
        """Whether replies come from a recording."""

    async def reply(self, prompt: Prompt) -> Reply:
        """Ask once.

        Raises:
            AccessError: There is no reply, and no prompt will get one.
            TransientError: There is no reply; asking again may help.
            ExchangeError: There is no reply; asking again will not help.
        """


class ExchangeError(TrajmeterError):
    """A judging model could not be asked."""

    code: ClassVar[str] = "judge_error"

    def __init__(self, message: str, cause: Cause = Cause.JUDGE_ERROR) -> None:
        super().__init__(message)
        self.cause = cause


class AccessError(ExchangeError):
    """A judging model refuses access, such as for a wrong key: every question would fail."""

    code: ClassVar[str] = "judge_access"


class TransientError(ExchangeError):
    """A judging model is temporarily unavailable: rate limit, server error, time-out."""

    code: ClassVar[str] = "judge_unavailable"

    def __init__(
        self,
        message: str,
        cause: Cause = Cause.JUDGE_ERROR,
        *,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message, cause)
        self.retry_after_seconds = retry_after_seconds
