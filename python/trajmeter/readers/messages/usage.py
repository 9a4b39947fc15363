"""Token usage of model calls, as each program counts it.

Some programs include cached tokens in the prompt, others count them separately. The same name is
used for both, so only the program decides: ``prompt_tokens`` excludes cached tokens in verifiers,
but includes them in OpenAI's APIs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers.messages.shapes import dumped
from trajmeter.records import Usage
from trajmeter.records.measurements import finite
from trajmeter.records.record import LARGEST_COUNT, default_fields, frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "anthropic_usage",
    "count",
    "inspect_usage",
    "langchain_usage",
    "made_usage",
    "message_usage",
    "openai_usage",
    "pydantic_ai_usage",
    "verifiers_usage",
]


def count(value: object) -> int | None:
    """A token count; ``None`` if it does not fit a column."""
    if type(value) is int:
        return value if 0 <= value <= LARGEST_COUNT else None
    if isinstance(value, float) and value.is_integer() and 0 <= value <= LARGEST_COUNT:
        return int(value)
    return None


def openai_usage(usage: Mapping[str, Any]) -> Usage | None:
    """Usage of OpenAI's and compatible APIs: the prompt includes cached tokens."""
    got = usage.get
    prompt, completion = got("prompt_tokens"), got("completion_tokens")
    if prompt is None and completion is None:
        prompt, completion = got("input_tokens"), got("output_tokens")
        read, wrote = got("input_tokens_details"), got("output_tokens_details")
    else:
        read, wrote = got("prompt_tokens_details"), got("completion_tokens_details")
    cached = written = reasoning = None
    if isinstance(read, dict):
        cached, written = read.get("cached_tokens"), read.get("cache_write_tokens")
    if cached is None:  # as LiteLLM adds them, with or without details
        cached = got("cache_read_input_tokens")
    if written is None:
        written = got("cache_creation_input_tokens")
    if isinstance(wrote, dict):
        reasoning = wrote.get("reasoning_tokens")
    return made_usage(
        count(prompt),
        count(completion),
        cached=count(cached),
        written=count(written),
        reasoning=count(reasoning),
        total=count(got("total_tokens")),
    )


def anthropic_usage(usage: Mapping[str, Any]) -> Usage | None:
    """Usage of Anthropic's API: input excludes tokens read from or written to a cache."""
    got = usage.get
    return _beside(
        got("input_tokens"),
        got("output_tokens"),
        cached=got("cache_read_input_tokens"),
        written=got("cache_creation_input_tokens"),
    )


def langchain_usage(usage: Mapping[str, Any]) -> Usage | None:
    """LangChain's ``usage_metadata``: the input includes cached tokens."""
    read, wrote = usage.get("input_token_details"), usage.get("output_token_details")
    read, wrote = read if isinstance(read, dict) else {}, wrote if isinstance(wrote, dict) else {}
    return made_usage(
        count(usage.get("input_tokens")),
        count(usage.get("output_tokens")),
        cached=count(read.get("cache_read")),
        written=count(read.get("cache_creation")),
        reasoning=count(wrote.get("reasoning")),
        total=count(usage.get("total_tokens")),
    )


def inspect_usage(usage: Mapping[str, Any]) -> Usage | None:
    """Inspect's ``ModelUsage``: the total includes cached tokens, but the input does not."""
    got = usage.get
    return _beside(
        got("input_tokens"),
        got("output_tokens"),
        cached=got("input_tokens_cache_read"),
        written=got("input_tokens_cache_write"),
        reasoning=got("reasoning_tokens"),
        total=got("total_tokens"),
        cost=got("total_cost"),
    )


def pydantic_ai_usage(usage: Mapping[str, Any]) -> Usage | None:
    """Pydantic-ai's ``RequestUsage``: the input includes cached tokens; all 0 if unknown."""
    got = usage.get
    if not got("input_tokens") and not got("output_tokens") and not got("cost"):
        return None
    reasoning = got("output_reasoning_tokens")
    return made_usage(
        count(got("input_tokens")),
        count(got("output_tokens")),
        cached=count(got("cache_read_tokens")),
        written=count(got("cache_write_tokens")),
        reasoning=count(reasoning),
        cost=got("cost"),
    )


def verifiers_usage(usage: Mapping[str, Any]) -> Usage | None:
    """Usage of verifiers: ``prompt_tokens`` excludes tokens read from the cache."""
    got = usage.get
    return _beside(
        got("prompt_tokens"),
        got("completion_tokens"),
        cached=got("cached_input_tokens"),
        reasoning=got("reasoning_tokens"),
        cost=got("cost"),
    )


def message_usage(message: Mapping[str, Any]) -> Usage | None:
    """The usage in a message, in whichever form it has."""
    usage = dumped(message.get("usage_metadata"))
    if type(usage) is dict:
        return langchain_usage(usage)
    usage = dumped(message.get("usage"))
    if type(usage) is not dict:
        return None
    if "output_reasoning_tokens" in usage or "cache_read_tokens" in usage:
        return pydantic_ai_usage(usage)
    if "input_tokens_cache_read" in usage or "input_tokens_cache_write" in usage:
        return inspect_usage(usage)
    if "prompt_tokens" in usage or "input_tokens_details" in usage:
        return openai_usage(usage)
    return anthropic_usage(usage)


def made_usage(
    input_tokens: int | None,
    output_tokens: int | None,
    *,
    cached: int | None = None,
    written: int | None = None,
    reasoning: int | None = None,
    total: int | None = None,
    cost: object = None,
) -> Usage | None:
    """Make a usage from valid counts; ``None`` if none is known."""
    values = {
        **_USAGE,
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "cached_input_tokens": cached,
        "cache_write_tokens": written,
        "reasoning_tokens": reasoning,
        "total_tokens": total,
        "cost_usd": finite(cost),
    }
    return None if values == _USAGE else frozen(Usage, values)


def _beside(
    given: object,
    output: object,
    *,
    cached: object = None,
    written: object = None,
    reasoning: object = None,
    total: object = None,
    cost: object = None,
) -> Usage | None:
    """Usage whose input excludes cached tokens."""
    read, wrote, prompt = count(cached), count(written), count(given)
    whole = None if prompt is None else count(prompt + (read or 0) + (wrote or 0))
    return made_usage(
        whole,
        count(output),
        cached=read,
        written=wrote,
        reasoning=count(reasoning),
        total=count(total),
        cost=cost,
    )


_USAGE = default_fields(Usage)
"""Every field of a usage, with none known."""
