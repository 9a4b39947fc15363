"""Any endpoint with OpenAI's chat completions API, through pydantic-ai."""

from __future__ import annotations

import asyncio
import os
import re
from typing import TYPE_CHECKING

from trajmeter.errors import ConfigurationError, ExtraMissingError
from trajmeter.judges.exchange import AccessError, ExchangeError, Prompt, Reply, TransientError
from trajmeter.records import Cause

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse

__all__ = ["DEFAULT_MODEL", "DEFAULT_TIMEOUT_SECONDS", "OpenAIChat"]

DEFAULT_MODEL = "gpt-5-mini"
"""Default judge."""
DEFAULT_TIMEOUT_SECONDS = 60.0
"""Default time limit for a reply."""

_KEY_VARIABLE = "OPENAI_API_KEY"
# Reasoning models reject requests that set a temperature.
_FIXED_TEMPERATURE = re.compile(r"(^|[/:])(o\d|gpt-5)")
_TRANSIENT = frozenset({408, 409, 425, 429})
_SERVER_ERROR = 500
_NO_ACCESS = frozenset({401, 403})


class OpenAIChat:
    """A model behind an OpenAI-compatible endpoint.

    The key is read from the environment and never shown; it is redacted from replies and errors.

    Args:
        model: Name of the model.
        base_url: URL of the endpoint; by default ``OPENAI_BASE_URL`` or, if unset, OpenAI's own.
        key_variable: Environment variable that holds the key.
        timeout_seconds: How long to wait for one reply.

    Raises:
        ExtraMissingError: pydantic-ai is not installed.
        ConfigurationError: The environment has no key, or one that cannot be sent.
    """

    replayed = False

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        base_url: str | None = None,
        key_variable: str = _KEY_VARIABLE,
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
    ) -> None:
        try:
            from openai import AsyncOpenAI
            from pydantic_ai.models.openai import OpenAIChatModel
            from pydantic_ai.providers.openai import OpenAIProvider
        except ModuleNotFoundError as error:
            raise ExtraMissingError(
                "an LLM judge needs pydantic-ai: pip install 'trajmeter[judge]'"
            ) from error
        self._key = os.environ.get(key_variable, "").strip()
        if not self._key:
            raise ConfigurationError(
                f"no key for the judge {model!r}: set the environment variable {key_variable}, "
                "replay a recording, or skip what it would judge"
            )
        if not (self._key.isascii() and self._key.isprintable()):
            raise ConfigurationError(
                f"the key in {key_variable} contains a character that cannot be sent, such as a "
                "line break"
            )
        self.name = model
        self._timeout_seconds = timeout_seconds
        # The judge counts and reports attempts, so the client makes only one.
        client = AsyncOpenAI(
            api_key=self._key, base_url=base_url, max_retries=0, timeout=timeout_seconds
        )
        self._model = OpenAIChatModel(model, provider=OpenAIProvider(openai_client=client))

    async def reply(self, prompt: Prompt) -> Reply:
        """Ask once; see :class:`~trajmeter.judges.exchange.ChatModel`."""
        import openai
        from pydantic_ai import exceptions

        try:
            # The client limits each read, and a proxy may send blanks for as long as it likes.
            response = await asyncio.wait_for(self._request(prompt), self._timeout_seconds)
            return self._reply(response)
        except asyncio.TimeoutError:
            raise TransientError(
                f"no reply within {self._timeout_seconds:g} s", Cause.JUDGE_TIMEOUT
            ) from None
        except exceptions.ModelHTTPError as error:
            message = self._redacted(
                f"the endpoint answered with status {error.status_code}: {error}"
            )
            if error.status_code in _NO_ACCESS:
                raise AccessError(message) from None
            if error.status_code in _TRANSIENT or error.status_code >= _SERVER_ERROR:
                raise TransientError(message, retry_after_seconds=error.retry_after) from None
            raise ExchangeError(message) from None
        except exceptions.ContentFilterError as error:
            return Reply(refusal=self._redacted(str(error)))
        except exceptions.UnexpectedModelBehavior as error:
            raise TransientError(
                self._redacted(f"the endpoint's answer is not a chat completion: {error}"),
                Cause.JUDGE_UNPARSEABLE,
            ) from None
        except (exceptions.ModelAPIError, openai.APIError) as error:
            raise self._transport_error(error) from None
        except Exception as error:  # noqa: BLE001 - the client raises anything on an unexpected body
            raise TransientError(
                self._redacted(
                    "the endpoint's answer is not a chat completion: "
                    f"{type(error).__name__}: {error}"
                ),
                Cause.JUDGE_UNPARSEABLE,
            ) from None

    async def _request(self, prompt: Prompt) -> ModelResponse:
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.output import OutputObjectDefinition
        from pydantic_ai.settings import ModelSettings

        settings = ModelSettings(timeout=self._timeout_seconds)
        if not _FIXED_TEMPERATURE.search(self.name):
            settings["temperature"] = 0.0
        return await model_request(
            self._model,
            [ModelRequest.user_text_prompt(prompt.text, instructions=prompt.instructions)],
            model_settings=settings,
            model_request_parameters=ModelRequestParameters(
                output_mode="native",
                output_object=OutputObjectDefinition(
                    json_schema=prompt.json_schema, name=prompt.schema_name, strict=True
                ),
                allow_text_output=True,
            ),
        )

    def _reply(self, response: ModelResponse) -> Reply:
        refusal = (response.provider_details or {}).get("refusal")
        if refusal is None and response.finish_reason == "content_filter":
            refusal = "the endpoint's content filter withheld the reply"
        return Reply(
            text=self._redacted(response.text or ""),  # a proxy may echo what it was sent
            refusal=None if refusal is None else self._redacted(str(refusal)),
            prompt_tokens=response.usage.input_tokens,
            completion_tokens=response.usage.output_tokens,
        )

    def _redacted(self, text: str) -> str:
        return text.replace(self._key, "[redacted]")

    def _transport_error(self, error: Exception) -> TransientError:
        causes = [error, error.__cause__]
        timed_out = any("Timeout" in type(cause).__name__ for cause in causes if cause is not None)
        return TransientError(
            self._redacted(_with_first_cause(error)),
            Cause.JUDGE_TIMEOUT if timed_out else Cause.JUDGE_ERROR,
        )


def _with_first_cause(error: Exception) -> str:
    """The client's message, which may be only "Connection error.", with what caused it."""
    message = first = str(error)
    cause = error.__cause__ or error.__context__
    while cause is not None:
        first = str(cause) or first
        cause = cause.__cause__ or cause.__context__
    return message if first in message else f"{message.rstrip('.')}: {first}"
